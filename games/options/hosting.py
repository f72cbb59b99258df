"""What the two who are invited to a hosted match should know: told wherever the invitation is
shown, and of what counts for no rating beside its match."""

from __future__ import annotations

from collections import Counter

from games.engine.decisions import Seat
from games.models import HostedMatch
from games.options.terms import UNRATED, would_count
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


def is_rated(hosted: HostedMatch) -> bool:
    """Whether the match would count for ratings: by the rule for challenges."""
    return would_count(
        rated=hosted.rated,
        supplied=hosted.preparation_id is not None,
        favoured=hosted.advantage is not None,
    )


def unrated_text(hosted: HostedMatch) -> str:
    """Why the match counts for no rating, in words that everybody reads; empty where it does."""
    if is_rated(hosted):
        return ""
    brought = _brought(hosted)
    if not brought:
        return "It is hosted as a casual match: it counts for no rating."
    return f"{hosted.host.shown_name}, who hosts it, {' and '.join(brought)}. {UNRATED}"


def _brought(hosted: HostedMatch) -> list[str]:
    """What the host brings into the match instead of leaving it to the lot."""
    supplied = supplied_by_host(hosted)
    brought = [f"supplies {' and '.join(supplied)} instead of having it drawn"] if supplied else []
    if hosted.preparation_id is not None and not supplied:
        brought = ["supplies what would have been drawn"]
    if hosted.advantage is not None:
        brought.append("has named who has the advantage")
    return brought


def terms_of(hosted: HostedMatch) -> str:
    """What the host has to do with the match, in sentences."""
    name = hosted.host.shown_name
    sentences = [f"{name} hosts this match: they do not play in it, and alone referee it."]
    if supplied := supplied_by_host(hosted):
        sentences.append(
            f"{name} supplies {' and '.join(supplied)} instead of having it drawn, and knows what "
            "it is."
        )
    if hosted.advantage is not None:
        sentences.append(f"{name} has named who has the advantage.")
    if not is_rated(hosted):
        sentences.append(UNRATED)
    return " ".join(sentences)
