"""What moves of puzzles when two accounts turn out to be one person's."""

from __future__ import annotations

from accounts.models import User
from games.puzzles.models import PuzzleAnswer, PuzzleSolver


def solver_move(*, keep: User, duplicate: User) -> int:
    """The answers; where both have answered a puzzle the kept account's stays. How strong a solver
    somebody is stays with the kept account, or is the other's where that has none. Returns how many
    answers moved. Called within the transaction of a merge."""
    own = PuzzleAnswer.objects.filter(user=keep).values("puzzle")
    PuzzleAnswer.objects.filter(user=duplicate, puzzle__in=own).delete()
    moved = PuzzleAnswer.objects.filter(user=duplicate).update(user=keep)
    solver = PuzzleSolver.objects.filter(user=duplicate)
    if PuzzleSolver.objects.filter(user=keep).exists():
        solver.delete()
    else:
        solver.update(user=keep)
    return moved
