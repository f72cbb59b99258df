"""Domino Black & White: dominoes with a hidden half, dropped into a well to make sums of five."""

from games.rulesets.domino_black_white.rules import DominoBlackWhite

__all__ = ["DominoBlackWhite"]
