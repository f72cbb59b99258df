"""Seasons: how one stands, following one, and the choice of who meets the elimination candidate."""

from __future__ import annotations

from typing import Final

from django.contrib.auth.models import AnonymousUser
from django.urls import reverse

from accounts.announcing.kinds import Way, When, kind_of
from accounts.announcing.services import choices_of, when_of
from accounts.models import User
from core.discord.text import escaped
from core.refusals import NotFound, Refusal, allowed
from tournaments.actions.episodes import CHOOSE, choosable, standing_at
from tournaments.actions.subjects import AtRound
from tournaments.announcements import FOLLOW_LIVE, FOLLOWED_KINDS
from tournaments.discord.commands.base import Choices, Command, Option, Pressed
from tournaments.discord.forms import must_be_valid
from tournaments.discord.interactions import (
    CHOICES_MOST,
    Asked,
    Component,
    Reply,
    button,
    link,
    menu,
)
from tournaments.discord.replies import season_embed, standings_embed
from tournaments.forms.episodes import ChooseForm
from tournaments.lifecycle import STILL_IN, EpisodeStatus, SeasonStatus, Visibility
from tournaments.models import Episode, Season
from tournaments.reading.follows import seasons_followed
from tournaments.reading.seasons import season_for
from tournaments.reading.sheet import Sheet
from tournaments.services.follows import (
    follows_season,
    must_be_followable,
    season_follow,
    season_unfollow,
)
from tournaments.webhooks.payloads import absolute

# -- which season --------------------------------------------------------------------------------


def _season(asked: Asked) -> Season:
    """The season that is named; else the one that is on, in which somebody plays where there are
    several. Raises Refusal ``season.none`` and ``discord.which-season``."""
    if slug := asked.text("season"):
        return season_for(slug, asked.reader)
    running = Season.objects.visible_to(asked.reader).filter(
        status=SeasonStatus.RUNNING, visibility=Visibility.LISTED
    )
    own = running.none()
    if asked.linked is not None:
        own = running.filter(contestants__user=asked.linked, contestants__status__in=STILL_IN)
    found = list(own.order_by("-pk")[:2]) or list(running.order_by("-pk")[:2])
    if not found:
        raise NotFound("season.none", "No season is on at the moment.")
    if len(found) > 1:
        sentence = "Several seasons are on. Say which one in the field “season”."
        raise Refusal("discord.which-season", sentence)
    return season_for(found[0].slug, asked.reader)


def _named(asked: Asked) -> Choices:
    wanted = asked.text("season").casefold()
    rows = Season.objects.visible_to(asked.reader).exclude(visibility=Visibility.ARCHIVED)
    rows = rows.filter(name__icontains=wanted) if wanted else rows
    return [(each.name, each.slug) for each in rows.order_by("-changed_at")[:CHOICES_MOST]]


_SEASON: Final = Option(name="season", description="Which season.", typing=_named)


def _is_public(season: Season) -> bool:
    return Season.objects.visible_to(AnonymousUser()).filter(pk=season.pk).exists()


# -- looking -------------------------------------------------------------------------------------


def _show(asked: Asked) -> Reply:
    season = _season(asked)
    row = [link("Open the season", absolute(season.get_absolute_url()))]
    if allowed(must_be_followable, season, contestant=None, organises=False, already=False):
        row.append(button("Follow", f"follow:{season.pk}", primary=False))
    return Reply(embeds=[season_embed(Sheet(season))], rows=[row], public=_is_public(season))


def _standings(asked: Asked) -> Reply:
    season = _season(asked)
    return Reply(embeds=[standings_embed(Sheet(season))], public=_is_public(season))


# -- following -----------------------------------------------------------------------------------


def _follow(asked: Asked) -> Reply:
    """Begin to follow a season, by the command."""
    user = asked.user
    return _followed(asked, season_follow(acting_user=user, season=_season(asked)).season)


def _followed(asked: Asked, season: Season) -> Reply:
    words = f"You follow **{escaped(season.name)}**: you are told what happens in it."
    words += _heard_here(asked.user)
    choose = link("What you are told, and how", absolute(reverse("accounts:announcement_choices")))
    return Reply(words, rows=[[choose, _no_more(season)]])


def _heard_here(user: User) -> str:
    """Of what somebody is told on Discord itself, in a sentence; empty: of nothing."""
    chosen = choices_of(user)
    heard = [
        kind
        for key in FOLLOWED_KINDS
        if when_of(kind := kind_of(key), Way.DISCORD, chosen) is When.NOW
    ]
    if len(heard) == len(FOLLOWED_KINDS):
        return " Here you are told all of it."
    if [each.key for each in heard] == [FOLLOW_LIVE]:
        return " Here you are told when a death match is live."
    named = ", ".join(f"“{each.what}”" for each in heard)
    return f" Here you are told of {named}." if heard else ""


def _no_more(season: Season) -> Component:
    """The button that undoes it, for the answer that one reads alone."""
    return button("Unfollow", f"unfollow:{season.pk}", primary=False)


def _unfollow(asked: Asked) -> Reply:
    user = asked.user
    season = _named_or_only(asked, user)
    season_unfollow(acting_user=user, season=season)
    return _unfollowed(season)


def _unfollowed(season: Season) -> Reply:
    return Reply(f"You do not follow **{escaped(season.name)}** any more.")


def _named_or_only(asked: Asked, user: User) -> Season:
    """The season that is named; else the one that somebody follows. Raises Refusal ``season.none``,
    ``follow.none`` and ``discord.which-season``."""
    if slug := asked.text("season"):
        return season_for(slug, user)
    found = seasons_followed(user)
    if not found:
        raise Refusal("follow.none", "You follow no season.")
    if len(found) > 1:
        sentence = "You follow several seasons. Say which one in the field “season”."
        raise Refusal("discord.which-season", sentence)
    return found[0].season


def _own_followed(asked: Asked) -> Choices:
    wanted = asked.text("season").casefold()
    rows = [] if asked.linked is None else seasons_followed(asked.linked)
    found = [each.season for each in rows if wanted in each.season.name.casefold()]
    return [(each.name, each.slug) for each in found[:CHOICES_MOST]]


def _begin(asked: Asked, season: str) -> Reply:
    """The button below a season, which everybody sees: it never undoes what it has done."""
    found = _pressed_below(asked, season)
    if follows_season(asked.user, found):
        return Reply(f"You follow **{escaped(found.name)}** already.", rows=[[_no_more(found)]])
    return _followed(asked, season_follow(acting_user=asked.user, season=found).season)


def _end(asked: Asked, season: str) -> Reply:
    """The button of the answer to it."""
    found = _pressed_below(asked, season)
    season_unfollow(acting_user=asked.user, season=found)
    return _unfollowed(found)


def _pressed_below(asked: Asked, season: str) -> Season:
    """The season of a button. Raises Refusal ``season.none``."""
    found = Season.objects.visible_to(asked.user).filter(pk=int(season)).first()
    if found is None:
        raise NotFound("season.none", "There is no such season.")
    return found


# -- the choice ----------------------------------------------------------------------------------


def _choose(asked: Asked) -> Reply:
    subject = _awaiting(asked)
    _must_be_able(subject)
    people = choosable(subject)
    season, number = subject.season, subject.round.number
    page = link("Open the season", absolute(subject.address("choose", number)))
    if not people:
        return Reply("Nobody can be chosen.", rows=[[page]])
    words = f"**{escaped(season.name)}**, {escaped(subject.round.name)}: {_title(subject)}."
    if len(people) > CHOICES_MOST:
        words += f" The first {CHOICES_MOST} are here, and all of them on the page."
    options = [
        (each.shown_name, str(each.pk), "" if each.seed is None else f"Seed {each.seed}")
        for each in people
    ]
    chosen = menu(f"choose:{season.slug}:{number}", "Who meets the candidate?", options)
    return Reply(words, rows=[[chosen], [page]])


def _awaiting(asked: Asked) -> AtRound:
    """The episode in which somebody is to choose. Raises Refusal ``choice.none``."""
    user = asked.user
    if asked.text("season"):
        season = season_for(asked.text("season"), user)
        rows = Episode.objects.filter(round__season=season).order_by("-round__number")
        episode = rows.filter(status=EpisodeStatus.CHOOSING).first() or rows.first()
    else:
        mine = Episode.objects.filter(
            status=EpisodeStatus.CHOOSING,
            ec__user=user,
            round__season__in=Season.objects.visible_to(user),
        )
        episode = mine.order_by("choose_by", "pk").first()
    if episode is None:
        raise Refusal("choice.none", "You have nobody to choose at the moment.")
    return _subject(asked, episode.round.season.slug, str(episode.round.number))


def _subject(asked: Asked, slug: str, number: str) -> AtRound:
    sheet = Sheet(season_for(slug, asked.user))
    return AtRound(asked.user, sheet, sheet.round(int(number)))


def _must_be_able(subject: AtRound) -> None:
    refusal = CHOOSE.refusal(subject)
    if refusal is not None:
        raise refusal


def _title(subject: AtRound) -> str:
    return escaped(CHOOSE.prompt(subject).title)


def _chosen(asked: Asked, slug: str, number: str) -> Reply:
    """Somebody is chosen from the menu: what follows is said before it is done."""
    subject = _subject(asked, slug, number)
    _must_be_able(subject)
    wanted = next(iter(asked.values), "")
    who = next((each for each in choosable(subject) if str(each.pk) == wanted), None)
    if who is None:
        raise Refusal("choice.not-allowed", "They cannot be chosen.")
    prompt = CHOOSE.prompt(subject)
    lines = [f"**{escaped(who.shown_name)}**?", *map(escaped, prompt.follows)]
    sure = button(prompt.button, f"chosen:{slug}:{number}:{who.pk}")
    return Reply("\n".join(lines), rows=[[sure]], update=True)


def _sure(asked: Asked, slug: str, number: str, contestant: str) -> Reply:
    subject = _subject(asked, slug, number)
    _must_be_able(subject)
    data = {"contestant": contestant, "seen": standing_at(subject)}
    form = ChooseForm(data, people=choosable(subject))
    must_be_valid(form)
    done = CHOOSE.do(subject, form)
    address = absolute(done.address or subject.season.get_absolute_url())
    return Reply(done.words, rows=[[link("Open the death match", address)]], update=True)


COMMANDS: Final = (
    Command(
        name="season",
        description="How a season stands, what is on, and what comes next.",
        run=_show,
        options=[_SEASON],
    ),
    Command(
        name="standings",
        description="Who stands where in a season.",
        run=_standings,
        options=[_SEASON],
    ),
    Command(
        name="follow",
        description="Be told what happens in a season in which you do not play.",
        run=_follow,
        options=[_SEASON],
    ),
    Command(
        name="unfollow",
        description="Be told no more of a season.",
        run=_unfollow,
        options=[Option(name="season", description="Which season.", typing=_own_followed)],
    ),
    Command(
        name="choose",
        description="Choose whom you meet, as the elimination candidate.",
        run=_choose,
        options=[_SEASON],
    ),
)
PRESSED: Final[dict[str, Pressed]] = {
    "choose": _chosen,
    "chosen": _sure,
    "follow": _begin,
    "unfollow": _end,
}
