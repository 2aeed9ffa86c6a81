/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing and reading payloads. Bytes are moved one by one, so neither order nor alignment matters.
 */
#include "ipc_codec.h"
#include <string.h>

enum { LONGEST_TEXT = 0xff };

struct ipc_writer ipc_writer_of(struct ipc_message *message) {
    return (struct ipc_writer){.message = message, .overflow = ipc_message_is_sealed(message)};
}

static void put_number(struct ipc_writer *writer, uint32_t value, size_t bytes) {
    if (writer->overflow || IPC_PAYLOAD_BYTES - writer->used < bytes) {
        writer->overflow = true;
        return;
    }
    for (size_t i = 0; i < bytes; i++) writer->message->payload[writer->used++] = (unsigned char)(value >> (8 * i));
}

void ipc_put_u8(struct ipc_writer *writer, uint8_t value) { put_number(writer, value, sizeof value); }
void ipc_put_u16(struct ipc_writer *writer, uint16_t value) { put_number(writer, value, sizeof value); }
void ipc_put_u32(struct ipc_writer *writer, uint32_t value) { put_number(writer, value, sizeof value); }

void ipc_put_text(struct ipc_writer *writer, const char *text) {
    size_t length = strlen(text);
    if (length > LONGEST_TEXT || writer->overflow || IPC_PAYLOAD_BYTES - writer->used < length + 1) {
        writer->overflow = true;
        return;
    }
    ipc_put_u8(writer, (uint8_t)length);
    memcpy(&writer->message->payload[writer->used], text, length);
    writer->used += length;
}

enum ipc_status ipc_writer_finish(struct ipc_writer *writer) {
    if (writer->overflow) return IPC_TOO_LARGE;
    writer->message->header.length = (uint16_t)writer->used;
    return IPC_OK;
}

struct ipc_reader ipc_reader_of(const struct ipc_message *message) {
    return (struct ipc_reader){.message = message, .underflow = ipc_message_verify(message) != IPC_OK};
}

static bool has_bytes(struct ipc_reader *reader, size_t bytes) {
    if (!reader->underflow && reader->message->header.length - reader->used >= bytes) return true;
    reader->underflow = true;
    return false;
}

static uint32_t get_number(struct ipc_reader *reader, size_t bytes) {
    uint32_t value = 0;
    if (!has_bytes(reader, bytes)) return 0;
    for (size_t i = 0; i < bytes; i++) value |= (uint32_t)reader->message->payload[reader->used++] << (8 * i);
    return value;
}

uint8_t ipc_get_u8(struct ipc_reader *reader) { return (uint8_t)get_number(reader, sizeof(uint8_t)); }
uint16_t ipc_get_u16(struct ipc_reader *reader) { return (uint16_t)get_number(reader, sizeof(uint16_t)); }
uint32_t ipc_get_u32(struct ipc_reader *reader) { return get_number(reader, sizeof(uint32_t)); }

void ipc_get_text(struct ipc_reader *reader, char *text, size_t size) {
    size_t length = ipc_get_u8(reader);
    if (length >= size) reader->underflow = true;
    if (!has_bytes(reader, length)) length = 0;
    memcpy(text, &reader->message->payload[reader->used], length);
    text[length] = '\0';
    reader->used += length;
}

enum ipc_status ipc_reader_finish(const struct ipc_reader *reader) {
    return reader->underflow || reader->used != reader->message->header.length ? IPC_CORRUPT : IPC_OK;
}
