"""What moderators can do about puzzles, in tables: see `core.actions`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from accounts.models import User
from accounts.moderation.forms import ReasonForm
from core.actions import Action, Actions
from games.puzzles.models import Puzzle
from games.puzzles.services import must_be_able_to_withdraw, puzzle_withdraw


@dataclass(frozen=True)
class AtPuzzle:
    """A moderator, and a puzzle."""

    moderator: User
    puzzle: Puzzle


WITHDRAW: Final = Action[AtPuzzle](
    name="withdraw",
    label="Withdraw…",
    title="Withdraw a puzzle",
    button="Withdraw it",
    done="The puzzle is withdrawn.",
    follows=["Nobody sees it any more. What it has done to ratings stays."],
    check=lambda s: must_be_able_to_withdraw(s.puzzle, s.moderator),
    form=lambda _s: ReasonForm,
    run=lambda s, form: puzzle_withdraw(
        acting_user=s.moderator, puzzle=s.puzzle, why=form.cleaned_data["reason"]
    ),
    danger=True,
)
PUZZLE: Final = Actions("puzzle", (WITHDRAW,))

#: Every table.
TABLES: Final[tuple[Actions[Any], ...]] = (PUZZLE,)
