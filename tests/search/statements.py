# SPDX-License-Identifier: Apache-2.0
"""Random statements over the scalars of a draft: what fills the gaps that scenarios leave, and what has no plan."""

from choices import Choices
from draft import SCALAR_TYPES, Draft, Lines, block, locked, scope, section

COMPARISONS = ("==", "!=", "<", ">=")


def statement(draft: Draft, depth: int = 0) -> Lines:
    """One statement of one to three shared accesses; without branches, loops and locks in a depth above 0."""
    makers = {
        _assign: 8,
        _copy: 5,
        _increment: 5,
        _element: 4,
        _atomic: 4,
        _assertion: 3,
        _through_argument: 2,
        _through_pointer: 3,
        _assumption: 2,
        _byte: 3,
        _bulk: 2,
        _own: 2,
    }
    if depth == 0:
        makers |= {
            _branch: 6,
            _loop: 2,
            _section: 3,
            _with_mutex: 3,
            _with_chosen_mutex: 3,
            _bounded_spin: 1,
            _endless_spin: 1,
            _departure: 3,
        }
    return draft.choices.weighted(makers)(draft)


def condition(draft: Draft) -> str:
    """Something to branch on."""
    if draft.choices.chance(25):
        return "pancam_nondet_bool()"
    return f"{draft.scalar()} {draft.choices.pick(COMPARISONS)} {draft.choices.integer(0, 2)}"


def likely(draft: Draft) -> str:
    """A condition on a shared value that holds more often than not."""
    name = draft.scalar()
    return draft.choices.pick([f"{name} < 8", f"{name} >= 0", f"{name} != {draft.choices.integer(2, 4)}"])


def invariant(draft: Draft) -> str:
    """A condition without side effects: one of the scenarios', or one on values some of which say where others are."""
    if draft.always and draft.choices.chance(60):
        return draft.choices.pick(draft.always)
    first, second = draft.scalar(), draft.scalar()
    forms = [
        likely(draft),
        f"{first} <= {second} + {draft.choices.integer(0, 2)}",
        f"{_cells(draft)}[{first} & 3] < {draft.choices.integer(1, 3)}",
        f"*{_pointer(draft)} != {draft.choices.integer(1, 3)}",
    ]
    return draft.choices.pick(forms)


def _constant(choices: Choices) -> str:
    if choices.chance(25):
        return f"(int)pancam_nondet_range(0, {5 if choices.chance(10) else 2})"
    return str(choices.integer(0, 3))


def _assign(draft: Draft) -> Lines:
    return [f"{draft.scalar()} = {_constant(draft.choices)};"]


def _copy(draft: Draft) -> Lines:
    source, target = draft.scalar(), draft.scalar()
    change = draft.choices.pick(["", " + 1", " ^ 1"])
    return [f"{target} = {source}{change};"]


def _increment(draft: Draft) -> Lines:
    name = draft.scalar()
    return [draft.choices.pick([f"{name}++;", f"{name} += 1;", f"{name} = {name} + 1;"])]


def _cells(draft: Draft) -> str:
    return draft.share("cells", draft.choices.pick(["int", "unsigned char"]), "[4]")


def _element(draft: Draft) -> Lines:
    """An access to an array of four; without a mask, the index is in range as long as nobody counts too far."""
    array = _cells(draft)
    computed = draft.scalar() if draft.choices.chance(8) else f"{draft.scalar()} & 3"
    counted = f"atomic_fetch_add(&{draft.share('counter', 'atomic_int')}, 1) & 3"
    place = f"{array}[{draft.choices.pick([str(draft.choices.integer(0, 3)), computed, counted])}]"
    other = draft.scalar()
    return [draft.choices.pick([f"{place} = 1;", f"{place} = {other};", f"{other} = {place};"])]


def _atomic(draft: Draft) -> Lines:
    name = draft.share("counter", "atomic_int")
    target = draft.scalar()
    forms = [
        [f"atomic_fetch_add(&{name}, 1);"],
        [f"{target} = atomic_fetch_add(&{name}, 1);"],
        [f"{target} = atomic_exchange(&{name}, 2);"],
        [f"{target} = atomic_load(&{name});"],
        [f"{target} = atomic_fetch_or(&{name}, 2);"],
        scope(["int expected = 0;", f"{target} = atomic_compare_exchange_strong(&{name}, &expected, 2);"]),
        scope(
            [
                f"int expected = {target};",
                f"if (!atomic_compare_exchange_strong(&{name}, &expected, 1))\n    {target} = expected;",
            ]
        ),
    ]
    return draft.choices.pick(forms)


def _assertion(draft: Draft) -> Lines:
    if draft.choices.chance(40):
        name = draft.scalar()
        return scope([f"int seen = {name};", f"assert({name} >= seen);"])
    return [f"assert({likely(draft)});"]


def _through_argument(draft: Draft) -> Lines:
    draft.functions["put"] = block("static void put(int *place, int value)", ["*place = value;"])
    return [f"put(&{draft.share('target', 'int')}, {draft.scalar()});"]


def _pointer(draft: Draft) -> str:
    """A shared pointer; it is never null."""
    target = draft.share("left", "int")
    return draft.share("where", draft.choices.pick(["int *", "int *_Atomic"]), f" = &{target}")


def _through_pointer(draft: Draft) -> Lines:
    """Where an access goes to is what others wrote."""
    name, other = _pointer(draft), draft.scalar()
    away = f"{name} = &{draft.share('right', 'int')};"
    return [draft.choices.pick([f"*{name} = 1;", away, f"{other} = *{name};", f"(*{name})++;"])]


def _assumption(draft: Draft) -> Lines:
    return [f"pancam_assume({likely(draft)});"]


def _byte(draft: Draft) -> Lines:
    """One byte of a variable that others use as a whole."""
    name, other = draft.scalar(), draft.scalar()
    last = SCALAR_TYPES[draft.scalars[name]] - 1
    place = f"((unsigned char *)&{name})[{draft.choices.pick([0, min(1, last)])}]"
    return [draft.choices.pick([f"{place} = 1;", f"{other} = {place};", f"{place} ^= 1;"])]


def _bulk(draft: Draft) -> Lines:
    """Several elements of an array by one call of the library."""
    array = _cells(draft)
    forms = [
        f"memset({array}, 1, sizeof {array});",
        f"memcpy({array}, {array} + 2, 2 * sizeof *{array});",
        f"memmove({array} + 1, {array}, 3 * sizeof *{array});",
        f"memset({array}, 2, {draft.scalar()} & 3);",
        f"{draft.scalar()} = memcmp({array}, {array} + 2, 2) != 0;",
    ]
    return [draft.choices.pick(forms)]


def _own(draft: Draft) -> Lines:
    """A variable that each thread has for itself; in some programs they show it to the others."""
    name, other = draft.share("own", "_Thread_local int"), draft.scalar()
    forms = [f"{name}++;", f"{name} = {other};", f"{other} = {name};"]
    if draft.choices.chance(15):
        forms = [f"{_pointer(draft)} = &{name};"]
    return [draft.choices.pick(forms)]


def _branch(draft: Draft) -> Lines:
    text = block(f"if ({condition(draft)})", statement(draft, 1))
    if draft.choices.chance(30):
        text += block(" else", statement(draft, 1))
    return [text]


def _loop(draft: Draft) -> Lines:
    name = draft.scalar()
    return [block("for (int i = 0; i < 2; i++)", [draft.choices.pick([f"{name} = i;", f"{name}++;"])])]


def _bounded_spin(draft: Draft) -> Lines:
    return [f"for (int i = 0; i < 2 && {condition(draft)}; i++)\n    ;"]


def _endless_spin(draft: Draft) -> Lines:
    """A thread that never gets on, whether others can see what it does or not."""
    forms = ["    ;", f"    {draft.scalar()} ^= 1;"]
    return [block(f"if ({condition(draft)})", [f"for (;;)\n{draft.choices.pick(forms)}"])]


def _section(draft: Draft) -> Lines:
    """What waits for a mutex in a section lets others go on."""
    if draft.choices.chance(20):
        return section([*statement(draft, 1), *_with_mutex(draft)])
    return section([*statement(draft, 1), *statement(draft, 1)])


def _with_mutex(draft: Draft) -> Lines:
    return locked(draft, draft.choices.pick(["m", "n"]), statement(draft, 1), attempt=draft.choices.chance(20))


def _with_chosen_mutex(draft: Draft) -> Lines:
    array = draft.share("locks", "pthread_mutex_t", "[2]")
    choose = f"pthread_mutex_t *lock = &{array}[{draft.scalar()} & 1];"
    return scope([choose, "pthread_mutex_lock(lock);", *statement(draft, 1), "pthread_mutex_unlock(lock);"])


def _departure(draft: Draft) -> Lines:
    """The end of the thread, or of all of them, in the middle of things."""
    how = draft.choices.weighted({"pthread_exit(NULL);": 4, "exit(1);": 3, "abort();": 1})
    return [block(f"if ({condition(draft)})", [how])]
