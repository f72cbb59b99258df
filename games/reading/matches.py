"""What readers ask for: the match as they may see it. Nothing here changes anything."""

from __future__ import annotations

from typing import Any, Final

from django.db import connection
from django.db.models import Prefetch

from accounts.models import User
from core.refusals import NotFound
from games.audience import Reading, standing_in
from games.models import HouseBot, Match, MatchPlayer


def match_for(match_id: int, user: Any) -> Match:
    """The match with its players. Raises Refusal ``match.none``."""
    players = Prefetch("players", MatchPlayer.objects.select_related("user"))
    visible = Match.objects.visible_to(user).select_related("rating_ruling")
    matches = visible.prefetch_related(players)
    match = matches.filter(pk=match_id).first()
    if match is None:
        raise NotFound("match.none", "There is no such match.")
    return match


def standing_of(match_id: int, user: Any) -> tuple[Reading, bool]:
    """Which audience ``user`` (or nobody) belongs to, and whether they may organise.
    Raises Refusal ``match.none``."""
    standing = standing_in(Match.objects.visible_to(user).filter(pk=match_id), user)
    if standing is None:
        raise NotFound("match.none", "There is no such match.")
    return standing


def bot_level_of(person: User) -> str:
    """The strength of somebody who is one of the site's own bots; empty where they are none."""
    if not person.is_bot:
        return ""
    return HouseBot.objects.filter(user=person).values_list("level", flat=True).first() or ""


def practice_level(match: Match) -> str:
    """The strength of the bot that a match is practice against; empty where it is none."""
    if not match.is_practice:
        return ""
    bots = HouseBot.objects.filter(user__match_seats__match=match)
    return bots.values_list("level", flat=True).first() or ""


def still_waits(match_id: int) -> bool:
    """Whether a match waits for its two players."""
    return Match.objects.running().filter(pk=match_id, waits_until__isnull=False).exists()


def versions_of(match_id: int) -> tuple[int, ...]:
    """The versions of seat 0, seat 1, the room and, where spectators see the match late, theirs,
    as last committed: in the order of `READINGS`."""
    with connection.cursor() as cursor:
        cursor.execute(_VERSIONS, (match_id,))
        row = cursor.fetchone()
    return (0, 0, 0, 0) if row is None else _versions(*row)


def versions_and_names_of(match_id: int) -> tuple[tuple[int, ...], str]:
    """The same, and what decides the answer beside them: what its players are called,
    and why it counts otherwise than it was played, which can change although the match does not."""
    with connection.cursor() as cursor:
        cursor.execute(_VERSIONS_AND_NAMES, (match_id,))
        row = cursor.fetchone()
    return ((0, 0, 0, 0), "") if row is None else (_versions(*row[:2]), row[2] or "")


def _versions(told: str, late: int | None) -> tuple[int, ...]:
    seats_and_room = tuple(int(n) for n in told.strip("[]").split(","))
    return (*seats_and_room, seats_and_room[2] if late is None else late)


# Once it is over, everybody sees it as it is.
_LATE_VERSION: Final = """
    CASE WHEN late_s > 0 AND status = 'running' THEN (
        SELECT max(version) FROM games_lateview WHERE match_id = games_match.id AND shown
    ) END
"""
_VERSIONS: Final = f"""
    SELECT snapshot::jsonb -> 'readers' ->> 'versions', {_LATE_VERSION}
    FROM games_match WHERE id = %s
"""  # noqa: S608  (constants only)
_VERSIONS_AND_NAMES: Final = f"""
    SELECT snapshot::jsonb -> 'readers' ->> 'versions', {_LATE_VERSION}, (
        SELECT json_agg(json_build_array(p.name, u.username) ORDER BY p.seat)::text
        FROM games_matchplayer p LEFT JOIN accounts_user u ON u.id = p.user_id
        WHERE p.match_id = games_match.id
    ) || unrated || coalesce((
        SELECT json_build_array(r.winner, r.why)::text
        FROM games_ratingruling r WHERE r.match_id = games_match.id
    ), '')
    FROM games_match WHERE id = %s
"""  # noqa: S608  (constants only)
#: The version of a match's row for whoever watches: late, where they see it late. Whatever is in
#: the row, there is one.
SPECTATORS_VERSION: Final = f"""
    coalesce(
        {_LATE_VERSION},
        substring(right(snapshot, 200) FROM '"versions":\\[\\d+,\\d+,(\\d+)\\]')::int,
        0
    )
"""
