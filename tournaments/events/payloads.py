"""What the data of season events holds, by kind (`kinds.KINDS`), and what a leg keeps of its items:
as JSON, with ids of rows where something is mentioned.

Every key has its type here, and every mention says of what it is (`references`): by that a season's
document gives each its own number, and finds it again. No key has to be there: events are older
than what is told of them today.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict

import msgspec

from tournaments.events.references import (
    ContestantMention,
    Entity,
    ItemMention,
    MatchMention,
    refers,
)

#: ISO 8601, with its offset.
Time = Annotated[datetime, msgspec.Meta(tz=True)]


# -- what a leg keeps of its items ---------------------------------------------------------------


class Use(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An item that a seat brought; ``target`` is what a Copy or Block was aimed at."""

    gift: Annotated[int, refers(Entity.ITEM, ge=1)]
    seat: Literal[0, 1]
    item: str
    target: ItemMention


class UseStep(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What happened to an item, and by which Copy or Block."""

    what: str
    gift: ItemMention
    by: Annotated[int, refers(Entity.ITEM, ge=1)]
    words: str


class Items(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was brought into a leg, what came of it in order, and what each seat then held."""

    brought: tuple[Use, ...]
    steps: tuple[UseStep, ...]
    held: tuple[tuple[str, ...], tuple[str, ...]]


# -- the data of events --------------------------------------------------------------------------


class Payload(TypedDict, total=False):
    """``by``: the organiser who ruled so, by name."""

    by: str


class Reasoned(Payload, total=False):
    """``why``: what was given as the reason."""

    why: str


class Started(Payload, total=False):
    """How many begin."""

    contestants: int


class Won(Payload, total=False):
    """Who has won the season."""

    winner: ContestantMention
    name: str


class About(Payload, total=False):
    """Whom it is about, and their name at the time."""

    contestant: ContestantMention
    name: str


class Moved(About, Reasoned, total=False):
    """Who has left or come back, and why."""


class OfCrew(Payload, total=False):
    """Who runs the season, or helps: their name at the time, as what (``owner``, ``organiser``,
    ``helper``), and what a helper may do."""

    name: str
    role: str
    rights: list[str]


class Enrolled(About, total=False):
    """``late``: the season had begun."""

    late: bool


class Replaced(Moved, total=False):
    """``replaces``: whose place it was."""

    replaces: ContestantMention


class Eliminated(About, total=False):
    """``place``: where they ended."""

    place: int | None


class RoundOpened(Payload, total=False):
    """The round's number and name; of a final how many matches it is the best of."""

    round: int
    name: str
    final: bool
    best_of: int


class Standing(TypedDict, total=False):
    """A line of the standings."""

    rank: int
    contestant: ContestantMention
    name: str
    points: int | None


class RoundClosed(Payload, total=False):
    """The round's number, and the head of the standings after it."""

    round: int
    standings: list[Standing]


class RoundReopened(Reasoned, total=False):
    """The round's number."""

    round: int


class Placed(Payload, total=False):
    """Who is the EC, who is immune, and until when the EC may choose."""

    ec: ContestantMention
    name: str
    immune: list[ContestantMention]
    choose_by: Time | None


class Choosing(Payload, total=False):
    """Who is the EC, and until when they may choose; ``follows``: the kind of what it follows."""

    ec: ContestantMention
    choose_by: Time | None
    follows: str


class Chosen(Payload, total=False):
    """Who meets, in what, and when, as far as that is known; ``by_organiser``: it was not the EC
    who chose."""

    ec: ContestantMention
    dmo: ContestantMention
    by_organiser: bool
    games: list[str]
    times: list[Time]


class Paired(Payload, total=False):
    """Who meets, what is played match by match, and when, as far as that is known; ``follows``: the
    kind of the event that has told both of it."""

    home: ContestantMention
    away: ContestantMention
    names: list[str]
    games: list[str]
    times: list[Time]
    follows: str


class RulesSet(Payload, total=False):
    """What is played, in which matches by number, and what is supplied instead of drawn."""

    ruleset: str
    variant: str
    options: dict[str, Any]
    legs: list[int]
    supplied: list[str]


class Scheduled(Payload, total=False):
    """When which match begins."""

    leg: int
    at: Time | None


class Reminded(Scheduled, total=False):
    """``kind``: which of the reminders it is."""

    kind: str


class NoShow(Payload, total=False):
    """Who was not there, in which match."""

    absent: list[ContestantMention]
    leg: int


class LegStarted(Payload, total=False):
    """Which match begins, and in what; ``not_ready``: who had not said that they are there;
    ``waits_until``: until when it waits for both, if it does; ``certain``: it then begins whoever
    is there (else it is void, if they are not)."""

    match: MatchMention
    leg: int
    attempt: int
    ruleset: str
    variant: str
    names: list[str]
    not_ready: list[ContestantMention]
    waits_until: str | None
    certain: bool


class LegDecided(Payload, total=False):
    """Who won which match, and how many each has won since."""

    winner: ContestantMention
    leg: int
    score: list[int]


class Decided(Reasoned, total=False):
    """Who won, against whom, how (``name`` of a bye) and by how much; ``follows``: the kind of the
    event that announced the same action."""

    winner: ContestantMention
    loser: ContestantMention
    name: str
    names: list[str]
    how: str
    score: list[int]
    follows: str


class Corrected(Reasoned, total=False):
    """Who has won after all, and who has lost."""

    winner: ContestantMention
    loser: ContestantMention
    name: str


class Voided(Reasoned, total=False):
    """Which match, where it is not the whole death match."""

    leg: int
    attempt: int
    match: MatchMention


class Given(Payload, total=False):
    """What was given, by whom, to whom, and for which match by number."""

    gift: ItemMention
    item: str
    ruleset: str
    giver: ContestantMention
    receiver: ContestantMention
    leg: int | None
    note: str


class TakenBack(Reasoned, total=False):
    """Which item."""

    gift: ItemMention


class OfItems(Payload, total=False):
    """Which items."""

    gifts: list[ItemMention]


class Brought(Payload, total=False):
    """What was brought, and what came of it. Told where a Copy or Block is among it: what other
    items do shows in the match."""

    items: Items | None


class OfLedger(Payload, total=False):
    """What was moved: of the currency, or a token; ``amount``: how much of it, null in a season in
    which everybody's balance is hidden."""

    unit: str
    amount: int | None


class WonOfLedger(OfLedger, Reasoned, total=False):
    """Who won so much each, and for what."""

    contestants: list[ContestantMention]


class MovedInLedger(OfLedger, total=False):
    """From whom, and to whom; null is the bank."""

    payer: ContestantMention
    payee: ContestantMention


class CorrectedInLedger(MovedInLedger, Reasoned, total=False):
    """What had been moved, and has come back."""


class TokenUsed(About, total=False):
    """Who is immune by it, in the episode of that number."""

    round: int


class Ruled(Reasoned, total=False):
    """``ec``: who had not chosen in time, in the ``episode`` of that number; ``code``: what kept a
    match from beginning."""

    ec: ContestantMention
    episode: int
    code: str
