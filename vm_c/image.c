/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a bytecode image (image.h) into the machine's own arrays and checks everything but the instructions, which
 * validate.c checks. After that, the loop needs no test of form.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine.h"

typedef struct {
    const uint8_t *bytes;
    VmImageHeader header;
    char *error;
    size_t capacity;
} Reader;

int image_error(char *error, size_t capacity, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (capacity > 0) vsnprintf(error, capacity, format, arguments);
    va_end(arguments);
    return 0;
}

#define FAIL(reader, ...) return image_error((reader)->error, (reader)->capacity, __VA_ARGS__)

/* The CRC-32 that zlib computes, of all that follows the checksum field of an image: polynomial 0xedb88320
 * (bit-reversed), register and result inverted. */
uint32_t image_checksum(const uint8_t *image, size_t size) {
    size_t skipped = offsetof(VmImageHeader, checksum) + sizeof(uint32_t);
    uint32_t table[256];
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t remainder = i;
        for (int bit = 0; bit < 8; bit++) remainder = (remainder >> 1) ^ (remainder & 1 ? 0xedb88320u : 0);
        table[i] = remainder;
    }
    uint32_t crc = 0xffffffffu;
    for (size_t i = skipped; i < size; i++) crc = (crc >> 8) ^ table[(crc ^ image[i]) & 0xff];
    return ~crc;
}

static int read_header(Reader *reader, size_t size) {
    VmImageHeader *header = &reader->header;
    if (size < sizeof *header) FAIL(reader, "the image is too short for a header: %zu bytes", size);
    memcpy(header, reader->bytes, sizeof *header);
    if (header->magic != IMAGE_MAGIC) FAIL(reader, "not a bytecode image: it starts with 0x%08x", header->magic);
    if (header->version != IMAGE_VERSION) {
        FAIL(reader, "image version %u, this machine reads version %u", header->version, IMAGE_VERSION);
    }
    if (header->file_size != size) FAIL(reader, "the image has %zu bytes, its header says %u", size, header->file_size);
    uint32_t checksum = image_checksum(reader->bytes, size);
    if (checksum != header->checksum) {
        FAIL(reader, "wrong checksum 0x%08x, the bytes give 0x%08x", header->checksum, checksum);
    }
    if (header->pointer_bits != 32 && header->pointer_bits != 64) {
        FAIL(reader, "pointers of %u bits, must be 32 or 64", header->pointer_bits);
    }
    for (uint32_t kind = 0; kind < SECTION_COUNT; kind++) {
        VmSection section = header->sections[kind];
        if (section.offset % 8 != 0) FAIL(reader, "section %u is not aligned: offset %u", kind, section.offset);
        if (section.offset > size || section.size > size - section.offset) {
            FAIL(reader, "section %u does not lie in the image: offset %u, size %u", kind, section.offset,
                 section.size);
        }
    }
    return 1;
}

/* Copies a section of items of `item` bytes; one spare byte keeps empty arrays from being null. */
static int copy_section(Reader *reader, VmSectionKind kind, size_t item, void *copy, uint32_t *count) {
    VmSection section = reader->header.sections[kind];
    if (section.size % item != 0) {
        FAIL(reader, "section %u has %u bytes, not a multiple of %zu", (unsigned)kind, section.size, item);
    }
    void *bytes = malloc((size_t)section.size + 1);
    if (bytes == NULL) FAIL(reader, "no memory for section %u of %u bytes", (unsigned)kind, section.size);
    memcpy(bytes, reader->bytes + section.offset, section.size);
    memcpy(copy, &bytes, sizeof bytes);
    *count = (uint32_t)(section.size / item);
    return 1;
}

static int copy_sections(Reader *reader, VmImage *image) {
    uint32_t live_count = 0;
    int copied =
        copy_section(reader, SECTION_CODE, sizeof(VmInstr), &image->code, &image->code_count) &&
        copy_section(reader, SECTION_FUNCTIONS, sizeof(VmFunction), &image->functions, &image->function_count) &&
        copy_section(reader, SECTION_OBJECTS, sizeof(VmStaticObject), &image->objects, &image->object_count) &&
        copy_section(reader, SECTION_CONSTANTS, 1, &image->constants, &image->constants_size) &&
        copy_section(reader, SECTION_GLOBALS, 1, &image->globals, &image->globals_size) &&
        copy_section(reader, SECTION_TLS, sizeof(VmThreadLocal), &image->tls, &image->tls_count) &&
        copy_section(reader, SECTION_TLS_DATA, 1, &image->tls_data, &image->tls_data_size) &&
        copy_section(reader, SECTION_TABLES, sizeof(VmTable), &image->tables, &image->table_count) &&
        copy_section(reader, SECTION_TARGETS, sizeof(VmTarget), &image->targets, &image->target_count) &&
        copy_section(reader, SECTION_LIVE, sizeof(uint32_t), &image->live, &live_count) &&
        copy_section(reader, SECTION_LIVE_BITS, sizeof(uint64_t), &image->live_bits, &image->live_word_count) &&
        copy_section(reader, SECTION_STRINGS, 1, &image->strings, &image->strings_size);
    if (!copied) return 0;
    if (live_count != 0 && live_count != image->code_count) {
        FAIL(reader, "%u live sets for %u instructions", live_count, image->code_count);
    }
    if (live_count == 0 && image->code_count > 0) { /* no liveness at all: every register counts as live */
        uint32_t *live = realloc(image->live, image->code_count * sizeof *live);
        if (live == NULL) FAIL(reader, "no memory for %u live sets", image->code_count);
        memset(live, 0xff, image->code_count * sizeof *live);
        image->live = live;
    }
    return 1;
}

static int check_name(Reader *reader, const VmImage *image, const char *what, uint32_t index, uint32_t name) {
    if (name >= image->strings_size) FAIL(reader, "%s %u has no name: string %u", what, index, name);
    return 1;
}

static int check_functions(Reader *reader, VmImage *image) {
    uint32_t pc = 0;
    if (image->function_count == 0) FAIL(reader, "the image has no function");
    image->code_function = malloc((size_t)image->code_count * sizeof(uint32_t) + 1);
    if (image->code_function == NULL) FAIL(reader, "no memory for %u instructions", image->code_count);
    for (uint32_t f = 0; f < image->function_count; f++) {
        const VmFunction *function = image->functions + f;
        if (function->first_pc != pc || function->end_pc <= pc || function->end_pc > image->code_count) {
            FAIL(reader, "function %u covers instructions %u to %u, must start at %u", f, function->first_pc,
                 function->end_pc, pc);
        }
        if (function->parameter_slots > function->frame_slots || function->result_slots > function->frame_slots) {
            FAIL(reader, "function %u has %u frame slots for %u parameters and %u results", f, function->frame_slots,
                 function->parameter_slots, function->result_slots);
        }
        if (function->frame_slots >= NO_SLOT - FRAME_HEADER_SLOTS) {
            FAIL(reader, "function %u has %u frame slots, too many", f, function->frame_slots);
        }
        if (function->flags & ~(FUNCTION_VARIADIC | (unsigned)FUNCTION_MOST_BITS << FUNCTION_BITS_SHIFT))
            FAIL(reader, "function %u has unknown flags", f);
        if ((function->flags & FUNCTION_VARIADIC) && function->parameter_slots == 0) {
            FAIL(reader, "function %u is variadic and has no parameter for it", f);
        }
        if (!check_name(reader, image, "function", f, function->name)) return 0;
        for (; pc < function->end_pc; pc++) image->code_function[pc] = f;
    }
    if (pc != image->code_count) FAIL(reader, "instructions from %u on belong to no function", pc);
    if (image->entry >= image->function_count) FAIL(reader, "the entry function %u does not exist", image->entry);
    const VmFunction *entry = image->functions + image->entry;
    if (entry->parameter_slots > 1 || (entry->flags & FUNCTION_VARIADIC)) {
        FAIL(reader, "the entry function %u takes %u parameters, at most 1 is possible", image->entry,
             entry->parameter_slots);
    }
    return 1;
}

static int check_place(Reader *reader, const char *what, uint32_t index, uint32_t start, uint32_t size,
                       uint32_t section_size) {
    if (start % GRANULE != 0) FAIL(reader, "%s %u is not aligned: starts at %u", what, index, start);
    if (start > section_size || size > section_size - start) {
        FAIL(reader, "%s %u does not lie in its section: starts at %u, size %u", what, index, start, size);
    }
    return 1;
}

static int check_objects(Reader *reader, const VmImage *image) {
    int constants_over = 0;
    for (uint32_t i = 0; i < image->object_count; i++) {
        const VmStaticObject *object = image->objects + i;
        if (object->flags & ~(unsigned)OBJECT_CONSTANT) FAIL(reader, "object %u has unknown flags", i);
        int constant = (object->flags & OBJECT_CONSTANT) != 0;
        if (constant && constants_over) FAIL(reader, "object %u is a constant after a global", i);
        if (!constant) constants_over = 1;
        uint32_t section_size = constant ? image->constants_size : image->globals_size;
        if (!check_place(reader, "object", i, object->start, object->size, section_size)) return 0;
        if (!check_name(reader, image, "object", i, object->name)) return 0;
    }
    for (uint32_t i = 0; i < image->tls_count; i++) {
        const VmThreadLocal *variable = image->tls + i;
        if (!check_place(reader, "thread-local", i, variable->start, variable->size, image->tls_data_size)) return 0;
        if (!check_name(reader, image, "thread-local", i, variable->name)) return 0;
    }
    return 1;
}

static int check_tables(Reader *reader, const VmImage *image) {
    for (uint32_t i = 0; i < image->table_count; i++) {
        const VmTable *table = image->tables + i;
        if (table->first_target > image->target_count ||
            table->target_count > image->target_count - table->first_target) {
            FAIL(reader, "table %u has targets %u .. +%u of %u", i, table->first_target, table->target_count,
                 image->target_count);
        }
        const VmTarget *targets = image->targets + table->first_target;
        for (uint32_t k = 1; k < table->target_count; k++) {
            if (targets[k - 1].value >= targets[k].value) FAIL(reader, "table %u is not sorted at target %u", i, k);
        }
    }
    return 1;
}

static int check_live_sets(Reader *reader, const VmImage *image) {
    for (uint32_t pc = 0; pc < image->code_count; pc++) {
        uint32_t index = image->live[pc];
        if (index == NO_LIVE_SET) continue;
        uint32_t words = (image->functions[image->code_function[pc]].frame_slots + 63u) / 64;
        if (index > image->live_word_count || words > image->live_word_count - index) {
            FAIL(reader, "live set of instruction %u is out of range: word %u of %u", pc, index,
                 image->live_word_count);
        }
    }
    return 1;
}

int image_load(VmImage *image, const uint8_t *bytes, size_t size, char *error, size_t capacity) {
    Reader reader = {.bytes = bytes, .error = error, .capacity = capacity};
    memset(image, 0, sizeof *image);
    if (!read_header(&reader, size)) return 0;
    image->pointer_bits = reader.header.pointer_bits;
    image->entry = reader.header.entry;
    if (!copy_sections(&reader, image)) return 0;
    if (image->strings_size > 0 && image->strings[image->strings_size - 1] != 0) {
        return image_error(error, capacity, "the last string is not terminated");
    }
    return check_functions(&reader, image) && check_objects(&reader, image) && check_tables(&reader, image) &&
           check_live_sets(&reader, image) && image_check_code(image, error, capacity);
}

void image_release(VmImage *image) {
    free(image->code);
    free(image->code_function);
    free(image->functions);
    free(image->objects);
    free(image->constants);
    free(image->globals);
    free(image->tls_data);
    free(image->tls);
    free(image->tables);
    free(image->targets);
    free(image->live);
    free(image->live_bits);
    free(image->strings);
    memset(image, 0, sizeof *image);
}
