/* SPDX-License-Identifier: Apache-2.0
 *
 * What can be tested with one thread: arguments, limits, overflow, payloads, names and addresses, the log, reports.
 */
#undef NDEBUG /* the checks are what this program is for */
#include "ipc_bus.h"
#include "ipc_codec.h"
#include "ipc_topic.h"
#include "ipc_waitset.h"
#include <assert.h>
#include <string.h>

enum { TYPE = 1 };

_Static_assert(IPC_PRIORITIES >= 2 && IPC_LANE_CAPACITY >= 2 && IPC_POOL_BLOCKS >= 4, "room for what is tested");

static struct ipc_bus bus;
static struct ipc_sender sender;

static struct ipc_message *make_message(unsigned priority) {
    struct ipc_message *message = NULL;
    assert(ipc_message_create(&sender, TYPE, priority, OS_NO_WAIT, &message) == IPC_OK);
    ipc_message_seal(message);
    return message;
}

static struct ipc_port *open_port(enum ipc_overflow overflow, struct ipc_queue_limits limits) {
    struct ipc_port_attributes attributes = {limits, overflow};
    struct ipc_port *port = NULL;
    assert(ipc_registry_open(&bus.registry, "port", &attributes, &port) == IPC_OK);
    return port;
}

static void drop_port(struct ipc_port *port) {
    ipc_bus_drop(&bus, port);
    assert(ipc_pool_free_count(&bus.pool) == IPC_POOL_BLOCKS);
}

static void expect_next(struct ipc_port *port, uint32_t sequence) {
    struct ipc_message *message = NULL;
    assert(ipc_port_receive(port, OS_NO_WAIT, &message) == IPC_OK);
    assert(message->header.sequence == sequence && ipc_message_verify(message) == IPC_OK);
    ipc_message_release(message);
}

static void test_urgent_messages_come_first(void) {
    struct ipc_port *port = open_port(IPC_OVERFLOW_BLOCK, ipc_queue_limits_simple(1));
    struct ipc_header header;
    uint32_t first = sender.next_sequence;
    assert(ipc_port_peek(port, &header) == IPC_WOULD_BLOCK);
    assert(ipc_port_send(port, make_message(IPC_LEAST_URGENT), OS_NO_WAIT) == IPC_OK);
    assert(ipc_port_send(port, make_message(IPC_MOST_URGENT), OS_NO_WAIT) == IPC_OK);
    assert(ipc_port_peek(port, &header) == IPC_OK && header.priority == IPC_MOST_URGENT);
    assert(ipc_port_flush(port, OS_NO_WAIT) == IPC_WOULD_BLOCK);
    expect_next(port, first + 1);
    expect_next(port, first);
    assert(ipc_port_flush(port, OS_NO_WAIT) == IPC_OK);
    drop_port(port);
}

static void test_blocking_port_times_out(void) {
    struct ipc_port *port = open_port(IPC_OVERFLOW_BLOCK, ipc_queue_limits_simple(1));
    struct ipc_message *refused = make_message(IPC_LEAST_URGENT);
    struct ipc_message *none = NULL;
    assert(ipc_port_receive(port, 1, &none) == IPC_TIMEOUT && ipc_port_receive(port, 0, &none) == IPC_WOULD_BLOCK);
    assert(ipc_port_send(port, make_message(IPC_LEAST_URGENT), 1) == IPC_OK);
    assert(ipc_port_send(port, refused, 1) == IPC_TIMEOUT);
    assert(ipc_port_send(port, refused, OS_NO_WAIT) == IPC_WOULD_BLOCK);
    ipc_message_release(refused);
    drop_port(port);
}

/* Congested at two messages, not before it is empty again will the port take more. */
static void test_rejecting_port_waits_for_its_low_water_mark(void) {
    struct ipc_queue_limits limits = {.capacity = 2, .high = 2, .low = 0};
    struct ipc_port *port = open_port(IPC_OVERFLOW_REJECT, limits);
    struct ipc_message *refused = make_message(IPC_LEAST_URGENT);
    uint32_t first = sender.next_sequence;
    for (unsigned i = 0; i < 2; i++) assert(ipc_port_send(port, make_message(IPC_LEAST_URGENT), OS_FOREVER) == IPC_OK);
    assert(ipc_port_send(port, refused, OS_FOREVER) == IPC_FULL);
    expect_next(port, first);
    assert(ipc_port_send(port, refused, OS_FOREVER) == IPC_FULL);
    expect_next(port, first + 1);
    assert(ipc_port_send(port, refused, OS_FOREVER) == IPC_OK);
    drop_port(port);
}

static void test_dropping_port_keeps_the_latest(void) {
    struct ipc_port *port = open_port(IPC_OVERFLOW_DROP_OLDEST, ipc_queue_limits_simple(2));
    uint32_t first = sender.next_sequence;
    for (unsigned i = 0; i < 5; i++) assert(ipc_port_send(port, make_message(IPC_LEAST_URGENT), OS_FOREVER) == IPC_OK);
    assert(ipc_port_level(port, IPC_LEAST_URGENT) == 2);
    expect_next(port, first + 3);
    expect_next(port, first + 4);
    drop_port(port);
}

static void test_closed_port_can_be_emptied(void) {
    struct ipc_port *port = open_port(IPC_OVERFLOW_BLOCK, ipc_queue_limits_simple(2));
    struct ipc_message *late = make_message(IPC_LEAST_URGENT);
    struct ipc_message *none = NULL;
    uint32_t first = sender.next_sequence;
    for (unsigned i = 0; i < 2; i++) assert(ipc_port_send(port, make_message(IPC_LEAST_URGENT), OS_NO_WAIT) == IPC_OK);
    ipc_port_close(port, IPC_CLOSE_DRAIN);
    assert(ipc_port_send(port, late, OS_FOREVER) == IPC_CLOSED);
    ipc_message_release(late);
    expect_next(port, first);
    ipc_port_close(port, IPC_CLOSE_DISCARD);
    assert(ipc_port_receive(port, OS_FOREVER, &none) == IPC_CLOSED);
    drop_port(port);
}

static void test_urgent_messages_have_a_reserve(void) {
    struct ipc_message *messages[IPC_POOL_BLOCKS];
    struct ipc_message *none = NULL;
    for (unsigned i = 0; i < IPC_POOL_BLOCKS - 1; i++) messages[i] = make_message(IPC_LEAST_URGENT);
    assert(ipc_message_create(&sender, TYPE, IPC_LEAST_URGENT, OS_NO_WAIT, &none) == IPC_WOULD_BLOCK);
    messages[IPC_POOL_BLOCKS - 1] = make_message(IPC_MOST_URGENT);
    assert(ipc_message_create(&sender, TYPE, IPC_MOST_URGENT, 1, &none) == IPC_TIMEOUT);
    for (unsigned i = 0; i < IPC_POOL_BLOCKS; i++) ipc_message_release(messages[i]);
    assert(ipc_pool_free_count(&bus.pool) == IPC_POOL_BLOCKS);
}

static void test_payloads_read_as_written(void) {
    struct ipc_message *message = NULL;
    char text[4];
    assert(ipc_message_create(&sender, TYPE, IPC_LEAST_URGENT, OS_NO_WAIT, &message) == IPC_OK);
    struct ipc_writer writer = ipc_writer_of(message);
    ipc_put_text(&writer, "ab");
    ipc_put_u8(&writer, 200);
    assert(ipc_writer_finish(&writer) == IPC_OK);
    ipc_message_seal(message);
    assert(ipc_message_set(message, "x", 1) == IPC_INVALID);
    struct ipc_reader reader = ipc_reader_of(message);
    ipc_get_text(&reader, text, sizeof text);
    assert(strcmp(text, "ab") == 0 && ipc_reader_finish(&reader) == IPC_CORRUPT);
    assert(ipc_get_u8(&reader) == 200 && ipc_reader_finish(&reader) == IPC_OK);
    assert(ipc_get_u8(&reader) == 0 && ipc_reader_finish(&reader) == IPC_CORRUPT);
    message->payload[1] ^= 1;
    assert(!IPC_CHECKSUM || ipc_message_verify(message) == IPC_CORRUPT);
    ipc_message_release(message);
}

static void test_payloads_do_not_overflow(void) {
    struct ipc_message *message = NULL;
    unsigned char bytes[IPC_PAYLOAD_BYTES + 1] = {0};
    assert(ipc_message_create(&sender, TYPE, IPC_LEAST_URGENT, OS_NO_WAIT, &message) == IPC_OK);
    assert(ipc_message_set(message, bytes, IPC_PAYLOAD_BYTES + 1) == IPC_TOO_LARGE);
    assert(ipc_message_set(message, bytes, IPC_PAYLOAD_BYTES) == IPC_OK);
    struct ipc_writer writer = ipc_writer_of(message);
    for (unsigned i = 0; i < IPC_PAYLOAD_BYTES; i++) ipc_put_u8(&writer, (uint8_t)i);
    assert(ipc_writer_finish(&writer) == IPC_OK);
    ipc_put_u32(&writer, 0);
    assert(ipc_writer_finish(&writer) == IPC_TOO_LARGE);
    ipc_message_release(message);
}

static void test_addresses_are_not_those_of_successors(void) {
    struct ipc_port *port = open_port(IPC_OVERFLOW_BLOCK, ipc_queue_limits_simple(1));
    struct ipc_port *same = NULL;
    ipc_address address = port->address;
    assert(ipc_registry_find(&bus.registry, "port", OS_NO_WAIT, &same) == IPC_OK && same == port);
    ipc_bus_drop(&bus, same);
    assert(ipc_registry_resolve(&bus.registry, address, &same) == IPC_OK && same == port);
    ipc_bus_drop(&bus, same);
    drop_port(port);
    assert(ipc_registry_find(&bus.registry, "port", 1, &same) == IPC_NOT_FOUND);
    port = open_port(IPC_OVERFLOW_BLOCK, ipc_queue_limits_simple(1));
    assert(ipc_registry_resolve(&bus.registry, address, &same) == IPC_NOT_FOUND);
    assert(ipc_registry_resolve(&bus.registry, IPC_NO_ADDRESS, &same) == IPC_INVALID);
    drop_port(port);
}

static void test_names_are_checked(void) {
    struct ipc_port *ports[IPC_PORTS];
    struct ipc_port *none = NULL;
    char name[] = "a";
    assert(ipc_bus_open(&bus, "", 1, &none) == IPC_INVALID && ipc_bus_open(&bus, NULL, 1, &none) == IPC_INVALID);
    assert(ipc_bus_open(&bus, "a very long name that fits no table", 1, &none) == IPC_INVALID);
    assert(ipc_bus_open(&bus, "a", 0, &none) == IPC_INVALID);
    assert(ipc_bus_open(&bus, "a", IPC_LANE_CAPACITY + 1, &none) == IPC_INVALID);
    for (unsigned i = 0; i < IPC_PORTS; i++) {
        name[0] = (char)('a' + i);
        assert(ipc_bus_open(&bus, name, 1, &ports[i]) == IPC_OK);
        assert(ipc_bus_open(&bus, name, 1, &none) == IPC_EXISTS);
    }
    assert(ipc_bus_open(&bus, "port", 1, &none) == IPC_NO_SLOT);
    assert(ipc_bus_destroy(&bus) == IPC_BUSY);
    for (unsigned i = 0; i < IPC_PORTS; i++) drop_port(ports[i]);
}

static void test_topics_forget_ports_that_are_gone(void) {
    struct ipc_topic topic;
    unsigned delivered = 0;
    struct ipc_port *port = open_port(IPC_OVERFLOW_BLOCK, ipc_queue_limits_simple(1));
    assert(ipc_topic_init(&topic, &bus.registry) == IPC_OK);
    assert(ipc_topic_subscribe(&topic, port) == IPC_OK && ipc_topic_subscribe(&topic, port) == IPC_EXISTS);
    assert(ipc_topic_publish(&topic, make_message(IPC_LEAST_URGENT), &delivered) == IPC_OK && delivered == 1);
    assert(ipc_topic_publish(&topic, make_message(IPC_LEAST_URGENT), &delivered) == IPC_OK && delivered == 0);
    drop_port(port);
    assert(ipc_topic_publish(&topic, make_message(IPC_LEAST_URGENT), NULL) == IPC_OK);
    port = open_port(IPC_OVERFLOW_BLOCK, ipc_queue_limits_simple(1));
    assert(ipc_topic_unsubscribe(&topic, port) == IPC_NOT_FOUND);
    drop_port(port);
    ipc_topic_destroy(&topic);
}

static void test_events_let_one_or_all_through(void) {
    struct os_event manual, automatic;
    struct os_deadline now = os_deadline_in(OS_NO_WAIT);
    struct os_deadline soon = os_deadline_in(1);
    assert(os_event_init(&manual, OS_EVENT_MANUAL) == OS_OK && os_event_init(&automatic, OS_EVENT_AUTO) == OS_OK);
    assert(os_event_wait_until(&manual, &now) == OS_TIMEOUT && os_event_wait_until(&automatic, &soon) == OS_TIMEOUT);
    os_event_set(&manual);
    os_event_set(&automatic);
    assert(os_event_wait_until(&manual, &now) == OS_OK && os_event_wait_until(&manual, &now) == OS_OK);
    assert(os_event_wait_until(&automatic, &now) == OS_OK && os_event_wait_until(&automatic, &now) == OS_TIMEOUT);
    os_event_reset(&manual);
    assert(os_event_wait_until(&manual, &now) == OS_TIMEOUT);
    os_event_destroy(&automatic);
    os_event_destroy(&manual);
}

static void test_calls_are_checked(void) {
    struct ipc_port *port = open_port(IPC_OVERFLOW_REJECT, ipc_queue_limits_simple(1));
    struct ipc_message *sealed = make_message(IPC_LEAST_URGENT);
    struct ipc_message *request = NULL;
    struct ipc_message *reply = NULL;
    assert(ipc_call(&bus.calls, port, sealed, OS_NO_WAIT, &reply) == IPC_INVALID);
    assert(ipc_reply(&bus.calls, sealed, sealed) == IPC_INVALID);
    assert(ipc_message_create(&sender, TYPE, IPC_LEAST_URGENT, OS_NO_WAIT, &reply) == IPC_OK);
    assert(ipc_reply(&bus.calls, sealed, reply) == IPC_STALE);
    assert(ipc_port_send(port, sealed, OS_NO_WAIT) == IPC_OK);
    assert(ipc_message_create(&sender, TYPE, IPC_LEAST_URGENT, OS_NO_WAIT, &request) == IPC_OK);
    assert(ipc_call(&bus.calls, port, request, OS_FOREVER, &reply) == IPC_FULL);
    drop_port(port);
}

static void test_waitset_tells_what_is_ready(void) {
    struct ipc_waitset set, other;
    struct ipc_port *ready = NULL;
    struct ipc_port *port = open_port(IPC_OVERFLOW_BLOCK, ipc_queue_limits_simple(1));
    assert(ipc_waitset_init(&set) == IPC_OK && ipc_waitset_init(&other) == IPC_OK);
    assert(ipc_waitset_wait(&set, OS_NO_WAIT, &ready) == IPC_INVALID);
    assert(ipc_waitset_add(&set, port) == IPC_OK && ipc_waitset_add(&other, port) == IPC_BUSY);
    assert(ipc_waitset_wait(&set, OS_NO_WAIT, &ready) == IPC_WOULD_BLOCK);
    assert(ipc_waitset_wait(&set, 1, &ready) == IPC_TIMEOUT);
    assert(ipc_port_send(port, make_message(IPC_LEAST_URGENT), OS_NO_WAIT) == IPC_OK);
    assert(ipc_waitset_wait(&set, OS_FOREVER, &ready) == IPC_OK && ready == port);
    ipc_waitset_destroy(&other);
    ipc_waitset_destroy(&set);
    drop_port(port);
}

static void test_log_and_report_tell_what_happened(void) {
    char text[512];
    struct ipc_record record;
    struct ipc_port *port = open_port(IPC_OVERFLOW_BLOCK, ipc_queue_limits_simple(1));
    uint32_t sequence = sender.next_sequence;
    assert(ipc_port_send(port, make_message(IPC_LEAST_URGENT), OS_NO_WAIT) == IPC_OK);
    unsigned count = ipc_port_log(port, &record, 1);
    assert(count == (IPC_LOG_LENGTH > 0));
    assert(count == 0 || (record.event == IPC_EVENT_SENT && record.sequence == sequence && record.time == 0));
    size_t length = ipc_bus_report(&bus, text, sizeof text);
    assert(length < sizeof text && strlen(text) == length);
    assert(strstr(text, "port port") != NULL);
    assert((strstr(text, "taken") != NULL) == (IPC_STATISTICS != 0));
    assert((strstr(text, " sent ") != NULL) == (IPC_STATISTICS != 0 || IPC_LOG_LENGTH > 0));
    assert(ipc_bus_report(&bus, text, 10) == length && strlen(text) == 9);
    drop_port(port);
    assert(strcmp(ipc_status_name(IPC_STALE), "stale") == 0);
    assert(strcmp(ipc_status_name(IPC_STATUS_COUNT), "unknown") == 0);
}

int main(void) {
    assert(ipc_bus_init(&bus, IPC_POOL_BLOCKS) == IPC_INVALID);
    assert(ipc_bus_init(&bus, 1) == IPC_OK);
    ipc_bus_sender(&bus, NULL, &sender);
    test_urgent_messages_come_first();
    test_blocking_port_times_out();
    test_rejecting_port_waits_for_its_low_water_mark();
    test_dropping_port_keeps_the_latest();
    test_closed_port_can_be_emptied();
    test_urgent_messages_have_a_reserve();
    test_payloads_read_as_written();
    test_payloads_do_not_overflow();
    test_addresses_are_not_those_of_successors();
    test_names_are_checked();
    test_topics_forget_ports_that_are_gone();
    test_events_let_one_or_all_through();
    test_calls_are_checked();
    test_waitset_tells_what_is_ready();
    test_log_and_report_tell_what_happened();
    ipc_bus_shutdown(&bus, IPC_CLOSE_DISCARD);
    assert(ipc_bus_destroy(&bus) == IPC_OK);
    return 0;
}
