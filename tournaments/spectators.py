"""What those who follow a season are told: each event that is worth hearing of for whoever only
watches.

They hear nothing but what stands on the season's public pages already, by the same words, and
nothing that is told there to players alone. Like the letters to those who play
(`tournaments.notices`), what they are told is made of one event, and one act is told once: who is
out by a result is said with the result. However many they are, it costs the same number of queries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Final, NamedTuple

from django.db.models import Q, QuerySet
from django.urls import reverse

from accounts.announcing.kinds import kind_of
from accounts.announcing.services import Told, hears_as_much
from accounts.models import Sanction, User
from core.text import spoken
from games.options.late import late_text
from games.words import begins_when, is_in_turns
from tournaments.announcements import (
    FOLLOW_LIVE,
    FOLLOW_RESULT,
    FOLLOW_ROUND,
    FOLLOW_SEASON,
    FOLLOW_TIME,
    FOLLOW_WINNER,
)
from tournaments.lifecycle import STILL_IN, How
from tournaments.models import Contestant, Season, SeasonEvent, SeasonOrganiser
from tournaments.naming import Naming
from tournaments.notice_keys import event_key


class Line(NamedTuple):
    """What followers are told of an event: ``times`` are moments, said to each in their own zone;
    ``path`` leads to where it can be seen."""

    subject: str
    words: str
    path: str
    times: tuple[datetime, ...] = ()


Telling = Callable[[SeasonEvent], "Line | None"]


class Tellings(NamedTuple):
    """What is told of an event, and as which kind of the table."""

    kind: str
    of: Telling


def is_told(kind: str) -> bool:
    """Whether followers may be told of such an event."""
    return kind in _TELLINGS


def followers_told(event: SeasonEvent, naming: Naming) -> Iterator[Told]:
    """What the followers of a season are told of an event, which its reader has read with all that
    it is about. One who is told of it as a player is not told again: the key is the same."""
    if event.kind not in _TELLINGS:
        return
    kind, of = _TELLINGS[event.kind]
    readers = list(listening(event))
    line = of(event) if readers else None
    if line is None:
        return
    aside = _told_with_the_start(event, readers)
    said = naming.marked(line.words)
    for user in readers:
        if user.pk in aside:
            continue
        when = " and ".join(spoken(at, user.zone) for at in line.times)
        yield Told(
            user=user,
            kind=kind,
            key=event_key(event.pk),
            subject=line.subject,
            words=f"{event.season.name}: {said}{f' It is on {when}.' if when else ''}",
            path=line.path,
        )


def listening(event: SeasonEvent) -> QuerySet[User]:
    """Who follows the season of an event and hears of it so: nobody who runs it or plays in it, nor
    those whom the event itself is about, who are told otherwise; nobody who is suspended."""
    season: Season = event.season
    organise = SeasonOrganiser.objects.organising().filter(season=season).values("user")
    concerned = Q(status__in=STILL_IN) | Q(pk__in=_about(event))
    players = Contestant.objects.filter(concerned, season=season, user__isnull=False)
    suspended = Sanction.objects.in_force().filter(kind=Sanction.Kind.SUSPENSION)
    rows = User.objects.filter(seasons_followed__season=season, is_active=True)
    return (
        rows.exclude(pk__in=organise)
        .exclude(pk__in=players.values("user"))
        .exclude(pk__in=suspended.values("user"))
        .order_by("pk")
    )


def _about(event: SeasonEvent) -> list[int]:
    row = event.death_match
    sides = () if row is None else (row.home_id, row.away_id)
    return [each for each in (*sides, event.contestant_id) if each is not None]


# -- of one act, once ----------------------------------------------------------------------------


def _same_act(event: SeasonEvent) -> QuerySet[SeasonEvent]:
    return SeasonEvent.objects.filter(season=event.season_id, at=event.at).order_by("pk")


def _told_with_the_start(event: SeasonEvent, readers: Iterable[User]) -> set[int]:
    """Who hears of the first round with that the season begins."""
    if event.kind != "round.opened" or not _same_act(event).filter(kind="season.started").exists():
        return set()
    return hears_as_much(
        kind_of(FOLLOW_SEASON), than=kind_of(FOLLOW_ROUND), user_ids=[each.pk for each in readers]
    )


def _joined(*words: str) -> str:
    return " ".join(each if each.endswith((".", "!", "?", "…")) else f"{each}." for each in words)


def _fates(event: SeasonEvent) -> list[str]:
    """What a result has made of both sides: who is out, or back in."""
    row = event.death_match
    if row is None:
        return []
    fates = _same_act(event).filter(
        kind__in=("contestant.eliminated", "contestant.restored"),
        contestant__in=[row.home_id, row.away_id],
    )
    return list(fates.values_list("words", flat=True))


# -- what is said --------------------------------------------------------------------------------


def _of_season(about: str) -> Callable[[SeasonEvent], Line]:
    def telling(event: SeasonEvent) -> Line:
        season = event.season
        return Line(f"{season.name}: {about}", event.words, season.get_absolute_url())

    return telling


def _start(event: SeasonEvent) -> Line:
    first = _same_act(event).filter(kind="round.opened").values_list("words", flat=True)
    line = _of_season("it begins")(event)
    return line._replace(words=_joined(event.words, *first))


def _round(event: SeasonEvent) -> Line | None:
    played = event.round
    if played is None:
        return None
    path = reverse("tournaments:round", args=[event.season.slug, played.number])
    return Line(f"{event.season.name}: {played.name}", event.words, path)


def _time(event: SeasonEvent) -> Line | None:
    """A time that was set, or is no more. While nobody knows who meets it is nothing to hear."""
    row = event.death_match
    if row is None or row.home is None or row.away is None:
        return None
    path = row.get_absolute_url()
    at = event.data.get("at")
    if at is None:
        return Line(f"{row}: no time yet", event.words, path)
    which = f", match {event.data['leg']}" if row.best_of > 1 else ""
    moment = datetime.fromisoformat(at)
    return Line(f"{row}: when it is played", f"{row}{which}.", path, (moment,))


def _pairing(event: SeasonEvent) -> Line | None:
    """Who meets, where that has its time with it."""
    row, times = event.death_match, event.data.get("times", [])
    if row is None or not times:
        return None
    moments = tuple(map(datetime.fromisoformat, times))
    return Line(f"{row}: when it is played", event.words, row.get_absolute_url(), moments)


def _live(event: SeasonEvent) -> Line | None:
    row, leg = event.death_match, event.leg
    match = None if leg is None else leg.match
    if row is None or match is None:
        return None
    said = [event.words]
    waits = event.data.get("waits_until") is not None
    if waits and (is_in_turns(match) or not event.data.get("certain")):
        said.append(f"The clocks start {begins_when(match)}.")
    if match.late_s:
        said.append(late_text(match.late_s))
    return Line(f"{row}: live now", _joined(*said), reverse("games:match", args=[match.pk]))


def _result(event: SeasonEvent) -> Line | None:
    """Who has won, and who is out by it. The subject gives nothing away."""
    row = event.death_match
    if row is None or event.data.get("how") == How.BYE:
        return None
    if event.data.get("follows") in ("death-match.corrected", "contestant.withdrawn"):
        return None  # which has told of it
    return Line(f"{row}: the result", _joined(event.words, *_fates(event)), row.get_absolute_url())


def _correction(event: SeasonEvent) -> Line | None:
    row = event.death_match
    if row is None:
        return None
    words = _joined(event.words, *_fates(event))
    return Line(f"{row}: the result is corrected", words, row.get_absolute_url())


def _ruling(event: SeasonEvent) -> Line | None:
    """A decision that is taken back, and who is back in by it: not what kept a match from
    beginning, nor that somebody has not chosen in time."""
    row = event.death_match
    if row is None or event.data.get("code") is not None:
        return None
    words = _joined(event.words, *_fates(event))
    return Line(f"{row}: a ruling", words, row.get_absolute_url())


def _void(event: SeasonEvent) -> Line | None:
    """In one, where several matches of a death match are void at once."""
    row = event.death_match
    if row is None:
        return None
    rows = _same_act(event).filter(kind=event.kind, death_match=row)
    every = list(rows.values_list("pk", "words"))
    if every[-1][0] != event.pk:
        return None
    words = _joined(*[words for _pk, words in every], *_fates(event))
    return Line(f"{row}: void", words, row.get_absolute_url())


def _fate(about: str) -> Callable[[SeasonEvent], Line | None]:
    """Who is out or back in, unless a result has told of it."""

    def telling(event: SeasonEvent) -> Line | None:
        sides = Q(death_match__home=event.contestant_id) | Q(death_match__away=event.contestant_id)
        results = _same_act(event).filter(sides, kind__in=_RESULTS)
        results = results.exclude(data__contains={"how": How.BYE})
        if event.contestant_id is not None and results.exists():
            return None
        path = event.season.get_absolute_url()
        return Line(f"{event.season.name}: {about}", event.words, path)

    return telling


def _withdrawal(event: SeasonEvent) -> Line | None:
    """Who leaves a season that has begun, and who has won by it; before that it is nothing to
    hear."""
    began = event.season.started_at
    if began is None or event.at < began:
        return None
    wins = _same_act(event).filter(kind="death-match.decided", data__follows=event.kind)
    words = _joined(event.words, *wins.values_list("words", flat=True))
    path = event.season.get_absolute_url()
    return Line(f"{event.season.name}: somebody is out", words, path)


#: Events of a death match with which is told who is out by it, or back in.
_RESULTS: Final = (
    "death-match.decided", "death-match.corrected", "death-match.void", "ruling",
)  # fmt: skip
_TELLINGS: Final[dict[str, Tellings]] = {
    "season.started": Tellings(FOLLOW_SEASON, _start),
    "season.reopened": Tellings(FOLLOW_SEASON, _of_season("it goes on")),
    "season.cancelled": Tellings(FOLLOW_SEASON, _of_season("called off")),
    "season.finished": Tellings(FOLLOW_WINNER, _of_season("it has a winner")),
    "round.opened": Tellings(FOLLOW_ROUND, _round),
    "death-match.scheduled": Tellings(FOLLOW_TIME, _time),
    "death-match.paired": Tellings(FOLLOW_TIME, _pairing),
    "death-match.started": Tellings(FOLLOW_LIVE, _live),
    "death-match.decided": Tellings(FOLLOW_RESULT, _result),
    "death-match.corrected": Tellings(FOLLOW_RESULT, _correction),
    "death-match.void": Tellings(FOLLOW_RESULT, _void),
    "ruling": Tellings(FOLLOW_RESULT, _ruling),
    "contestant.eliminated": Tellings(FOLLOW_RESULT, _fate("somebody is out")),
    "contestant.restored": Tellings(FOLLOW_RESULT, _fate("somebody is back in")),
    "contestant.withdrawn": Tellings(FOLLOW_RESULT, _withdrawal),
}
#: Of what followers may be told.
KINDS: Final = tuple(_TELLINGS)
#: What they are told nothing of: what kept a match from beginning, and who has not chosen in time.
UNTOLD: Final = Q(kind="ruling") & (Q(death_match=None) | Q(data__has_key="code"))
