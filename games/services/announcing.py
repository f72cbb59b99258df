"""What players and referees are told of a match, by the ways that each has chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final

from django.conf import settings
from django.db.models import OuterRef, Subquery

from accounts.announcing.services import Told, announce, would_hear
from accounts.models import Announcement, User
from core.aside import soon
from core.clock import instant_of, now_ms, now_utc
from core.queueing import enqueue
from core.text import spoken
from games import presence, store
from games.announcements import MISSED, RULING, STRANGERS, TURN
from games.audience import concerned_with, organisers_of
from games.engine.decisions import Seat
from games.engine.live import Waiting
from games.extras import belongs_elsewhere
from games.jobs import TELL_TURN
from games.models import Match, MatchEntry, MatchPlayer
from games.publishing.turns import waiting_anew
from games.store import Held, waits_for
from games.words import game_name, result_text

# Whoever loads a page anew is not away; and nobody is told of a turn that is long over.
AWAY_FOR_S: Final = 3
TURN_WORTH_S: Final = 600
# So long the worker that was told of a challenge has for it.
RULING_LEFT_ALONE_S: Final = 10
ANY_TURN: Final = -1  # whichever is open
MISSED_SUBJECT: Final = "A match of yours ended without you"


def missed_end_announce(*, match: Match) -> int:
    """Tell the players for whom a match ended while they were away; returns how many for the first
    time. Where it is part of something else, that tells them, with all that comes of it."""
    if belongs_elsewhere(match):
        return 0
    told = announce(
        Told(
            user=player.user,
            kind=MISSED.key,
            key=f"match:{match.pk}:missed",
            subject=MISSED_SUBJECT,
            words=missed_words(match, player),
            path=match.get_absolute_url(),
        )
        for player in match.players.all()
        if player.missed_end and player.user is not None
    )
    return len(told)


def missed_words(match: Match, player: MatchPlayer) -> str:
    """What somebody is told for whom a match ended while they were away."""
    names = [each.name for each in match.players.all()]
    return (
        f"{' and '.join(names)}: {game_name(match.ruleset, match.variant)}. "
        f"{result_text(names, match, player.seat)} You were not there when it ended."
    )


def turns_tell(before: Held | None, after: Held) -> Iterator[Callable[[], object]]:
    """What is to be done once ``after`` is stored, so that those hear of it whom the match waits
    for and who do not look at it. Nothing is done while they have its page open in this process."""
    for seat in waiting_anew(before, after):
        if not presence.is_in_sight(after.match_id, seat):
            since = after.readers.since[seat]
            yield partial(soon, partial(_tell_turn, after.match_id, seat, since))


def sight_lose(*, match_id: int, seat: Seat) -> None:
    """Note that a page of a player was closed or hidden: should the match wait for them, and no
    other page of theirs be in sight, they hear of that. For an event loop, too."""
    if not presence.is_in_sight(match_id, seat):
        soon(partial(_tell_turn, match_id, seat, ANY_TURN))


def _tell_turn(match_id: int, seat: Seat, since: int) -> None:
    if not presence.seats_in_sight(match_id)[seat]:
        enqueue(TELL_TURN, match_id, seat, since, countdown=AWAY_FOR_S, expires=TURN_WORTH_S)


def turn_announce(*, match_id: int, seat: Seat, since: int) -> bool:
    """Tell somebody that a match waits for the decision of theirs that opened with their version
    ``since`` (or `ANY_TURN`), unless they look at it, have answered meanwhile, were told of it
    before, or want to hear of it by no way; whether they were told now."""
    if presence.seats_in_sight(match_id)[seat]:
        return False
    held = store.read(match_id)
    user_id, opened = held.user_ids[seat], held.readers.since[seat]
    if user_id is None or held.bot_seats or not waits_for(held.live, seat):
        return False
    if since not in {ANY_TURN, opened} or not would_hear(TURN, [user_id]):
        return False
    match = Match.objects.defer("snapshot").prefetch_related("players__user").get(pk=match_id)
    path, waiting = match.get_absolute_url(), held.live.waiting
    waits, again = waiting is not None, waiting is not None and _comes_again(waiting, seat)
    # What a match opens with that begins at once: after a wait nobody has been told of it.
    is_first = opened == store.Readers().since[seat]
    if (waits or is_first) and not again and _heard_that_it_begins(user_id, path):
        return False  # as of a season's match, say
    by_seat = {player.seat: player for player in match.players.all()}
    user, other = by_seat[seat].user, by_seat[1 - seat].name
    game = game_name(match.ruleset, match.variant)
    if user is None:
        return False
    subject = "Your match against {} begins" if waits else "It is your turn against {}"
    if waiting is not None and waiting.is_in_turns:
        subject = "Your match against {} waits for you to look in"
        if again:
            subject = "Your match against {} waits for your number"
    told = Told(
        user=user,
        kind=TURN.key,
        key=f"match:{match_id}:turn:{opened}:{_clock_since(held, seat)}{':again' * again}",
        subject=subject.format(other),
        words=f"{game}. {_begins_text(waiting, user, again=again)}".strip(),
        path=path,
    )
    return bool(announce([told]))


def _comes_again(waiting: Waiting, seat: Seat) -> bool:
    """Whether somebody has been there, and is to open the number that they added then."""
    return waiting.is_in_turns and waiting.ready[seat]


def _begins_text(waiting: Waiting | None, user: User, *, again: bool) -> str:
    if waiting is None:
        return ""
    if waiting.is_in_turns:
        until = f"{spoken(instant_of(waiting.until), user.zone)} at the latest"
        if again:
            return (
                "Your browser has added a number to what is drawn. Look in once more with the same "
                "browser, on any page of the site, which opens it, so that the match begins. If "
                "you have lost it, say on the match's page that it is to begin without. It does so "
                f"{until}, with a constant in place of your number. No clock runs before."
            )
        return (
            "It begins once you have both looked in, and once more where your browser has a number "
            f"to open, {until}. No clock runs before."
        )
    if waiting.certain:
        return "It begins in a moment, whoever is there."
    return "It begins once you are both there."


def _clock_since(held: Held, seat: Seat) -> int:
    """Since when (ms) the clock of a seat runs: after a pause it begins to run anew, and a player
    who was told before it is told again."""
    watch = held.live.watches[seat]
    return 0 if watch is None or watch.since is None else watch.since


def _heard_that_it_begins(user_id: int, path: str) -> bool:
    since = now_utc() - timedelta(minutes=1)
    heard = Announcement.objects.filter(user=user_id, path=path, at__gte=since)
    return heard.exclude(kind=TURN.key).exists()


def ruling_announce(*, match_id: int, seq: int) -> int:
    """Tell those who may rule on a match that it waits for that since its entry ``seq``; returns
    how many. Called again for the same entry it does nothing."""
    rows = Match.objects.defer("snapshot").prefetch_related("players__user")
    match = rows.get(pk=match_id)
    if not match.awaits_ruling:
        return 0
    names = " and ".join(player.name for player in match.players.all())
    game = game_name(match.ruleset, match.variant)
    concerned = set(concerned_with(match).values_list("pk", flat=True))
    told = announce(
        Told(
            user=user,
            kind=RULING.key if user.pk in concerned else STRANGERS.key,
            key=f"match:{match_id}:ruling:{seq}",
            subject=f"{names} wait for your ruling",
            words=f"{names} play {game}, and a challenge waits for your ruling. The clocks stand "
            "still until an organiser has ruled.",
            path=match.get_absolute_url(),
            heard=True,
        )
        for user in organisers_of(match)
    )
    return len(told)


def rulings_sweep() -> int:
    """Announce rulings of which no worker was told; returns how many people were told."""
    return sum(
        ruling_announce(match_id=match.pk, seq=seq)
        for match, seq, since in _rulings_awaited()
        if not _told_since(match, since)
    )


def _rulings_awaited() -> Iterator[tuple[Match, int, datetime]]:
    """Matches that wait for a ruling, since which entry of theirs, and since when: their players'
    last. What organisers do besides ruling comes later and changes nothing about it."""
    last = MatchEntry.objects.filter(match=OuterRef("pk"), actor__in=["0", "1"]).order_by("-seq")
    rows = Match.objects.filter(awaits_ruling=True).defer("snapshot")
    until = now_ms() - 1000 * RULING_LEFT_ALONE_S
    found: Any = rows.annotate(
        since=Subquery(last.values("seq")[:1]), ms=Subquery(last.values("at")[:1])
    ).filter(ms__lt=until)
    for match in found.order_by("pk")[: settings.GAUNTLET_SWEEP_AT_MOST]:
        # Named by what was there before it, as `ruling_announce` is told.
        yield match, match.since - 1, datetime.fromtimestamp(match.ms / 1000, UTC)


def _told_since(match: Match, since: datetime) -> bool:
    key = f"match:{match.pk}:ruling:"
    told = Announcement.objects.filter(user__in=organisers_of(match), key__startswith=key)
    return told.filter(at__gte=since).exists()
