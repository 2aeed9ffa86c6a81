/* SPDX-License-Identifier: Apache-2.0
 *
 * Life of a message: created, written, sealed, shared, released. The checksum is Fletcher's with 16 bits, over the
 * header's fields one by one (between them there may be padding) and the payload.
 */
#include "ipc_message.h"
#include <assert.h>
#include <string.h>

struct checksum {
    unsigned sum;
    unsigned sum_of_sums;
};

static void add_byte(struct checksum *checksum, unsigned byte) {
    checksum->sum = (checksum->sum + byte) % 255;
    checksum->sum_of_sums = (checksum->sum_of_sums + checksum->sum) % 255;
}

static void add_number(struct checksum *checksum, uint32_t number, unsigned bytes) {
    for (; bytes > 0; bytes--) {
        add_byte(checksum, number & 0xff);
        number >>= 8;
    }
}

static uint16_t checksum_of(const struct ipc_message *message) {
    const struct ipc_header *header = &message->header;
    struct checksum checksum = {1, 0};
    add_number(&checksum, header->type, sizeof header->type);
    add_number(&checksum, header->priority, sizeof header->priority);
    add_number(&checksum, header->sender, sizeof header->sender);
    add_number(&checksum, header->length, sizeof header->length);
    add_number(&checksum, header->sequence, sizeof header->sequence);
    add_number(&checksum, header->correlation, sizeof header->correlation);
    for (unsigned i = 0; i < header->length; i++) add_byte(&checksum, message->payload[i]);
    return (uint16_t)(checksum.sum_of_sums << 8 | checksum.sum);
}

void ipc_sender_init(struct ipc_sender *sender, struct ipc_pool *pool, ipc_address address) {
    sender->pool = pool;
    sender->address = address;
    sender->next_sequence = 0;
}

enum ipc_status ipc_message_create(struct ipc_sender *sender, uint16_t type, unsigned priority, os_timeout timeout,
                                   struct ipc_message **message) {
    if (sender == NULL || message == NULL || priority > IPC_LEAST_URGENT) return IPC_INVALID;
    void *block = NULL;
    enum ipc_use use = priority == IPC_MOST_URGENT ? IPC_USE_URGENT : IPC_USE_NORMAL;
    enum ipc_status status = ipc_pool_take(sender->pool, use, timeout, &block);
    if (status != IPC_OK) return status;
    struct ipc_message *created = block;
    created->pool = sender->pool;
    created->header = (struct ipc_header){
        .type = type,
        .priority = (uint8_t)priority,
        .sender = sender->address,
        .sequence = sender->next_sequence++,
    };
    *message = created;
    return IPC_OK;
}

enum ipc_status ipc_message_set(struct ipc_message *message, const void *bytes, size_t length) {
    if (message == NULL || (bytes == NULL && length > 0) || ipc_message_is_sealed(message)) return IPC_INVALID;
    if (length > sizeof message->payload) return IPC_TOO_LARGE;
    if (length > 0) memcpy(message->payload, bytes, length);
    message->header.length = (uint16_t)length;
    return IPC_OK;
}

void ipc_message_seal(struct ipc_message *message) {
    assert(!ipc_message_is_sealed(message));
    message->header.flags |= IPC_FLAG_SEALED;
    if (IPC_CHECKSUM) message->header.checksum = checksum_of(message);
}

bool ipc_message_is_sealed(const struct ipc_message *message) { return (message->header.flags & IPC_FLAG_SEALED) != 0; }

enum ipc_status ipc_message_verify(const struct ipc_message *message) {
    if (message == NULL) return IPC_INVALID;
    if (!ipc_message_is_sealed(message) || message->header.length > sizeof message->payload) return IPC_CORRUPT;
    return IPC_CHECKSUM && message->header.checksum != checksum_of(message) ? IPC_CORRUPT : IPC_OK;
}

void ipc_message_retain(struct ipc_message *message) { ipc_pool_retain(message->pool, message); }

void ipc_message_release(struct ipc_message *message) {
    if (message != NULL) ipc_pool_release(message->pool, message);
}
