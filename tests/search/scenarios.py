# SPDX-License-Identifier: Apache-2.0
"""Scenarios: what threads do with each other on purpose, each in versions that are right and versions that are not.

A scenario adds to the bodies of all actors of a draft, and says what should hold when they are done.
"""

from draft import FLAG_TYPES, PROTECTIONS, Draft, Lines, block, locked, protect, scope, section
from racy_scenarios import RACY
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
    draft.always.append(f"{name} <= {draft.actors * rounds}")


def _exclusion(draft: Draft) -> None:
    """Only one at a time may be inside."""
    choices = draft.choices
    name = draft.share("inside", choices.pick(["int", "volatile int", "_Atomic int"]))
    lines = [f"{name} = {name} + 1;", f"assert({name} == 1);", f"{name} = {name} - 1;"]
    usual = choices.weighted(PROTECTIONS)
    for actor in range(draft.actors):
        protection = choices.weighted(PROTECTIONS) if choices.chance(15) else usual
        draft.call(actor, protect(draft, protection, lines))
    draft.always.append(f"{name} <= 1")


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
    draft.always.append(f"!{inside} || {' || '.join(f'{wants}[{actor}]' for actor in range(draft.actors))}")


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
    wait = draft.choices.weighted({"if": 3, "bounded": 2, "endless": 3, "assumption": 1})
    if wait == "assumption":
        return [f"{flag} = 1;"], [f"pancam_assume({flag});", "CHECK"]
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
        call = f"pthread_cond_timedwait(&{wake}, &{mutex}, &{draft.deadline()});"
    loop = choices.weighted({"while": 4, "if": 1})
    receive = locked(draft, mutex, [f"{loop} (!{flag})\n    {call}", "CHECK"])
    if choices.chance(10):
        receive = [block(f"if (!{flag})", receive)]
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
        call = choices.pick([f"trywait(&{name})", f"timedwait(&{name}, &{draft.deadline()})"])
        return [f"sem_post(&{name});"] * posts, [f"if (sem_{call} == 0)\n    CHECK"]
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
            draft.bodies[actor] += scope(["int *q;", *protect(draft, protection, take), "free(q);"])
        else:
            draft.call(actor, protect(draft, protection, [use], reading=True))
    draft.always.append(f"{pointer} == NULL || *{pointer} <= 1")


def _published_memory(draft: Draft) -> None:
    """The first actor makes a block and shows it when it is filled; the others look, or take it and free it."""
    pointer = draft.share("p", "int *_Atomic")
    lines = ["int *q = malloc(sizeof *q);", "*q = 3;", f"{pointer} = q;"]
    if draft.choices.chance(25):
        lines[1:] = [f"{pointer} = q;", "*q = 3;"]
    if draft.choices.chance(15):
        lines.append("free(q);")
    draft.bodies[0] += scope(lines)
    for actor in range(1, draft.actors):
        look = [f"int *q = {pointer};", "if (q)\n    assert(*q == 3);"]
        take = [f"int *q = atomic_exchange(&{pointer}, NULL);", "free(q);"]
        may_take = "_Atomic" in draft.declared[pointer]  # another scenario may have declared it
        draft.bodies[actor] += scope(take if draft.choices.chance(25) and may_take else look)
    draft.always.append(f"{pointer} == NULL || *{pointer} == 3")


def _replaced_memory(draft: Draft) -> None:
    """The first actor puts a new block in the place of the old one, which the others may still be using."""
    choices = draft.choices
    pointer = draft.share("p", choices.pick(["int *", "int *_Atomic"]))
    draft.setup += [f"{pointer} = calloc(1, sizeof *{pointer});"]
    protection = choices.weighted({"none": 4, "mutex": 3, "rwlock": 2, "section": 1})
    replace = ["int *q = malloc(sizeof *q);", "*q = 1;", "int *old = p;", f"{pointer} = q;", "free(old);"]
    if choices.chance(30):  # the new block may get the number of the old one
        replace = ["int *q = p;", "free(q);", "q = malloc(sizeof *q);", "*q = 2;", f"{pointer} = q;"]
    draft.bodies[0] += protect(draft, protection, scope(replace))
    for actor in range(1, draft.actors):
        use = choices.pick([f"{draft.scalar()} = *q;", "*q = 2;"])
        draft.bodies[actor] += protect(draft, protection, scope([f"int *q = {pointer};", use]), reading=True)
    draft.always.append(f"*{pointer} <= 1")


def _lent_memory(draft: Draft) -> None:
    """The first actor shows a variable of its stack, or one that only it has, and should wait before it goes."""
    choices = draft.choices
    pointer = draft.share("lent", choices.pick(["int *_Atomic", "int *volatile"]))
    back = draft.semaphore("back", 0)
    waits = [] if choices.chance(40) else [f"sem_wait(&{back});"] * (draft.actors - 1)
    variable = "int mine = 1;"
    if choices.chance(25):
        variable = "static _Thread_local int mine = 1;"
    draft.bodies[0] += draft.outline([variable, f"{pointer} = &mine;", *waits, f"{draft.scalar()} = mine;"])
    for actor in range(1, draft.actors):
        use = choices.pick(["*q = 2;", "*q += 1;", f"{draft.scalar()} = *q;"])
        draft.bodies[actor] += [*scope([f"int *q = {pointer};", f"if (q)\n    {use}"]), f"sem_post(&{back});"]
    draft.always.append(f"{pointer} == NULL || *{pointer} >= 1")


def _helpers(draft: Draft) -> None:
    """Actors create threads of their own, which get the address of a variable, and join them or let them go."""
    for actor in range(draft.actors):
        if actor > 0 and draft.choices.chance(90):
            draft.call(actor, statement(draft, 1))
        else:
            draft.bodies[actor] += _with_helper(draft)


def _with_helper(draft: Draft) -> Lines:
    """Mistakes: the helper is not waited for, or changes the variable at the same time."""
    choices = draft.choices
    ends = choices.weighted({"join": 6, "detach": 2, "nothing": 1})
    on_heap = ends != "join" or choices.chance(30)
    helper = f"helper_{len(draft.functions)}"
    frees = ["free(place);"] if on_heap and ends != "join" and choices.chance(70) else []
    work = choices.pick([["*place += 1;"], [f"{draft.scalar()} = *place;"], ["*place += 1;", *statement(draft, 1)]])
    lines = ["int *place = argument;", *work, "pancam_atomic_begin();", *frees, "return NULL;"]
    draft.functions[helper] = block(f"static void *{helper}(void *argument)", lines)
    variable = ["int *mine = malloc(sizeof *mine);", "*mine = 1;"] if on_heap else ["int there = 1, *mine = &there;"]
    uses = [["*mine += 1;"], [f"{draft.scalar()} = *mine;"], statement(draft, 1)]
    use = choices.pick(uses[1:] if frees else uses)
    create = ["pthread_t id;", *section([f"pthread_create(&id, NULL, {helper}, mine);"])]
    end = {"join": ["pthread_join(id, NULL);", "assert(*mine <= 3);"], "detach": ["pthread_detach(id);"], "nothing": []}
    return draft.outline([*variable, *create, *use, *end[ends]])


def _places(draft: Draft) -> None:
    """Each takes the next place of an array, which may have too few."""
    choices = draft.choices
    size = draft.actors - (1 if choices.chance(25) else 0)
    array, following = draft.share("places", "int", f"[{size}]"), draft.share("following", "_Atomic int")
    protection = choices.weighted({"mutex": 4, "none": 3, "atomic": 3, "section": 2, "semaphore": 1})
    for actor in range(draft.actors):
        take = [f"at = atomic_fetch_add(&{following}, 1);"]
        if protection != "atomic":
            take = protect(draft, protection, [f"at = {following};", f"{following} = at + 1;"])
        draft.bodies[actor] += scope(["int at;", *take, f"{array}[at] = {actor + 1};"])
    if choices.chance(50):
        draft.checks.append(f"assert({array}[{size - 1}] > 0);")
    draft.always += [f"{following} <= {size}", f"{following} == 0 || {array}[{following} - 1] > 0"]


def _retry(draft: Draft) -> None:
    """All change a number, which they read before; who finds it changed tries again, or does not care."""
    choices = draft.choices
    name = draft.share("total", "atomic_int")
    change = choices.pick(["seen + 1", "seen * 2 + 1"])
    for actor in range(draft.actors):
        attempt = f"atomic_compare_exchange_{choices.pick(['weak', 'strong'])}(&{name}, &seen, {change})"
        once = choices.chance(25)
        lines = [f"int seen = {name};", f"{attempt};" if once else f"while (!{attempt})\n    ;"]
        draft.call(actor, scope(lines))
    draft.checks.append(f"assert({name} == {draft.actors if change == 'seen + 1' else 2**draft.actors - 1});")
    draft.always.append(f"{name} < {2**draft.actors}")


def _overlap(draft: Draft) -> None:
    """What is a number for one is two halves or some bytes for another."""
    choices = draft.choices
    whole, half, size = choices.pick([("int", "short", 4), ("long", "int", 8)])
    view = draft.share("view", f"union {{ {whole} whole; {half} halves[2]; unsigned char bytes[{size}]; }}")
    ones = "01" * size
    for actor in range(draft.actors):
        for _ in range(choices.integer(1, 4 - draft.actors)):
            forms = [
                f"{view}.whole = {actor + 1} * 0x{ones}{'L' if size == 8 else ''};",
                f"{view}.halves[{choices.integer(0, 1)}] = {actor + 1};",
                f"{view}.bytes[{choices.integer(0, size - 1)}] = {actor + 1};",
                f"{view}.bytes[{view}.bytes[0] & 3]++;",
                f"{view}.whole++;",
                f"{draft.scalar()} = {view}.bytes[{choices.integer(0, size - 1)}];",
                f"assert({view}.halves[1] <= {view}.halves[0] + 0x202);",
            ]
            draft.call(actor, [choices.pick(forms)])
    if choices.chance(50):
        draft.checks.append(f"assert({view}.bytes[0] {choices.pick(['>=', '<='])} {view}.bytes[{size - 1}]);")
    draft.always.append(f"{view}.halves[0] == {view}.halves[1]")


def _bit_fields(draft: Draft) -> None:
    """Each has a field of its own, but fields that are neighbours are written together."""
    choices = draft.choices
    fields = ", ".join(f"of_{actor} : 3" for actor in range(draft.actors))
    bits = draft.share("bits", f"struct {{ unsigned {fields}; }}")
    protection = choices.weighted({"none": 5, "mutex": 3, "section": 1, "spinlock": 1})
    for actor in range(draft.actors):
        line = choices.pick([f"{bits}.of_{actor} = 1;", f"{bits}.of_{actor}++;"])
        draft.call(actor, protect(draft, protection, [line]))
    draft.checks.append(f"assert({' && '.join(f'{bits}.of_{actor} == 1' for actor in range(draft.actors))});")


def _records(draft: Draft) -> None:
    """Some write records whole, others read them whole; without protection they see halves of two."""
    choices = draft.choices
    words = choices.pick(["long first, last;", "int first, second, last;"])
    draft.declared.setdefault("struct record", f"struct record {{ {words} }};")
    record, other = draft.share("record", "struct record"), draft.share("other", "struct record")
    protection = choices.weighted({"none": 5, "mutex": 3, "rwlock": 4, "section": 1, "trylock": 1})
    writes = [
        [f"{record} = (struct record){{.first = 1, .last = 1}};"],
        [f"memset(&{record}, 1, sizeof {record});"],
        [f"memcpy(&{record}, &{other}, sizeof {record});"],
        [f"{record}.first = 2;", f"{record}.last = 2;"],
    ]
    reads = [
        scope([f"struct record seen = {record};", "assert(seen.first == seen.last);"]),
        [f"{other} = {record};"],
        [f"memmove(&{other}, &{record}, sizeof {other});"],
    ]
    for actor in range(draft.actors):
        reading = actor > 0 and choices.chance(70)
        draft.call(actor, protect(draft, protection, choices.pick(reads if reading else writes), reading=reading))
    draft.checks.append(f"assert({choices.pick([record, other])}.first == {record}.last);")
    draft.always.append(f"{record}.first == {record}.last")


def _barrier(draft: Draft) -> None:
    """Each does something, waits for the others, and uses what they did; mistakes: one too many or too few expected."""
    choices = draft.choices
    count = draft.actors + choices.weighted({0: 8, 1: 1, -1: 1})
    barrier = draft.prepared("barrier", "pthread_barrier_t", f"pthread_barrier_init(&barrier, NULL, {count});")
    arrived = draft.share("arrived", "int", f"[{draft.actors}]")
    for actor in range(draft.actors):
        wait = f"pthread_barrier_wait(&{barrier})"
        if choices.chance(40):
            wait = f"if ({wait} == PTHREAD_BARRIER_SERIAL_THREAD)\n    {draft.scalar()} = {actor + 1}"
        lines = [f"{arrived}[{actor}] = 1;", f"{wait};"]
        use = f"assert({arrived}[{(actor + 1) % draft.actors}] == 1);"
        draft.call(actor, [*(lines[::-1] if choices.chance(15) else lines), use])
    draft.always.append(f"{arrived}[0] == {arrived}[{draft.actors - 1}]")


def _once(draft: Draft) -> None:
    """Whoever comes first prepares something; mistakes: home-made ways to find out who that is."""
    choices = draft.choices
    ready = draft.share("ready", "int")
    draft.functions["prepare"] = block("static void prepare(void)", [f"{ready} += 1;"])
    usual = choices.weighted({"once": 3, "flag": 1})
    for actor in range(draft.actors):
        way = "flag" if choices.chance(10) else usual
        control = draft.share("control", "pthread_once_t")
        lines = {"once": f"pthread_once(&{control}, prepare);", "flag": f"if ({ready} == 0)\n    prepare();"}
        draft.call(actor, [lines[way], f"assert({ready} == 1);"])
    draft.always.append(f"{ready} <= 1")


def _farewell(draft: Draft) -> None:
    """What threads leave behind is counted when they end; who joins them finds it counted."""
    count = draft.share("count", draft.choices.pick(["int", "_Atomic int"]))
    draft.functions["leave"] = block("static void leave(void *value)", [f"{count} += value != NULL;"])
    key = draft.prepared("key", "pthread_key_t", "pthread_key_create(&key, leave);")
    for actor in range(draft.actors):
        draft.call(actor, [f"pthread_setspecific({key}, &{count});", *statement(draft, 1)])
    draft.checks.append(f"assert({count} == {draft.actors});")
    draft.always.append(f"{count} < {draft.actors}")


def _ticking(draft: Draft) -> None:
    """The first actor changes something again and again until it is told to stop, which somebody may forget to do."""
    choices = draft.choices
    stop, tick = draft.share("stop", choices.pick(FLAG_TYPES)), draft.share("tick", "volatile int")
    draft.bodies[0].append(f"while (!{stop})\n    {tick} ^= 1;")
    for actor in range(1, draft.actors):
        draft.call(actor, choices.pick([[f"if ({tick})\n    {draft.scalar()} = 1;"], [f"assert({tick} < 2);"]]))
        draft.bodies[actor] += [] if choices.chance(15) else [f"{stop} = 1;"]
    draft.always.append(f"!{tick} || !{stop}")


def _chance_meeting(draft: Draft) -> None:
    """No plan at all."""
    for actor in range(draft.actors):
        for _ in range(draft.choices.integer(2, 5 - draft.actors)):
            draft.call(actor, statement(draft))
    draft.checks.append(f"assert({draft.choices.pick([likely, condition])(draft)});")


# How each is made, how often it is taken, whether it has many steps
SCENARIOS = {
    "chance_meeting": (_chance_meeting, 12, True),
    "counter": (_counter, 6, False),
    "exclusion": (_exclusion, 3, True),
    "flags": (_flags, 2, True),
    "message": (_message, 8, False),
    "lock_order": (_lock_order, 5, False),
    "rendezvous": (_rendezvous, 3, False),
    "turns": (_turns, 1, True),
    "ticking": (_ticking, 1, False),
    "owned_memory": (_owned_memory, 3, True),
    "published_memory": (_published_memory, 2, False),
    "replaced_memory": (_replaced_memory, 3, True),
    "lent_memory": (_lent_memory, 3, True),
    "helpers": (_helpers, 3, True),
    "places": (_places, 4, True),
    "retry": (_retry, 2, False),
    "overlap": (_overlap, 4, False),
    "bit_fields": (_bit_fields, 1, False),
    "records": (_records, 5, False),
    "barrier": (_barrier, 3, False),
    "once": (_once, 2, True),
    "farewell": (_farewell, 1, True),
    **RACY,
}
