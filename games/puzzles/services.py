"""Everything that writes about puzzles: bringing them to the site, answers, and taking one away."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from django.db import transaction

from accounts.models import User
from accounts.roles import is_moderator
from accounts.services import audit_record
from core.clock import now_utc
from core.refusals import Forbidden, NotFound, Refusal
from games.engine import puzzling
from games.engine.puzzling import Judgement
from games.engine.ruleset import Ruleset
from games.puzzles.collection import collection_of, key_of
from games.puzzles.kept import daily_forget
from games.puzzles.models import Puzzle, PuzzleAnswer, PuzzleSolver
from games.puzzles.reading import known, puzzle_daily, today
from games.ratings.rating import rated_pair
from games.rulesets import REGISTRY

LONGEST = 2000  # characters of an answer


class Verdict(NamedTuple):
    """What became of an answer: how the engine judges it, whether it was the first one, which
    alone counts, by how much it changed the solver's rating, and the solver and the puzzle after
    it."""

    judgement: Judgement
    counted: bool
    change: int
    solver: PuzzleSolver
    puzzle: Puzzle


# -- bringing them here --------------------------------------------------------------------------


@transaction.atomic
def puzzles_add(*, ruleset: Ruleset[Any, Any], puzzles: Sequence[puzzling.Puzzle]) -> int:
    """Add puzzles of a game, as far as they are missing; returns how many that were."""
    rows = [
        Puzzle(
            key=key_of(ruleset, each),
            ruleset=ruleset.id,
            variant=each.variant,
            seat=each.seat,
            state=bytes(each.state).decode(),
            target=each.target,
            solution=each.solution,
            source=each.source,
        )
        for each in puzzles
    ]
    there = set(
        Puzzle.objects.filter(key__in=[row.key for row in rows]).values_list("key", flat=True)
    )
    missing = [row for row in rows if row.key not in there]
    Puzzle.objects.bulk_create(missing, ignore_conflicts=True)
    if missing:
        transaction.on_commit(daily_forget, robust=True)
    return len(missing)


def puzzles_load() -> int:
    """Bring the collections that come along to the site; returns how many puzzles were missing.
    Idempotent: one that was withdrawn stays so."""
    return sum(puzzles_add(ruleset=ruleset, puzzles=collection_of(ruleset)) for ruleset in REGISTRY)


# -- answers -------------------------------------------------------------------------------------


def puzzle_judge(*, puzzle: Puzzle, text: str) -> Judgement:
    """What an answer to a puzzle brings. Keeps nothing.

    Raises Refusal ``puzzle.too-long``, ``notation.*`` and whatever the ruleset
    says of a move that cannot be made.
    """
    if len(text) > LONGEST:
        raise Refusal("puzzle.too-long", f"An answer has at most {LONGEST:,} characters.")
    found = known(puzzle)
    return puzzling.judged(found.ruleset, found.puzzle, text)


def puzzle_answer(*, acting_user: User, puzzle: Puzzle, text: str) -> Verdict:
    """Answer a puzzle. The first answer counts, for the ratings of the puzzle and of whoever gives
    it; each later one is judged, and nothing is kept of it.

    Raises Refusal as `puzzle_judge`, and NotFound ``puzzle.none``.
    """
    judgement = puzzle_judge(puzzle=puzzle, text=text)
    return _counted(acting_user, puzzle, judgement, text=judgement.text, right=judgement.right)


def puzzle_show(*, acting_user: User, puzzle: Puzzle) -> Verdict:
    """Show the solution. Before the first answer that counts as a wrong one.

    Raises NotFound ``puzzle.none``.
    """
    judgement = puzzle_judge(puzzle=puzzle, text=puzzle.solution)
    return _counted(acting_user, puzzle, judgement, text="", right=False)


@transaction.atomic
def _counted(
    user: User, puzzle: Puzzle, judgement: Judgement, *, text: str, right: bool
) -> Verdict:
    # The puzzle's row first, then the solver's: so for everybody, and no two wait for each other.
    row = (
        Puzzle.objects.select_for_update(no_key=True)
        .filter(pk=puzzle.pk, withdrawn_at__isnull=True)
        .first()
    )
    if row is None:
        raise NotFound("puzzle.none", "There is no such puzzle.")
    PuzzleSolver.objects.get_or_create(user=user)
    solver = PuzzleSolver.objects.select_for_update(no_key=True).get(user=user)
    if PuzzleAnswer.objects.filter(user=user, puzzle=row).exists():
        return Verdict(judgement, False, 0, solver, row)
    PuzzleAnswer.objects.create(puzzle=row, user=user, text=text, right=right)
    before = solver.strength.estimate
    _grade(row, solver, right=right)
    if right:
        _lengthen(solver, row, today())
    row.save(update_fields=["mu", "sigma", "attempts", "solved"])
    solver.save()
    return Verdict(judgement, True, solver.strength.estimate - before, solver, row)


def _grade(puzzle: Puzzle, solver: PuzzleSolver, *, right: bool) -> None:
    """As after a match between the two."""
    if right:
        won, lost = rated_pair(solver.strength, puzzle.strength)
        mine, its = won, lost
    else:
        won, lost = rated_pair(puzzle.strength, solver.strength)
        mine, its = lost, won
    solver.mu, solver.sigma = mine
    puzzle.mu, puzzle.sigma = its
    solver.answered += 1
    solver.solved += right
    puzzle.attempts += 1
    puzzle.solved += right


def _lengthen(solver: PuzzleSolver, puzzle: Puzzle, day: date) -> None:
    """One more day, where that was the daily puzzle."""
    daily = puzzle_daily(day)
    if daily is None or daily.pk != puzzle.pk or solver.last_daily == day:
        return
    goes_on = solver.last_daily == day - timedelta(days=1)
    solver.streak = solver.streak + 1 if goes_on else 1
    solver.best_streak = max(solver.best_streak, solver.streak)
    solver.last_daily = day


# -- taking one away -----------------------------------------------------------------------------


def must_be_able_to_withdraw(puzzle: Puzzle, acting_user: User) -> None:
    """Raises Refusal ``puzzle.not-allowed``, ``puzzle.withdrawn``."""
    if not is_moderator(acting_user):
        raise Forbidden("puzzle.not-allowed", "Only moderators withdraw puzzles.")
    if puzzle.withdrawn_at is not None:
        raise Refusal("puzzle.withdrawn", "This puzzle has been withdrawn already.")


@transaction.atomic
def puzzle_withdraw(*, acting_user: User, puzzle: Puzzle, why: str) -> None:
    """Take a puzzle away: nobody sees it any more. What it did to ratings stays.

    Raises Refusal ``puzzle.not-allowed``, ``puzzle.withdrawn``.
    """
    row = Puzzle.objects.select_for_update(no_key=True).get(pk=puzzle.pk)
    must_be_able_to_withdraw(row, acting_user)
    row.withdrawn_at = now_utc()
    row.save(update_fields=["withdrawn_at"])
    transaction.on_commit(daily_forget, robust=True)
    audit_record(acting_user=acting_user, action="puzzle.withdraw", target=row, data={"why": why})
