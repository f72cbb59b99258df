"""Tetronogo: bouts of placing one tetromino each, scored by edges around empty groups."""

from games.rulesets.tetronogo.rules import Tetronogo

__all__ = ["Tetronogo"]
