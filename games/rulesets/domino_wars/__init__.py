"""Domino Wars: two decks of dominoes whose numbers take squares and carry effects."""

from games.rulesets.domino_wars.rules import DominoWars

__all__ = ["DominoWars"]
