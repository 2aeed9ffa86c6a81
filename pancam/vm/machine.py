# SPDX-License-Identifier: Apache-2.0
"""Machine: a program image loaded into the C virtual machine, to be run, stepped and looked into.

The only module that knows cffi. Everything that decides what a program does happens in vm_c/; here are only
conversions. Stop reasons and kinds are the names of the C enums of vm_api.h and faults.def.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from pancam.errors import ImageError
from pancam.isa import constants
from pancam.settings import Limits
from pancam.vm._machine import ffi, lib

if TYPE_CHECKING:
    from collections.abc import Callable

_ffi: Any = ffi
_lib: Any = lib
ERROR_BYTES = 512
UNLIMITED = (1 << 62) - 1


class Mode(IntEnum):
    """How far one call of `Machine.run` goes."""

    RUN = _lib.VM_RUN
    STEP_INSTRUCTION = _lib.VM_STEP_INSTRUCTION
    STEP_GLOBAL = _lib.VM_STEP_GLOBAL
    TRACE = _lib.VM_TRACE


class Stop(IntEnum):
    """Why `Machine.run` returned; vm_api.h says what each means."""

    STEP = _lib.STOP_STEP
    BLOCKED = _lib.STOP_BLOCKED
    CHOICE = _lib.STOP_CHOICE
    BAD_CHOICE = _lib.STOP_BAD_CHOICE
    THREAD_ENDED = _lib.STOP_THREAD_ENDED
    EXITED = _lib.STOP_EXITED
    ABORTED = _lib.STOP_ABORTED
    PRUNED = _lib.STOP_PRUNED
    FAULT = _lib.STOP_FAULT
    NOT_RUNNING = _lib.STOP_NOT_RUNNING


class Enabled(IntEnum):
    """Whether a thread can move."""

    DISABLED = _lib.THREAD_DISABLED
    ENABLED = _lib.THREAD_ENABLED
    CAN_TIME_OUT = _lib.THREAD_CAN_TIME_OUT


class Status(IntEnum):
    """What has become of the process."""

    RUNNING = _lib.PROCESS_RUNNING
    EXITED = _lib.PROCESS_EXITED
    ABORTED = _lib.PROCESS_ABORTED
    PRUNED = _lib.PROCESS_PRUNED
    FAULT = _lib.PROCESS_FAULT


class ObjectKind(IntEnum):
    """What an object id stands for."""

    DEAD = _lib.OBJECT_DEAD
    NULL = _lib.OBJECT_NULL
    FUNCTION = _lib.OBJECT_FUNCTION
    LABEL = _lib.OBJECT_LABEL
    CONST = _lib.OBJECT_CONST
    GLOBAL = _lib.OBJECT_GLOBAL
    HEAP = _lib.OBJECT_HEAP
    STACK = _lib.OBJECT_STACK
    THREAD_LOCAL = _lib.OBJECT_THREAD_LOCAL


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of the checked program, as it stands in the state."""

    kind: str
    text: str
    thread: int
    pc: int
    detail: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Frame:
    """One active function of a thread; pc is its next instruction, or its call instruction unless it is on top."""

    function: int
    name: str
    pc: int
    slots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """The object a pointer points into. `site` is the pc of the allocation, or the number of a static object."""

    id: int
    kind: ObjectKind
    owner: int
    site: int
    size: int
    offset: int


@dataclass(slots=True)
class _Output:
    """Who gets the output, and the error that taking it raised."""

    callback: Callable[[int, bytes], None]
    problem: BaseException | None = None


@_ffi.def_extern()  # type: ignore[untyped-decorator]
def pancam_output(context: Any, descriptor: int, data: Any, size: int) -> None:  # noqa: ANN401
    """Hand output of the checked program to the Machine that the context stands for."""
    output: _Output = _ffi.from_handle(context)
    if output.problem is None:
        try:
            output.callback(descriptor, bytes(_ffi.buffer(data, size)))
        except BaseException as problem:  # noqa: BLE001 - C code is in between: Machine.run raises it
            output.problem = problem


class Machine:
    """One process of a checked program. Not safe for use by several Python threads at once."""

    def __init__(self, image: bytes, limits: Limits | None = None) -> None:
        wanted = limits or Limits()
        fields = {name: getattr(wanted, name) for name in Limits.__slots__}
        error = _ffi.new("char[]", ERROR_BYTES)
        try:
            settings = _ffi.new("VmLimits *", fields)
        except OverflowError as problem:
            raise ImageError(f"a limit of the machine is out of range: {wanted}") from problem
        machine = _lib.vm_create(_ffi.from_buffer("uint8_t[]", image), len(image), settings, error, ERROR_BYTES)
        if machine == _ffi.NULL:
            raise ImageError(_ffi.string(error).decode())
        self._take(_ffi.gc(machine, _lib.vm_destroy), image)

    @classmethod
    def of_pointer(cls, machine: Any, image: bytes, owner: object) -> Machine:  # noqa: ANN401
        """A machine that belongs to `owner`, which is kept alive."""
        self = cls.__new__(cls)
        self._take(machine, image)
        self._owner = owner
        return self

    def _take(self, machine: Any, image: bytes) -> None:  # noqa: ANN401
        self._machine = machine
        self._owner: object = None
        self._output: _Output | None = None
        self._output_handle: object = None
        self._notes: Any = None
        self.image = image

    def set_output(self, callback: Callable[[int, bytes], None] | None) -> None:
        """Call `callback(descriptor, data)` for all output from now on."""
        if callback is None:
            _lib.vm_set_output(self._machine, _ffi.NULL, _ffi.NULL)
            self._output = None
        else:
            self._output = _Output(callback)
            handle = _ffi.new_handle(self._output)
            _lib.vm_set_output(self._machine, _lib.pancam_output, handle)
            self._output_handle = handle

    def watch_notes(self) -> None:
        """Remember from now on which notes are taken."""
        self._notes = _ffi.new("uint8_t[]", constants()["NOTES"])
        _lib.vm_set_notes(self._machine, self._notes)

    @property
    def notes(self) -> tuple[int, ...]:
        """The numbers of the notes taken since `watch_notes`."""
        return tuple(number for number, taken in enumerate(self._notes or ()) if taken)

    # Moving

    def run(
        self,
        thread: int,
        mode: Mode = Mode.RUN,
        fuel: int = UNLIMITED,
        *,
        choice: int | None = None,
        time_out: bool = False,
    ) -> Stop:
        """Let a thread run; see vm_api.h for modes and stop reasons."""
        flags = (_lib.VM_WITH_CHOICE if choice is not None else 0) | (_lib.VM_TIME_OUT if time_out else 0)
        stop = Stop(_lib.vm_run(self._machine, thread, mode, fuel, flags, choice or 0))
        if self._output is not None and self._output.problem is not None:
            problem, self._output.problem = self._output.problem, None
            raise problem
        return stop

    def step(self, thread: int, *, choice: int | None = None, time_out: bool = False, fuel: int = 1 << 20) -> Stop:
        """One step at the granularity of accesses to memory that others can see."""
        return self.run(thread, Mode.STEP_GLOBAL, fuel, choice=choice, time_out=time_out)

    def reset(self) -> None:
        """Go back to the initial state."""
        _lib.vm_reset(self._machine)

    def canonicalise(self, thread: int) -> None:
        """Zero the dead registers of a thread, as every step does and a run does not."""
        _lib.vm_canonicalise(self._machine, thread)

    def pack(self) -> bytes:
        """All that tells this state apart from others."""
        size = _lib.vm_pack(self._machine, _ffi.NULL, 0)
        buffer = _ffi.new("uint8_t[]", size)
        _lib.vm_pack(self._machine, buffer, size)
        return bytes(_ffi.buffer(buffer))

    def unpack(self, packed: bytes) -> None:
        """Go to a state that `pack` gave for the same image and limits."""
        if not _lib.vm_unpack(self._machine, _ffi.from_buffer("uint8_t[]", packed), len(packed)):
            raise ImageError("these bytes are not a state of this program")

    # Asking

    def enabled(self, thread: int) -> Enabled:
        """Whether a thread can move now."""
        return Enabled(_lib.vm_enabled(self._machine, thread))

    def waiting(self, thread: int) -> bool:
        """Whether a thread waits for something that is not so; the process may be over."""
        return bool(_lib.vm_waiting(self._machine, thread))

    def at_choice(self, thread: int) -> bool:
        """Whether the thread's next instruction wants a choice."""
        return bool(_lib.vm_at_choice(self._machine, thread))

    def choices(self, thread: int) -> int:
        """How many choices the next instruction has: 1 for most, 0 for any 64-bit number."""
        return int(_lib.vm_choices(self._machine, thread))

    def deadlocked(self) -> bool:
        """Threads are left, and none can ever move again."""
        return bool(_lib.vm_deadlocked(self._machine))

    @property
    def executed(self) -> int:
        """Instructions that the last run or step did."""
        return int(_lib.vm_executed(self._machine))

    @property
    def instructions(self) -> int:
        """Instructions done in all."""
        return int(_lib.vm_instructions(self._machine))

    @property
    def status(self) -> Status:
        """What has become of the process."""
        return Status(_lib.vm_header(self._machine).status)

    @property
    def exit_status(self) -> int:
        """The operand of exit, as C's int."""
        status = int(_lib.vm_header(self._machine).exit_status)
        return status - (1 << 32) if status >> 31 else status

    @property
    def atomic_holder(self) -> int | None:
        """The thread whose atomic section goes first, if any."""
        holder = int(_lib.vm_header(self._machine).atomic_holder)
        return holder - 1 if holder else None

    @property
    def fault(self) -> Fault | None:
        """The fault the process ended with, if it did."""
        header = _lib.vm_header(self._machine)
        if header.status != _lib.PROCESS_FAULT:
            return None
        kind = header.fault_kind
        return Fault(
            _ffi.string(_lib.vm_fault_name(kind)).decode(),
            _ffi.string(_lib.vm_fault_text(kind)).decode(),
            header.fault_thread,
            header.fault_pc,
            (header.fault_detail[0], header.fault_detail[1]),
        )

    @property
    def limits(self) -> Limits:
        """The limits in force, defaults filled in."""
        used = _lib.vm_limits(self._machine)
        return Limits(**{name: int(getattr(used, name)) for name in Limits.__slots__})

    @property
    def threads(self) -> list[int]:
        """The threads that run."""
        count = _lib.vm_limits(self._machine).max_threads
        return [t for t in range(count) if _lib.vm_thread(self._machine, t).status == _lib.THREAD_RUNNING]

    def pc(self, thread: int) -> int:
        """The next instruction of a running thread."""
        return int(_lib.vm_thread(self._machine, self._existing(thread)).pc)

    def atomic_depth(self, thread: int) -> int:
        """How many atomic sections the thread is in."""
        return int(_lib.vm_thread(self._machine, self._existing(thread)).atomic_depth)

    def live_heap_ids(self) -> int:
        """Object ids in use on all heaps; with 64-bit pointers, the number of live heap objects."""
        count = _lib.vm_limits(self._machine).max_threads
        return sum(int(_lib.vm_heap(self._machine, t).live_ids) for t in range(count))

    def stack(self, thread: int) -> list[Frame]:
        """The active functions of a thread, innermost first; empty when it does not run."""
        count = _lib.vm_frames(self._machine, thread, _ffi.NULL, 0)
        frames = _ffi.new("VmFrameInfo[]", count)
        _lib.vm_frames(self._machine, thread, frames, count)
        return [self._frame(thread, frame) for frame in frames]

    def register(self, thread: int, slot: int) -> int:
        """A slot of the top frame of a running thread."""
        return int(_lib.vm_register(self._machine, thread, _lib.vm_thread(self._machine, thread).frame + slot))

    def read_memory(self, pointer: int, size: int) -> bytes | None:
        """Bytes at a guest pointer; None unless all of them lie in one live object."""
        if size <= 0:
            return None
        data = _lib.vm_read(self._machine, pointer, size)
        return None if data == _ffi.NULL else bytes(_ffi.buffer(data, size))

    def read_string(self, pointer: int, longest: int = 4096) -> bytes | None:
        """The zero-terminated string at a guest pointer, cut at its object's end; None when there is no object."""
        info = self.object_info(pointer)
        if info is None or info.offset >= info.size:
            return None
        data = self.read_memory(pointer, min(info.size - info.offset, longest))
        return None if data is None else data.split(b"\0", 1)[0]

    def object_info(self, pointer: int) -> ObjectInfo | None:
        """The live object that a pointer points into, whatever the offset."""
        info = _ffi.new("VmObjectInfo *")
        if not _lib.vm_object_info(self._machine, pointer, info):
            return None
        return ObjectInfo(info.id, ObjectKind(info.kind), info.owner, info.site, info.size, info.offset)

    def heap_ids(self, thread: int) -> int:
        """The first object id of a thread's heap."""
        return int(_lib.vm_heap_ids(self._machine, thread))

    def stack_ids(self, thread: int) -> int:
        """The first object id of a thread's stack."""
        return int(_lib.vm_stack_ids(self._machine, thread))

    def instruction(self, pc: int) -> tuple[int, int, int, int, int, int] | None:
        """The instruction at a pc: op, a, b, c, x, y."""
        found = _lib.vm_instruction(self._machine, pc)
        if found == _ffi.NULL:
            return None
        return found.op, found.a, found.b, found.c, found.x, found.y

    @property
    def pointer_bits(self) -> int:
        """64 or 32."""
        return int(_lib.vm_pointer_bits(self._machine))

    def function_pointer(self, function: int) -> int:
        """The guest pointer to a function."""
        return int(_lib.vm_function_pointer(self._machine, function))

    def label_pointer(self, pc: int) -> int:
        """The guest pointer to a code label."""
        return int(_lib.vm_label_pointer(self._machine, pc))

    def static_pointer(self, number: int) -> int:
        """The guest pointer to static object `number`."""
        return int(_lib.vm_static_pointer(self._machine, number))

    def function_name(self, function: int) -> str:
        """The name of a function by its number."""
        record = _lib.vm_function(self._machine, function)
        return "" if record == _ffi.NULL else _ffi.string(_lib.vm_string(self._machine, record.name)).decode()

    def state(self) -> memoryview:
        """The state buffer itself, mostly zeros and large; for tests."""
        return memoryview(_ffi.buffer(_lib.vm_state(self._machine), _lib.vm_state_size(self._machine)))

    def _existing(self, thread: int) -> int:
        if not 0 <= thread < _lib.vm_limits(self._machine).max_threads:
            raise IndexError(f"thread {thread}")
        return thread

    def _frame(self, thread: int, frame: Any) -> Frame:  # noqa: ANN401
        slots = tuple(_lib.vm_register(self._machine, thread, frame.frame + i) for i in range(frame.slots))
        return Frame(frame.function, self.function_name(frame.function), frame.pc, slots)
