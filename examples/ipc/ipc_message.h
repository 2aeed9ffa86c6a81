/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages: a header and a payload in a block of a pool. The thread that creates a message may write it until it seals
 * it; from then on nobody does, and so several receivers can read the same message without a lock.
 */
#ifndef IPC_MESSAGE_H
#define IPC_MESSAGE_H

#include "ipc_pool.h"

/* Where messages come from and go to: number of a port, and how often that number was given away before. */
typedef uint16_t ipc_address;
#define IPC_NO_ADDRESS ((ipc_address)0)

/* Which call a request and its reply belong to. */
typedef uint32_t ipc_correlation;
#define IPC_NO_CORRELATION ((ipc_correlation)0)

enum { IPC_MOST_URGENT = 0, IPC_LEAST_URGENT = IPC_PRIORITIES - 1 };

/* Types from here on are the module's own. */
enum { IPC_TYPE_FIRST_RESERVED = 0xff00, IPC_TYPE_REPLY = 0xff00, IPC_TYPE_REFUSAL = 0xff01 };

enum { IPC_FLAG_SEALED = 1 };

struct ipc_header {
    uint16_t type;
    uint8_t priority;
    uint8_t flags;
    ipc_address sender;
    uint16_t length;
    uint32_t sequence; /* counts the messages of this sender */
    ipc_correlation correlation;
    uint16_t checksum;
};

struct ipc_message {
    struct ipc_pool *pool;
    struct ipc_header header;
    unsigned char payload[IPC_PAYLOAD_BYTES];
};

/* Belongs to one thread: numbering messages needs no lock. */
struct ipc_sender {
    struct ipc_pool *pool;
    ipc_address address;
    uint32_t next_sequence;
};

void ipc_sender_init(struct ipc_sender *sender, struct ipc_pool *pool, ipc_address address);

/* An empty message with one reference, which belongs to the caller. */
enum ipc_status ipc_message_create(struct ipc_sender *sender, uint16_t type, unsigned priority, os_timeout timeout,
                                   struct ipc_message **message);
enum ipc_status ipc_message_set(struct ipc_message *message, const void *bytes, size_t length);
void ipc_message_seal(struct ipc_message *message);
bool ipc_message_is_sealed(const struct ipc_message *message);
/* IPC_CORRUPT when the message is not what was sealed. */
enum ipc_status ipc_message_verify(const struct ipc_message *message);

void ipc_message_retain(struct ipc_message *message);
void ipc_message_release(struct ipc_message *message);

#endif
