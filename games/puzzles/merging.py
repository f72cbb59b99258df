"""What moves of puzzles when two accounts turn out to be one person's."""

from __future__ import annotations

from datetime import date, timedelta

from django.db.models import Count, Q

from accounts.models import User
from games.puzzles.models import PuzzleAnswer, PuzzleSolver


def solver_move(*, keep: User, duplicate: User) -> int:
    """The answers, and the days on which the daily puzzle was solved; where both have answered a
    puzzle the kept account's stays. How strong a solver somebody is stays with the kept account, or
    is the other's where that has none. Returns how many answers moved. Called within the
    transaction of a merge."""
    solvers = PuzzleSolver.objects.select_for_update(no_key=True)
    found = {each.user_id: each for each in solvers.filter(user__in=[keep, duplicate])}
    own = PuzzleAnswer.objects.filter(user=keep).values("puzzle")
    PuzzleAnswer.objects.filter(user=duplicate, puzzle__in=own).delete()
    moved = PuzzleAnswer.objects.filter(user=duplicate).update(user=keep)
    kept, other = found.get(keep.pk), found.get(duplicate.pk)
    if other is None:
        return moved
    if kept is None:
        PuzzleSolver.objects.filter(user=duplicate).update(user=keep)
        return moved
    counts = PuzzleAnswer.objects.filter(user=keep).aggregate(
        answered=Count("pk"), solved=Count("pk", filter=Q(right=True))
    )
    kept.answered, kept.solved = counts["answered"], counts["solved"]
    kept.streak, kept.last_daily = _joined(kept, other)
    kept.best_streak = max(kept.best_streak, other.best_streak, kept.streak)
    kept.save()
    PuzzleSolver.objects.filter(user=duplicate).delete()
    return moved


def _joined(one: PuzzleSolver, two: PuzzleSolver) -> tuple[int, date | None]:
    """The streak of both together, and its last day: one where they meet, or else the later."""
    if one.last_daily is None or two.last_daily is None:
        later = two if one.last_daily is None else one
        return later.streak, later.last_daily
    days = sorted((each.last_daily, each.streak) for each in (one, two) if each.last_daily)
    (first_end, first_streak), (end, streak) = days
    begin = end - timedelta(days=streak - 1)
    if first_end >= begin - timedelta(days=1):
        begin = min(begin, first_end - timedelta(days=first_streak - 1))
    return (end - begin).days + 1, end
