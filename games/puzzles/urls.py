"""Addresses of the pages of puzzles, within those of `games`."""

from django.urls import path

from games.puzzles import pages

urlpatterns = [
    path("puzzles/", pages.index, name="puzzles"),
    path("puzzles/next/", pages.following, name="puzzle_next"),
    path("puzzles/<int:puzzle_id>/", pages.puzzle, name="puzzle"),
    path("puzzles/<int:puzzle_id>/answer/", pages.answer, name="puzzle_answer"),
    path("puzzles/<int:puzzle_id>/board.svg", pages.board, name="puzzle_board"),
]
