"""Making puzzles: of the positions of games between bots, and of matches that were played."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile
from typing import Any, Final, NamedTuple

from games import store
from games.engine.capabilities import Level, thinks_of
from games.engine.chance import RandomSource, choose, evenly
from games.engine.course import MatchCourse
from games.engine.decisions import Audience, Decision
from games.engine.errors import EngineFault
from games.engine.playouts import MOST
from games.engine.puzzling import Puzzle, made, solver
from games.engine.ruleset import Ruleset, Setup
from games.engine.search import always, applied
from games.models import Match
from games.models.matches import MatchQuerySet
from games.rulesets import REGISTRY

LEVELS: Final[tuple[Level, ...]] = ("novice", "club")


class Position(NamedTuple):
    """What a seat that is to decide something sees."""

    view: Mapping[str, Any]
    decision: Decision


def puzzles_of_bots(
    ruleset: Ruleset[Any, Any],
    variant: str,
    random: RandomSource,
    *,
    count: int,
    may_go_on: Callable[[], bool] = always,
) -> Iterator[Puzzle]:
    """So many puzzles of games between bots, one of each game at most, while there is time. Raises
    Refusal ``puzzle.game``, ``setup.variant``."""
    solver(ruleset)
    ruleset.variant(variant)
    left = count
    while left and may_go_on():
        found = _first_of(ruleset, variant, _bot_game(ruleset, variant, random), random, "bots")
        if found is not None:
            left -= 1
            yield found


def puzzles_of_match(
    match: Match, random: RandomSource, *, may_go_on: Callable[[], bool] = always
) -> Puzzle | None:
    """A puzzle of a match that is over, or None; looked for while it may go on. Who played it is
    not told."""
    ruleset = REGISTRY.get(match.ruleset)
    positions = takewhile(lambda _each: may_go_on(), _positions_of(match))
    return _first_of(ruleset, match.variant, positions, random, "matches")


def matches_for_puzzles() -> MatchQuerySet:
    """Those of which puzzles may be made, the latest to end first: rated ones that people played
    here to their end, by the rules as they stand on every puzzle's page. Whoever comes sees all of
    such a match by now, what was hidden or seen late included."""
    return (
        Match.objects.between_people()
        .finished()
        .filter(source=Match.Source.PLAYED, unrated="", winner__isnull=False, options={}, items=[])
        .defer("snapshot")
        .order_by("-finished_at", "-pk")
    )


def _first_of(
    ruleset: Ruleset[Any, Any],
    variant: str,
    positions: Iterator[Position],
    random: RandomSource,
    source: str,
) -> Puzzle | None:
    """One of the puzzles in a game: whether one begins early is left to chance."""
    for view, decision in positions:
        if random() < 0.5:
            continue
        puzzle = made(ruleset, view, decision, random, variant=variant, source=source)
        if puzzle is not None:
            return puzzle
    return None


def _bot_game(ruleset: Ruleset[Any, Any], variant: str, random: RandomSource) -> Iterator[Position]:
    thinks = thinks_of(ruleset)
    if thinks is None:
        raise EngineFault(f"no bots play {ruleset.id}")
    level = choose(random, LEVELS)

    def answer(decision: Decision) -> Any:
        view = ruleset.view(state, _seat(decision))
        return thinks.decide(view, decision, level, random, always)

    advantage = int(random() < 0.5)
    state = ruleset.initial(
        Setup(variant=variant, options=ruleset.options_type(), advantage=advantage)  # type: ignore[call-arg]
    )
    for _ in range(MOST):
        if ruleset.outcome(state) is not None:
            return
        due = ruleset.chance_due(state)
        for draw in due:
            state = ruleset.apply_chance(state, ruleset.draw(state, draw, evenly(random)))
        if due:
            continue
        decision = ruleset.decisions(state)[0]
        yield Position(ruleset.view(state, _seat(decision)), decision)
        state = applied(ruleset, state, decision, answer(decision), answer)


def _positions_of(match: Match) -> Iterator[Position]:
    ruleset, header = store.header_of(match)
    course = MatchCourse(ruleset, header)
    for entry in store.entries_of(match.pk):
        course.add(entry)
        table = course.table
        if table.state is None or table.result is not None:
            continue
        for decision in ruleset.decisions(table.state)[:1]:
            yield Position(ruleset.view(table.state, _seat(decision)), decision)


def _seat(decision: Decision) -> Audience:
    return 1 if decision.seat else 0
