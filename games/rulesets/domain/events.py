"""What the log says of Domain."""

from __future__ import annotations

from games.engine.decisions import EVERYONE, Event, Seat
from games.rulesets.domain.course import scores
from games.rulesets.domain.moves import (
    Accept,
    ChallengePlacement,
    DiscardShape,
    First,
    Move,
    PlaceShape,
    Ready,
    TakeShape,
)
from games.rulesets.domain.notation import print_move
from games.rulesets.domain.state import DomainState


def pool_shown(after: DomainState) -> Event:
    """The pool is revealed."""
    pool = after.ready_pool
    return Event(
        kind="pool",
        seat=None,
        text=f"The pool is {pool.reference}, with {len(pool.forms)} shapes.",
        data={"pool": pool.reference, "shapes": len(pool.forms)},
        seen_by=EVERYONE,
    )


def events(before: DomainState, seat: Seat, move: Move, after: DomainState) -> list[Event]:
    """What happened when ``seat`` made ``move``, the end of the match aside: that is the
    referee's to tell."""
    match move:
        case Ready():
            return [_event("ready", seat, "is ready to pick")]
        case First():
            return [_event("first", seat, f"chose to pick {move.order}", picker=after.mover)]
        case TakeShape():
            said = [_event("take", seat, f"took shape {move.shape}", shape=move.shape)]
            return said + _draft_events(after)
        case PlaceShape():
            text = (
                f"placed shape {move.shape} on {move.domain} at {move.x},{move.y}, "
                f"turned by {move.angle}°"
            )
            return [
                _event(
                    "place",
                    seat,
                    text,
                    move=print_move(move),
                    shape=move.shape,
                    domain=move.domain,
                    x=move.x,
                    y=move.y,
                    angle=move.angle,
                    turn=len(after.turns) - 1,
                    gained=_gained(before, after),
                )
            ]
        case DiscardShape():
            turn = len(after.turns) - 1
            text = f"discarded shape {move.shape}"
            return [_event("discard", seat, text, shape=move.shape, turn=turn)]
        case ChallengePlacement():
            return [_challenge(before, seat, after)]
        case Accept():
            return [_event("accept", seat, "let the last placement stand")]
    if before.phase == "draft":
        missed = after.misses[seat]
        return [_event("miss", seat, "took no shape in time", missed=missed)]
    return []


def _gained(before: DomainState, after: DomainState) -> list[int]:
    """By how many pixels each seat's have become more, or fewer: what both views say anyway."""
    pairs = zip(scores(before), scores(after), strict=True)
    return [now - earlier for earlier, now in pairs]


def _event(kind: str, seat: Seat, text: str, **data: object) -> Event:
    return Event(kind=kind, seat=seat, text=text, data=data, seen_by=EVERYONE)


def _draft_events(after: DomainState) -> list[Event]:
    if after.phase != "place":
        return []
    return [_event("drafted", after.mover, "has the Start shape and places first")]


def _challenge(before: DomainState, seat: Seat, after: DomainState) -> Event:
    shape = before.ready_pool.forms[before.turns[-1].shape].id
    turn = len(before.turns) - 1
    if after.review:
        text = f"challenged the placement of shape {shape}; the organiser decides"
        return _event("challenge", seat, text, shape=shape, turn=turn, valid=None)
    if after.turns[-1].struck:
        text = f"challenged the placement of shape {shape}: it was not valid and is discarded"
        gained = _gained(before, after)
        return _event("challenge", seat, text, shape=shape, turn=turn, valid=False, gained=gained)
    cost = after.terms.challenge_cost_ms / 1000 if after.wrong[seat] > 1 else 0
    text = f"challenged the placement of shape {shape}: it was valid"
    if cost:
        text += f", which costs {cost:g} s of reserve, or what is left of it"
    return _event("challenge", seat, text, shape=shape, turn=turn, valid=True)
