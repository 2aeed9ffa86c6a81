# SPDX-License-Identifier: Apache-2.0
"""Random statements over the scalars of a draft: what fills the gaps that scenarios leave, and what has no plan."""

from choices import Choices
from draft import Draft, Lines, block, locked

COMPARISONS = ("==", "!=", "<", ">=")


def statement(draft: Draft, depth: int = 0) -> Lines:
    """One statement of one to three shared accesses."""
    makers = {
        _assign: 8,
        _copy: 5,
        _increment: 5,
        _element: 4,
        _atomic: 4,
        _assertion: 3,
        _through_pointer: 2,
        _assumption: 2,
    }
    if depth == 0:
        makers |= {_branch: 6, _loop: 2, _section: 1, _with_mutex: 3, _bounded_spin: 1}
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


def _constant(choices: Choices) -> str:
    if choices.chance(25):
        return "(int)pancam_nondet_range(0, 2)"
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


def _element(draft: Draft) -> Lines:
    """An access to an array of four; without a mask, the index is in range as long as nobody counts too far."""
    array = draft.share("cells", draft.choices.pick(["int", "unsigned char"]), "[4]")
    computed = draft.scalar() if draft.choices.chance(8) else f"{draft.scalar()} & 3"
    place = f"{array}[{draft.choices.pick([str(draft.choices.integer(0, 3)), computed])}]"
    other = draft.scalar()
    return [draft.choices.pick([f"{place} = 1;", f"{place} = {other};", f"{other} = {place};"])]


def _atomic(draft: Draft) -> Lines:
    name = draft.share("counter", "atomic_int")
    target = draft.scalar()
    forms = [
        f"atomic_fetch_add(&{name}, 1);",
        f"{target} = atomic_fetch_add(&{name}, 1);",
        f"{target} = atomic_exchange(&{name}, 2);",
        f"{target} = atomic_load(&{name});",
        block("", ["int expected = 0;", f"{target} = atomic_compare_exchange_strong(&{name}, &expected, 2);"]).strip(),
    ]
    return [draft.choices.pick(forms)]


def _assertion(draft: Draft) -> Lines:
    if draft.choices.chance(40):
        name = draft.scalar()
        return [block("", [f"int seen = {name};", f"assert({name} >= seen);"]).strip()]
    return [f"assert({likely(draft)});"]


def _through_pointer(draft: Draft) -> Lines:
    draft.functions["put"] = block("static void put(int *place, int value)", ["*place = value;"])
    return [f"put(&{draft.share('target', 'int')}, {draft.scalar()});"]


def _assumption(draft: Draft) -> Lines:
    return [f"pancam_assume({likely(draft)});"]


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


def _section(draft: Draft) -> Lines:
    return ["pancam_atomic_begin();", *statement(draft, 1), *statement(draft, 1), "pancam_atomic_end();"]


def _with_mutex(draft: Draft) -> Lines:
    return locked(draft, draft.choices.pick(["m", "n"]), statement(draft, 1), attempt=draft.choices.chance(20))
