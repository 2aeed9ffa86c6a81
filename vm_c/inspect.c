/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions about the machine that change nothing: the rest of vm_api.h, for traces, tests and drivers.
 */
#include "machine.h"

void vm_set_notes(VmMachine *machine, uint8_t *notes) { machine->notes = notes; }

void vm_set_output(VmMachine *machine, VmOutput *output, void *context) {
    machine->output = output;
    machine->output_context = context;
}

uint64_t vm_executed(const VmMachine *machine) { return machine->executed; }
uint64_t vm_instructions(const VmMachine *machine) { return machine->total; }
uint8_t *vm_state(VmMachine *machine) { return machine->memory + machine->state_offset; }
uint64_t vm_state_size(const VmMachine *machine) { return machine->memory_size - machine->state_offset; }
const VmHeader *vm_header(const VmMachine *machine) { return machine->header; }
const VmLimits *vm_limits(const VmMachine *machine) { return &machine->limits; }
uint32_t vm_pointer_bits(const VmMachine *machine) { return machine->image.pointer_bits; }
uint32_t vm_function_count(const VmMachine *machine) { return machine->image.function_count; }
uint32_t vm_instruction_count(const VmMachine *machine) { return machine->image.code_count; }

const VmThread *vm_thread(const VmMachine *machine, uint32_t thread) {
    return thread < machine->limits.max_threads ? machine->threads + thread : NULL;
}

const VmHeap *vm_heap(const VmMachine *machine, uint32_t thread) {
    return thread < machine->limits.max_threads ? machine->heaps + thread : NULL;
}

uint64_t vm_function_pointer(const VmMachine *machine, uint32_t function) {
    return ((uint64_t)1 << machine->shift) + 16 * (uint64_t)function;
}

uint64_t vm_label_pointer(const VmMachine *machine, uint32_t pc) {
    return ((uint64_t)machine->label_id << machine->shift) + pc;
}

uint64_t vm_static_pointer(const VmMachine *machine, uint32_t object) {
    return object < machine->image.object_count ? (uint64_t)machine->static_ids[object] << machine->shift : 0;
}

const VmFunction *vm_function(const VmMachine *machine, uint32_t function) {
    return function < machine->image.function_count ? machine->image.functions + function : NULL;
}

uint32_t vm_function_at(const VmMachine *machine, uint32_t pc) {
    return pc < machine->image.code_count ? machine->image.code_function[pc] : machine->image.function_count;
}

const char *vm_string(const VmMachine *machine, uint32_t offset) {
    return offset < machine->image.strings_size ? machine->image.strings + offset : "";
}

const VmInstr *vm_instruction(const VmMachine *machine, uint32_t pc) {
    return pc < machine->image.code_count ? machine->image.code + pc : NULL;
}

uint32_t vm_frames(const VmMachine *machine, uint32_t thread, VmFrameInfo *frames, uint32_t capacity) {
    if (thread >= machine->limits.max_threads || machine->threads[thread].status != THREAD_RUNNING) return 0;
    const uint64_t *registers = registers_of(machine, thread);
    uint32_t frame = machine->threads[thread].frame, pc = machine->threads[thread].pc, count = 0;
    while (frame != 0) {
        VmFrameHeader header = read_frame_header(registers + frame);
        uint32_t function = machine->image.code_function[pc];
        if (count < capacity) {
            frames[count] = (VmFrameInfo){.function = function,
                                          .pc = pc,
                                          .frame = frame,
                                          .slots = machine->image.functions[function].frame_slots};
        }
        count++;
        frame = header.caller;
        pc = header.return_pc - 1;
    }
    return count;
}

uint32_t vm_heap_ids(const VmMachine *machine, uint32_t thread) { return heap_pool(machine, thread); }
uint32_t vm_stack_ids(const VmMachine *machine, uint32_t thread) { return stack_pool(machine, thread); }

uint64_t vm_register(const VmMachine *machine, uint32_t thread, uint32_t index) {
    if (thread >= machine->limits.max_threads || index >= machine->limits.stack_slots) return 0;
    return registers_of(machine, thread)[index];
}
