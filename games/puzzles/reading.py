"""Which puzzle is whose next, which is the daily one, and how one is shown."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import msgspec
from django.db.models import Case, Exists, F, IntegerField, OuterRef, TextField, Value, When
from django.db.models.functions import MD5, Abs, Concat

from accounts.models import User
from core.clock import now_utc
from core.refusals import NotFound
from games.engine import puzzling
from games.engine.decisions import Audience, Outcome
from games.engine.naming import UNNAMED
from games.engine.options import options_read
from games.engine.ruleset import Ruleset
from games.puzzles.models import Puzzle, PuzzleAnswer, PuzzleQuerySet, PuzzleSolver
from games.ratings.rating import MU
from games.rulesets import REGISTRY
from games.words import game_name

PLACES: Final = ("first player", "second player")

Standing: TypeAlias = Literal["open", "answered", "solved"]
"""How somebody stands to a puzzle: their first answer was right, or was not, or is yet to come."""
STANDINGS: Final[tuple[Standing, ...]] = ("open", "answered", "solved")


class Known(NamedTuple):
    """A puzzle with the ruleset that judges it, and what that reads."""

    row: Puzzle
    ruleset: Ruleset[Any, Any]
    puzzle: puzzling.Puzzle


def known(row: Puzzle) -> Known:
    """A puzzle as the engine has it. Raises Refusal ``setup.ruleset`` of a game that the site no
    longer offers."""
    puzzle = puzzling.Puzzle(
        variant=row.variant,
        seat=row.seat,
        state=msgspec.Raw(row.state.encode()),
        target=row.target,
        solution=row.solution,
        source=row.source,
    )
    return Known(row, REGISTRY.get(row.ruleset), puzzle)


def puzzles_visible(user: Any) -> PuzzleQuerySet:
    """The puzzles that somebody may see, of the games that there are."""
    return Puzzle.objects.visible_to(user).filter(ruleset__in=[each.id for each in REGISTRY])


def puzzle_for(puzzle_id: int, user: Any) -> Puzzle:
    """A puzzle. Raises NotFound ``puzzle.none``."""
    row = puzzles_visible(user).filter(pk=puzzle_id).first()
    if row is None:
        raise NotFound("puzzle.none", "There is no such puzzle.")
    return row


# -- the daily one -------------------------------------------------------------------------------


def today() -> date:
    """The day whose puzzle it is, by UTC."""
    return now_utc().astimezone(UTC).date()


def puzzle_daily(day: date | None = None) -> Puzzle | None:
    """The puzzle of a day, the same for all; None where there are no puzzles. One that came during
    the day is taken only where there is no older one."""
    day = today() if day is None else day
    begin = datetime.combine(day, time.min, tzinfo=UTC)
    is_new = Case(When(created_at__gte=begin, then=1), default=0, output_field=IntegerField())
    lot = MD5(Concat(Value(day.isoformat()), F("key"), output_field=TextField()))
    return puzzles_visible(None).order_by(is_new, lot).first()


# -- the next one --------------------------------------------------------------------------------


def puzzle_next(
    user: Any, *, ruleset: str = "", variant: str = "", passed: Sequence[int] = ()
) -> Puzzle | None:
    """The next puzzle that somebody has not answered, of all games or of one: of those not met yet
    the one nearest to their rating, games in turn. Those that were ``passed``, the latest last,
    come again only where there are no others, and never that one. None where there is none."""
    latest = passed[-1] if passed else 0
    rows = puzzles_visible(user).exclude(pk=latest)
    if ruleset:
        rows = rows.filter(ruleset=ruleset)
    if variant:
        rows = rows.filter(variant=variant)
    mu = MU
    if isinstance(user, User):
        rows = rows.exclude(Exists(PuzzleAnswer.objects.filter(user=user, puzzle=OuterRef("pk"))))
        solver = PuzzleSolver.objects.filter(user=user).first()
        mu = MU if solver is None else solver.mu
    order: list[Any] = [_last(passed, "pk")] if passed else []
    if not ruleset and latest:
        # The game that has just been played comes last.
        last = Puzzle.objects.filter(pk=latest).values_list("ruleset", flat=True).first()
        games = [each.id for each in REGISTRY]
        at = games.index(last) + 1 if last in games else 0
        order.append(_last(games[at:] + games[:at], "ruleset"))
    return rows.order_by(*order, Abs(F("mu") - mu), "pk").first()


def _last(values: Sequence[Any], field: str) -> Case:
    """An order by which rows with these values come last, or first if there are no others: as they
    are listed."""
    turns = (When(**{field: value}, then=n) for n, value in enumerate(values, start=1))
    return Case(*turns, default=0, output_field=IntegerField())


class Shelf(NamedTuple):
    """A game with its puzzles: how many there are, and how many of them somebody has answered."""

    ruleset: str
    variant: str
    name: str
    puzzles: int
    answered: int

    @property
    def game(self) -> str:
        """As addresses name it: ruleset and variant, parted by a slash."""
        return f"{self.ruleset}/{self.variant}"

    @property
    def is_done(self) -> bool:
        """Whether none is left to answer."""
        return self.answered >= self.puzzles


def shelves(user: Any) -> list[Shelf]:
    """The games that there are puzzles of, each variant by itself, in the order of the games."""
    mine: set[int] = set()
    if isinstance(user, User):
        mine = set(PuzzleAnswer.objects.filter(user=user).values_list("puzzle", flat=True))
    count: dict[tuple[str, str], int] = {}
    answered: dict[tuple[str, str], int] = {}
    for pk, ruleset, variant in puzzles_visible(user).values_list("pk", "ruleset", "variant"):
        game = (ruleset, variant)
        count[game] = count.get(game, 0) + 1
        answered[game] = answered.get(game, 0) + (pk in mine)
    return [
        Shelf(ruleset.id, variant.id, game_name(*game), count[game], answered[game])
        for ruleset in REGISTRY
        for variant in ruleset.variants
        if (game := (ruleset.id, variant.id)) in count
    ]


def answer_of(row: Puzzle, user: Any) -> PuzzleAnswer | None:
    """Somebody's first answer to a puzzle, if they have given one."""
    if not isinstance(user, User):
        return None
    return PuzzleAnswer.objects.filter(user=user, puzzle=row).first()


def standing_of(puzzle_id: int, user: Any) -> Standing:
    """How somebody stands to a puzzle."""
    if not isinstance(user, User):
        return "open"
    answers = PuzzleAnswer.objects.filter(user=user, puzzle=puzzle_id)
    right = answers.values_list("right", flat=True).first()
    if right is None:
        return "open"
    return "solved" if right else "answered"


def solver_of(user: Any) -> PuzzleSolver | None:
    """How somebody solves puzzles; None before their first answer."""
    return PuzzleSolver.objects.filter(user=user).first() if isinstance(user, User) else None


# -- how it is shown -----------------------------------------------------------------------------


def question_of(row: Puzzle) -> str:
    """What a puzzle asks."""
    found = known(row)
    return puzzling.question_of(found.ruleset, found.puzzle)


def whose(row: Puzzle) -> str:
    """For whom it is to be solved: "first player"."""
    return PLACES[row.seat]


def picture_of(row: Puzzle) -> str:
    """The position as its seat sees it, as an SVG document."""
    found = known(row)
    state = puzzling.state_of(found.ruleset, found.puzzle)
    return found.ruleset.picture(found.ruleset.view(state, _audience(row)), UNNAMED)


def shown(row: Puzzle) -> dict[str, Any]:
    """What a board needs to show it: the header and the view of a match that stands still, and as
    whom. Nothing that the seat could not see, and nothing of the solution."""
    found = known(row)
    ruleset = found.ruleset
    state = puzzling.state_of(ruleset, found.puzzle)
    decision = puzzling.decision_of(ruleset, found.puzzle)
    asked = {
        "id": decision.id,
        "seat": decision.seat,
        "kind": decision.kind,
        "prompt": decision.prompt,
        "clock": {
            "turn_ms": 0, "reserve": False, "interval_ms": 0, "reading_ms": 0, "running": False,
        },
        "sealed": None,
    }  # fmt: skip
    game = ruleset.view(state, _audience(row))
    return {
        "puzzle": row.pk,
        "you": row.seat,
        "question": puzzling.question_of(ruleset, found.puzzle),
        "header": {
            "ruleset": row.ruleset,
            "variant": row.variant,
            "options": msgspec.to_builtins(options_read(ruleset.options_type, {}, "setup.options")),
            "items": [],
            "seats": [{"name": name, "username": None} for name in UNNAMED],
        },
        "view": _view_of(game, [asked]),
        "scores": list(ruleset.scores(state)),
    }


def told(judgement: puzzling.Judgement) -> dict[str, Any]:
    """What a judgement says, with the positions that follow, for a board."""
    return {
        "text": judgement.text,
        "right": judgement.right,
        "words": judgement.words,
        "steps": [
            {
                "seat": each.seat,
                "text": each.text,
                "events": msgspec.to_builtins(each.events),
                "view": _view_of(each.game, [], each.outcome),
                "scores": list(each.scores),
            }
            for each in judgement.moments
        ],
    }


def _view_of(
    game: dict[str, Any], decisions: list[dict[str, Any]], outcome: Outcome | None = None
) -> dict[str, Any]:
    """The view of a match around that of its game."""
    return {
        "phase": "on" if outcome is None else "over",
        "paused": False,
        "advantage": game.get("advantage"),
        "decisions": decisions,
        "reserve_ms": [0, 0],
        "game": game,
        "result": None if outcome is None else msgspec.to_builtins(outcome),
    }


def _audience(row: Puzzle) -> Audience:
    return 1 if row.seat else 0
