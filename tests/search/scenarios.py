# SPDX-License-Identifier: Apache-2.0
"""Scenarios: what threads do with each other on purpose, each in versions that are right and versions that are not.

A scenario adds to the bodies of all actors of a draft, and says what should hold when they are done.
"""

from draft import FLAG_TYPES, PROTECTIONS, Draft, Lines, block, locked, protect
from statements import condition, likely, statement


def add_scenario(draft: Draft, name: str) -> None:
    """Add the scenario of this name to the draft."""
    SCENARIOS[name][0](draft)


def scenario_weights(*, cheap: bool) -> dict[str, int]:
    """The names of all scenarios with their weights, or only of those with few steps."""
    return {name: weight for name, (_, weight, costly) in SCENARIOS.items() if not (cheap and costly)}


def _counter(draft: Draft) -> None:
    """All count; what protects the counter may differ between threads."""
    choices = draft.choices
    name = draft.share("count", choices.pick(["int", "unsigned char", "long", "volatile int", "_Atomic int"]))
    rounds = 2 if draft.actors == 2 and choices.chance(20) else 1
    usual = choices.weighted(PROTECTIONS)
    for actor in range(draft.actors):
        protection = choices.weighted(PROTECTIONS) if choices.chance(20) else usual
        lines = protect(draft, protection, [choices.pick([f"{name}++;", f"{name} = {name} + 1;"])])
        draft.call(actor, lines if rounds == 1 else [block("for (int i = 0; i < 2; i++)", lines)])
    comparison = "<=" if usual == "trylock" or choices.chance(15) else "=="
    draft.checks.append(f"assert({name} {comparison} {draft.actors * rounds});")


def _exclusion(draft: Draft) -> None:
    """Only one at a time may be inside."""
    choices = draft.choices
    name = draft.share("inside", choices.pick(["int", "volatile int", "_Atomic int"]))
    lines = [f"{name} = {name} + 1;", f"assert({name} == 1);", f"{name} = {name} - 1;"]
    usual = choices.weighted(PROTECTIONS)
    for actor in range(draft.actors):
        protection = choices.weighted(PROTECTIONS) if choices.chance(15) else usual
        draft.call(actor, protect(draft, protection, lines))


def _flags(draft: Draft) -> None:
    """Each says that it wants to go in, and goes in when nobody else does: right if it says so before it looks."""
    wants = draft.share("wants", draft.choices.pick(["volatile int", "_Atomic int"]), f"[{draft.actors}]")
    inside = draft.share("inside", "int")
    for actor in range(draft.actors):
        others = " && ".join(f"!{wants}[{other}]" for other in range(draft.actors) if other != actor)
        lines = [f"{inside} = 1;", f"assert({inside} == 1);", f"{inside} = 0;"]
        announce = f"{wants}[{actor}] = 1;"
        if draft.choices.chance(20):
            draft.bodies[actor].append(block(f"if ({others})", [announce, *lines]))
        else:
            draft.bodies[actor] += [announce, block(f"if ({others})", lines)]
        draft.bodies[actor].append(f"{wants}[{actor}] = 0;")


def _message(draft: Draft) -> None:
    """The first actor hands a value to the others through a flag, a condition variable or a semaphore."""
    choices = draft.choices
    data = draft.share("data", choices.pick(["int", "unsigned char", "long", "volatile int"]))
    send, receive = choices.weighted({_by_flag: 3, _by_condition: 5, _by_semaphore: 3})(draft)
    order = [f"{data} = 1;", *send] if not choices.chance(20) else [*send, f"{data} = 1;"]
    draft.call(0, order)
    for actor in range(1, draft.actors):
        draft.call(actor, [text.replace("CHECK", f"assert({data} == 1);") for text in receive])


def _by_flag(draft: Draft) -> tuple[Lines, Lines]:
    flag = draft.share("ready", draft.choices.pick(FLAG_TYPES))
    wait = draft.choices.weighted({"if": 3, "bounded": 2, "endless": 3})
    if wait == "if":
        return [f"{flag} = 1;"], [f"if ({flag})\n    CHECK"]
    if wait == "bounded":
        return [f"{flag} = 1;"], [f"for (int i = 0; i < 2 && !{flag}; i++)\n    ;", f"if ({flag})\n    CHECK"]
    return [f"{flag} = 1;"], [f"while (!{flag})\n    ;", "CHECK"]


def _by_condition(draft: Draft) -> tuple[Lines, Lines]:
    """Mistakes: `if` where time-outs need `while`, no signal, a signal that only one of two gets, no mutex."""
    choices = draft.choices
    flag, wake = draft.share("ready", "int"), draft.share("c", "pthread_cond_t")
    mutex = draft.share("m", "pthread_mutex_t")
    call = f"pthread_cond_wait(&{wake}, &{mutex});"
    if choices.chance(25):
        call = f"pthread_cond_timedwait(&{wake}, &{mutex}, &soon);"
        draft.share("soon", "struct timespec")
    loop = choices.weighted({"while": 4, "if": 1})
    receive = locked(draft, mutex, [f"{loop} (!{flag})\n    {call}", "CHECK"])
    if choices.chance(10):
        receive = [f"if (!{flag}) {{", *[f"    {line}" for line in receive], "}"]
    kind = choices.weighted({"broadcast": 4, "signal": 4, "nothing": 2})
    announce = [] if kind == "nothing" else [f"pthread_cond_{kind}(&{wake});"]
    if choices.chance(12):
        return [f"{flag} = 1;", *announce], receive
    if choices.chance(30):
        return [*locked(draft, mutex, [f"{flag} = 1;"]), *announce], receive
    return locked(draft, mutex, [f"{flag} = 1;", *announce]), receive


def _by_semaphore(draft: Draft) -> tuple[Lines, Lines]:
    """Mistakes: fewer posts than waits, a semaphore that is not empty at the start."""
    choices = draft.choices
    name = draft.semaphore("sent", 1 if choices.chance(8) else 0)
    posts = draft.actors - 1 - (1 if choices.chance(25) else 0)
    if choices.chance(20):
        draft.share("soon", "struct timespec")
        call = f"sem_{choices.pick(['trywait(&' + name, 'timedwait(&' + name + ', &soon'])})"
        return [f"sem_post(&{name});"] * posts, [f"if ({call} == 0)\n    CHECK"]
    return [f"sem_post(&{name});"] * posts, [f"sem_wait(&{name});", "CHECK"]


def _lock_order(draft: Draft) -> None:
    """Two mutexes at once; in different orders that may be a deadlock."""
    choices = draft.choices
    name = draft.share("count", "int")
    for actor in range(draft.actors):
        first, second = ("n", "m") if choices.chance(30) else ("m", "n")
        inner = locked(draft, second, [f"{name}++;"], attempt=choices.chance(15))
        draft.call(actor, locked(draft, first, inner))
    draft.checks.append(f"assert({name} <= {draft.actors});")


def _rendezvous(draft: Draft) -> None:
    """Each tells the next one that it is there, and waits to be told: whoever waits first makes the others wait."""
    for actor in range(draft.actors):
        mine, next_one = (draft.semaphore(f"here_{at % draft.actors}", 0) for at in (actor, actor + 1))
        lines = [f"sem_post(&{next_one});", f"sem_wait(&{mine});"]
        draft.bodies[actor] += lines[::-1] if draft.choices.chance(55) else lines
        draft.bodies[actor] += statement(draft, 1)


def _turns(draft: Draft) -> None:
    """Strict alternation, by endless loops."""
    turn = draft.share("turn", draft.choices.pick(["volatile int", "_Atomic int"]))
    count = draft.share("count", "int")
    for actor in range(draft.actors):
        lines = [f"{count}++;", f"{turn} = {actor + 1};"]
        draft.bodies[actor] += [
            f"while ({turn} != {actor})\n    ;",
            *(lines[::-1] if draft.choices.chance(25) else lines),
        ]
    draft.checks.append(f"assert({count} == {draft.actors});")


def _owned_memory(draft: Draft) -> None:
    """One block of memory that several may use and free; whoever takes it out of the pointer owns it."""
    choices = draft.choices
    pointer = draft.share("p", "int *")
    draft.setup += [f"{pointer} = malloc(sizeof *{pointer});", f"*{pointer} = 1;"]
    protection = choices.weighted({"mutex": 5, "section": 2, "none": 3, "rwlock": 1})
    take = [f"q = {pointer};", f"{pointer} = NULL;"]
    use = f"if ({pointer} != NULL)\n    {draft.scalar()} = *{pointer};"
    for actor in range(draft.actors):
        if choices.chance(60) or actor == 0:
            lines = ["int *q;", *protect(draft, protection, take), "free(q);"]
            draft.bodies[actor].append(block("", lines).strip())
        else:
            draft.call(actor, protect(draft, protection, [use]))


def _published_memory(draft: Draft) -> None:
    """The first actor makes a block and shows it when it is filled; the others look."""
    pointer = draft.share("p", "int *_Atomic")
    lines = ["int *q = malloc(sizeof *q);", "*q = 3;", f"{pointer} = q;"]
    if draft.choices.chance(25):
        lines[1:] = [f"{pointer} = q;", "*q = 3;"]
    if draft.choices.chance(15):
        lines.append("free(q);")
    draft.bodies[0].append(block("", lines).strip())
    for actor in range(1, draft.actors):
        draft.bodies[actor].append(block("", [f"int *q = {pointer};", "if (q)", "    assert(*q == 3);"]).strip())


def _places(draft: Draft) -> None:
    """Each takes the next place of an array, which may have too few."""
    choices = draft.choices
    size = draft.actors - (1 if choices.chance(25) else 0)
    array, following = draft.share("places", "int", f"[{size}]"), draft.share("following", "int")
    protection = choices.weighted({"mutex": 4, "none": 3, "section": 2, "semaphore": 1})
    for actor in range(draft.actors):
        take = protect(draft, protection, [f"at = {following};", f"{following} = at + 1;"])
        draft.bodies[actor].append(block("", ["int at;", *take, f"{array}[at] = 1;"]).strip())
    if choices.chance(50):
        draft.checks.append(f"assert({array}[{size - 1}] == 1);")


def _chance_meeting(draft: Draft) -> None:
    """No plan at all."""
    for actor in range(draft.actors):
        for _ in range(draft.choices.integer(2, 5 - draft.actors)):
            draft.call(actor, statement(draft))
    draft.checks.append(f"assert({draft.choices.pick([likely, condition])(draft)});")


# How each is made, how often it is taken, whether it has many steps
SCENARIOS = {
    "chance_meeting": (_chance_meeting, 6, True),
    "counter": (_counter, 5, False),
    "exclusion": (_exclusion, 3, True),
    "flags": (_flags, 2, True),
    "message": (_message, 7, False),
    "lock_order": (_lock_order, 4, False),
    "rendezvous": (_rendezvous, 2, False),
    "turns": (_turns, 1, True),
    "owned_memory": (_owned_memory, 3, True),
    "published_memory": (_published_memory, 2, False),
    "places": (_places, 3, True),
}
