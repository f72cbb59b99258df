"""A match at a live pace begins when both players are there, and is void if they are not in time;
one at a slower pace begins once both have been there, or without them.

There is who looks at the match, in a browser or by a stream (`games.presence`), or who said so in
words, as programs may that look only now and then.

Whoever comes may add to what the match's draws are derived from (`games.engine.draws`): their
browser or program brings with their arrival what its nonce hashes to. Once both players are there,
the match begins at once if nobody has brought anything; else it waits a few seconds more for the
nonces that were committed to, and from then on takes no other. This is the only way in for nonces,
so what decides whether a match can have any is how `match_start` is asked to begin it:

- it ``waits``: a match at a live pace of a challenge, a rematch or a pairing, a hosted one, and a
  leg of a season that an organiser begins, whether on a page, by the API or from Discord;
- it ``waits`` and is ``certain``: a leg at a live pace that begins since both have said that they
  are ready. It waits `GAUNTLET_GATHER_MS` at most, and then begins whoever is there, so that nobody
  gets out of it by staying away;
- it ``waits``, in turns: any of these at an hour a turn or more, whose players are not there
  together (see below);
- it begins at once, and has no nonces: practice, and what the site is told not to wait with.

In turns. Who has been there once, or has said so, is remembered with what they committed to. Once
both have been there, a match to which nobody has brought anything begins; else, from when somebody
is there who can open a nonce, no other is taken, and each opens theirs at once, or when they come
the next time. It begins as soon as all are open, and at the latest when its time is over:
`GAUNTLET_GATHER_SLOW_MS`, or the time for a turn where that is shorter. No clock runs meanwhile.

A browser may have lost its number, or be far away. Their player says, by `nonce_waive`, that the
match is to begin without it; nobody else can, and it holds for their own seat. That gives nothing
to whoever is dishonest that staying away would not: the constant stands for the number either way.

Half of that time is for committing, and the other half for opening, whoever has come: else a player
who stays away would keep the other's nonce shut, and so leave the server's seed alone. They are
waited for all the same until that time is over, so that no clock of theirs runs before they know.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec
from django.conf import settings
from django.db import transaction

from accounts.models import User
from accounts.services import audit_record
from core import chance
from core.clock import now_ms
from core.hooks import send
from core.refusals import Refusal
from games import hooks, presence, store
from games.engine import draws as derived
from games.engine import live as lives
from games.engine.acts import parse_act
from games.engine.chance import RandomSource
from games.engine.decisions import Audience, Seat
from games.engine.draws import Draws
from games.engine.live import Live, Turn, Waiting
from games.models import Match, MatchDraws, MatchPlayer
from games.options.pace import spoken
from games.services.outage import make_good
from games.services.settling import enqueue_if_near, settle, tell
from games.store import Held

Seats = tuple[bool, bool]

CHANGES_AT_MOST = 3
"""How often a seat may commit anew: a phone, a computer and a browser that was emptied, and then
what stands stays, so that nobody keeps a match busy by committing over and over."""


def match_attend(
    *, match_id: int, there: Seats, at: int, random: RandomSource = chance.system
) -> bool:
    """Begin a match that waits, if both are ``there`` or said that they are, with chance drawn from
    ``random``. Whether it waits no longer. Changes nothing otherwise, and is safe to call at any
    time: where there is nothing to change the row is read, and not locked, for pages that wait come
    again every few seconds."""
    held = store.read(match_id)
    if held.live.waiting is None or held.is_over:
        return True
    if not _is_moved(held.live, there, at):
        # Whoever comes at the same moment changes something, and sees what was changed before.
        return False
    return _attend(match_id, there, at, random)


@transaction.atomic
def _attend(match_id: int, there: Seats, at: int, random: RandomSource) -> bool:
    held = _locked(match_id, at)
    waiting = held.live.waiting
    if waiting is None or held.is_over:
        return True
    live, here = _come(held.live, waiting, there)
    return _goes_on(held, live, here, at, random, there=there)


def _come(live: Live, waiting: Waiting, there: Seats) -> tuple[Live, Seats]:
    """A match that waits, after these are ``there``, and who is or has been."""
    here = _either(there, waiting.ready)
    if waiting.is_in_turns and here != waiting.ready:
        live = lives.with_ready(live, here)
    return live, here


def _is_moved(live: Live, there: Seats, at: int) -> bool:
    """Whether anything changes in a match that waits, now that these are ``there``. An outage that
    is yet to be given back makes it wait for longer, so that nothing more than this would."""
    waiting = live.waiting
    if waiting is None:
        return False
    after, here = _come(live, waiting, there)
    missing = live.nonces_awaited
    if after != live or (all(here) and not missing):
        return True
    return bool(missing) and _may_open(waiting, missing, here, there, at)


@transaction.atomic
def match_ready(  # noqa: PLR0913  (everything that a player may bring as they come)
    *,
    match_id: int,
    acting_user: User,
    seat: Seat,
    there: Seats,
    at: int,
    commitment: str = "",
    nonce: str = "",
    without: bool = False,
    random: RandomSource = chance.system,
) -> bool:
    """A player says that they are ready, by program or before looking. Whether the match is on.

    With a ``commitment`` their program brings what its nonce hashes to, and with a ``nonce`` it
    opens that, as by `nonce_commit` and `nonce_open`; ``without`` begins without it, as by
    `nonce_waive`. Where any of that is refused, so is all of it.
    Saying so again, or after it has begun, changes nothing. What is to be drawn once it begins is
    drawn from ``random``. Raises Refusal ``match.none``, ``match.over``, ``account.closed``,
    ``draws.*``.
    """
    held = _locked(match_id, at, user_id=acting_user.pk)
    if held.is_over:
        raise Refusal("match.over", "The match is over.")
    if commitment:
        held = _committed(held, seat, commitment, at)
    if nonce:
        held = _opened(held, seat, nonce, at, random)
    if without:
        held = _waived(held, seat, at, random)
    waiting = held.live.waiting
    if waiting is None:
        return True
    now = _either(there, (seat == 0, seat == 1))
    here = _either(now, waiting.ready)
    ready = here if waiting.is_in_turns else _either(waiting.ready, (seat == 0, seat == 1))
    return _goes_on(held, lives.with_ready(held.live, ready), here, at, random, there=now)


# -- what players add to the draws ---------------------------------------------------------------


@transaction.atomic
def nonce_commit(*, match_id: int, acting_user: User, seat: Seat, commitment: str, at: int) -> None:
    """A player's browser or program commits to a nonce: it gives what that hashes to. To be called
    before the player counts as there, so that the match cannot begin in between.

    Changes nothing where that is known, and where it is no match whose draws can be verified. One
    that comes later, of another device of theirs say, takes the place of the one before: as long as
    numbers are not opened nobody gains by it. Raises Refusal ``match.none``,
    ``account.closed``, ``draws.commitment`` (it is none), ``draws.late`` (nonces are being
    opened already, the player begins without theirs, or the match has begun) and ``draws.changes``
    (it would take the place of another one for the `CHANGES_AT_MOST` + 1st time).
    """
    _committed(_locked(match_id, at, user_id=acting_user.pk), seat, commitment, at)


@transaction.atomic
def nonce_open(
    *,
    match_id: int,
    acting_user: User,
    seat: Seat,
    nonce: str,
    at: int,
    random: RandomSource = chance.system,
) -> int:
    """A player's browser or program opens the nonce that it has committed to; the match begins if
    it waited for no other. Returns their version then. Once more changes nothing.

    Raises Refusal ``match.none``, ``account.closed``, ``draws.not-committed``, ``draws.early`` (not
    both players are there, or have been: who opens first would be at the mercy of whoever has yet
    to commit),
    ``draws.late`` (a constant stands for it) and ``draws.nonce`` (it is not the one).
    """
    held = _locked(match_id, at, user_id=acting_user.pk)
    return _opened(held, seat, nonce, at, random).readers.versions[seat]


@transaction.atomic
def nonce_waive(
    *,
    match_id: int,
    acting_user: User,
    seat: Seat,
    at: int,
    random: RandomSource = chance.system,
) -> int:
    """A player begins without the nonce that their browser or program has committed to: the
    constant stands for it, for good, and the log says so. The match begins if it waited for nothing
    else. Returns their version then. Once more changes nothing, nor where the constant stands for
    it already.

    Raises Refusal ``match.none``, ``account.closed``, ``draws.not-committed`` (nobody waits for a
    nonce of theirs), ``draws.opened`` (nor for this one: it is known) and ``draws.early`` (the
    other one may still commit to theirs).
    """
    held = _locked(match_id, at, user_id=acting_user.pk)
    return _waived(held, seat, at, random).readers.versions[seat]


def _locked(match_id: int, at: int, *, user_id: int | None = None) -> Held:
    """The match, its row locked; one that waits after what outages took has been given back: until
    then nobody is late for what they could not reach."""
    held = store.lock(match_id, user_id=user_id)
    waits = held.live.waiting is not None and not held.is_over
    return make_good(held, at=at) if waits else held


def _committed(held: Held, seat: Seat, commitment: str, at: int) -> Held:
    waiting, draws = held.live.waiting, held.live.draws
    if draws is None:
        return held
    if draws.nonces[seat].commitment == commitment:
        return held
    is_late = waiting is None or waiting.opens_until is not None or waiting.without[seat]
    if waiting is None or is_late or held.is_over:
        raise Refusal("draws.late", "It is too late: no other number is taken any more.")
    after = derived.committed(draws, seat, commitment)
    live = lives.with_draws(held.live, after)
    if draws.nonces[seat].commitment:
        if waiting.changes[seat] >= CHANGES_AT_MOST:
            raise Refusal(
                "draws.changes",
                f"The number has been changed {CHANGES_AT_MOST} times: what stands now stays.",
            )
        live = lives.with_change(live, seat)
    _keep(held, seat, commitment=commitment)
    return settle(held, Turn(live), at=at)


def _opened(held: Held, seat: Seat, nonce: str, at: int, random: RandomSource) -> Held:
    waiting, draws = held.live.waiting, held.live.draws
    # A match without a seed has taken no commitment either.
    after = derived.opened(draws or Draws(""), seat, nonce)
    if after == draws:
        return held
    if waiting is not None and waiting.opens_until is None:
        raise Refusal("draws.early", "Numbers are opened once both players have come.")
    opens = None if waiting is None or waiting.without[seat] else waiting.opens_until
    if held.is_over or opens is None or at > opens:
        raise Refusal("draws.late", "This comes too late: a constant stands for the number.")
    _keep(held, seat, nonce=nonce)
    return _settled_for(held, lives.with_draws(held.live, after), seat, at, random)


def _waived(held: Held, seat: Seat, at: int, random: RandomSource) -> Held:
    waiting, draws = held.live.waiting, held.live.draws
    given = (draws or Draws("")).nonces[seat]
    if not given.commitment:
        raise Refusal("draws.not-committed", "This seat has not committed to a nonce.")
    if given.nonce:
        raise Refusal("draws.opened", "The number is known already: it counts.")
    if waiting is None or held.is_over or waiting.without[seat]:
        return held  # the constant stands for it already
    live = held.live
    if waiting.opens_until is None:
        # Else the other could choose a number that suits the constant.
        if not (waiting.is_in_turns and all(waiting.ready)):
            raise Refusal("draws.early", "Numbers are opened once both players have come.")
        live = _to_open(live, at)
    return _settled_for(held, lives.without_nonce(live, seat), seat, at, random)


def _settled_for(held: Held, live: Live, seat: Seat, at: int, random: RandomSource) -> Held:
    """A match that waits, and stands as in ``live`` now that nothing more is waited for of that
    seat: it begins if nothing is of the other one either. For the holder of its lock."""
    waiting = live.waiting
    if waiting is not None and waiting.is_in_turns:
        live = lives.with_ready(live, _either(waiting.ready, (seat == 0, seat == 1)))
    if live.nonces_awaited or _is_awaited(live, at):
        return settle(held, Turn(live), at=at)
    return _begin(held, live, at, random)


def _is_awaited(live: Live, at: int) -> bool:
    """Whether a match still waits for a player to come, at all or, where that has to be at the same
    time, together with the other one."""
    waiting = live.waiting
    if waiting is None:
        return False
    if not waiting.is_in_turns:
        return waiting.opens_until is None
    return not all(waiting.ready) and at <= waiting.until


def _keep(held: Held, seat: Seat, **given: str) -> None:
    """Keep what a seat has given, beside the snapshot, where the database lets nobody change it."""
    columns = {f"{name}_{seat}": value for name, value in given.items()}
    MatchDraws.objects.filter(match=held.match_id).update(**columns)


# -- time ----------------------------------------------------------------------------------------


def give_up(held: Held, *, at: int, random: RandomSource) -> None:
    """Its time is over: void, unless both are there after all or it is certain to begin, and it
    goes on with chance drawn from ``random``; or both were, and it begins without the nonces that
    have not been opened. For the holder of the match's lock."""
    waiting = held.live.waiting
    if waiting is None:
        return
    if waiting.opens_until is not None:
        _begin(held, held.live, at, random)
        return
    if waiting.is_in_turns and at <= waiting.until:
        _half_over(held, at)
        return
    here = _either(presence.seats_there(held.match_id), waiting.ready)
    if waiting.certain:
        here = (True, True)
    if all(here):
        _goes_on(held, held.live, here, at, random, there=here)
        return
    match = Match.objects.defer("snapshot").get(pk=held.match_id)
    players = MatchPlayer.objects.filter(match=match).order_by("seat")
    names = list(players.values_list("name", flat=True))
    missing = [name for name, is_here in zip(names, here, strict=True) if not is_here]
    waited = spoken(round((waiting.until - match.created_at.timestamp() * 1000) / 1000))
    verb = "was" if len(missing) == 1 else "were"
    why = f"{' and '.join(missing)} {verb} not there within {waited}."
    _void(held, why, at, random)
    audit_record(acting_user=None, action="match.void-unattended", target=match)


def _half_over(held: Held, at: int) -> None:
    """Half of the time is over of a match whose players come in turns: what has been committed to
    by now is opened, by whoever comes, and nothing more is taken."""
    live = held.live
    if live.nonces_awaited:
        settle(held, Turn(_to_open(live, at)), at=at)
        return
    wake = store.next_wake(held.ruleset, live, after=at)
    store.save_wake(held, wake_at=wake)
    enqueue_if_near(held.match_id, wake)


def match_has_begun(*, match_id: int) -> bool:
    """Whether a match waits for nobody, and did not end while it did. Raises Refusal
    ``match.none``."""
    return store.read(match_id).live.has_begun


def match_still_waits(*, match_id: int) -> bool:
    """Whether a match waits for its players; and then it does until this transaction is over, for
    its row is locked. Raises Refusal ``match.none``."""
    held = store.lock(match_id)
    return held.live.waiting is not None and not held.is_over


@transaction.atomic
def match_void_waiting(
    *, match_id: int, why: str, at: int, random: RandomSource = chance.system
) -> bool:
    """Declare a match that waits void, for one of its players will not come and nobody has to rule
    that: for callers who have seen to the right to say so, as seasons do. Whether it waited;
    changes nothing otherwise.

    Raises Refusal ``match.none``.
    """
    held = store.lock(match_id)
    if held.live.waiting is None or held.is_over:
        return False
    _void(held, why, at, random)
    match = Match.objects.defer("snapshot").get(pk=match_id)
    audit_record(acting_user=None, action="match.void-waiting", target=match, data={"why": why})
    return True


def _void(held: Held, why: str, at: int, random: RandomSource) -> None:
    """Declare a match that waits void by an act that no organiser did."""
    waiting = held.live.waiting
    turn = lives.organise(
        held.ruleset, held.live, act=parse_act("void"), by="", why=why, at=at, random=random
    )
    settle(held, turn, at=at)
    # What says that nobody ruled this.
    until = None if waiting is None else waiting.until
    Match.objects.filter(pk=held.match_id).update(waits_until=until)


def _goes_on(
    held: Held, live: Live, here: Seats, at: int, random: RandomSource, *, there: Seats
) -> bool:
    """A match that waits, and stands as in ``live`` now, goes on as far as it can with whoever is
    ``here``, or has been, some of whom are ``there`` at this moment; whether it has begun. For the
    holder of its lock."""
    waiting, missing = live.waiting, live.nonces_awaited
    if waiting is not None:
        if all(here) and not missing:
            _begin(held, live, at, random)
            return True
        if missing and _may_open(waiting, missing, here, there, at):
            live = _to_open(live, at)
    if live != held.live:
        settle(held, Turn(live), at=at)
    return False


def _may_open(
    waiting: Waiting, missing: tuple[Seat, ...], here: Seats, there: Seats, at: int
) -> bool:
    if waiting.opens_until is not None:
        return False  # they are being opened already
    if waiting.gathers_until is None:
        return all(here)
    # As long as nobody is there who can open one, a player may commit anew by another device.
    is_time = all(here) or at > waiting.gathers_until
    return is_time and any(there[seat] for seat in missing)


def _to_open(live: Live, at: int) -> Live:
    """A match that waits, from when nonces are opened: for as long as it waits, where its players
    come in turns."""
    until = at + settings.GAUNTLET_NONCE_MS
    if live.waiting is not None and live.waiting.is_in_turns:
        until = max(until, live.waiting.until)
    return lives.opening(live, until=until)


def _begin(held: Held, live: Live, at: int, random: RandomSource) -> Held:
    """Begin a match that stands as in ``live``. For the holder of its lock: what had to be waited
    for is over."""
    if live.draws is not None:
        without = (False, False) if live.waiting is None else live.waiting.without
        held = tell(held, live, tuple(derived.said_of(live.draws, without)), at=at)
    turn = lives.begun(held.ruleset, live, at=at, random=random)
    header = turn.live.table.header
    if header != held.live.table.header:
        # What was sealed is there to be read.
        Match.objects.filter(pk=held.match_id).update(
            items=msgspec.to_builtins(header.items), advantage=header.advantage
        )
    after = settle(held, turn, at=at)
    begun = partial(send, hooks.match_begun, Match, match_id=held.match_id, at=at)
    transaction.on_commit(begun, robust=True)
    return after


def _either(one: Seats, two: Seats) -> Seats:
    return one[0] or two[0], one[1] or two[1]


def match_ready_now(
    *,
    match_id: int,
    acting_user: User,
    seat: Seat,
    commitment: str = "",
    nonce: str = "",
    without: bool = False,
    random: RandomSource = chance.system,
) -> bool:
    """`match_ready` as things stand now."""
    there = presence.seats_there(match_id)
    return match_ready(
        match_id=match_id,
        acting_user=acting_user,
        seat=seat,
        there=there,
        at=now_ms(),
        commitment=commitment,
        nonce=nonce,
        without=without,
        random=random,
    )


def match_poll(
    *,
    match_id: int,
    acting_user: User,
    seat: Audience,
    waits: bool,
    commitment: str = "",
    random: RandomSource = chance.system,
) -> dict[str, Any]:
    """A player's page looks at the match without a socket: it counts as there, and a match that
    ``waits`` begins if the other is there, too, as by `match_attend`. Before that the
    ``commitment`` that it brings is taken, as by `nonce_commit`; where it is refused, the page sees
    that in the match's view. Returns who is there, as the socket's frames do."""
    if waits and commitment and seat in (0, 1):
        _commit_if_taken(match_id, acting_user, seat, commitment)
    there = presence.look(match_id, seat, f"asks-{acting_user.pk}")
    presence.seen_now(acting_user.pk)
    if waits:
        seats = tuple(there["seats"])
        match_attend(match_id=match_id, there=seats, at=now_ms(), random=random)
    return there


def _commit_if_taken(match_id: int, user: User, seat: Seat, commitment: str) -> None:
    try:
        nonce_commit(
            match_id=match_id, acting_user=user, seat=seat, commitment=commitment, at=now_ms()
        )
    except Refusal as refusal:
        if not refusal.code.startswith("draws."):
            raise
