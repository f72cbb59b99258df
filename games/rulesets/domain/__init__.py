"""Domain: draft shapes, lay them over either domain, and own more pixels."""

from games.rulesets.domain.rules import Domain

__all__ = ["Domain"]
