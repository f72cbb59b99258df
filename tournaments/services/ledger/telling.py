"""What single contestants are told of entries: what they get, and what is taken from them."""

from __future__ import annotations

from collections.abc import Iterable

from django.urls import reverse

from accounts.announcing.services import Told, announce
from tournaments.models import Contestant, LedgerEntry, Season
from tournaments.naming import Naming


def entries_tell(
    season: Season, told: Iterable[tuple[LedgerEntry, Contestant | None, str, str]]
) -> None:
    """Tell each of some contestants a sentence of an entry, with the reason; nobody else hears of
    it by this."""
    naming = Naming.of(season.pk)
    path = reverse("tournaments:purse", args=[season.slug])
    announce(
        Told(
            user=whom.user,
            kind="contestant.purse",
            key=f"ledger:{entry.pk}",
            subject=f"{season.name}: {naming.marked(said)}",
            words=f"{season.name}: {naming.marked(f'{said}: {why}' if why else f'{said}.')}",
            path=path,
        )
        for entry, whom, said, why in told
        if whom is not None and whom.user is not None
    )
