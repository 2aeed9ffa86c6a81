# SPDX-License-Identifier: Apache-2.0
"""Scenarios in which threads meet with little or no synchronisation: data races, and what looks like one."""

from draft import Draft, block, protect, scope, section
from statements import statement

BY_CHANCE = {"none": 6, "mutex": 3, "section": 2, "spinlock": 1}


def _plain_flag(draft: Draft) -> None:
    """A value is handed over with a plain flag, which not all use; a loop on it ends after some rounds."""
    choices = draft.choices
    data, flag = draft.share("data", "int"), draft.share("raised", choices.pick(["int", "_Bool", "volatile int"]))
    order = [f"{data} = 1;", f"{flag} = 1;"]
    draft.call(0, order[::-1] if choices.chance(20) else order)
    for actor in range(1, draft.actors):
        look = choices.pick([f"if ({flag})", f"for (int i = 0; i < 2 && {flag}; i++)"])
        use = choices.pick([f"{draft.scalar()} = {data};", f"{data} = 2;", f"{flag} = 0;"])
        draft.call(actor, protect(draft, choices.weighted(BY_CHANCE), [f"{look}\n    {use}"]))


def _mixed_atomics(draft: Draft) -> None:
    """Some accesses to a variable are atomic, others are not, or not to all of it."""
    choices = draft.choices
    name = draft.share("mixed", "_Atomic int")
    for actor in range(draft.actors):
        forms = [
            [f"{name} = {actor};"],
            [f"*(int *)&{name} = {actor};"],
            [f"atomic_fetch_add(&{name}, 1);"],
            [f"{draft.scalar()} = *(volatile int *)&{name};"],
            [f"((unsigned char *)&{name})[{choices.integer(0, 3)}] = 1;"],
            [f"atomic_init(&{name}, 1);"],
            [f"atomic_store_explicit(&{name}, 2, memory_order_relaxed);"],
            scope(["int seen = 1;", f"atomic_compare_exchange_strong(&{name}, &seen, 2);"]),
        ]
        for _ in range(choices.integer(1, 4 - draft.actors)):
            draft.call(actor, choices.pick(forms))


def _pointers_into_arrays(draft: Draft) -> None:
    """Each goes through a part of an array by pointers of different types; parts may meet."""
    choices = draft.choices
    row = draft.share("row", "int", f"[{draft.actors + 1}]")
    for actor in range(draft.actors):
        kind = choices.pick(["int", "unsigned char", "short"])
        first = actor if choices.chance(60) else choices.integer(0, draft.actors)
        use = choices.pick(["*p = 1;", "p[1]++;", f"{draft.scalar()} = p[-1];", "*p++ = 1;\n*p = 2;"])
        at = max(first, 1) if "-1" in use else min(first, draft.actors - 1)
        lines = scope([f"{kind} *p = ({kind} *)({row} + {at});", *use.split("\n")])
        draft.call(actor, protect(draft, choices.weighted(BY_CHANCE), lines))


def _shared_block(draft: Draft) -> None:
    """All know a block of the heap that main made, and use its parts; the last ones may use its bytes at once."""
    choices = draft.choices
    pointer = draft.prepared("area", "int *", f"area = calloc({draft.actors}, sizeof *area);")
    for actor in range(draft.actors):
        index = actor if choices.chance(50) else choices.integer(0, draft.actors - 1)
        use = choices.pick([
            [f"{pointer}[{index}]++;"],
            [f"{draft.scalar()} = {pointer}[{index}];"],
            [f"memset({pointer} + {index}, {actor}, sizeof *{pointer});"],
            [f"if ({pointer}[{index}] == 0)\n    {pointer}[{index}] = 1;"],
        ])  # fmt: skip
        draft.call(actor, protect(draft, choices.weighted(BY_CHANCE), use))
    if choices.chance(20):
        draft.checks.append(f"free({pointer});")


def _choosing_section(draft: Draft) -> None:
    """A section that chooses a value makes a break, but is still one section."""
    choices = draft.choices
    for actor in range(draft.actors):
        name = draft.scalar()
        choice = block("if (pancam_nondet_bool())", [f"{name} = {actor};"])
        if actor == 0 or choices.chance(30):
            draft.bodies[actor] += section([*(statement(draft, 1) if choices.chance(30) else []), choice])
        else:
            draft.bodies[actor] += choices.pick([[choice], [f"{name} = pancam_nondet_bool();"], statement(draft, 1)])


# How each is made, how often it is taken, whether it has many steps
RACY = {
    "plain_flag": (_plain_flag, 4, False),
    "mixed_atomics": (_mixed_atomics, 5, False),
    "pointers_into_arrays": (_pointers_into_arrays, 5, False),
    "shared_block": (_shared_block, 4, False),
    "choosing_section": (_choosing_section, 3, True),
}
