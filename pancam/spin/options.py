# SPDX-License-Identifier: Apache-2.0
"""How to search: what the user chose, and the flags of SPIN that mean it. Facts about SPIN 6.5.2 are tried ones."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pancam.errors import UsageError

CLAIM_CORES = 2
THREAD_COUNTS = (2, 4, 8, 16, 32, 64)  # what the drivers in promela_templates/ are made for
FIRST_STATE_BYTES = 4096
FIRST_DEPTH = 100_000
SETUP_STEPS = 4  # of promela_templates/liveness.pml
DRIVER_STEPS = 2  # of SPIN's own: the set-up, and one that it keeps in hand
BYTES_PER_LEVEL = 64  # of SPIN's depth-first stack, a little more than measured
SHARED_MEMORY_STEPS = (2_000, 4_000, 8_000, 16_000, 32_000, 64_000)  # MB that a multicore verifier may reserve
MIB = 1 << 20


@dataclass(frozen=True)
class Claim:
    """What must hold on infinite executions, for promela_templates/liveness.pml."""

    formula: str
    fair: bool = True
    livelock: bool = False


@dataclass(frozen=True)
class EarlyEnd:
    """A search ends after so many seconds if by then it has met an ignored fault of this kind."""

    kind: str
    seconds: float


@dataclass(frozen=True)
class SearchOptions:
    """What the user may choose about a search; None and 0 mean the default, or no limit."""

    store: str = "tree"
    breadth_first: bool = False
    bitstate: bool = False
    hash_compact: bool = False
    cores: int = 1
    depth: int | None = None
    random_seed: int | None = None
    all_errors: int = 1
    time: float | None = None
    early_end: EarlyEnd | None = None
    memory: int = 0  # bytes
    spin_flags: tuple[str, ...] = ()
    cc_flags: tuple[str, ...] = ()
    driver: str | None = None
    claim: Claim | None = None
    bound: int | None = None  # preemptions that an execution may have
    bound_matched: bool = True  # False: as published, which loses executions
    abstraction: bool = False
    stop_at_threads: bool = False  # the first execution that needs more threads at once ends the search

    @property
    def depth_is_exact(self) -> bool:
        """Whether a state that was first met deep down is looked at again when a shorter way leads to it."""
        return not (self.bitstate or self.hash_compact or self.cores > 1 or self.claim is not None)

    @property
    def bound_is_located(self) -> bool:
        """Whether a move that the context bound refuses counts only where fewer preemptions never lead to.

        The counter must be matched, and the machine's state all there is. It costs as much memory as a state.
        """
        saves_memory = self.store == "raw" and (self.bitstate or self.hash_compact)
        return self.bound_matched and not (saves_memory or self.driver is not None)

    @property
    def visits_numbers(self) -> bool:
        """Whether a state's number in the tree store tells all that SPIN matches, so that one bit each is an exact set.

        A driver of the user's, a bound, a claim and the depth (-DREACH) are more than the number.
        """
        plain = self.store == "tree" and not (self.bitstate or self.hash_compact or self.abstraction)
        return plain and self.driver is None and self.claim is None and self.bound is None and self.depth is None

    @property
    def allows_breadth_first(self) -> bool:
        """Whether the same search could go breadth-first."""
        try:
            replace(self, breadth_first=True).check()
        except UsageError:
            return False
        return True

    def check(self) -> None:
        """Refuse what cannot be combined."""
        if self.bitstate and self.hash_compact:
            raise UsageError("--bitstate and --hash-compact are two ways to store states: choose one")
        if self.breadth_first and self.cores > 1:
            raise UsageError("--cores searches depth-first: it cannot be combined with --bfs")
        if self.breadth_first and self.depth is not None:
            raise UsageError("--depth bounds the depth-first search: it cannot be combined with --bfs")
        if self.breadth_first and self.bitstate:
            raise UsageError("--bitstate searches depth-first: it cannot be combined with --bfs")
        if self.breadth_first and (self.abstraction or not self.bound_matched):  # SPIN cannot: UnMatched data
            name = "--abstraction" if self.abstraction else "--cb-unmatched"
            raise UsageError(f"{name} searches depth-first: it cannot be combined with --bfs")
        if self.cores > 1 and self.random_seed is not None:
            raise UsageError("--random-order is for one core")
        if (
            self.cores > 1 and self.all_errors != 1
        ):  # SPIN's multicore search ends, and loses trails, at the first error
            raise UsageError("--all-errors is for one core: a search on several stops at the first violation")
        if self.claim is not None:
            self._check_claim()

    def _check_claim(self) -> None:
        """Properties of infinite executions need a depth-first search over the states as they are."""
        refused = {
            "--bfs searches breadth-first": self.breadth_first,
            "--abstraction takes different states for one": self.abstraction,
            "--cb is about finite executions": self.bound is not None,
            "--driver has processes of its own": self.driver is not None,
            "--hash-compact cannot tell two states of a cycle apart": self.hash_compact,
            "SPIN looks for cycles on at most two --cores": self.cores > CLAIM_CORES,
            "--all-errors: SPIN tells one cycle": self.all_errors != 1,
        }
        for reason, is_so in refused.items():
            if is_so:
                raise UsageError(f"{reason}: it cannot be combined with --ltl, --progress, --termination or --livelock")


@dataclass(frozen=True)
class VerifierOptions:
    """All that a verifier binary depends on, the program not included."""

    threads: int
    search: SearchOptions
    state_bytes: int  # of the raw store

    @property
    def driver_macros(self) -> list[str]:
        """Parameters of the Promela driver."""
        macros = [f"-DN_THREADS={thread_count(self.threads)}"]
        if self.search.abstraction:
            macros.append("-DABSTRACTION")
        if self.search.claim is not None and self.search.claim.livelock:
            macros.append("-DLIVELOCK")
        if self.search.bound is not None:
            macros.append(f"-DBOUND={1 if self.search.bound_matched else 2}")
        return macros

    @property
    def compile_flags(self) -> list[str]:
        """Flags for SPIN's pan.c and for the store."""
        search = self.search
        # NOREDUCE: SPIN's own partial-order reduction takes embedded C for local and loses violations.
        flags = ["-DNOREDUCE", *self._claim_flags()]
        if search.store == "raw":
            flags += [f"-DPAN_STATE_BYTES={self.state_bytes}", f"-DVECTORSZ={self.state_bytes + 1024}"]
        if search.breadth_first:
            flags.append("-DBFS")
        if search.bitstate:
            flags.append("-DBITSTATE")
        if search.visits_numbers:
            flags += ["-DBITSTATE", "-DPAN_VISITED"]  # vm_c/search/visited.h
        if search.hash_compact:
            flags.append("-DHC4")
        if search.cores > 1:
            flags += [f"-DNCORE={search.cores}", f"-DMEMLIM={self._shared_memory()}", "-DFULL_TRAIL"]
        if search.random_seed is not None:
            flags.append("-DT_RAND")
        if search.depth is not None and search.depth_is_exact:
            flags.append("-DREACH")
        return [*flags, *search.cc_flags]

    def _claim_flags(self) -> list[str]:
        """SPIN counts with 4 * NFAIR processes and two more; the monitor and the claim are processes, too."""
        if self.search.claim is None:
            return ["-DNOFAIR", "-DSAFETY"]
        if not self.search.claim.fair:
            return ["-DNOFAIR"]
        return [f"-DNFAIR={(thread_count(self.threads) + 3) // 4 + 1}"]

    def _shared_memory(self) -> int:
        """MB for SPIN's shared tables: it is reserved at once, and a part of the binary."""
        wanted = self.search.memory // MIB
        return max((step for step in SHARED_MEMORY_STEPS if step <= wanted), default=SHARED_MEMORY_STEPS[0])


def thread_count(threads: int) -> int:
    """The smallest number of threads that a driver is made for and that is enough."""
    return next(count for count in THREAD_COUNTS if count >= threads)


def run_flags(options: SearchOptions, depth: int, threads: int) -> list[str]:
    """Arguments of the verifier, which is made for so many threads."""
    flags = [f"-c{options.all_errors}", "-n"]
    if options.all_errors != 1:
        flags.append("-e")
    if not options.breadth_first:
        flags.append(f"-m{depth + DRIVER_STEPS if options.claim is None else _claim_depth(options, depth, threads)}")
    if options.claim is not None:
        flags += ["-a", "-f"] if options.claim.fair else ["-a"]
    if options.bitstate:
        flags += [f"-w{_bitstate_bits(options.memory)}", "-k3"]
    elif options.visits_numbers:
        flags.append("-w10")  # SPIN's own bits are not used
    else:
        flags.append("-w20")  # grows by itself
    if options.random_seed is not None:
        flags.append(f"-RS{options.random_seed}")
    return flags


def _claim_depth(options: SearchOptions, depth: int, threads: int) -> int:
    """Each step is followed by one of the claim, and the set-up has steps for each thread."""
    return depth if options.depth is None else 2 * (depth + 2 * thread_count(threads) + SETUP_STEPS)


def _bitstate_bits(memory: int) -> int:
    """The bit field takes at most an eighth of the memory, and at most 32 MiB: that is cleared in a moment."""
    largest = 28
    bits = 24
    while bits < largest and 1 << bits <= memory:
        bits += 1
    return bits
