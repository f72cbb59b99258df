"""Seasons: how one stands, and the choice of who meets the elimination candidate."""

from __future__ import annotations

from typing import Final

from django.contrib.auth.models import AnonymousUser

from core.discord.text import escaped
from core.refusals import NotFound, Refusal
from tournaments.actions.episodes import CHOOSE, choosable
from tournaments.actions.subjects import AtRound
from tournaments.discord.commands.base import Choices, Command, Option, Pressed
from tournaments.discord.forms import must_be_valid
from tournaments.discord.interactions import CHOICES_MOST, Asked, Reply, button, link, menu
from tournaments.discord.replies import season_embed, standings_embed
from tournaments.forms.episodes import ChooseForm
from tournaments.lifecycle import STILL_IN, EpisodeStatus, SeasonStatus, Visibility
from tournaments.models import Episode, Season
from tournaments.reading.seasons import season_for
from tournaments.reading.sheet import Sheet
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
    page = link("Open the season", absolute(season.get_absolute_url()))
    return Reply(embeds=[season_embed(Sheet(season))], rows=[[page]], public=_is_public(season))


def _standings(asked: Asked) -> Reply:
    season = _season(asked)
    return Reply(embeds=[standings_embed(Sheet(season))], public=_is_public(season))


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
    form = ChooseForm({"contestant": contestant}, people=choosable(subject))
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
        name="choose",
        description="Choose whom you meet, as the elimination candidate.",
        run=_choose,
        options=[_SEASON],
    ),
)
PRESSED: Final[dict[str, Pressed]] = {"choose": _chosen, "chosen": _sure}
