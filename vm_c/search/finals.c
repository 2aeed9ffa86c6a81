/* SPDX-License-Identifier: Apache-2.0
 *
 * A record is a number of bytes (uint32_t), that of the process status, of the exit status and of the fault, and then:
 * of a deadlock the packed state, of everything else the variables with static storage. What ended in a fault that is
 * no deadlock, or at a failing assumption, is left out.
 */
#include "finals.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "shared.h"

enum { REMEMBERED = 1 << 14, HEAD_WORDS = 4 };

static int file = -1;
static uint64_t written[REMEMBERED]; /* hashes of what is in the file, as far as there is room */
static uint8_t *record;
static size_t capacity;

void finals_open(const char *path) {
    if (path == NULL) return;
    file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (file < 0) search_fail("%s: cannot be written", path);
}

static int is_final(const VmCheck *check) {
    const VmHeader *header = check->machine->header;
    if (header->status == PROCESS_FAULT) return header->fault_kind == FAULT_DEADLOCK;
    return header->status != PROCESS_PRUNED && check_outcome(check) == OUTCOME_DONE;
}

static uint64_t hash_of(const uint8_t *bytes, size_t size) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

static size_t fill_record(const VmMachine *machine) {
    const VmHeader *header = machine->header;
    size_t size = machine->image.globals_size, head = HEAD_WORDS * sizeof(uint32_t);
    int is_deadlock = header->status == PROCESS_FAULT;
    if (is_deadlock) size = vm_pack(machine, NULL, 0);
    if (head + size > capacity) {
        capacity = 2 * (head + size);
        record = realloc(record, capacity);
        if (record == NULL) search_fail("no memory for a final state");
    }
    uint32_t words[HEAD_WORDS] = {(uint32_t)size, header->status, header->exit_status, header->fault_kind};
    memcpy(record, words, head);
    if (is_deadlock)
        vm_pack(machine, record + head, size);
    else
        memcpy(record + head, machine->memory + machine->globals_offset, size);
    return head + size;
}

void finals_note(const VmCheck *check) {
    if (file < 0 || !is_final(check)) return;
    size_t size = fill_record(check->machine);
    uint64_t hash = hash_of(record, size), *slot = written + hash % REMEMBERED;
    if (*slot == hash) return;
    *slot = hash;
    if (write(file, record, size) != (ssize_t)size) search_fail("the file of final states cannot be written");
}
