"""Players who agree on a time: one proposes a few, the other accepts one, declines, or proposes
others. All under the season's lock, which comes first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Max

from accounts.announcing.services import Told, announce
from accounts.models import User
from accounts.services import audit_record
from core.refusals import Forbidden, NotFound, Refusal, allowed
from core.text import spoken
from games.engine.decisions import Seat
from games.options import pace
from tournaments import audience
from tournaments.lifecycle import PLAYABLE, LegStatus
from tournaments.models import (
    Contestant,
    DeathMatch,
    Leg,
    Season,
    SeasonEvent,
    TimeProposal,
    TimesRule,
)
from tournaments.models.times import PROPOSED_MAX
from tournaments.rights import Right
from tournaments.services.deathmatches import ready_window, sides_of
from tournaments.services.guards import (
    death_match_fresh,
    instant,
    leg_lock_managed,
    must_be_running,
    must_not_be_archived,
    season_lock,
)
from tournaments.services.legs import must_be_planned
from tournaments.services.scheduling.appointments import (
    leg_time_set,
    must_be_schedulable,
    which_leg,
)

AHEAD: Final = timedelta(days=60)
PROPOSALS_A_DAY: Final = 8
REMIND_AGAIN: Final = timedelta(hours=20)
KIND: Final = "death-match.times"
Status = TimeProposal.Status


# -- who may, and until when ---------------------------------------------------------------------


def must_be_agreeable(leg: Leg, acting_user: User, *, at: datetime | None = None) -> Seat:
    """The seat of whoever may agree with the other on a leg's time now. Raises Refusal
    ``times.not-yours``, ``season.archived``, ``season.not-running``, ``leg.not-planned``,
    ``leg.sides``, ``leg.no-account``, ``times.off``, ``times.set`` and ``times.soon``."""
    seat = must_play(leg, acting_user)
    season = leg.death_match.round.season
    must_not_be_archived(season)
    must_be_running(season)
    must_be_planned(leg)
    must_have_both(leg)
    if season.times_by == TimesRule.ORGANISERS:
        raise Refusal("times.off", "In this season the organisers set the times.")
    if leg.scheduled_at is not None:
        if season.times_by != TimesRule.MOVE:
            raise Refusal("times.set", "It has a time already: only organisers can change it.")
        if instant(at) >= leg.scheduled_at - ready_window():
            raise Refusal("times.soon", "It begins too soon for its time to be moved.")
    return seat


def must_play(leg: Leg, acting_user: User) -> Seat:
    """The seat of whoever plays a leg. Raises Refusal ``times.not-yours``."""
    seat = audience.seat_of(leg.death_match, acting_user)
    if seat is None:
        raise Forbidden("times.not-yours", "Only the two players agree on a time.")
    return seat


def must_have_both(leg: Leg) -> None:
    """Whether there are two who could agree. Raises Refusal ``leg.sides`` and
    ``leg.no-account``."""
    row = leg.death_match
    if row.status not in PLAYABLE or row.home is None or row.away is None:
        raise Refusal("leg.sides", "It is not known yet who meets here.")
    if row.home.user_id is None or row.away.user_id is None:
        raise Refusal("leg.no-account", "Both players need an account here.")


def earliest_start(at: datetime) -> datetime:
    """The first that players may agree on. A new time has both say anew that they are ready, so
    they have as long for it as before any other."""
    return at + ready_window()


def latest_start(leg: Leg, at: datetime) -> datetime:
    """The last that players may agree on: `AHEAD` from now, or the season's end for it."""
    latest = at + AHEAD
    deadline = play_by(leg)
    return latest if deadline is None else min(latest, deadline)


def may_still_agree(leg: Leg, at: datetime) -> bool:
    """Whether there is any time left that players may agree on."""
    return earliest_start(at) <= latest_start(leg, at)


def play_by(leg: Leg) -> datetime | None:
    """By when a leg is to have begun, where its season says so: counted from when it was known who
    meets. Rounds may have been open for long then, as in a bracket, a ladder or an episode."""
    days = leg.death_match.round.season.play_within_days
    if days is None or leg.death_match.known_at is None:
        return None
    return leg.death_match.known_at + timedelta(days=days)


def read_known_at(rows: Iterable[DeathMatch]) -> None:
    """Read at once, in one query, since when it is known who meets in these death matches."""
    every = list(rows)
    if not every:
        return
    paired = SeasonEvent.objects.filter(
        kind="death-match.paired", death_match__in={row.pk for row in every}
    )
    last = paired.order_by().values_list("death_match").annotate(Max("at"))
    known: dict[int, datetime] = dict(last)
    for row in every:
        row.known_at = known.get(row.pk)


def must_be_startable(
    leg: Leg, times: Sequence[datetime], at: datetime, *, words: str = "This time"
) -> None:
    """Whether a leg could begin at any of ``times``, in their order: late enough for whoever hears
    of it only now to say that they are ready. ``words``: what a refusal speaks of. Raises Refusal
    ``times.past``, ``times.soon`` and ``times.late``."""
    if times[0] <= at:
        raise Refusal("times.past", f"{words} is over.")
    if times[0] < earliest_start(at):
        least = pace.spoken(ready_window().total_seconds())
        raise Refusal("times.soon", f"{words} is too soon: it takes {least} to get ready.")
    deadline = play_by(leg)
    if deadline is not None and times[-1] > deadline:
        raise Refusal("times.late", f"{words} is after the last day to play it.")


def must_be_proposable(leg: Leg, acting_user: User, *, at: datetime | None = None) -> Seat:
    """The seat of whoever may propose a time now. Raises Refusal as `must_be_agreeable` does, and
    ``times.over``."""
    at = instant(at)
    seat = must_be_agreeable(leg, acting_user, at=at)
    if not may_still_agree(leg, at):
        raise Refusal("times.over", "The days to play it in are over: an organiser sets a time.")
    return seat


# -- proposals -----------------------------------------------------------------------------------


def times_left(proposal: TimeProposal, leg: Leg, at: datetime) -> list[datetime]:
    """Those of its times that can be accepted still."""
    return [each for each in proposal.times if allowed(must_be_startable, leg, [each], at)]


def is_open(proposal: TimeProposal, leg: Leg, at: datetime) -> bool:
    """Whether a proposal for ``leg`` still waits for its answer."""
    sides = (leg.death_match.home_id, leg.death_match.away_id)
    return (
        proposal.status == Status.OPEN
        and leg.status == LegStatus.PLANNED
        and proposal.proposer_id in sides
        and bool(times_left(proposal, leg, at))
    )


def open_proposals(legs: Iterable[Leg], at: datetime) -> dict[int, TimeProposal]:
    """The open proposal of each of these legs that has one, by the leg's id; in one query."""
    known = {leg.pk: leg for leg in legs if leg.status == LegStatus.PLANNED}
    rows = TimeProposal.objects.filter(leg__in=known, status=Status.OPEN)
    found = {each.leg_id: each for each in rows}
    matches = [known[pk].death_match for pk in found]
    read_known_at(row for row in matches if row.round.season.play_within_days is not None)
    return {pk: each for pk, each in found.items() if is_open(each, known[pk], at)}


def owing(leg: Leg, proposal: TimeProposal | None) -> list[Contestant]:
    """Whose turn it is: who answers an open proposal, or else both, to make one."""
    return [
        side
        for side in sides_of(leg.death_match)
        if proposal is None or side.pk != proposal.proposer_id
    ]


@transaction.atomic
def times_propose(
    *,
    acting_user: User,
    leg: Leg,
    times: Sequence[datetime],
    at: datetime | None = None,
) -> TimeProposal:
    """A player proposes start times to the other. It takes the place of what was open: of one's own
    proposal, or of the other's, which is so answered.

    Raises Refusal as `must_be_proposable` and `must_be_proposed_times` do, and
    ``times.too-often``.
    """
    at = instant(at)
    fresh = _lock(leg)
    seat = must_be_proposable(fresh, acting_user, at=at)
    wanted = must_be_proposed_times(fresh, times, at)
    mine, other = _in_order(fresh, seat)
    lately = fresh.proposals.filter(proposer=mine, made_at__gt=at - timedelta(days=1))
    if lately.count() >= PROPOSALS_A_DAY:
        raise Refusal("times.too-often", "You have proposed a lot today: wait for an answer.")
    before = fresh.proposals.filter(status=Status.OPEN).first()
    if before is not None:
        if not is_open(before, fresh, at):
            became = Status.LAPSED
        elif before.proposer_id == mine.pk:
            became = Status.WITHDRAWN
        else:
            became = Status.COUNTERED
        _end(before, became, at)
    made = TimeProposal.objects.create(leg=fresh, proposer=mine, times=wanted, made_at=at)
    audit_record(
        acting_user=acting_user,
        action="leg.propose",
        target=fresh,
        data={"times": [each.isoformat() for each in wanted]},
    )
    again = before is not None and before.status == Status.COUNTERED
    _tell(
        made,
        other,
        "times are proposed to you",
        _proposed_words(made, wanted, fresh, other, again=again),
    )
    return made


def must_be_proposed_times(leg: Leg, times: Sequence[datetime], at: datetime) -> list[datetime]:
    """The times in their order, each once. Raises Refusal ``times.none``, ``times.too-many``,
    ``times.far``, and as `must_be_startable` does."""
    wanted = sorted(set(times))
    if not wanted:
        raise Refusal("times.none", "Choose at least one time.")
    if len(wanted) > PROPOSED_MAX:
        raise Refusal("times.too-many", f"Propose at most {PROPOSED_MAX} times.")
    if wanted[-1] > at + AHEAD:
        raise Refusal("times.far", f"Propose times within the next {AHEAD.days} days.")
    must_be_startable(leg, wanted, at, words="One of these times")
    return wanted


def must_be_answerable(
    proposal: TimeProposal, leg: Leg, acting_user: User, *, at: datetime | None = None
) -> None:
    """Whether somebody may accept or decline now. Raises Refusal as `must_be_agreeable` does,
    ``times.own`` and ``times.gone``."""
    at = instant(at)
    seat = must_play(leg, acting_user)
    # What became of it says more than that the leg has a time by now.
    _must_be_open(proposal, leg, at)
    if _in_order(leg, seat)[0].pk == proposal.proposer_id:
        raise Forbidden("times.own", "The other player answers what you have proposed.")
    must_be_agreeable(leg, acting_user, at=at)


def must_be_withdrawable(
    proposal: TimeProposal, leg: Leg, acting_user: User, *, at: datetime | None = None
) -> None:
    """Whether somebody may take a proposal back now. Raises Refusal ``times.not-yours``,
    ``times.not-proposer``, ``season.archived`` and ``times.gone``."""
    seat = must_play(leg, acting_user)
    must_not_be_archived(leg.death_match.round.season)
    _must_be_open(proposal, leg, instant(at))
    if _in_order(leg, seat)[0].pk != proposal.proposer_id:
        raise Forbidden("times.not-proposer", "Only whoever proposed takes it back.")


@transaction.atomic
def proposal_accept(
    *,
    acting_user: User,
    proposal: TimeProposal,
    time: datetime,
    at: datetime | None = None,
) -> Leg:
    """Accept one of the times that the other has proposed: the leg is played then, and both are
    told. Raises Refusal as `must_be_answerable` and `must_be_startable` do, and
    ``times.not-offered``."""
    at = instant(at)
    leg = _lock(proposal.leg, changes=True)
    fresh = leg.proposals.get(pk=proposal.pk)
    must_be_answerable(fresh, leg, acting_user, at=at)
    if time not in fresh.times:
        raise Refusal("times.not-offered", "This time is not among those proposed.")
    must_be_startable(leg, [time], at)
    fresh.chosen = time
    _end(fresh, Status.ACCEPTED, at)
    leg_time_set(leg, time, at=at)
    audit_record(
        acting_user=acting_user,
        action="leg.agree",
        target=leg,
        data={"at": time.isoformat(), "proposed_by": fresh.proposer_id},
    )
    return leg


@transaction.atomic
def proposal_decline(
    *, acting_user: User, proposal: TimeProposal, at: datetime | None = None
) -> TimeProposal:
    """Decline all times of a proposal; who made it is told. Raises Refusal as `must_be_answerable`
    does."""
    at = instant(at)
    leg = _lock(proposal.leg)
    fresh = leg.proposals.get(pk=proposal.pk)
    must_be_answerable(fresh, leg, acting_user, at=at)
    _end(fresh, Status.DECLINED, at)
    audit_record(acting_user=acting_user, action="leg.decline", target=leg)
    home, away = sides_of(leg.death_match)
    proposer, other = (home, away) if home.pk == fresh.proposer_id else (away, home)
    words = (
        f"{leg.death_match}{which_leg(leg)}: {other.shown_name} can make none of the times that "
        "you have proposed. Propose others on its page."
    )
    _tell(fresh, proposer, "none of your times", words)
    return fresh


@transaction.atomic
def proposal_withdraw(
    *, acting_user: User, proposal: TimeProposal, at: datetime | None = None
) -> TimeProposal:
    """Take one's own proposal back. Raises Refusal as `must_be_withdrawable` does."""
    at = instant(at)
    leg = _lock(proposal.leg)
    fresh = leg.proposals.get(pk=proposal.pk)
    must_be_withdrawable(fresh, leg, acting_user, at=at)
    _end(fresh, Status.WITHDRAWN, at)
    audit_record(acting_user=acting_user, action="leg.withdraw_times", target=leg)
    return fresh


def proposal_of(leg: Leg, pk: int | None) -> TimeProposal:
    """A proposal for a leg by its number. Raises Refusal ``times.no-proposal``."""
    found = leg.proposals.filter(pk=pk).first() if pk is not None else None
    if found is None:
        raise NotFound("times.no-proposal", "There is no such proposal.")
    return found


# -- organisers remind ---------------------------------------------------------------------------


@transaction.atomic
def times_remind(*, acting_user: User, leg: Leg, at: datetime | None = None) -> list[Contestant]:
    """Remind whoever is to answer, or both where nobody has proposed anything; returns whom.
    Raises Refusal as `guards.leg_lock_managed` and `must_be_remindable` do."""
    at = instant(at)
    season, fresh = leg_lock_managed(leg, acting_user, Right.EPISODES)
    must_be_remindable(fresh, at=at)
    proposal = open_proposals([fresh], at).get(fresh.pk)
    fresh.times_reminded_at = at
    fresh.save(update_fields=["times_reminded_at"])
    reminded = owing(fresh, proposal)
    announce(_reminder_to(each, season, fresh, proposal, at) for each in reminded)
    audit_record(
        acting_user=acting_user,
        action="leg.remind_times",
        target=fresh,
        data={"contestants": [each.pk for each in reminded]},
    )
    return reminded


def must_be_remindable(leg: Leg, *, at: datetime | None = None) -> None:
    """Whether an organiser may remind of a leg's time now. Raises Refusal as
    `appointments.must_be_schedulable` and `must_have_both` do, ``times.off``, ``times.set`` and
    ``times.reminded``."""
    must_be_schedulable(leg)
    must_have_both(leg)
    if leg.death_match.round.season.times_by == TimesRule.ORGANISERS:
        raise Refusal("times.off", "In this season the organisers set the times.")
    if leg.scheduled_at is not None:
        raise Refusal("times.set", "It has a time already.")
    last = leg.times_reminded_at
    if last is not None and instant(at) < last + REMIND_AGAIN:
        raise Refusal("times.reminded", "They were reminded today: give them time to answer.")


# -- parts ---------------------------------------------------------------------------------------


def _lock(leg: Leg, *, changes: bool = False) -> Leg:
    """The leg as it is now, under its season's lock. What is proposed is between the two: it
    changes nothing that everybody sees."""
    season_lock(leg.death_match.round.season_id, changes=changes)
    death_match = death_match_fresh(leg.death_match_id)
    fresh = death_match.legs.get(pk=leg.pk)
    fresh.death_match = death_match
    return fresh


def _in_order(leg: Leg, seat: Seat) -> tuple[Contestant, Contestant]:
    """Who sits on ``seat``, and the other."""
    home, away = sides_of(leg.death_match)
    return (home, away) if seat == 0 else (away, home)


def _must_be_open(proposal: TimeProposal, leg: Leg, at: datetime) -> None:
    if proposal.status != Status.OPEN:
        became = proposal.get_status_display().lower()
        raise Refusal("times.gone", f"This proposal is no longer open: {became}.")
    if not is_open(proposal, leg, at):
        raise Refusal(
            "times.gone",
            "This proposal is no longer open: none of its times can be chosen any more.",
        )


def _end(proposal: TimeProposal, became: TimeProposal.Status, at: datetime) -> None:
    proposal.status, proposal.ended_at = became, at
    proposal.save(update_fields=["status", "chosen", "ended_at"])


def _proposed_words(
    proposal: TimeProposal,
    offered: Sequence[datetime],
    leg: Leg,
    to: Contestant,
    *,
    again: bool,
) -> str:
    if to.user is None:
        return ""
    times = [spoken(each, to.user.zone) for each in offered]
    named = times[0] if len(times) == 1 else f"{', '.join(times[:-1])} or {times[-1]}"
    instead = " instead of yours" if again else ""
    return (
        f"{leg.death_match}{which_leg(leg)}: {proposal.proposer.shown_name} proposes{instead} "
        f"{named}. Accept a time on its page, decline, or propose others."
    )


def _tell(proposal: TimeProposal, to: Contestant, about: str, words: str) -> None:
    row = proposal.leg.death_match
    if to.user is not None:
        announce(
            [
                Told(
                    user=to.user,
                    kind=KIND,
                    key=f"times:{proposal.pk}:{proposal.status}",
                    subject=f"{row}: {about}",
                    words=f"{row.round.season.name}: {words}",
                    path=row.get_absolute_url(),
                )
            ]
        )


def _reminder_to(
    to: Contestant, season: Season, leg: Leg, proposal: TimeProposal | None, at: datetime
) -> Told:
    assert to.user is not None  # noqa: S101  (`must_have_both`)
    row = leg.death_match
    words = (
        f"{row}{which_leg(leg)} has no time yet, and nobody has proposed one. Propose some on its "
        "page."
        if proposal is None
        else _proposed_words(proposal, times_left(proposal, leg, at), leg, to, again=False)
    )
    return Told(
        user=to.user,
        kind=KIND,
        key=f"leg:{leg.pk}:times:{at:%Y%m%dT%H%M%S}",
        subject=f"{row}: it needs a time",
        words=f"{season.name}: An organiser reminds you. {words}",
        path=row.get_absolute_url(),
    )
