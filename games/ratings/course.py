"""Whether a match went on for long enough to say anything about its players.

Whoever concedes at once has not been beaten, and two accounts of one person can do so fifteen times
in nine seconds. So a match in which players have answered fewer decisions than its ruleset asks for
(`Ruleset.least_answers`) counts for no rating, however it ended, and says so in public. A worker
finds out, after the end: no turn waits for it.
"""

from __future__ import annotations

from typing import Final

from django.db import transaction

from accounts.services import audit_record
from games import store
from games.engine.acts import is_take_back
from games.engine.course import MatchCourse
from games.engine.play import is_concession
from games.models import Match

# How the public reason begins; what follows is how many answers the ruleset asks for.
TOO_SHORT: Final = "Too short to count for a rating: it ended before "


def too_short_words(least: int) -> str:
    """Why a match that was too short counts for no rating."""
    return f"{TOO_SHORT}{least} decisions were answered."


def is_too_short(match: Match) -> bool:
    """Whether a match counts for no rating since it was too short."""
    return match.unrated.startswith(TOO_SHORT)


def answers_of(match: Match) -> int:
    """How many decisions players have answered in a match, of the answers that stand."""
    entries = store.entries_of(match.pk)
    if any(is_take_back(entry) for entry in entries):
        return MatchCourse(*store.header_of(match), entries).answers
    return sum(entry.is_submission and not is_concession(entry.text) for entry in entries)


@transaction.atomic
def match_judge_course(*, match_id: int) -> bool:
    """Have a match that is over count for no rating if it was too short; whether that is so now.
    Idempotent. What counts for none for another reason, what was not played here and what nobody
    has won is left alone."""
    match = (
        Match.objects.finished()
        .select_for_update(no_key=True)
        .filter(pk=match_id, source=Match.Source.PLAYED, winner__isnull=False)
        .first()
    )
    if match is None or match.unrated:
        return match is not None and is_too_short(match)
    least = store.header_of(match)[0].least_answers
    answers = answers_of(match)
    if answers >= least:
        return False
    Match.objects.filter(pk=match_id).update(unrated=too_short_words(least))
    audit_record(
        acting_user=None,
        action="rating.too-short",
        target=match,
        data={"answers": answers, "least": least},
    )
    return True
