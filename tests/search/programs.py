# SPDX-License-Identifier: Apache-2.0
"""Random small multithreaded C programs, all paths of which can be explored.

One grammar for two uses: `program_text(seed)` for long runs, `programs()` for Hypothesis. A program ends or blocks; a
few spin on a flag. Most of them create their threads, and end them, inside atomic sections: what the library does there
would else be most of the states.
"""

from choices import Choices, DrawnChoices, SeededChoices
from draft import Draft, Lines, block
from hypothesis import strategies
from hypothesis.strategies import DrawFn, SearchStrategy
from scenarios import add_scenario, scenario_weights
from statements import statement

HEADERS = ("assert.h", "pancam.h", "pthread.h", "semaphore.h", "stdatomic.h", "stdlib.h", "time.h")
LOUD = {1: 60, 2: 1, 3: 0}  # threads that main creates: how many programs of a hundred do that step by step


def program_text(seed: int) -> str:
    """The seed's program; always the same."""
    return make_program(SeededChoices(seed))


def programs() -> SearchStrategy[str]:
    """Programs for Hypothesis, which makes a failing one smaller."""
    return _drawn_programs()


@strategies.composite
def _drawn_programs(draw: DrawFn) -> str:
    return make_program(DrawnChoices(draw))


def make_program(choices: Choices) -> str:
    """A program: scenarios for all actors, some statements between them, and a main function around it."""
    actors = choices.weighted({2: 93, 3: 7})
    draft = Draft(choices, actors, [[] for _ in range(actors)])
    names = [choices.weighted(scenario_weights(cheap=actors > 2))]
    if actors == 2 and choices.chance(20):
        names.append(choices.weighted(scenario_weights(cheap=True)))
    for name in names:
        add_scenario(draft, name)
    for body in draft.bodies:
        if actors == 2 and choices.chance(30):
            body[0:0] = statement(draft, 1)
        elif actors == 2 and choices.chance(20):
            body.extend(statement(draft, 1))
    main = _main_function(draft)
    heading = f"/* {', '.join(dict.fromkeys(names))}: {actors} actors */"
    includes = [f"#include <{header}>" for header in HEADERS]
    return "\n".join([heading, *includes, "", *draft.declared.values(), "", *draft.functions.values(), main, ""])


def _main_function(draft: Draft) -> str:
    """Main starts the other actors; it is one itself, or only waits for them."""
    choices = draft.choices
    acting = choices.chance(40 if draft.actors == 2 else 15)
    created = range(1 if acting else 0, draft.actors)
    quiet = not choices.chance(LOUD[len(created)])
    for actor in created:
        ending = ["pancam_atomic_begin();"] if quiet and (draft.actors > 2 or choices.chance(50)) else []
        lines = [*draft.bodies[actor], *ending, "return NULL;"]
        draft.functions[f"actor_{actor}"] = block(f"static void *actor_{actor}(void *argument)", lines)
    names = [f"t{actor}" for actor in created]
    start = [f"pthread_t {', '.join(names)};", *draft.setup]
    start += [f"pthread_create(&t{actor}, NULL, actor_{actor}, NULL);" for actor in created]
    if quiet:
        start.insert(1, "pancam_atomic_begin();")
    if acting:
        start += ["pancam_atomic_end();"] if quiet else []
        start += draft.bodies[0]
    return block("int main(void)", [*start, *_ending(draft, names, acting=acting)])


def _ending(draft: Draft, names: list[str], *, acting: bool) -> Lines:
    """How main ends: it joins all or some, or leaves the others alone, or takes them with it."""
    joins = [f"pthread_join({name}, NULL);" for name in names]
    kind = draft.choices.weighted({"all": 84, "some": 9, "leave": 7})
    if kind == "leave":
        return ["pthread_exit(NULL);"]
    if kind == "some" and (acting or len(joins) > 1):  # nobody is joined only where the others have had their chance
        joins.pop(draft.choices.integer(0, len(joins) - 1))
        return [*joins, *draft.checks[:1], "return 0;"]
    return [*joins, *draft.checks, "return 0;"]
