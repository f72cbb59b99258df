"""Peg Domain: plates of two pegs, cut out of one's own pallet and laid over a shared board."""

from games.rulesets.peg_domain.rules import PegDomain

__all__ = ["PegDomain"]
