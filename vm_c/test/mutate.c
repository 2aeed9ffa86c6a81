/* SPDX-License-Identifier: Apache-2.0
 *
 * Damages images at random and lets the machine load and run what is left: mutate COUNT SEED FILE...
 * Whatever an image holds, the machine must refuse it or run it without touching memory that is not its own. To be
 * compiled with VM_PARANOID and the sanitizers; ends with 0 and one line of numbers, or is stopped by them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../machine.h"

enum { SLICES = 60, MAX_FUEL = 400, MAX_MUTATIONS = 4, ERROR_SIZE = 256 };

static uint64_t random_state;
static uint64_t loaded, refused, faults, instructions, round_trips, output_bytes;

static uint32_t random_below(uint32_t bound) { /* xorshift64* */
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (uint32_t)((random_state * 0x2545f4914f6cdd1du) >> 33) % bound;
}

static uint32_t interesting(void) {
    static const uint32_t values[] = {0,          1,          2,          3,         7,      8,       15,
                                      16,         31,         32,         63,        64,     127,     255,
                                      256,        0x7fff,     0x8000,     0xfffe,    0xffff, 0x10000, 0x7fffffff,
                                      0x80000000, 0xfffffff0, 0xfffffffe, 0xffffffff};
    uint32_t count = sizeof values / sizeof *values, choice = random_below(count + 2);
    return choice < count ? values[choice] : random_below(choice == count ? 40 : 0x7fffffff);
}

static void overwrite(uint8_t *image, size_t size, size_t at, uint32_t width, uint32_t value) {
    if (at + width <= size) memcpy(image + at, &value, width);
}

static void edit_sections(uint8_t *image, size_t size) {
    size_t at = offsetof(VmImageHeader, sections) + 4 * random_below(2 * SECTION_COUNT);
    uint32_t value;
    memcpy(&value, image + at, sizeof value);
    value = random_below(2) ? interesting() : value + 8 * random_below(5) - 16;
    overwrite(image, size, at, 4, value);
}

/* An operand of an instruction, or all of it, becomes something that often is still well formed. */
static void edit_code(uint8_t *image, size_t size) {
    static const uint8_t field_start[] = {0, 2, 4, 6, 8, 12}, field_width[] = {2, 2, 2, 2, 4, 4};
    VmSection code;
    memcpy(&code, image + offsetof(VmImageHeader, sections) + SECTION_CODE * sizeof code, sizeof code);
    uint32_t count = code.size / (uint32_t)sizeof(VmInstr);
    if (count == 0 || (uint64_t)code.offset + code.size > size) return;
    uint8_t *instr = image + code.offset + random_below(count) * sizeof(VmInstr);
    uint8_t *other = image + code.offset + random_below(count) * sizeof(VmInstr);
    uint32_t field = random_below(6);
    switch (random_below(4)) {
    case 0: memmove(instr, other, sizeof(VmInstr)); break;
    case 1: memmove(instr + field_start[field], other + field_start[field], field_width[field]); break;
    case 2: overwrite(instr, sizeof(VmInstr), field_start[field], field_width[field], interesting()); break;
    default:
        overwrite(instr, sizeof(VmInstr), field_start[field], field_width[field], random_below(OPCODE_COUNT));
        break;
    }
}

static void mutate(uint8_t *image, size_t size) {
    for (uint32_t left = 1 + random_below(MAX_MUTATIONS); left > 0; left--) {
        size_t at = random_below((uint32_t)size);
        switch (random_below(8)) {
        case 0: image[at] ^= (uint8_t)(1u << random_below(8)); break;
        case 1: image[at] = (uint8_t)interesting(); break;
        case 2: overwrite(image, size, at / 4 * 4, 4, interesting()); break;
        case 3: overwrite(image, size, at / 2 * 2, 2, interesting()); break;
        case 4: edit_sections(image, size); break;
        default: edit_code(image, size); break;
        }
    }
    if (random_below(20) == 0) return;
    uint32_t magic = IMAGE_MAGIC, version = IMAGE_VERSION;
    overwrite(image, size, offsetof(VmImageHeader, magic), 4, magic);
    overwrite(image, size, offsetof(VmImageHeader, version), 4, version);
    overwrite(image, size, offsetof(VmImageHeader, file_size), 4, (uint32_t)size);
    overwrite(image, size, offsetof(VmImageHeader, checksum), 4, image_checksum(image, size));
}

static void count_output(void *context, uint64_t descriptor, const uint8_t *data, uint64_t size) {
    (void)context;
    (void)descriptor;
    for (uint64_t i = 0; i < size; i++) output_bytes += data[i] != 0;
}

static void require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "mutate: %s\n", what);
    abort();
}

/* A packed state restored over a fresh one must give every byte of the state back. */
static void check_round_trip(VmMachine *machine) {
    size_t state_size = vm_state_size(machine), size = vm_pack(machine, NULL, 0);
    uint8_t *state = malloc(state_size), *packed = malloc(size);
    require(state != NULL && packed != NULL, "no memory");
    memcpy(state, vm_state(machine), state_size);
    require(vm_pack(machine, packed, size) == size, "the packed size changed");
    vm_reset(machine);
    require(vm_unpack(machine, packed, size), "a packed state was not accepted");
    require(memcmp(state, vm_state(machine), state_size) == 0, "a packed state is not the whole state");
    free(state);
    free(packed);
    round_trips++;
}

static void look_inside(const VmMachine *machine, uint32_t thread) {
    VmFrameInfo frames[8];
    VmObjectInfo info;
    uint32_t count = vm_frames(machine, thread, frames, 8);
    for (uint32_t i = 0; i < count && i < 8; i++) {
        for (uint32_t slot = 0; slot < frames[i].slots; slot++) {
            uint64_t value = vm_register(machine, thread, frames[i].frame + slot);
            if (vm_object_info(machine, value, &info)) vm_read(machine, value, 4);
        }
    }
}

static void run(VmMachine *machine) {
    uint64_t before = vm_instructions(machine);
    uint32_t threads = vm_limits(machine)->max_threads;
    int round_trip_left = random_below(8) == 0;
    vm_set_output(machine, count_output, NULL);
    for (uint32_t slice = 0; slice < SLICES && vm_header(machine)->status == PROCESS_RUNNING; slice++) {
        uint32_t thread = slice % threads, flags = random_below(4);
        uint64_t choices = vm_choices(machine, thread);
        uint64_t choice = choices == 0     ? random_state
                          : choices > 1000 ? random_below(1000)
                                           : random_below((uint32_t)choices);
        VmEnabled enabled = vm_enabled(machine, thread);
        VmStop stop = vm_run(machine, thread, (VmMode)random_below(3), 1 + random_below(MAX_FUEL), flags, choice);
        require(enabled != THREAD_DISABLED || vm_executed(machine) == 0, "a disabled thread moved");
        if (stop == STOP_FAULT) faults++;
        if (random_below(8) == 0) look_inside(machine, thread);
        vm_deadlocked(machine);
        if (round_trip_left && random_below(20) == 0) {
            instructions += vm_instructions(machine) - before;
            check_round_trip(machine);
            before = 0;
            round_trip_left = 0;
        }
    }
    instructions += vm_instructions(machine) - before;
    check_round_trip(machine);
}

static void try_image(const uint8_t *image, size_t size) {
    static const VmLimits small = {.max_threads = 4,
                                   .heap_bytes = 1 << 17,
                                   .heap_objects = 128,
                                   .stack_slots = 2048,
                                   .stack_bytes = 1 << 17,
                                   .stack_objects = 128};
    char error[ERROR_SIZE] = "";
    VmMachine *machine = vm_create(image, size, &small, error, sizeof error);
    if (machine == NULL) {
        require(error[0] != 0, "an image was refused without a reason");
        refused++;
        return;
    }
    loaded++;
    run(machine);
    vm_destroy(machine);
}

static uint8_t *read_image(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    uint8_t *bytes = NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (*size = (size_t)ftell(file)) > sizeof(VmImageHeader)) {
        rewind(file);
        bytes = malloc(*size);
        if (bytes != NULL && fread(bytes, 1, *size, file) != *size) {
            free(bytes);
            bytes = NULL;
        }
    }
    fclose(file);
    return bytes;
}

int main(int count, char **arguments) {
    if (count < 4) {
        fprintf(stderr, "usage: mutate COUNT SEED FILE...\n");
        return 2;
    }
    uint64_t mutations = strtoull(arguments[1], NULL, 0);
    random_state = strtoull(arguments[2], NULL, 0) * 2 + 1;
    for (int i = 3; i < count; i++) {
        size_t size = 0;
        uint8_t *original = read_image(arguments[i], &size);
        if (original == NULL) {
            fprintf(stderr, "mutate: cannot read %s\n", arguments[i]);
            return 2;
        }
        try_image(original, size);
        for (uint64_t round = 0; round < mutations; round++) {
            uint8_t *image = malloc(size); /* exactly the file's size, so that the sanitizer sees its end */
            require(image != NULL, "no memory");
            memcpy(image, original, size);
            mutate(image, size);
            try_image(image, size);
            free(image);
        }
        free(original);
    }
    printf("%" PRIu64 " loaded, %" PRIu64 " refused, %" PRIu64 " faults, %" PRIu64 " instructions, %" PRIu64
           " round trips\n",
           loaded, refused, faults, instructions, round_trips);
    return 0;
}
