"""What people in a season are told: the EC, the DMO, both players of a death match, and whoever
else something happens to.

Each letter is made of one event alone and says what was true when that happened, however late it
goes out: nothing but what is public, and on the season's pages already. It goes to those whom it
concerns by then, and once, by the ways that each has chosen.

One act may lead to several events: a ruling decides a death match, and somebody is out by that.
Nobody is told of it twice. What happens to them themselves (`_OWN`) says most, and what both
players would be told of the same act (`_OF_BOTH`) goes into that letter.

Those who only follow the season are told by `tournaments.spectators`, in the same go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse

from accounts.announcing.kinds import Kind, kind_of
from accounts.announcing.services import Told, announce, hears_as_much
from accounts.models import User
from core.clock import now_utc
from core.jobs import guard
from core.text import spoken
from games.announcements import MISSED
from games.services.announcing import MISSED_SUBJECT, missed_words
from games.services.missed import end_mark_missed
from games.words import is_in_turns
from tournaments import spectators
from tournaments.lifecycle import ApplicationStatus, How, LegStatus, Visibility
from tournaments.models import (
    Contestant,
    EventNotice,
    Gift,
    Leg,
    Season,
    SeasonApplication,
    SeasonEvent,
)
from tournaments.naming import Naming
from tournaments.notice_keys import event_key

ANNOUNCED: Final = "seasons.announce"
# What letters say of an event.
_READ: Final = (
    "season", "round", "contestant__user", "leg__match", "death_match__round__season",
    "death_match__home__user", "death_match__away__user",
)  # fmt: skip
# Written this long ago, and no worker has it in hand any more.
LEFT_ALONE: Final = timedelta(seconds=15)


class Letter(NamedTuple):
    """What one person is told: ``path`` leads to where they can do or read more."""

    user: User
    subject: str
    words: str
    path: str
    kind: str = ""  # where it is of another than the event's


Writing = Callable[[SeasonEvent], Iterator[Letter]]


class Letters(NamedTuple):
    """What is written of an event, and as which kind of the table it is announced."""

    kind: str
    of: Writing


def is_announced(kind: str) -> bool:
    """Whether anybody may be told of such an event."""
    return kind in _LETTERS or spectators.is_told(kind)


def notices_write(_season: Season, events: Sequence[SeasonEvent]) -> None:
    """Note, in the transaction of the events, that people are to be told of them."""
    EventNotice.objects.bulk_create(
        EventNotice(event=event) for event in events if is_announced(event.kind)
    )


def events_announce() -> int:
    """Tell people of what no worker has told them; returns of how many events."""
    left = EventNotice.objects.filter(at__lt=now_utc() - LEFT_ALONE)
    return guard.each(
        ANNOUNCED,
        left.filter(guard.may_try(ANNOUNCED))
        .order_by("pk")
        .values_list("pk", flat=True)[: settings.GAUNTLET_SWEEP_AT_MOST],
        event_announce,
        target="tournaments.seasonevent",
    )


@transaction.atomic
def event_announce(event_id: int) -> int:
    """Tell those whom an event of a season concerns, and those who follow it; returns how many for
    the first time. Called
    again for the same event it does nothing."""
    EventNotice.objects.filter(pk=event_id).delete()
    event = SeasonEvent.objects.select_related(*_READ).get(pk=event_id)
    if not is_announced(event.kind) or event.season.visibility == Visibility.DRAFT:
        return 0
    naming = Naming.of(event.season_id)
    # Whoever plays is told first, and of nothing twice.
    told = announce([*_players_told(event, naming), *spectators.followers_told(event, naming)])
    return len(told)


def _players_told(event: SeasonEvent, naming: Naming) -> Iterator[Told]:
    if event.kind not in _LETTERS:
        return
    kind, of = _LETTERS[event.kind]
    for letter in of(event):
        yield Told(
            user=letter.user,
            kind=letter.kind or kind,
            key=event_key(event.pk),
            subject=letter.subject,
            words=f"{event.season.name}: {naming.marked(letter.words)}",
            path=letter.path,
            # That the match is there, open pages are told by a frame of its own.
            heard=event.kind == "death-match.started",
        )


# -- of one act, once ----------------------------------------------------------------------------


def _same_act(event: SeasonEvent) -> QuerySet[SeasonEvent]:
    """The events of the same moment, in their order."""
    return SeasonEvent.objects.filter(season=event.season_id, at=event.at).order_by("pk")


def _own_events(event: SeasonEvent, *contestants: int | None) -> list[SeasonEvent]:
    """What the act of an event has made of these contestants themselves, and they are told."""
    rows = _same_act(event).filter(kind__in=_OWN, contestant__in=contestants)
    leaves = Q(kind="contestant.withdrawn") & ~Q(data__has_key="by")  # who leaves knows it
    return list(rows.exclude(leaves).select_related("contestant"))


def _to_both(of: Writing) -> Writing:
    """Letters to both players, but for whom the same act has a letter of their own."""

    def letters(event: SeasonEvent) -> Iterator[Letter]:
        row = event.death_match
        sides = () if row is None else (row.home_id, row.away_id)
        own: set[int] = set()
        for each in _own_events(event, *sides):
            user_id = None if each.contestant is None else each.contestant.user_id
            if user_id is not None:
                # Whoever wants to hear less of that hears of this by itself.
                kinds = _kind_of(each.kind), _kind_of(event.kind)
                own |= hears_as_much(kinds[0], than=kinds[1], user_ids=[user_id])
        yield from (letter for letter in of(event) if letter.user.pk not in own)

    return letters


def _kind_of(happened: str) -> Kind:
    return kind_of(_LETTERS[happened].kind)


def _to_them(of: Writing) -> Writing:
    """Letters to whom something happens, with all that the same act has to tell them."""

    def letters(event: SeasonEvent) -> Iterator[Letter]:
        own = _own_events(event, event.contestant_id)
        weightiest = max(own, key=lambda each: (_OWN.index(each.kind), each.pk), default=event)
        user_id = None if event.contestant is None else event.contestant.user_id
        for letter in of(event):
            if letter.user.pk != user_id:
                yield letter
            elif weightiest.pk == event.pk:
                yield _with_the_rest(letter, event, own)

    return letters


def _with_the_rest(letter: Letter, event: SeasonEvent, own: Sequence[SeasonEvent]) -> Letter:
    sides = Q(death_match__home=event.contestant_id) | Q(death_match__away=event.contestant_id)
    both = _same_act(event).filter(sides, kind__in=_OF_BOTH).select_related(*_READ)
    said = {each.pk: each.words for each in own} | {event.pk: letter.words}
    paths: set[str] = set()
    for each in both:
        for other in _OF_BOTH[each.kind](each):
            if other.user.pk == letter.user.pk:
                said[each.pk] = other.words
                paths.add(other.path)
    # It leads to the one that it is about, unless there is something to do, or there are several.
    path = letter.path
    if len(paths) == 1 and event.kind != "episode.choosing":
        (path,) = paths
    return letter._replace(words=_joined(said[pk] for pk in sorted(said)), path=path)


def _joined(sentences: Iterable[str]) -> str:
    return " ".join(map(_sentence, sentences))


def _sentence(words: str) -> str:
    return words if words.endswith((".", "!", "?", "…")) else f"{words}."


# -- both players --------------------------------------------------------------------------------


def _player_letters(event: SeasonEvent, about: str) -> Iterator[Letter]:
    """The event's own words to both sides."""
    row = event.death_match
    if row is None:
        return
    words = event.words
    if event.data.get("by"):
        words = f"{_sentence(words)} Decided by {event.data['by']}."
    for side in (row.home, row.away):
        if side is not None and side.user is not None:
            yield Letter(side.user, f"{row}: {about}", words, row.get_absolute_url())


def _pairing_letters(event: SeasonEvent) -> Iterator[Letter]:
    """Who meets whom, in what, and when: as far as it is known."""
    if event.data.get("follows") == "episode.chosen":
        return  # which has told both
    for letter in _player_letters(event, "your death match"):
        words = letter.words + _games(event) + _times(event, letter.user)
        yield letter._replace(words=words)


def _games(event: SeasonEvent) -> str:
    """A sentence for what is played, where that is decided."""
    games = event.data.get("games", [])
    if not games:
        return ""
    if len(set(games)) == 1:
        return f" You play {games[0]}."
    return " You play " + ", then ".join(games) + "."


def _times(event: SeasonEvent, user: User) -> str:
    """A sentence for when it is played, where that is decided."""
    on = " and ".join(_moment(at, user) for at in event.data.get("times", []))
    return f" It is on {on}." if on else ""


def _game_letters(event: SeasonEvent) -> Iterator[Letter]:
    return _player_letters(event, "what is played")


def _time_letters(event: SeasonEvent) -> Iterator[Letter]:
    """The time as each has it at home."""
    at, row = event.data.get("at"), event.death_match
    for letter in _player_letters(event, "when it is played"):
        if at is None or row is None:
            yield letter
            continue
        moment = _moment(at, letter.user)
        which = f", match {event.data['leg']}," if row.best_of > 1 else ""
        yield letter._replace(
            words=f"{row}{which} is on {moment}. Please say on its page that you "
            "are ready when the time has come."
        )


def _start_letters(event: SeasonEvent) -> Iterator[Letter]:
    """Both: whether the clocks wait for them, or run, or will in a moment."""
    row = event.death_match
    unready, until = event.data.get("not_ready", []), event.data.get("waits_until")
    path = reverse("games:match", args=[event.data["match"]])
    match = None if event.leg is None else event.leg.match
    if until is not None and match is not None and is_in_turns(match):
        for letter in _player_letters(event, "it waits for you to look in"):
            words = (
                f"{letter.words} It begins once both of you have looked in, and once more, on any "
                "page of the site and with the same browser, whose browser has a number to open; "
                f"by {_moment(until, letter.user)} at the latest. No clock runs before."
            )
            yield letter._replace(words=words, path=path)
        return
    if until is not None and not event.data.get("certain"):
        for letter in _player_letters(event, "it waits for you"):
            # The moment has no seconds: it is never later than when the time is over.
            words = (
                f"{letter.words} An organiser calls you to it: the clocks start once both of you "
                f"are there. If that is not so by {_moment(until, letter.user)}, the match is "
                "void, and is played again."
            )
            yield letter._replace(words=words, path=path)
        return
    if until is not None:
        for letter in _player_letters(event, "it begins"):
            words = f"{letter.words} The clocks start in a moment, whoever is there."
            yield letter._replace(words=words, path=path)
        return
    users = (
        {side.user_id for side in (row.home, row.away) if side and side.pk in unready}
        if row
        else ()
    )
    for letter in _player_letters(event, "it has begun"):
        how = "An organiser has begun it, and the" if letter.user.pk in users else "The"
        yield letter._replace(words=f"{letter.words} {how} clocks are running.", path=path)


def _void_letters(event: SeasonEvent) -> Iterator[Letter]:
    """In one letter, where several matches of a death match are void at once."""
    rows = _same_act(event).filter(kind=event.kind, death_match=event.death_match_id)
    *earlier, last = rows.values_list("pk", "words")
    if last[0] == event.pk:
        before = "".join(f"{_sentence(words)} " for _pk, words in earlier)
        for letter in _player_letters(event, "void"):
            yield letter._replace(words=before + letter.words)


def _ruling_letters(event: SeasonEvent) -> Iterator[Letter]:
    if event.death_match_id is not None:
        yield from _player_letters(event, "a ruling")
        return
    if "ec" not in event.data:
        yield from _rules_letters(event)
        return
    # The time to choose is over.
    ec = Contestant.objects.filter(season=event.season_id, pk=event.data.get("ec"))
    for user in User.objects.filter(contestancies__in=ec):
        subject = f"{event.season.name}: the time to choose is over"
        yield Letter(user, subject, event.words, _round_path(event), "episode.choice")


def _rules_letters(event: SeasonEvent) -> Iterator[Letter]:
    """What is ruled of the season as a whole: everybody who plays in it."""
    path = reverse("tournaments:purse", args=[event.season.slug])
    words = f"{_sentence(event.words)} Decided by {event.data['by']}."
    for letter in _everybody_letters("other rules")(event):
        yield letter._replace(words=words, path=path, kind="season.news")


def _decision_letters(event: SeasonEvent) -> Iterator[Letter]:
    """What was not played out: who has played knows how it ended, unless they were away by then. A
    correction has told already."""
    if event.data.get("how") in _UNPLAYED:
        if event.data.get("follows") != "death-match.corrected":
            yield from _player_letters(event, "decided")
    elif event.death_match is not None and event.death_match.best_of == 1:
        played = event.death_match.legs.filter(status=LegStatus.FINISHED)
        yield from _missed_letters(played.first())


def _leg_letters(event: SeasonEvent) -> Iterator[Letter]:
    """Whoever was away when one of several matches ended."""
    return _missed_letters(event.leg)


def _missed_letters(leg: Leg | None) -> Iterator[Letter]:
    match = None if leg is None else leg.match
    if match is None:
        return
    if match.aftermath_due:  # the season was quicker
        end_mark_missed(match=match)
    for player in match.players.all():
        if player.missed_end and player.user is not None:
            words = missed_words(match, player)
            path = match.get_absolute_url()
            yield Letter(player.user, MISSED_SUBJECT, words, path, MISSED.key)


def _correction_letters(event: SeasonEvent) -> Iterator[Letter]:
    return _player_letters(event, "the result is corrected")


def _no_show_letters(event: SeasonEvent) -> Iterator[Letter]:
    """Unless it has decided the death match at once, which is told with the result."""
    decided = _same_act(event).filter(
        death_match=event.death_match_id, kind="death-match.decided", data__how__in=_UNPLAYED
    )
    if not decided.exists():
        yield from _player_letters(event, "somebody was not there")


# -- EC and DMO ----------------------------------------------------------------------------------


def _placement_letters(event: SeasonEvent) -> Iterator[Letter]:
    """The EC, unless the same act names the DMO; and whoever was it until the placements were
    recorded anew."""
    ec = event.contestant
    before = SeasonEvent.objects.filter(round=event.round_id, kind=event.kind, pk__lt=event.pk)
    was = before.select_related("contestant__user").order_by("pk").last()
    if was is not None and was.contestant_id != event.contestant_id:
        former = was.contestant.user if was.contestant is not None else None
        if former is not None:
            subject = f"{event.season.name}: you need not choose an opponent"
            yield Letter(former, subject, event.words, _round_path(event))
    chosen = _same_act(event).filter(kind="episode.chosen", round=event.round_id).exists()
    if ec is not None and ec.user is not None and not chosen:
        words = f"{event.words} You choose your opponent for the death match"
        yield _choice(event, ec, words, event.data.get("choose_by"))


def _choosing_letters(event: SeasonEvent) -> Iterator[Letter]:
    """The EC; of why, the same act has told (`_to_them`)."""
    ec = event.contestant
    if ec is not None and ec.user is not None:
        words = "You choose your opponent again"
        if event.data.get("follows") == "contestant.replaced":
            words = f"{event.words} You choose your opponent for the death match"
        yield _choice(event, ec, words, event.data.get("choose_by"))


def _choice(event: SeasonEvent, ec: Contestant, words: str, choose_by: str | None) -> Letter:
    user: Any = ec.user
    until = "" if choose_by is None else f", until {_moment(choose_by, user)}"
    after = " After that an organiser names them." if until else ""
    number = event.round.number if event.round is not None else 0
    return Letter(
        user,
        f"{event.season.name}: choose your opponent",
        f"{words}{until}.{after}",
        reverse("tournaments:choose", args=[event.season.slug, number]),
    )


def _choice_letters(event: SeasonEvent) -> Iterator[Letter]:
    """The DMO and the EC: who meets whom, in what, and when."""
    people = [event.data.get("dmo"), event.data.get("ec")]
    rows = Contestant.objects.filter(season=event.season_id, pk__in=people)
    for each in rows.select_related("user").order_by("pk"):
        if each.user is None:
            continue
        dmo = each.pk == event.data.get("dmo")
        words = event.words
        if dmo:
            words += " You are the DMO, and have the advantage in the death match."
        words += _games(event) + _times(event, each.user)
        meeting = event.death_match
        path = _round_path(event) if meeting is None else meeting.get_absolute_url()
        yield Letter(each.user, f"{event.season.name}: your death match", words, path)


def _round_path(event: SeasonEvent) -> str:
    if event.round is None:
        return event.season.get_absolute_url()
    return reverse("tournaments:round", args=[event.season.slug, event.round.number])


def _moment(at: str, user: User) -> str:
    return spoken(datetime.fromisoformat(at), user.zone)


# -- whom else something happens to --------------------------------------------------------------


def _own_letter(event: SeasonEvent, about: str) -> Iterator[Letter]:
    """The event's own words to the contestant whom it is about."""
    one = event.contestant
    if one is not None and one.user is not None:
        path = event.season.get_absolute_url()
        yield Letter(one.user, f"{event.season.name}: {about}", event.words, path)


def _item_letters(event: SeasonEvent) -> Iterator[Letter]:
    # Whoever was given something in secret was told so then.
    known = Gift.objects.filter(pk=event.data.get("gift"), secret=True)
    if event.kind == "item.given" and known.exists():
        return iter(())
    return _own_letter(event, "your items")


def _out_letters(event: SeasonEvent) -> Iterator[Letter]:
    return _own_letter(event, "you are out")


def _withdrawal_letters(event: SeasonEvent) -> Iterator[Letter]:
    """Whom an organiser takes out; who leaves knows it."""
    if event.data.get("by"):
        yield from _out_letters(event)


def _back_letters(event: SeasonEvent) -> Iterator[Letter]:
    return _own_letter(event, "you are back in")


def _replacement_letters(event: SeasonEvent) -> Iterator[Letter]:
    """Whoever takes a place over, and whose it was."""
    yield from _own_letter(event, "you take over")
    former = Contestant.objects.filter(season=event.season_id, pk=event.data.get("replaces"))
    for each in former.select_related("user"):
        if each.user is not None:
            path = event.season.get_absolute_url()
            yield Letter(each.user, f"{event.season.name}: you are replaced", event.words, path)


def _everybody_letters(about: str) -> Callable[[SeasonEvent], Iterator[Letter]]:
    """The event's own words to all who play in the season."""

    def letters(event: SeasonEvent) -> Iterator[Letter]:
        path = event.season.get_absolute_url()
        contestants = Contestant.objects.filter(season=event.season_id)
        if event.kind == "season.started":
            contestants = contestants.filter(left_at=None)
        for user in User.objects.filter(contestancies__in=contestants).distinct():
            yield Letter(user, f"{event.season.name}: {about}", event.words, path)

    return letters


def _called_off_letters(event: SeasonEvent) -> Iterator[Letter]:
    """All who play in the season, and whoever has applied or waits for a place: for them it is how
    they stand."""
    yield from _everybody_letters("called off")(event)
    places = Contestant.objects.filter(season=event.season_id, user__isnull=False)
    open_ones = SeasonApplication.objects.filter(
        season=event.season_id, status__in=(ApplicationStatus.ASKED, ApplicationStatus.WAITING)
    )
    for row in open_ones.exclude(user__in=places.values("user")).select_related("user"):
        subject = f"{event.season.name}: called off"
        words = f"{_sentence(event.words)} Nothing more comes of your application."
        if row.status == ApplicationStatus.WAITING:
            words = f"{_sentence(event.words)} No place will become free."
        path = event.season.get_absolute_url()
        yield Letter(row.user, subject, words, path, "season.entry")


_UNPLAYED: Final = (How.WALKOVER, How.RULING)
#: What happens to somebody themselves; the last says most.
_OWN: Final = (
    "contestant.withdrawn", "contestant.restored", "contestant.replaced", "contestant.eliminated",
    "episode.choosing",
)  # fmt: skip
#: What both players of a death match are told, where an act does not make more of them.
_OF_BOTH: Final[dict[str, Writing]] = {
    "death-match.paired": _pairing_letters,
    "death-match.void": _void_letters,
    "death-match.leg": _leg_letters,
    "death-match.decided": _decision_letters,
    "death-match.no-show": _no_show_letters,
    "death-match.corrected": _correction_letters,
    "ruling": _ruling_letters,
}
_LETTERS: Final[dict[str, Letters]] = {
    "season.started": Letters("season.news", _everybody_letters("it begins")),
    "season.cancelled": Letters("season.news", _called_off_letters),
    "season.finished": Letters("season.news", _everybody_letters("it has a winner")),
    "contestant.replaced": Letters("contestant.place", _to_them(_replacement_letters)),
    "contestant.eliminated": Letters("contestant.place", _to_them(_out_letters)),
    "contestant.withdrawn": Letters("contestant.place", _to_them(_withdrawal_letters)),
    "contestant.restored": Letters("contestant.place", _to_them(_back_letters)),
    "item.given": Letters("contestant.items", _item_letters),
    "item.taken-back": Letters("contestant.items", _item_letters),
    "episode.placed": Letters("episode.choice", _placement_letters),
    "episode.choosing": Letters("episode.choice", _to_them(_choosing_letters)),
    "episode.chosen": Letters("death-match.paired", _choice_letters),
    "death-match.paired": Letters("death-match.paired", _to_both(_pairing_letters)),
    "death-match.rules": Letters("death-match.terms", _game_letters),
    "death-match.scheduled": Letters("death-match.terms", _time_letters),
    "death-match.started": Letters("death-match.started", _start_letters),
    "death-match.void": Letters("death-match.ruling", _to_both(_void_letters)),
    "death-match.leg": Letters("match.missed", _to_both(_leg_letters)),
    "death-match.no-show": Letters("death-match.ruling", _to_both(_no_show_letters)),
    "death-match.decided": Letters("death-match.ruling", _to_both(_decision_letters)),
    "death-match.corrected": Letters("death-match.ruling", _to_both(_correction_letters)),
    "ruling": Letters("death-match.ruling", _to_both(_ruling_letters)),
}
