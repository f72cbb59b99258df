"""What seasons add to pages of others: a line on a match's page, parts of the front door, what
waits for the reader, a section of somebody's profile."""

from __future__ import annotations

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from accounts.models import User
from accounts.profile import Section
from core.refusals import allowed
from games.audience import may_predict
from games.models import Match
from tournaments.models import Leg
from tournaments.reading.death_matches import leg_of_match
from tournaments.reading.seasons import contestancies_of, next_scheduled, seasons_by_stage
from tournaments.services.predictions import must_be_a_spectator
from tournaments.waiting import organising_anywhere, waiting_anywhere


def match_banner(request: HttpRequest, match: Match) -> SafeString:
    """Which season a match belongs to, which round, and how the death match stands."""
    leg = leg_of_match(match.pk, request.user)
    if leg is None:
        return SafeString("")
    row = leg.death_match
    season = row.round.season
    reader = request.user if isinstance(request.user, User) else None
    context = {
        "leg": leg,
        "row": row,
        "season": season,
        # Who may predict the match is for the match to say; what counts in the season, for this.
        "own_season": reader is not None
        and season.predictions
        and not allowed(must_be_a_spectator, season, reader)
        and may_predict(match, reader),
    }
    return render_to_string("tournaments/_banner.html", context, request)


def match_owned(match: Match) -> bool:
    """Whether a match is the leg of a death match."""
    return Leg.objects.filter(match=match).exists()


def home_section(request: HttpRequest) -> SafeString:
    """Seasons that are running or enrolling, and what is played next."""
    stages = seasons_by_stage(request.user, at_most=3)
    context = {
        "running": stages["running"],
        "enrolling": stages["enrolling"],
        "next_legs": next_scheduled(request.user),
    }
    if not any(context.values()):
        return SafeString("")
    return render_to_string("tournaments/_home.html", context, request)


def waiting(request: HttpRequest) -> SafeString:
    """What the seasons that the reader plays in wait for them to do."""
    found = waiting_anywhere(request.user)
    if not found:
        return SafeString("")
    return render_to_string("tournaments/_waiting.html", {"waiting": found}, request)


def organising_section(request: HttpRequest) -> SafeString:
    """What waits in the seasons that the reader runs."""
    found = organising_anywhere(request.user)
    if not found:
        return SafeString("")
    return render_to_string("tournaments/_organising.html", {"tasks": found}, request)


def profile_section(request: HttpRequest, person: User) -> Section | None:
    """The seasons that somebody played, and how they ended for them."""
    rows = contestancies_of(person, request.user)
    if not rows:
        return None
    return Section("Seasons", "tournaments/_profile.html", {"contestancies": rows})
