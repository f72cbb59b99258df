"""How often somebody has known who wins."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Count, F, Q

from accounts.models import User
from games.models import Prediction


class Predicted(NamedTuple):
    """How many of somebody's predictions were right, and of how many."""

    right: int
    of: int


def tally_of(user: User) -> Predicted:
    """Of matches that somebody has won: void ones count for nobody, and of those that are on
    nobody is told."""
    found = Prediction.objects.filter(user=user, match__winner__isnull=False).aggregate(
        right=Count("pk", filter=Q(seat=F("match__winner"))), of=Count("pk")
    )
    return Predicted(found["right"], found["of"])
