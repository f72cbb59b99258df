"""Items of a season, and all that happened to them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from core.refusals import Refusal
from tournaments.items.catalogue import item_of
from tournaments.models import Contestant, DeathMatch, Gift, ItemEvent, Season
from tournaments.reading.contestants import link


class ItemHistory(NamedTuple):
    """An item with all that happened to it."""

    gift: Gift
    name: str
    text: str
    history: list[ItemEvent]


def item_named(gift: Gift) -> tuple[str, str]:
    """Name and text of an item; its id and nothing where the catalogue has it no longer."""
    try:
        found = item_of(gift.item, gift.ruleset)
    except Refusal:
        return gift.item, ""
    return found.name, found.text


def gifts_of(
    season: Season, death_matches: Iterable[DeathMatch], by_id: Mapping[int, Contestant]
) -> list[Gift]:
    """Every item of a season, in the order in which they were given. One for a death match that has
    come since these were read is for the next look."""
    matches = {each.pk: each for each in death_matches}
    found = Gift.objects.filter(season=season).order_by("pk")
    rows = [row for row in found if row.death_match_id is None or row.death_match_id in matches]
    for row in rows:
        row.season = season
        link(row, by_id, "giver", "receiver")
        if row.death_match_id is not None:
            row.death_match = matches[row.death_match_id]
    return rows


def histories_of(season: Season, gifts: Sequence[Gift]) -> list[ItemHistory]:
    """Every item with its history, in the order of ``gifts``."""
    history: dict[int, list[ItemEvent]] = defaultdict(list)
    numbered = {each.pk: each for each in gifts}
    rows = ItemEvent.objects.filter(gift__season=season, gift__in=numbered)
    for event in rows.order_by("at", "pk"):
        if event.other_id in numbered:
            event.other = numbered[event.other_id]
        history[event.gift_id].append(event)
    return [ItemHistory(each, *item_named(each), history[each.pk]) for each in gifts]
