/* SPDX-License-Identifier: Apache-2.0
 *
 * Topics: one message for all ports that have subscribed. The message is not copied, each port gets a reference to it.
 */
#ifndef IPC_TOPIC_H
#define IPC_TOPIC_H

#include "ipc_registry.h"

/* Subscribers are known by address, not by reference: a topic keeps no port alive. */
struct ipc_topic {
    struct os_mutex lock;
    struct ipc_registry *registry;
    ipc_address subscribers[IPC_SUBSCRIBERS];
};

enum ipc_status ipc_topic_init(struct ipc_topic *topic, struct ipc_registry *registry);
void ipc_topic_destroy(struct ipc_topic *topic);

enum ipc_status ipc_topic_subscribe(struct ipc_topic *topic, const struct ipc_port *port);
enum ipc_status ipc_topic_unsubscribe(struct ipc_topic *topic, const struct ipc_port *port);

/* Takes over the caller's reference, unless the answer is IPC_INVALID. Does not wait: ports that are congested miss the
 * message. Tells how many ports got it, unless `delivered` is null. */
enum ipc_status ipc_topic_publish(struct ipc_topic *topic, struct ipc_message *message, unsigned *delivered);

#endif
