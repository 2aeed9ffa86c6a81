/* SPDX-License-Identifier: Apache-2.0
 *
 * The dispatch loop. exec.c includes this file once for each width of pointers, with LOOP_NAME and LOOP_SHIFT defined.
 * Every case reads its operands before it writes its results, since slots may be the same. A fault leaves the pc at
 * the faulting instruction. What a case does is said in opcodes.def.
 */

/* clang-format off */
#define IMM ((uint64_t)ip->x | (uint64_t)ip->y << 32)
#define SLOT(n) (*(PARANOID(slot_is_in_frame(machine, call->thread, ip, r, (n))), r + (n)))
#define A SLOT(ip->a)
#define B SLOT(ip->b)
#define C SLOT(ip->c)
#define U(W, value) ((uint##W##_t)(value))
#define I(W, value) ((int##W##_t)(uint##W##_t)(value))
#define SIGNED_Y ((int64_t)(int32_t)ip->y)
#define POINTER(value) (LOOP_SHIFT == 16 ? (uint64_t)(uint32_t)(value) : (uint64_t)(value))
#define WITH_OFFSET(value) POINTER((value) + (uint64_t)(int64_t)(int32_t)ip->x)

#define CASE(name) L_##name:
#define DISPATCH() do { if (UNLIKELY(--fuel < 0)) goto out_of_fuel; goto *labels[ip->op]; } while (0)
#define NEXT() do { ip++; DISPATCH(); } while (0)
#define JUMP_IF(condition) do { if (condition) { ip = code + ip->x; DISPATCH(); } NEXT(); } while (0)
#define RAISE(kind, first, second) do { \
    fault = (kind); machine->detail[0] = (first); machine->detail[1] = (second); goto faulted; } while (0)
#define TRY(expression) do { fault = (expression); if (UNLIKELY(fault != FAULT_NONE)) goto faulted; } while (0)
#define STOP(reason) do { stop = (reason); goto stopped; } while (0)
#define FOR_WIDTHS(CASES) CASES(8) CASES(16) CASES(32) CASES(64)
#define READ(bytes, address, size) \
    const uint8_t *bytes = accessible(machine, LOOP_SHIFT, (address), (size), 0); \
    if (UNLIKELY(bytes == NULL)) { pointer = (address); accessed = (size); writes = 0; goto bad_access; }
#define WRITE(bytes, address, size) \
    uint8_t *bytes = accessible(machine, LOOP_SHIFT, (address), (size), 1); \
    if (UNLIKELY(bytes == NULL)) { pointer = (address); accessed = (size); writes = 1; goto bad_access; } \
    note_write(machine, bytes, (size));

#define MARK(address, size) \
    do { if (UNLIKELY(machine->image.tracks)) shadow_write(machine, (address), (size), UINT64_MAX); } while (0)
#define CHECK_WRITTEN(address, size) \
    do { if (UNLIKELY(ip->y & ACCESS_CHECKED) && shadow_read(machine, (address), (size)) != all_marks(size)) \
        RAISE(FAULT_UNINITIALISED, (address), (size)); } while (0)

VmStop LOOP_NAME(VmMachine *machine, VmCall *call) {
    static const void *const run_labels[] = {
#define OP(name, a, b, c, imm, visibility, meaning) &&L_##name,
#include "op_widths.h"
#include "opcodes.def"
#undef OP
#undef OPW
    };
    static const void *const global_labels[] = { /* stop before what others can see */
#define LABEL_LOCAL(name) &&L_##name
#define LABEL_VISIBLE(name) &&before_visible
#define LABEL_STACK(name) &&before_stack
#define OP(name, a, b, c, imm, visibility, meaning) LABEL_##visibility(name),
#include "op_widths.h"
#include "opcodes.def"
#undef OP
#undef OPW
#undef LABEL_LOCAL
#undef LABEL_VISIBLE
#undef LABEL_STACK
    };
    const void *const *const labels =
        call->mode == VM_PURE || (call->mode == VM_STEP_GLOBAL && !call->alone) ? global_labels : run_labels;
    const VmInstr *const code = machine->image.code;
    const VmFunction *const functions = machine->image.functions;
    VmThread *const self = machine->threads + call->thread;
    uint64_t *const registers = registers_of(machine, call->thread);
    const VmInstr *ip = code + self->pc;
    uint64_t *r = registers + self->frame, *lowest = r;
    int64_t budget = call->fuel < INT64_MAX / 2 ? (int64_t)call->fuel : INT64_MAX / 2, fuel = budget - 1;
    int extended = 0; /* the fuel is used up, an atomic section is being finished */
    uint64_t pointer, accessed, result = 0;
    const VmFunction *callee;
    VmFrameHeader frame;
    VmFault fault;
    VmStop stop;
    int writes;

    call->highest_slot = self->frame + functions[machine->image.code_function[self->pc]].frame_slots;
    goto *(call->mode == VM_PURE ? labels : run_labels)[ip->op];

    CASE(NOP) NEXT();
    CASE(MOV) { A = B; NEXT(); }
    CASE(CONST) { A = IMM; NEXT(); }
    CASE(SELECT) { A = B ? C : SLOT(ip->x); NEXT(); }

#define CASES(W) \
    CASE(ADD##W) { A = U(W, B + C); NEXT(); } \
    CASE(ADDI##W) { A = U(W, B + IMM); NEXT(); } \
    CASE(SUB##W) { A = U(W, B - C); NEXT(); } \
    CASE(MUL##W) { A = U(W, B * C); NEXT(); } \
    CASE(MULI##W) { A = U(W, B * IMM); NEXT(); } \
    CASE(UDIV##W) { if (C == 0) RAISE(FAULT_DIV_ZERO, B, 0); A = U(W, U(W, B) / C); NEXT(); } \
    CASE(UREM##W) { if (C == 0) RAISE(FAULT_DIV_ZERO, B, 0); A = U(W, U(W, B) % C); NEXT(); } \
    CASE(SDIV##W) { \
        fault = division_fault(B, U(W, C), W, 1); \
        if (UNLIKELY(fault != FAULT_NONE)) RAISE(fault, B, C); \
        A = divide_signed(B, C, W); NEXT(); } \
    CASE(SREM##W) { \
        fault = division_fault(B, U(W, C), W, 1); \
        if (UNLIKELY(fault != FAULT_NONE)) RAISE(fault, B, C); \
        A = remainder_signed(B, C, W); NEXT(); } \
    CASE(SHL##W) { A = shift_left(B, C, W); NEXT(); } \
    CASE(SHLI##W) { A = shift_left(B, IMM, W); NEXT(); } \
    CASE(LSHR##W) { A = shift_right(U(W, B), C, W); NEXT(); } \
    CASE(LSHRI##W) { A = shift_right(U(W, B), IMM, W); NEXT(); } \
    CASE(ASHR##W) { A = shift_right_signed(B, C, W); NEXT(); } \
    CASE(ASHRI##W) { A = shift_right_signed(B, IMM, W); NEXT(); } \
    CASE(SLT##W) { A = I(W, B) < I(W, C); NEXT(); } \
    CASE(SLE##W) { A = I(W, B) <= I(W, C); NEXT(); } \
    CASE(SLTI##W) { A = I(W, B) < I(W, IMM); NEXT(); } \
    CASE(SGTI##W) { A = I(W, B) > I(W, IMM); NEXT(); } \
    CASE(JSLT##W) JUMP_IF(I(W, A) < I(W, B)); \
    CASE(JSLE##W) JUMP_IF(I(W, A) <= I(W, B)); \
    CASE(JSLTI##W) JUMP_IF(I(W, A) < I(W, SIGNED_Y)); \
    CASE(JSGTI##W) JUMP_IF(I(W, A) > I(W, SIGNED_Y));
    FOR_WIDTHS(CASES)
#undef CASES
    CASE(AND) { A = B & C; NEXT(); }
    CASE(ANDI) { A = B & IMM; NEXT(); }
    CASE(OR) { A = B | C; NEXT(); }
    CASE(ORI) { A = B | IMM; NEXT(); }
    CASE(XOR) { A = B ^ C; NEXT(); }
    CASE(XORI) { A = B ^ IMM; NEXT(); }
    CASE(SEXT) { A = low_bits(sign_extend(B, ip->x), ip->y); NEXT(); }
    CASE(LEA) { A = POINTER(B + C * (uint64_t)(int64_t)(int32_t)ip->x + (uint64_t)SIGNED_Y); NEXT(); }
    CASE(LEAI) { A = POINTER(IMM + C * ip->b); NEXT(); }

    CASE(EQ) { A = B == C; NEXT(); }
    CASE(NE) { A = B != C; NEXT(); }
    CASE(ULT) { A = B < C; NEXT(); }
    CASE(ULE) { A = B <= C; NEXT(); }
    CASE(EQI) { A = B == IMM; NEXT(); }
    CASE(NEI) { A = B != IMM; NEXT(); }
    CASE(ULTI) { A = B < IMM; NEXT(); }
    CASE(UGTI) { A = B > IMM; NEXT(); }

    CASE(JMP) { ip = code + ip->x; DISPATCH(); }
    CASE(JEQ) JUMP_IF(A == B);
    CASE(JNE) JUMP_IF(A != B);
    CASE(JULT) JUMP_IF(A < B);
    CASE(JULE) JUMP_IF(A <= B);
    CASE(JEQI) JUMP_IF(A == (uint64_t)SIGNED_Y);
    CASE(JNEI) JUMP_IF(A != (uint64_t)SIGNED_Y);
    CASE(JULTI) JUMP_IF(A < (uint64_t)SIGNED_Y);
    CASE(JUGTI) JUMP_IF(A > (uint64_t)SIGNED_Y);
    CASE(JANYI) JUMP_IF((A & (uint64_t)SIGNED_Y) != 0);
    CASE(JNONEI) JUMP_IF((A & (uint64_t)SIGNED_Y) == 0);
    CASE(SWITCH) {
        ip = code + table_target(&machine->image, ip->x, A, machine->image.tables[ip->x].default_pc);
        DISPATCH();
    }
    CASE(JMPIND) {
        uint64_t label = A - ((uint64_t)machine->label_id << LOOP_SHIFT);
        uint32_t target = table_target(&machine->image, ip->x, label, NO_TARGET);
        if (target == NO_TARGET) RAISE(FAULT_BAD_JUMP, A, 0);
        ip = code + target;
        DISPATCH();
    }

    CASE(CALL) {
        callee = functions + ip->x;
        r = push_frame(machine, call, r, ip, callee, ip->c);
        if (UNLIKELY(r == NULL)) goto no_frame;
        ip = code + callee->first_pc;
        DISPATCH();
    }
    CASE(CALLPTR) {
        uint32_t function;
        TRY(resolve_call(machine, ip, C, &function));
        callee = functions + function;
        r = push_frame(machine, call, r, ip, callee, functions[machine->image.code_function[ip - code]].frame_slots);
        if (UNLIKELY(r == NULL)) goto no_frame;
        ip = code + callee->first_pc;
        DISPATCH();
    }
no_frame: /* push_frame fails before it changes anything; the frame it was called in is still in the thread's hands */
    r = registers + machine->detail[0];
    RAISE(FAULT_STACK_LIMIT, callee->frame_slots, 0);
    CASE(RET) { result = 0; goto returning; }
    CASE(RETV) { result = A; goto returning; }
    CASE(RETI) { result = IMM; goto returning; }
returning:
    frame = read_frame_header(r);
    if (UNLIKELY(frame.caller == 0)) goto thread_over;
    pop_frame(machine, call->thread, r, frame.stack_ids, 0, ip->b);
    r = registers + frame.caller;
    ip = code + frame.return_pc - 1;
    if (r < lowest) lowest = r;
    if (ip->a != NO_SLOT) A = result;
    NEXT();
    CASE(RETN) {
        uint32_t kept = ip->a;
        result = kept > 0 ? SLOT(0) : 0;
        frame = read_frame_header(r);
        if (frame.caller == 0) goto thread_over;
        pop_frame(machine, call->thread, r, frame.stack_ids, kept, ip->b);
        r = registers + frame.caller;
        ip = code + frame.return_pc - 1;
        if (r < lowest) lowest = r;
        if (ip->a != NO_SLOT) A = result;
        NEXT();
    }
    CASE(TRAP) RAISE((VmFault)ip->x, 0, 0);
    CASE(TRAPV) RAISE((VmFault)ip->x, A, B);

#define CASES(W) \
    CASE(LOAD##W) { \
        READ(bytes, WITH_OFFSET(B), W / 8) \
        uint##W##_t value; memcpy(&value, bytes, W / 8); \
        if (UNLIKELY(ip->c & ACCESS_TRACKED)) { pointer = WITH_OFFSET(B); accessed = W / 8; result = value; goto tracked; } \
        A = value; NEXT(); } \
    CASE(STORE##W) { \
        WRITE(bytes, WITH_OFFSET(B), W / 8) \
        MARK(WITH_OFFSET(B), W / 8); \
        if (UNLIKELY(ip->c & ACCESS_MARKED)) shadow_write(machine, WITH_OFFSET(B), W / 8, SLOT(ip->a + 1)); \
        uint##W##_t value = U(W, A); memcpy(bytes, &value, W / 8); NEXT(); } \
    CASE(STOREI##W) { \
        WRITE(bytes, WITH_OFFSET(B), W / 8) \
        MARK(WITH_OFFSET(B), W / 8); \
        uint##W##_t value = U(W, SIGNED_Y); memcpy(bytes, &value, W / 8); NEXT(); } \
    CASE(LOADA##W) { \
        READ(bytes, IMM, W / 8) \
        uint##W##_t value; memcpy(&value, bytes, W / 8); \
        if (UNLIKELY(ip->c & ACCESS_TRACKED)) { pointer = IMM; accessed = W / 8; result = value; goto tracked; } \
        A = value; NEXT(); } \
    CASE(STOREA##W) { \
        WRITE(bytes, IMM, W / 8) \
        uint##W##_t value = U(W, A); memcpy(bytes, &value, W / 8); NEXT(); } \
    CASE(RMW##W) { \
        WRITE(bytes, B, W / 8) \
        CHECK_WRITTEN(B, W / 8); \
        MARK(B, W / 8); \
        uint##W##_t old, value; memcpy(&old, bytes, W / 8); \
        value = U(W, rmw_operation(ip->x, W, old, C)); \
        memcpy(bytes, &value, W / 8); A = old; NEXT(); } \
    CASE(CMPXCHG##W) { \
        WRITE(bytes, B, W / 8) \
        CHECK_WRITTEN(B, W / 8); \
        uint##W##_t old, expected = U(W, C), value = U(W, SLOT(ip->c + 1)); memcpy(&old, bytes, W / 8); \
        if (old == expected) { MARK(B, W / 8); memcpy(bytes, &value, W / 8); } \
        A = old; SLOT(ip->a + 1) = old == expected; NEXT(); }
    FOR_WIDTHS(CASES)
#undef CASES
    CASE(ALLOCA) {
        TRY(stack_allocate(machine, call->thread, ip->x, stack_flags(ip->y), (uint32_t)(ip - code), &result));
        A = result;
        NEXT();
    }
    CASE(ALLOCAV) {
        TRY(stack_allocate(machine, call->thread, B, stack_flags(STACK_ESCAPES), (uint32_t)(ip - code), &result));
        A = result;
        NEXT();
    }
    CASE(STACKSAVE) { A = self->stack_ids; NEXT(); }
    CASE(STACKREST) {
        uint64_t kept = A;
        frame = read_frame_header(r);
        if (kept < frame.stack_ids) kept = frame.stack_ids;
        if (kept < self->stack_ids) stack_drop(machine, call->thread, (uint32_t)kept);
        NEXT();
    }
    CASE(CLEAR) { TRY(stack_clear_object(machine, A)); NEXT(); }
    CASE(TLSADDR) {
        A = (uint64_t)(stack_pool(machine, call->thread) + machine->tls_ids[ip->x]) << LOOP_SHIFT;
        NEXT();
    }
    CASE(ALLOC) {
        TRY(heap_allocate(machine, call->thread, B, C, (uint32_t)(ip - code), &result));
        if (ip->x & ALLOC_INITIALISED) heap_initialise(machine, result);
        if (ip->x & ALLOC_HIDDEN) heap_hide(machine, result);
        A = result;
        NEXT();
    }
    CASE(FREE) { TRY(heap_free(machine, A)); NEXT(); }
    CASE(OBJSIZE) { TRY(heap_size(machine, B, &result)); A = result; NEXT(); }

    CASE(CTPOP) { A = (uint64_t)__builtin_popcountll(low_bits(B, ip->y)); NEXT(); }
    CASE(CTLZ) {
        uint64_t value = low_bits(B, ip->y);
        A = value == 0 ? ip->y : ip->y - 64 + (uint32_t)__builtin_clzll(value);
        NEXT();
    }
    CASE(CTTZ) {
        uint64_t value = low_bits(B, ip->y);
        A = value == 0 ? ip->y : (uint32_t)__builtin_ctzll(value);
        NEXT();
    }
    CASE(BSWAP) { A = __builtin_bswap64(B) >> (64 - ip->y); NEXT(); }
    CASE(BITREV) { A = reverse_bits(B) >> (64 - ip->y); NEXT(); }
    CASE(OVERFLOW) {
        int overflow;
        result = checked_operation(ip->x, ip->y, B, C, &overflow);
        A = result;
        SLOT(ip->a + 1) = overflow != 0;
        NEXT();
    }
    CASE(SATURATE) { A = saturated_operation(ip->x, ip->y, B, C); NEXT(); }

#define PAIR(n) (&SLOT(n))
    CASE(ADD128) { put_wide(PAIR(ip->a), get_wide(PAIR(ip->b)) + get_wide(PAIR(ip->c))); NEXT(); }
    CASE(SUB128) { put_wide(PAIR(ip->a), get_wide(PAIR(ip->b)) - get_wide(PAIR(ip->c))); NEXT(); }
    CASE(MUL128) { put_wide(PAIR(ip->a), get_wide(PAIR(ip->b)) * get_wide(PAIR(ip->c))); NEXT(); }
    CASE(UDIV128) CASE(SDIV128) CASE(UREM128) CASE(SREM128) {
        Wide wide = 0;
        fault = divide_wide(ip->op, get_wide(PAIR(ip->b)), get_wide(PAIR(ip->c)), &wide);
        if (UNLIKELY(fault != FAULT_NONE)) RAISE(fault, B, C);
        put_wide(PAIR(ip->a), wide);
        NEXT();
    }
    CASE(SHL128) CASE(LSHR128) CASE(ASHR128) {
        put_wide(PAIR(ip->a), shift_wide(ip->op, get_wide(PAIR(ip->b)), C));
        NEXT();
    }
    CASE(ULT128) { A = get_wide(PAIR(ip->b)) < get_wide(PAIR(ip->c)); NEXT(); }
    CASE(SLT128) { A = (SignedWide)get_wide(PAIR(ip->b)) < (SignedWide)get_wide(PAIR(ip->c)); NEXT(); }
    CASE(OVERFLOW128) {
        int overflow;
        Wide wide = checked_wide(ip->x, get_wide(PAIR(ip->b)), get_wide(PAIR(ip->c)), &overflow);
        put_wide(PAIR(ip->a), wide);
        SLOT(ip->a + 2) = overflow != 0;
        NEXT();
    }

    CASE(FADD32) CASE(FSUB32) CASE(FMUL32) CASE(FDIV32) CASE(FREM32) {
        A = float_binary32(ip->op, (uint32_t)B, (uint32_t)C);
        NEXT();
    }
    CASE(FADD64) CASE(FSUB64) CASE(FMUL64) CASE(FDIV64) CASE(FREM64) { A = float_binary64(ip->op, B, C); NEXT(); }
    CASE(FADD80) CASE(FSUB80) CASE(FMUL80) CASE(FDIV80) CASE(FREM80) {
        float_binary80(ip->op, PAIR(ip->a), PAIR(ip->b), PAIR(ip->c));
        NEXT();
    }
    CASE(FNEG80) {
        uint64_t mantissa = B, sign_and_exponent = SLOT(ip->b + 1);
        A = mantissa;
        SLOT(ip->a + 1) = (sign_and_exponent ^ 0x8000) & 0xffff;
        NEXT();
    }
    CASE(FCMP32) CASE(FCMP64) CASE(FCMP80) { A = float_compare(ip->op, ip->x, PAIR(ip->b), PAIR(ip->c)); NEXT(); }
    CASE(MATH) { A = float_math(ip->x, B, C); NEXT(); }
    CASE(MATH80) { float_math80(ip->x, PAIR(ip->a), PAIR(ip->b), PAIR(ip->c)); NEXT(); }
    CASE(FMA32) CASE(FMA64) { A = float_fma(ip->op, B, C, SLOT(ip->x)); NEXT(); }
    CASE(FTOF) CASE(FTO80) CASE(FFROM80) CASE(STOF) CASE(UTOF) CASE(FTOS) CASE(FTOU) CASE(STOF80) CASE(UTOF80)
    CASE(F80TOS) CASE(F80TOU) CASE(S128TOF) CASE(U128TOF) CASE(FTOS128) CASE(FTOU128) {
        float_convert(ip, PAIR(ip->a), PAIR(ip->b));
        NEXT();
    }
#undef PAIR

    CASE(SELF) { A = call->thread; NEXT(); }
    CASE(ATOMIC_BEGIN) {
        if (self->atomic_depth == UINT32_MAX) RAISE(FAULT_ATOMIC_MISUSE, 0, 0);
        self->atomic_depth++;
        machine->header->atomic_holder = call->thread + 1;
        NEXT();
    }
    CASE(ATOMIC_END) {
        if (self->atomic_depth == 0) RAISE(FAULT_ATOMIC_MISUSE, 0, 0);
        if (--self->atomic_depth > 0) NEXT();
        machine->header->atomic_holder = 0;
        if (!extended) NEXT();
        ip++;
        STOP(STOP_STEP);
    }
    CASE(AWAIT) {
        AwaitState state = await_state(machine, ip, r);
        if (state == AWAIT_FAULTY) { READ(bytes, B, 4) (void)bytes; }
        int first = fuel == budget - 1, gives_up = first && (call->flags & VM_TIME_OUT) && may_time_out(machine, ip);
        if (state == AWAIT_UNSATISFIED && !gives_up) {
            fuel++;
            if (machine->header->atomic_holder == call->thread + 1) machine->header->atomic_holder = 0;
            STOP(STOP_BLOCKED);
        }
        if (self->atomic_depth == UINT32_MAX) RAISE(FAULT_ATOMIC_MISUSE, 0, 0);
        A = state == AWAIT_SATISFIED;
        self->atomic_depth++;
        machine->header->atomic_holder = call->thread + 1;
        NEXT();
    }
    CASE(CHOOSE) {
        if (!(call->flags & VM_WITH_CHOICE)) { fuel++; STOP(STOP_CHOICE); }
        if (B != 0 && call->choice >= B) { fuel++; STOP(STOP_BAD_CHOICE); }
        call->flags &= ~(uint32_t)VM_WITH_CHOICE;
        self->choice_start = self->choice_count = 0;
        A = call->choice;
        NEXT();
    }
    CASE(NOTE) {
        if (A != 0 && machine->notes != NULL) machine->notes[ip->x] = 1;
        NEXT();
    }
    CASE(SPAWN) { /* whoever drives the machine must get a chance to let the new thread go first */
        TRY(spawn(machine, A, B));
        budget -= fuel;
        fuel = 0;
        NEXT();
    }
    CASE(THREAD_END) { result = 0; goto thread_over; }
    CASE(EXIT) {
        machine->header->exit_status = (uint32_t)A;
        machine->header->status = PROCESS_EXITED;
        STOP(STOP_EXITED);
    }
    CASE(ABORT) { machine->header->status = PROCESS_ABORTED; STOP(STOP_ABORTED); }
    CASE(ASSUME) {
        if (A != 0) NEXT();
        machine->header->status = PROCESS_PRUNED;
        STOP(STOP_PRUNED);
    }
    CASE(FAULT) {
        VmFault kind = A > FAULT_NONE && A < FAULT_COUNT ? (VmFault)A : FAULT_LIBRARY_MISUSE;
        RAISE(kind, B, 0);
    }
    CASE(OUTPUT) {
        uint64_t size = C;
        if (size == 0) NEXT();
        READ(bytes, B, size)
        if (machine->output != NULL) machine->output(machine->output_context, A, bytes, size);
        NEXT();
    }
    CASE(SETJMP) {
        TRY(save_place(machine, call->thread, (uint32_t)(ip - code), (uint32_t)(r - registers), B));
        A = 0;
        NEXT();
    }
    CASE(LONGJMP) {
        result = B == 0 ? 1 : B;
        TRY(return_to_place(machine, call->thread, (uint32_t)(ip - code), (uint32_t)(r - registers), A));
        ip = code + self->pc;
        r = registers + self->frame;
        if (r < lowest) lowest = r;
        A = result;
        NEXT();
    }

tracked: { /* a load of `result` at `pointer` that wants to know what was written */
        uint32_t marks = shadow_read(machine, pointer, accessed), enough = all_marks(accessed);
        if ((ip->c & ACCESS_PARTLY) && marks != 0) marks = enough;
        if ((ip->c & ACCESS_CHECKED) && marks != enough) RAISE(FAULT_UNINITIALISED, pointer, accessed);
        A = result;
        if (ip->c & ACCESS_MARKED) SLOT(ip->a + 1) = marks;
        NEXT();
    }
before_stack:
    if (call->mode == VM_PURE || !concerns_others(machine, call->thread, ip, r)) goto *run_labels[ip->op];
before_visible:
    if (call->mode == VM_PURE) {
        TRY(effect_of(machine, call->thread, ip, r));
        if (machine->accesses != NULL) accesses_note(machine, call->thread, ip, r);
        goto *run_labels[ip->op];
    }
    if (self->atomic_depth > 0) {
        if (machine->accesses != NULL) accesses_note(machine, call->thread, ip, r);
        goto *run_labels[ip->op];
    }
    if (is_private_access(machine, call->thread, ip, r)) goto *run_labels[ip->op];
    fuel++;
    STOP(STOP_STEP);
out_of_fuel:
    fuel = 0;
    if (self->atomic_depth == 0 || extended || call->mode == VM_TRACE) STOP(STOP_STEP);
    extended = 1;
    budget += ATOMIC_BOUND;
    fuel = ATOMIC_BOUND;
    DISPATCH();
bad_access:
    fault = access_fault(machine, pointer, accessed, writes);
faulted: /* what others can still do before the end must not be lost: a fault is a step of its own */
    if (call->mode == VM_STEP_GLOBAL && !call->alone && self->atomic_depth == 0 && fuel != budget - 1) {
        fuel++;
        STOP(STOP_STEP);
    }
    record_fault(machine, fault, call->thread, (uint32_t)(ip - code));
    stop = STOP_FAULT;
stopped:
    self->pc = (uint32_t)(ip - code);
    self->frame = (uint32_t)(r - registers);
    call->lowest_frame = (uint32_t)(lowest - registers);
    machine->executed = (uint64_t)(budget - fuel);
    return stop;
thread_over:
    self->pc = (uint32_t)(ip - code);
    self->frame = (uint32_t)(r - registers);
    machine->returned = result;
    thread_end(machine, call->thread);
    machine->executed = (uint64_t)(budget - fuel);
    return STOP_THREAD_ENDED;
}

#undef IMM
#undef SLOT
#undef A
#undef B
#undef C
#undef U
#undef I
#undef SIGNED_Y
#undef POINTER
#undef WITH_OFFSET
#undef CASE
#undef DISPATCH
#undef NEXT
#undef JUMP_IF
#undef RAISE
#undef TRY
#undef STOP
#undef FOR_WIDTHS
#undef READ
#undef WRITE
#undef MARK
#undef CHECK_WRITTEN
