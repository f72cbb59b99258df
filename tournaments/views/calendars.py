"""Schedules as iCalendar feeds (RFC 5545), for the calendars that people have already.

A leg that has, or had, a time is one event for as long as it exists: its UID never changes, its
SEQUENCE counts what happened to it, so that calendars move or strike out what they hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from icalendar import Calendar, Event

from core.conditional import answer_to, strong_tag
from core.refusals import NotFound
from core.replica.reading import from_replica
from games.models import Match
from games.words import LOOKED_IN, is_in_turns
from tournaments.lifecycle import DeathMatchStatus, LegStatus, SeasonStatus
from tournaments.models import DeathMatch, Leg
from tournaments.reading.death_matches import DeathMatchWithLegs, game_of
from tournaments.reading.history import events_of_legs
from tournaments.reading.seasons import fingerprint
from tournaments.reading.sheet import Sheet
from tournaments.views.common import season_page

# How long a death match is taken to last where a calendar wants to know: nobody can tell.
LASTS: Final = timedelta(hours=2)


@require_safe
@from_replica
@season_page
def season_calendar(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    """Every death match of the season that has or had a time."""
    return _feed(request, sheet, lambda: sheet.with_legs, sheet.season.name, "all")


@require_safe
@from_replica
@season_page
def contestant_calendar(request: HttpRequest, sheet: Sheet, pk: int) -> HttpResponse:
    """Those of one contestant."""
    who = sheet.by_id.get(pk)
    if who is None:
        raise NotFound("contestant.none", "There is no such contestant.")

    def theirs() -> list[DeathMatchWithLegs]:
        return [each for each in sheet.with_legs if pk in (each.row.home_id, each.row.away_id)]

    return _feed(request, sheet, theirs, f"{who.shown_name} in {sheet.season.name}", str(pk))


def _feed(
    request: HttpRequest,
    sheet: Sheet,
    found: Callable[[], Iterable[DeathMatchWithLegs]],
    name: str,
    part: str,
) -> HttpResponse:
    """The feed, or 304 where the reader has it; what is ``found`` is asked for only when needed."""

    def make() -> HttpResponse:
        body = _calendar(request, sheet, found(), name).to_ical()
        response = HttpResponse(body, content_type="text/calendar; charset=utf-8")
        response["Content-Disposition"] = f'inline; filename="{sheet.season.slug}.ics"'
        return response

    etag = strong_tag("calendar", part, fingerprint(sheet.season), request.get_host())
    response = answer_to(request, etag, make)
    public = sheet.season.visibility != "draft"
    response["Cache-Control"] = "public, max-age=300" if public else "private, no-cache"
    return response


def _calendar(
    request: HttpRequest, sheet: Sheet, found: Iterable[DeathMatchWithLegs], name: str
) -> Calendar:
    calendar = Calendar()
    calendar.add("prodid", "-//Gauntlet//Seasons//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("name", name)
    calendar.add("x-wr-calname", name)
    calendar.add("refresh-interval", timedelta(minutes=30), {"VALUE": "DURATION"})
    announcements = _announcements_of(sheet)
    for each in found:
        for leg in each.legs:
            when = leg.scheduled_at or leg.started_at or announcements.was.get(leg.pk)
            if when is None and leg.match is not None and leg.match.source == Match.Source.PLAYED:
                when = leg.match.created_at  # it waits, or did so in vain
            if when is not None:
                calendar.add_component(_event(request, sheet, each.row, leg, when, announcements))
    return calendar


class _Announcements:
    """What the season's history says of its legs: how often each was told of, when last, the time
    it had before it lost it, and which waited for their players."""

    def __init__(self) -> None:
        self.times: Counter[int] = Counter()
        self.last: dict[int, datetime] = {}
        self.was: dict[int, datetime] = {}
        self.waited: set[int] = set()


def _announcements_of(sheet: Sheet) -> _Announcements:
    announcements = _Announcements()
    of_match: dict[int | None, list[int]] = {
        each.row.pk: [leg.pk for leg in each.legs] for each in sheet.with_legs
    }
    every = [pk for legs in of_match.values() for pk in legs]
    for leg_id, match_id, kind, at, data in events_of_legs(sheet.season):
        of_all = every if kind == "season.cancelled" else of_match.get(match_id, [])
        for pk in [leg_id] if leg_id is not None else of_all:
            announcements.times[pk] += 1
            announcements.last[pk] = at
            if kind == "death-match.started" and isinstance(data, dict) and data.get("waits_until"):
                announcements.waited.add(pk)
            stated = _time_of(data) if kind == "death-match.scheduled" else None
            if stated is not None:
                announcements.was[pk] = stated
    return announcements


def _time_of(data: Any) -> datetime | None:
    """The time that an event tells of; None where it tells none that a calendar could hold, as the
    history of an imported season may."""
    try:
        moment = datetime.fromisoformat(data["at"])
        if moment.tzinfo is None:
            return None
        return (moment.astimezone(UTC) + LASTS) - LASTS
    except (TypeError, ValueError, KeyError, OverflowError):
        return None


def _event(
    request: HttpRequest,
    sheet: Sheet,
    row: DeathMatch,
    leg: Leg,
    when: datetime,
    announcements: _Announcements,
) -> Event:
    season = sheet.season
    names = " vs ".join(
        side.shown_name if side else "to be decided" for side in (row.home, row.away)
    )
    several = f", match {leg.number}" if row.best_of > 1 else ""
    event = Event()
    event.add("uid", f"{season.uid}-leg-{leg.pk}@gauntlet")
    event.add("summary", f"{names}{several} ({season.name})")
    event.add("dtstart", when.astimezone(UTC))
    end = leg.finished_at if leg.finished_at and leg.finished_at > when else when + LASTS
    event.add("dtend", end.astimezone(UTC))
    event.add("dtstamp", season.changed_at.astimezone(UTC))
    begun = leg.started_at if leg.pk in announcements.waited else None
    last = announcements.last.get(leg.pk, season.created_at)
    event.add("last-modified", (max(last, begun) if begun else last).astimezone(UTC))
    event.add("sequence", announcements.times[leg.pk] + (begun is not None))
    event.add("status", _status(season.status, row, leg))
    event.add("url", request.build_absolute_uri(row.get_absolute_url()))
    about = [row.round.name, game_of(leg)]
    if leg.waits and leg.match is not None:
        seen = LOOKED_IN if is_in_turns(leg.match) else "are there"
        about.append(f"begins once both players {seen}")
    if row.winner is not None:
        about.append(f"{row.winner.shown_name} won")
    event.add("description", ", ".join(part for part in about if part) + ".")
    return event


def _status(season: str, row: DeathMatch, leg: Leg) -> str:
    off = leg.status == LegStatus.VOID or row.status == DeathMatchStatus.VOID
    # A leg that was planned and is no longer needed, or that lost its time, will not be played.
    dropped = leg.status == LegStatus.PLANNED and (
        leg.scheduled_at is None
        or row.status == DeathMatchStatus.DECIDED
        or season == SeasonStatus.CANCELLED
    )
    if off or dropped:
        return "CANCELLED"
    return "TENTATIVE" if leg.waits else "CONFIRMED"
