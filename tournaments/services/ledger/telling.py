"""What single contestants are told of entries, and of wagers that are offered: what they get, and
what is taken from them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.urls import reverse

from accounts.announcing.services import Told, announce
from tournaments.models import Contestant, DeathMatch, LedgerEntry, Season
from tournaments.naming import Naming


def entries_tell(
    season: Season, told: Iterable[tuple[LedgerEntry, Contestant | None, str, str]]
) -> None:
    """Tell each of some contestants a sentence of an entry, with the reason; nobody else hears of
    it by this."""
    path = reverse("tournaments:purse", args=[season.slug])
    _tell(
        season, [(f"ledger:{entry.pk}", whom, said, why, path) for entry, whom, said, why in told]
    )


def offer_tell(death_match: DeathMatch, other: Contestant | None, said: str, at: datetime) -> None:
    """Tell the other side of a death match what somebody would wager in it from now on."""
    season = death_match.round.season
    key = f"wager:{death_match.pk}:{at:%Y%m%dT%H%M%S.%f}"
    _tell(season, [(key, other, said, "", death_match.get_absolute_url())])


def _tell(season: Season, told: Iterable[tuple[str, Contestant | None, str, str, str]]) -> None:
    naming = Naming.of(season.pk)
    announce(
        Told(
            user=whom.user,
            kind="contestant.purse",
            key=key,
            subject=f"{season.name}: {naming.marked(said)}",
            words=f"{season.name}: {naming.marked(f'{said}: {why}' if why else f'{said}.')}",
            path=path,
        )
        for key, whom, said, why, path in told
        if whom is not None and whom.user is not None
    )
