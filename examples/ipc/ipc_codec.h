/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers and strings in a payload, little-endian whatever the processor. An error sticks: a sequence of puts or gets
 * needs one look at the end.
 */
#ifndef IPC_CODEC_H
#define IPC_CODEC_H

#include "ipc_message.h"

struct ipc_writer {
    struct ipc_message *message;
    size_t used;
    bool overflow;
};

struct ipc_writer ipc_writer_of(struct ipc_message *message);
void ipc_put_u8(struct ipc_writer *writer, uint8_t value);
void ipc_put_u16(struct ipc_writer *writer, uint16_t value);
void ipc_put_u32(struct ipc_writer *writer, uint32_t value);
/* With its length, at most 255, in front. */
void ipc_put_text(struct ipc_writer *writer, const char *text);
/* Gives the message its length; IPC_TOO_LARGE when something did not fit. */
enum ipc_status ipc_writer_finish(struct ipc_writer *writer);

struct ipc_reader {
    const struct ipc_message *message;
    size_t used;
    bool underflow;
};

struct ipc_reader ipc_reader_of(const struct ipc_message *message);
uint8_t ipc_get_u8(struct ipc_reader *reader);
uint16_t ipc_get_u16(struct ipc_reader *reader);
uint32_t ipc_get_u32(struct ipc_reader *reader);
void ipc_get_text(struct ipc_reader *reader, char *text, size_t size);
/* IPC_CORRUPT when the payload was shorter, or is longer, than what was read. */
enum ipc_status ipc_reader_finish(const struct ipc_reader *reader);

#endif
