"""Administration of puzzles: to look at, and to withdraw one through its service."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from core.admin.actions import ActionsAdmin
from core.admin.readers import ModeratorView, ReadOnly, person
from games.puzzles.actions import PUZZLE, AtPuzzle
from games.puzzles.models import Puzzle


@admin.register(Puzzle)
class PuzzleAdmin(ModeratorView, ReadOnly, ActionsAdmin, admin.ModelAdmin):
    """Puzzles. The solution is left out: moderators solve them, too."""

    row_actions = PUZZLE
    list_display = (
        "id", "ruleset", "variant", "source", "attempts", "solved", "created_at", "withdrawn_at",
    )  # fmt: skip
    list_filter = ("ruleset", "source", ("withdrawn_at", admin.EmptyFieldListFilter))
    search_fields = ("=id",)
    fields = (
        "ruleset", "variant", "seat", "source", "mu", "sigma", "attempts", "solved", "created_at",
        "withdrawn_at",
    )  # fmt: skip

    def subject_of(self, request: HttpRequest, row: Any) -> AtPuzzle:
        """Who acts, and on which puzzle."""
        return AtPuzzle(person(request), row)

    def view_on_site(self, puzzle: Puzzle) -> str:
        """The puzzle's page."""
        return puzzle.get_absolute_url()
