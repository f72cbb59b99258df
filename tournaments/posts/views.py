"""Pages on which a season's organisers look after the channel in which the bot tells of it."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from core.actions import Action
from tournaments.models import Season
from tournaments.posts import actions, checking, services
from tournaments.posts.kinds import KINDS
from tournaments.posts.models import DiscordChannel, DiscordPost
from tournaments.posts.permissions import LACKS
from tournaments.reading.sheet import Sheet
from tournaments.views.actions import perform, press_or_say
from tournaments.views.common import FORMS, managers_only

PER_PAGE = 25

_for_organisers = managers_only(services.must_manage)


def _channel(season: Season) -> DiscordChannel:
    channel = DiscordChannel.objects.select_related("season").filter(season=season).first()
    if channel is None:
        raise Http404("The season has no channel.")
    return channel


@require_safe
@_for_organisers
def channel_page(request: HttpRequest, user: User, season: Season) -> HttpResponse:
    """The season's channel, what the bot may not do there, and what it said; where there is none,
    how to connect one."""
    channel = DiscordChannel.objects.select_related("season").filter(season=season).first()
    if channel is None:
        refusal = actions.CONNECT.refusal(actions.AtSeasonsDiscord(user, season))
        lacking: dict[str, object] = {
            "season": season,
            "refusal": refusal,
            "is_linked": checking.is_linked(user),
            "invite": checking.invite_address(),
            "invite_with_roles": checking.invite_address(with_roles=True),
        }
        return render(request, "tournaments/posts/none.html", lacking)
    log = DiscordPost.objects.filter(place__channel=channel).order_by("-pk")
    log = log.select_related("event", "round", "death_match__home__user", "death_match__away__user")
    subject = actions.AtChannel(user, channel)
    context: dict[str, object] = {
        "season": season,
        "channel": channel,
        "kinds": [KINDS[kind] for kind in channel.kinds if kind in KINDS],
        "lacks": [LACKS[each] for each in channel.lacks if each in LACKS],
        "roles": _roles(channel),
        "invite": checking.invite_address(
            with_roles=bool(channel.roles), guild_id=channel.guild_id
        ),
        "faults": [
            (channel.role_called(grant.role_id), grant.fault)
            for grant in channel.grants.exclude(fault="").order_by("pk")[:10]
        ],
        "page": Paginator(log, PER_PAGE).get_page(request.GET.get("page")),
        "sheet": Sheet(season),
        "offers": {each.name: each for each in actions.CHANNEL.offered(subject)},
    }
    return render(request, "tournaments/posts/channel.html", context)


def _roles(channel: DiscordChannel) -> list[tuple[str, str]]:
    named = (
        ("Contestants", channel.contestant_role),
        ("Those who are out", channel.eliminated_role),
        ("Those who watch", channel.spectator_role),
    )
    return [(name, channel.role_called(role)) for name, role in named if role]


@require_http_methods(FORMS)
@_for_organisers
def channel_connect(request: HttpRequest, user: User, season: Season) -> HttpResponse:
    """Connect a channel."""
    return perform(
        request,
        actions.CONNECT,
        actions.AtSeasonsDiscord(user, season),
        back=reverse("posts:channel", args=[season.slug]),
        template="posts/form.html",
        more={"season": season, "is_linked": checking.is_linked(user)},
    )


@require_http_methods(FORMS)
@_for_organisers
def channel_edit(request: HttpRequest, user: User, season: Season) -> HttpResponse:
    """What is told there, and which roles are given."""
    channel = _channel(season)
    return perform(
        request,
        actions.CHANGE,
        actions.AtChannel(user, channel),
        back=channel.get_absolute_url(),
        template="posts/form.html",
        more={"season": season, "channel": channel, "is_linked": checking.is_linked(user)},
    )


@require_POST
@_for_organisers
def channel_test(request: HttpRequest, user: User, season: Season) -> HttpResponse:
    """Send a test."""
    return _press(request, actions.TEST, user, season)


@require_POST
@_for_organisers
def channel_check(request: HttpRequest, user: User, season: Season) -> HttpResponse:
    """Ask Discord again what the bot may do."""
    return _press(request, actions.CHECK, user, season)


@require_POST
@_for_organisers
def channel_switch(request: HttpRequest, user: User, season: Season) -> HttpResponse:
    """Switch the channel on or off, as the field ``active`` says (``on`` or ``off``)."""
    on = request.POST.get("active") == "on"
    return _press(request, actions.SWITCH_ON if on else actions.SWITCH_OFF, user, season)


@require_POST
@_for_organisers
def channel_disconnect(request: HttpRequest, user: User, season: Season) -> HttpResponse:
    """Disconnect the channel, with its log."""
    return _press(request, actions.DISCONNECT, user, season)


def _press(
    request: HttpRequest, action: Action[actions.AtChannel], user: User, season: Season
) -> HttpResponse:
    """Do what a button asks for, and go back with what came of it."""
    channel = _channel(season)
    subject = actions.AtChannel(user, channel)
    return press_or_say(request, action, subject, back=channel.get_absolute_url())
