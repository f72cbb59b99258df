"""What the front door, the lobby and a match's page tell of hosted matches."""

from __future__ import annotations

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from accounts.models import User
from accounts.templatetags.site import user_link
from games.models import HostedMatch, Match
from games.reading import selectors
from games.words import game_name

AT_MOST = 10


def invitations(request: HttpRequest) -> SafeString:
    """A line for each invitation that waits for its reader's answer; nothing for anybody else."""
    user = request.user
    if not isinstance(user, User):
        return mark_safe("")
    waiting = [
        {
            "hosted": hosted,
            "game": game_name(hosted.ruleset, hosted.variant),
            "other": hosted.first if hosted.seat_of(user) else hosted.second,
        }
        for hosted in selectors.invitations_awaiting(user)[:AT_MOST]
    ]
    if not waiting:
        return mark_safe("")
    return render_to_string("games/_invitations.html", {"invitations": waiting}, request=request)


def banner(request: HttpRequest, match: Match) -> SafeString:
    """Who hosts a match, for everybody; nothing of one that nobody does."""
    del request
    found = HostedMatch.objects.filter(match=match).select_related("host").first()
    if found is None:
        return mark_safe("")
    return format_html("Hosted by {}, who alone referees it", user_link(found.host))
