"""What people are given, with their data, of what matches keep (`accounts.leaving.kept`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from django.conf import settings
from django.db.models import Q
from django.urls import reverse

from accounts.leaving.kept import Decision, Given, Withheld
from accounts.models import User
from games.engine.records import SUFFIX
from games.models import Match, MatchPlayer
from games.reading.records import record_bytes

#: So many are made while somebody waits for the file.
RECORDS_AT_MOST: Final = 500
_TERMS: Final = ("ruleset", "variant", "options", "advantage", "rated", "message", "status")
_OTHERS: Final = Withheld("what others have; one's own rows say the same")

DECISIONS: Final[Mapping[tuple[str, str], Decision]] = {
    ("games.matchplayer", "user"): Withheld("in the list of matches, with their records"),
    ("games.matchreferee", "user"): Given(("match_id",)),
    ("games.matchentry", "by"): Given(
        ("match_id", "seq", "submitted", "why", "at"), only=Q(actor="organiser")
    ),
    ("games.matchcommentator", "user"): Given(("match_id", "at")),
    ("games.matchcommentator", "named_by"): Given(("match_id", "user__username", "at")),
    ("games.challenge", "challenger"): Given(
        ("opponent__username", *_TERMS, "created_at", "match_id")
    ),
    ("games.challenge", "opponent"): Given(
        ("challenger__username", *_TERMS, "created_at", "match_id")
    ),
    ("games.hostedmatch", "host"): Given(
        ("first__username", "second__username", *_TERMS, "why", "created_at", "match_id")
    ),
    ("games.hostedmatch", "first"): Given(
        ("host__username", "ruleset", "variant", "message", "status", "created_at", "match_id")
    ),
    ("games.hostedmatch", "second"): Given(
        ("host__username", "ruleset", "variant", "message", "status", "created_at", "match_id")
    ),
    ("games.hostedmatch", "ended_by"): _OTHERS,
    ("games.chatmessage", "author"): Given(("match_id", "room", "text", "at", "removed_at")),
    ("games.preparation", "owner"): Given(("ruleset", "key", "name", "value", "created_at")),
    ("games.savedmove", "user"): Given(("ruleset", "name", "text", "saved_at")),
    ("games.plan", "user"): Given(("match_id", "content", "updated_at")),
    ("games.prediction", "user"): Given(("match_id", "seat", "at")),
    ("games.housebot", "user"): Withheld("of the site's own bots, who are nobody"),
    ("games.seek", "user"): Given(("ruleset", "variant", "pace", "rated", "since", "until")),
    ("games.puzzleanswer", "user"): Given(("puzzle__key", "text", "right", "at")),
    ("games.puzzlesolver", "user"): Given(
        ("mu", "sigma", "answered", "solved", "streak", "best_streak", "last_daily")
    ),
    ("games.rating", "user"): Given(
        ("ladder_id", "shown", "mu", "sigma", "games", "wins", "peak", "last_played")
    ),
    ("games.ratingpoint", "user"): Given(("ladder_id", "match_id", "shown", "won", "at")),
    ("games.ratingpoint", "opponent"): _OTHERS,
    ("games.ratingruling", "by"): Given(("match_id", "winner", "why", "at")),
    ("games.waitingruling", "by"): Given(("match_id", "winner", "why", "at")),
    # Everybody can read it; who the other was stands in the list of matches.
    ("games.pairruling", "first"): Given(("matches", "why", "at", "lifted_at", "lifted_why")),
    ("games.pairruling", "second"): Given(("matches", "why", "at", "lifted_at", "lifted_why")),
    ("games.pairruling", "by"): Given(("matches", "why", "at")),
    ("games.pairruling", "lifted_by"): Given(("matches", "lifted_why", "lifted_at")),
}


def records_of(user: User) -> Iterator[tuple[str, bytes]]:
    """The records of the latest of somebody's matches that are over, the latest first: files that
    stand beside the document. Those of older ones are where the list of matches says."""
    over = Match.objects.visible_to(user).filter(players__user=user, status=Match.Status.FINISHED)
    for pk in list(over.order_by("-pk").values_list("pk", flat=True)[:RECORDS_AT_MOST]):
        # Each by itself: a list of them would hold them all.
        yield f"match-{pk}{SUFFIX}", record_bytes(Match.objects.get(pk=pk))


def matches_of(user: User) -> Iterator[dict[str, Any]]:
    """Somebody's matches: where each is found, and, once it is over, where its record is. What is
    hidden in one that is on is shown on its page alone, to whoever sits there."""
    seats = MatchPlayer.objects.filter(user=user).select_related("match").order_by("match")
    for seat in seats.iterator(chunk_size=500):
        match = seat.match
        record = reverse("games:record", args=[match.pk]) if match.is_over else ""
        yield {
            "match": match.pk,
            "url": f"{settings.GAUNTLET_ORIGIN}{match.get_absolute_url()}",
            "record": f"{settings.GAUNTLET_ORIGIN}{record}" if record else None,
            "ruleset": match.ruleset,
            "seat": seat.seat,
            "name": seat.name,
            "begun": match.created_at,
            "won": match.winner == seat.seat if match.is_over else None,
        }
