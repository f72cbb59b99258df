"""Whether a match counts for ratings. It does not where it was offered as casual, nor by what a
challenger brings into it for themselves, or a host for the two who play. That is told wherever the
challenge, the invitation or its match is shown, before anybody accepts and afterwards.

Whoever prepares what would have been drawn knows it beforehand, and whoever is named for the
advantage, by themselves or by a host, has it: a result of that says less about the players than
others do. So such a match counts for no rating.
"""

from __future__ import annotations

from games.models import Challenge, Match
from games.words import supplies_named

UNRATED = "It counts for no rating."
CASUAL = "Casual: it counts for no rating."


def supplied_by_challenger(challenge: Challenge) -> list[str]:
    """What the challenger supplies instead of having it drawn, as the ruleset calls it."""
    if challenge.preparation is None:
        return []
    return supplies_named(challenge.ruleset, [challenge.preparation.key])


def would_count(*, rated: bool, supplied: bool, favoured: bool) -> bool:
    """Whether a match would count for ratings, by what it was offered as: the rule for all offers.
    ``supplied``: what would have been drawn is; ``favoured``: whoever offers it has named who has
    the advantage, other than by giving theirs away."""
    return rated and not supplied and not favoured


def is_rated(challenge: Challenge) -> bool:
    """Whether the match would count for ratings."""
    return would_count(
        rated=challenge.rated,
        supplied=challenge.preparation_id is not None,
        favoured=challenge.advantage == Challenge.Advantage.CHALLENGER,
    )


def casual_terms(*, rated: bool) -> str:
    """Why a match in which nobody brings anything of their own counts for no rating; empty: it
    does."""
    return "" if rated else CASUAL


def terms_of(challenge: Challenge) -> str:
    """What whoever accepts should know, in sentences; empty where there is nothing of the kind."""
    return uneven_terms(challenge) or casual_terms(rated=challenge.rated)


def uneven_terms(challenge: Challenge) -> str:
    """What the challenger brings for themselves, in sentences; empty: nothing."""
    name = challenge.challenger.shown_name
    actions = []
    if supplied := supplied_by_challenger(challenge):
        actions.append(f"supplies {' and '.join(supplied)} instead of having it drawn")
    elif challenge.preparation_id is not None:
        actions.append("supplies what would have been drawn")
    if challenge.advantage == Challenge.Advantage.CHALLENGER:
        actions.append("takes the advantage")
    if not actions:
        return ""
    return f"{name} {' and '.join(actions)}. {UNRATED}"


def ruled_terms(match: Match) -> str:
    """What was ruled on the result of a match that is over, with the reason: that it counts for no
    rating, or for whom. Empty: it counts as it was played."""
    ruling = getattr(match, "rating_ruling", None) if match.is_over else None
    if ruling is None:
        return ""
    if ruling.winner is None:
        return f"By a ruling it counts for no rating. The reason: {ruling.why}"
    winner = next(each.name for each in match.players.all() if each.seat == ruling.winner)
    return f"By a ruling it counts for ratings as won by {winner}. The reason: {ruling.why}"


def counting_terms(match: Match) -> str:
    """Why a match counts for no rating, or otherwise than it was played; empty: it counts as it is.
    What is ruled says how it ended: it is for whoever may be told that."""
    return match.unrated or ruled_terms(match)


def counts(match: Match) -> bool:
    """Whether a match counts for ratings once it has a winner; where it was ruled on, as ruled."""
    if match.source != Match.Source.PLAYED or match.unrated:
        return False
    ruling = getattr(match, "rating_ruling", None) if match.is_over else None
    return ruling is None or ruling.winner is not None
