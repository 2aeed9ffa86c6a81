# SPDX-License-Identifier: Apache-2.0
"""Random small multithreaded C programs, all paths of which can be explored.

One grammar for two uses: `program_text(seed)` for long runs, `programs()` for Hypothesis. A program ends or blocks; a
few go round in circles. Most of them create their threads, and end them, inside atomic sections: what the library does
there would else be most of the states.
"""

from choices import Choices, DrawnChoices, SeededChoices
from draft import Draft, Lines, block, section
from hypothesis import strategies
from hypothesis.strategies import DrawFn, SearchStrategy
from scenarios import add_scenario, scenario_weights
from statements import invariant, statement

HEADERS = ("assert.h", "pancam.h", "pthread.h", "semaphore.h", "stdatomic.h", "stdlib.h", "string.h", "time.h")
LOUD = {0: 100, 1: 60, 2: 1, 3: 0}  # threads that main creates: how many programs of a hundred do that step by step
INVARIANT = "int invariant(void)"


def program_text(seed: int) -> str:
    """The seed's program; always the same."""
    return make_program(SeededChoices(seed))


def programs() -> SearchStrategy[str]:
    """Programs for Hypothesis, which makes a failing one smaller."""
    return _drawn_programs()


def invariants(text: str) -> tuple[str, ...]:
    """The functions of a random program that are to be true in every state."""
    return ("invariant",) if INVARIANT in text else ()


@strategies.composite
def _drawn_programs(draw: DrawFn) -> str:
    return make_program(DrawnChoices(draw))


def make_program(choices: Choices) -> str:
    """A program: scenarios for all actors, some statements between them, and a main function around it."""
    actors = choices.weighted({2: 90, 3: 10})
    draft = Draft(choices, actors, [[] for _ in range(actors)])
    names = [choices.weighted(scenario_weights(cheap=actors > 2))]
    if actors == 2 and choices.chance(20):
        names.append(choices.weighted(scenario_weights(cheap=True)))
    for name in names:
        add_scenario(draft, name)
    for body in draft.bodies:
        if actors == 2 and choices.chance(30):
            body[0:0] = statement(draft, 0 if choices.chance(35) else 1)
        elif actors == 2 and choices.chance(20):
            body.extend(statement(draft, 1))
    main = _main_function(draft)
    if choices.chance(10):
        draft.functions["invariant"] = block(INVARIANT, [f"return {invariant(draft)};"])
    heading = f"/* {', '.join(dict.fromkeys(names))}: {actors} actors */"
    includes = [f"#include <{header}>" for header in HEADERS]
    return "\n".join([heading, *includes, "", *draft.declared.values(), "", *draft.functions.values(), main, ""])


def _main_function(draft: Draft) -> str:
    """Main starts the other actors, or lets one of them start the last; it is one itself, or only waits for them."""
    choices = draft.choices
    acting = choices.chance(40 if draft.actors == 2 else 15)
    created = range(1 if acting else 0, draft.actors)
    names = [draft.share(f"t{actor}", "pthread_t") for actor in created]
    creations = [f"pthread_create(&t{actor}, NULL, actor_{actor}, NULL);" for actor in created]
    if choices.chance(20):
        parent = draft.bodies[choices.integer(0, created[-1] - 1)]
        parent.insert(choices.integer(0, len(parent) // 2), creations.pop())
    quiet = not choices.chance(LOUD[len(creations)])
    ends = _ends(draft, names)
    for actor in reversed(created):  # nobody creates one that comes before it
        ending = ["pancam_atomic_begin();"] if quiet and (draft.actors > 2 or choices.chance(50)) else []
        lines = [*draft.bodies[actor], *ending, "return NULL;"]
        draft.functions[f"actor_{actor}"] = block(f"static void *actor_{actor}(void *argument)", lines)
    start = [*draft.setup, *creations]
    if quiet:
        start = section(start) if acting else ["pancam_atomic_begin();", *start]
    if acting:
        start += draft.bodies[0]
    return block("int main(void)", [*start, *_ending(draft, ends, acting=acting)])


def _ends(draft: Draft, names: list[str]) -> Lines:
    """What main does for each thread when it is over; the last one may be somebody else's business."""
    choices = draft.choices
    ends = [f"pthread_join({name}, NULL);" for name in names]
    fate = choices.weighted({"joined by main": 82, "joined by another": 9, "detached by main": 3, "detached": 6})
    if fate == "joined by another":
        draft.bodies[choices.integer(0, draft.actors - 2)].append(ends.pop())
    elif fate == "detached by main":
        ends[-1] = f"pthread_detach({names[-1]});"
    elif fate == "detached":
        ends.pop()
        draft.bodies[-1].insert(0, "pthread_detach(pthread_self());")
    return ends


def _ending(draft: Draft, ends: Lines, *, acting: bool) -> Lines:
    """How main ends: it waits for all or some, or leaves the others alone, or takes them with it."""
    choices = draft.choices
    kind = choices.weighted({"all": 80, "some": 8, "leave": 7, "handler": 5})
    if kind == "leave":
        return ["pthread_exit(NULL);"]
    if kind != "all" and (len(ends) > 1 or (acting and ends)):  # without any only where others have had their chance
        ends.pop(choices.integer(0, len(ends) - 1))
    if kind == "handler":
        draft.functions["at_end"] = block("static void at_end(void)", draft.checks)
        return ["atexit(at_end);", *ends, "return 0;"]
    return [*ends, *(draft.checks[:1] if kind == "some" else draft.checks), "return 0;"]
