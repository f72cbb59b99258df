"""What is to be said is written in the transaction of what it tells of: then there is never one
without the other, whatever happens to this process, to the broker or to Discord. Saying it comes
after the commit.

What is said once is put into words here, and tells of its own moment. Of what lives nothing is
written but that it is to be said anew: `sending` looks at how things are by then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, Final

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet

from core.clock import instant_of, now_utc
from core.jobs import guard
from core.queueing import enqueue
from games import store
from games.models import Match
from tournaments.jobs import DISCORD_ROLES, DISCORD_SAY
from tournaments.lifecycle import (
    PLAYABLE,
    How,
    LegStatus,
    RoundStatus,
    SeasonStatus,
    Visibility,
)
from tournaments.models import DeathMatch, Leg, Round, Season, SeasonEvent
from tournaments.posts import kinds, words
from tournaments.posts.models import DiscordChannel, DiscordPlace, DiscordPost
from tournaments.webhooks.following import following_refresh

log = structlog.get_logger("gauntlet.discord")

# By key: others may say things and change settings meanwhile, and only who disconnects waits. The
# ORM has no word for it.
_KEPT: Final = """
SELECT * FROM tournaments_discordchannel WHERE season_id = %s AND active ORDER BY id FOR KEY SHARE
"""

Kind = DiscordPost.Kind


def posts_write(season: Season, events: Sequence[SeasonEvent]) -> None:
    """Write what the bot is to say of these events of a season: one query where it has no channel.
    Nothing is told of a draft, which only its organisers may see."""
    if season.visibility == Visibility.DRAFT:
        return
    channel = _kept(season)
    if channel is None:
        return
    _living_write(channel, events)
    for event in events:
        if _is_told(channel, event):
            _event_write(channel, event)
    begun = any(event.kind == "death-match.started" for event in events)
    if begun and {kinds.MATCHES, kinds.CLOCKS} & set(channel.kinds):
        following_refresh(season_id=season.pk)
    if channel.roles and any(event.kind in kinds.CHANGES_ROLES for event in events):
        # That they are due shows by when the season has changed: the channel is locked by others
        # before what stands in it, and not the other way about.
        transaction.on_commit(partial(enqueue, DISCORD_ROLES, channel.pk), robust=True)
    say_on_commit(channel)


def _living_write(channel: DiscordChannel, events: Sequence[SeasonEvent]) -> None:
    """Have said anew whatever reads differently after these events, each once."""
    rounds: dict[int, Round] = {}
    threads: dict[int, DeathMatch] = {}
    for event in events:
        if event.round is not None and event.kind in kinds.CHANGES_ROUND:
            rounds[event.round.pk] = event.round
        if event.death_match is not None and event.kind in kinds.CHANGES_THREAD:
            threads[event.death_match.pk] = event.death_match
    for each in rounds.values() if kinds.ROUNDS in channel.kinds else ():
        living_touch(channel_place(channel), Kind.ROUND, round=each)
    for death_match in threads.values():
        _thread_touch(channel, death_match)
    for event in events:
        if event.death_match is not None and event.kind in kinds.CHANGES_MATCH:
            _matches_touch(channel, event.death_match, event)


# -- what lives ----------------------------------------------------------------------------------


def living_touch(place: DiscordPlace, kind: Kind, **about: Any) -> None:
    """Have a message that lives said anew; the first time, have it said at all."""
    now = now_utc()
    give_up_at = now + settings.GAUNTLET_WEBHOOK_RETRY_FOR
    fresh = DiscordPost(
        place=place,
        kind=kind,
        wanted=0,
        status=DiscordPost.Status.DONE,
        created_at=now,
        next_at=now,
        give_up_at=give_up_at,
        **about,
    )
    DiscordPost.objects.bulk_create([fresh], ignore_conflicts=True)
    _touch(DiscordPost.objects.filter(place=place, kind=kind, **about))


def _touch(posts: QuerySet[DiscordPost]) -> int:
    give_up_at = now_utc() + settings.GAUNTLET_WEBHOOK_RETRY_FOR
    # When it may be edited next stays as it is: that is how edits that come fast become one.
    return posts.update(
        wanted=F("wanted") + 1, status=DiscordPost.Status.WAITING, give_up_at=give_up_at, fault=""
    )


def _thread_touch(channel: DiscordChannel, death_match: DeathMatch) -> None:
    place = place_of(channel, death_match)
    if place.death_match_id is not None:
        living_touch(channel_place(channel), Kind.THREAD, death_match=death_match)


def _matches_touch(channel: DiscordChannel, death_match: DeathMatch, event: SeasonEvent) -> None:
    if kinds.MATCHES not in channel.kinds:
        return
    leg = event.leg
    if event.kind == "death-match.started" and leg is not None and leg.match_id is not None:
        match_touch(channel, death_match, leg.match_id)
        return
    shown = DiscordPost.objects.filter(place__channel=channel, kind=Kind.MATCH)
    _touch(shown.filter(match__leg__death_match=death_match))


def match_touch(channel: DiscordChannel, death_match: DeathMatch, match_id: int) -> None:
    """Have a match's message said anew, wherever it stands; the first time, have it said at all."""
    if not _touch(_shown(channel, match_id)):
        living_touch(place_of(channel, death_match), Kind.MATCH, match_id=match_id)


def _shown(channel: DiscordChannel, match_id: int) -> QuerySet[DiscordPost]:
    """The message of a match."""
    return DiscordPost.objects.filter(place__channel=channel, kind=Kind.MATCH, match=match_id)


@transaction.atomic
def turn_write(*, match_id: int) -> None:
    """Have the message of a match said anew, after a turn. Idempotent, in that the latest position
    is said in the end, and nothing is where nothing has changed.

    Nothing is inserted here, which would wait for whoever holds the match, and may be waiting for
    what stands in the channel: the message was, when the match began or the channel was connected.
    """
    leg = _leg_of(match_id)
    channel = None if leg is None else _listening(leg, kinds.MATCHES)
    if channel is not None:
        _touch(_shown(channel, match_id))
        say_on_commit(channel)


def matches_catch_up() -> None:
    """Write the turns that no worker was told of. Looks only at matches whose message does not say
    yet that they are over."""
    shown = DiscordPost.objects.filter(kind=Kind.MATCH, is_final=False, place__channel__active=True)
    guard.each(
        "posts.matches",
        shown.order_by("pk").values_list("match", flat=True),
        _catch_up,
        target="games.match",
    )


def _catch_up(match_id: int) -> bool:
    match = Match.objects.get(pk=match_id)
    version = store.seen_by_spectators(match).readers.versions[2]
    # What is waiting is said as it is by then; what was refused, at the next turn.
    behind = DiscordPost.objects.filter(
        kind=Kind.MATCH, match=match_id, is_final=False, status=DiscordPost.Status.DONE
    )
    if not match.is_over:
        behind = behind.exclude(version=version)
    if not behind.exists():
        return False
    turn_write(match_id=match_id)
    return True


# -- what is said once ---------------------------------------------------------------------------


def _is_told(channel: DiscordChannel, event: SeasonEvent) -> bool:
    """Whether an event has a message of its own, in this channel."""
    if kinds.TOLD.get(event.kind) not in channel.kinds:
        return False
    if event.death_match is None:
        return True
    if event.kind == "death-match.leg":
        # Whoever has won the last one has won it all: that is told in the next message.
        return bool(2 * max(event.data.get("score") or [0]) <= event.death_match.best_of)
    if event.kind != "death-match.decided":
        return True
    if event.data.get("how") == How.BYE or event.data.get("follows") == "death-match.corrected":
        return False
    # A round's results stand in its post: in the channel they are not told one by one besides.
    if kinds.ROUNDS not in channel.kinds or _has_thread(channel, event.death_match):
        return True
    return DeathMatch.objects.filter(round=event.death_match.round_id).count() == 1


def _event_write(channel: DiscordChannel, event: SeasonEvent) -> None:
    place = channel_place(channel)
    if event.death_match is not None and event.kind not in kinds.FOR_EVERYBODY:
        place = place_of(channel, event.death_match)
    now = now_utc()
    give_up_at = now + settings.GAUNTLET_WEBHOOK_RETRY_FOR
    if event.kind in kinds.SOON_STALE and event.leg is not None:
        give_up_at = max(now, event.leg.scheduled_at or now)
    post = DiscordPost(
        place=place,
        kind=Kind.EVENT,
        event=event,
        created_at=now,
        next_at=now,
        give_up_at=give_up_at,
    )
    try:
        with transaction.atomic():
            words.event_compose(post)
    except Exception:
        # It must not undo what it tells of: it is put into words when it is said.
        log.exception("post.not-composed", kind=event.kind, channel=channel.pk)
    DiscordPost.objects.bulk_create([post], ignore_conflicts=True)


def clock_write(*, match_id: int, seat: int | None, kind: str, left_ms: int, at: int) -> None:
    """Write what is said of a player's time running out, as announced at the moment ``at`` (ms
    since 1970). Not tried for long: soon it is wrong."""
    leg = _leg_of(match_id)
    moment = instant_of(at)
    give_up_at = moment + timedelta(milliseconds=max(1000, left_ms))
    if leg is None or give_up_at <= now_utc():
        return
    with transaction.atomic():
        # By itself: what is said of a match waits for whoever holds that, and may be waiting for
        # the place.
        channel = _listening(leg, kinds.CLOCKS)
        if channel is None:
            return
        place_of(channel, leg.death_match)
    with transaction.atomic():
        channel = _listening(leg, kinds.CLOCKS)
        if channel is None:
            return
        post = DiscordPost(
            place=place_of(channel, leg.death_match),
            kind=Kind.CLOCK,
            match_id=match_id,
            created_at=moment,
            next_at=now_utc(),
            give_up_at=give_up_at,
        )
        words.clock_compose(post, leg, seat=seat, kind=kind, left_ms=left_ms, at=at)
        # However often a worker is told of the same reminder.
        said = DiscordPost.objects.filter(kind=Kind.CLOCK, match=match_id, created_at=moment)
        if not said.filter(body=post.body).exists():
            post.save()
            # Of a match one reminder stands there at a time.
            _take_away(channel, match_id, created_at__lt=moment)
        say_on_commit(channel)
    if kind == "reserve-entered":
        # What the match's message says of the clock is another thing from now on. That message is
        # not held while the match is waited for.
        turn_write(match_id=match_id)


@transaction.atomic
def reminders_end(*, match_id: int) -> None:
    """Have the reminder of a match taken away: a turn was played, and it is of no use any more."""
    leg = _leg_of(match_id)
    channel = None if leg is None else _listening(leg, kinds.CLOCKS)
    if channel is not None and _take_away(channel, match_id):
        say_on_commit(channel)


def _take_away(channel: DiscordChannel, match_id: int, **which: Any) -> int:
    """Have reminders taken away, which is what their being wanted a second time means; returns how
    many. One that was not said yet never is."""
    posts = DiscordPost.objects.filter(place__channel=channel, kind=Kind.CLOCK, match=match_id)
    gone = (DiscordPost.Status.FAILED, DiscordPost.Status.ABANDONED)
    now = now_utc()
    return (
        posts.filter(wanted=1, **which)
        .exclude(status__in=gone)
        .update(
            wanted=2,
            status=DiscordPost.Status.WAITING,
            next_at=now,
            give_up_at=now + settings.GAUNTLET_WEBHOOK_RETRY_FOR,
        )
    )


# -- where ---------------------------------------------------------------------------------------


def channel_place(channel: DiscordChannel) -> DiscordPlace:
    """The channel itself."""
    place, _ = DiscordPlace.objects.get_or_create(channel=channel, death_match=None)
    place.channel = channel
    return place


def place_of(channel: DiscordChannel, death_match: DeathMatch) -> DiscordPlace:
    """Where a death match is told of: its thread, or the channel."""
    if not _has_thread(channel, death_match):
        return channel_place(channel)
    place, is_new = DiscordPlace.objects.get_or_create(channel=channel, death_match=death_match)
    place.channel = channel
    if is_new:
        # What it is begun from.
        living_touch(channel_place(channel), Kind.THREAD, death_match=death_match)
    return place


def _has_thread(channel: DiscordChannel, death_match: DeathMatch) -> bool:
    if kinds.THREADS not in channel.kinds:
        return False
    return death_match.home_id is not None and death_match.away_id is not None


def _leg_of(match_id: int) -> Leg | None:
    found = Leg.objects.select_related(
        "death_match__round__season", "death_match__home", "death_match__away"
    )
    return found.filter(match=match_id).first()


def _listening(leg: Leg, kind: str) -> DiscordChannel | None:
    """The channel that is told of a match's turns or clocks, which is there until this is
    committed."""
    season = leg.death_match.round.season
    if season.visibility == Visibility.DRAFT:
        return None
    channel = _kept(season)
    return channel if channel is not None and kind in channel.kinds else None


def _kept(season: Season) -> DiscordChannel | None:
    channel = next(iter(DiscordChannel.objects.raw(_KEPT, [season.pk])), None)
    if channel is not None:
        channel.season = season
    return channel


# -- how things are, for a channel that is new ---------------------------------------------------


def season_write(channel: DiscordChannel) -> None:
    """Have all said that lives and belongs to what is going on in a season: for a channel that has
    just been connected, or is to say more than before.

    To be called in no transaction: each message is written by itself, and waits for its match while
    it holds nothing else.
    """
    season = channel.season
    if season.visibility == Visibility.DRAFT or season.status != SeasonStatus.RUNNING:
        return
    rounds = season.rounds.exclude(status=RoundStatus.CLOSED).order_by("number")
    for each in rounds if kinds.ROUNDS in channel.kinds else ():
        living_touch(channel_place(channel), Kind.ROUND, round=each)
    going_on = DeathMatch.objects.filter(round__season=season, status__in=PLAYABLE)
    for death_match in going_on.select_related("home", "away", "round").order_by("pk"):
        _thread_touch(channel, death_match)
        running = death_match.legs.filter(status=LegStatus.RUNNING, match__isnull=False)
        for leg in running if kinds.MATCHES in channel.kinds else ():
            if leg.match_id is not None:
                match_touch(channel, death_match, leg.match_id)
    say_on_commit(channel)


def posts_rewrite(*, season_id: int, rewritten: Callable[[DiscordPost], str]) -> None:
    """Have what the bot has said of a season read otherwise, in Discord too: what was said once as
    it is ``rewritten``, and what lives as it reads by now."""
    channel = DiscordChannel.objects.filter(season=season_id).first()
    if channel is None:
        return
    for post in DiscordPost.objects.filter(place__channel=channel).select_related("event"):
        body = rewritten(post)
        if body == post.body:
            continue
        # Of what lives it is only remembered what it said last, and that it must not say again.
        DiscordPost.objects.filter(pk=post.pk).update(body="" if post.lives else body)
        if post.message_id:
            _touch(DiscordPost.objects.filter(pk=post.pk))
    say_on_commit(channel)


def say_on_commit(channel: DiscordChannel) -> None:
    """Have workers say what a channel has to be told, once this is committed."""
    transaction.on_commit(partial(_say, channel.pk), robust=True)


def _say(channel_id: int) -> None:
    waiting = DiscordPost.objects.waiting().filter(place__channel=channel_id)
    for place_id in waiting.order_by().values_list("place", flat=True).distinct():
        enqueue(DISCORD_SAY, place_id)


def roles_refresh_on_commit(channel: DiscordChannel) -> None:
    """Have workers work out who has which role, once this is committed."""
    DiscordChannel.objects.filter(pk=channel.pk).update(roles_due=True)
    transaction.on_commit(partial(enqueue, DISCORD_ROLES, channel.pk), robust=True)
