"""What the draws of a match are derived from."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from games.models.matches import Match

_WHOLE = "^[0-9a-f]{64}$"
_GIVEN_OR_NOT = "^([0-9a-f]{64})?$"


class MatchDraws(models.Model):
    """The seed of a match whose draws anybody can verify once it is over, and what its players'
    programs add to it (see `games.engine.draws`). A secret while the match is on: no page, no
    answer and no admin site shows it, and the record does after the end. The database refuses to
    change what has been given, so that what was published cannot be made to fit something else."""

    match = models.OneToOneField(
        Match, on_delete=models.PROTECT, primary_key=True, related_name="draws"
    )
    seed = models.CharField(max_length=64)
    commitment = models.CharField(
        max_length=64, help_text="What the seed hashes to: public from the beginning."
    )
    commitment_0 = models.CharField(
        max_length=64, blank=True, help_text="What the nonce of seat 0 hashes to. Empty: none."
    )
    nonce_0 = models.CharField(max_length=64, blank=True, help_text="Empty: not opened.")
    commitment_1 = models.CharField(
        max_length=64, blank=True, help_text="What the nonce of seat 1 hashes to. Empty: none."
    )
    nonce_1 = models.CharField(max_length=64, blank=True, help_text="Empty: not opened.")

    class Meta:
        verbose_name_plural = "match draws"
        ordering = ["match"]
        constraints = [
            models.CheckConstraint(
                condition=Q(seed__regex=_WHOLE, commitment__regex=_WHOLE), name="draws_seed_whole"
            ),
            *[
                models.CheckConstraint(
                    condition=Q(
                        **{
                            f"commitment_{seat}__regex": _GIVEN_OR_NOT,
                            f"nonce_{seat}__regex": _GIVEN_OR_NOT,
                        }
                    ),
                    name=f"draws_nonce_{seat}_whole",
                )
                for seat in (0, 1)
            ],
            *[
                models.CheckConstraint(
                    condition=Q(**{f"nonce_{seat}": ""}) | ~Q(**{f"commitment_{seat}": ""}),
                    name=f"draws_nonce_{seat}_committed",
                )
                for seat in (0, 1)
            ],
        ]

    def __str__(self) -> str:
        return f"draws of match {self.match_id}"
