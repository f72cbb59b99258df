"""What the two who are invited to a hosted match should know: told wherever the invitation is
shown, and of what counts for no rating beside its match."""

from __future__ import annotations

from collections import Counter

from games.engine.decisions import Seat
from games.models import HostedMatch
from games.words import ruleset_named, supplies_named


def supplied_by_host(hosted: HostedMatch) -> list[str]:
    """What the host supplies instead of having it drawn, as the ruleset calls it."""
    if hosted.preparation is None:
        return []
    return supplies_named(hosted.ruleset, [hosted.preparation.key])


def items_named(hosted: HostedMatch, seat: Seat) -> list[str]:
    """What that seat brings: by name, and how many where there are several."""
    ruleset = ruleset_named(hosted.ruleset)
    names = {} if ruleset is None else {item.id: item.name for item in ruleset.items}
    counted = Counter(held.item for held in hosted.held if held.seat == seat)
    return [
        names.get(item, item) if count == 1 else f"{names.get(item, item)} ({count} times)"
        for item, count in counted.items()
    ]


def unrated_text(hosted: HostedMatch) -> str:
    """Why the match counts for no rating, in words that everybody reads; empty where it does."""
    if hosted.rated:
        return ""
    return "It is hosted as a casual match: it counts for no rating."


def terms_of(hosted: HostedMatch) -> str:
    """What the host has to do with the match, in sentences."""
    name = hosted.host.shown_name
    sentences = [f"{name} hosts this match: they do not play in it, and alone referee it."]
    if supplied := supplied_by_host(hosted):
        sentences.append(
            f"{name} supplies {' and '.join(supplied)} instead of having it drawn, and knows what "
            "it is."
        )
    if not hosted.rated:
        sentences.append("It counts for no rating.")
    return " ".join(sentences)
