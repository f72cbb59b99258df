"""Matches: looking at one, moving in it, being there for it, its times and its record."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from django.contrib.auth.models import AnonymousUser

from accounts.models import User
from core.clock import now_ms
from core.discord.text import escaped, moment
from core.refusals import Forbidden, NotFound, Refusal
from games import store
from games.audience import seat_of
from games.engine.decisions import Seat
from games.intake import INTAKE, StillComingError
from games.metrics import Laps
from games.models import Match
from games.reading.legal import legal_like
from games.reading.matches import match_for, versions_of
from games.reading.records import record_bytes
from games.reading.selectors import matches_live, matches_over, own_running
from games.services.arrivals import match_ready_now
from games.services.turns import match_submit
from games.words import LOOKED_IN, game_name, is_in_turns
from tournaments.actions.players import CONFIRM
from tournaments.actions.subjects import AtLeg
from tournaments.discord.commands.base import NUMBER, TEXT, Choices, Command, Option, Pressed
from tournaments.discord.interactions import CHOICES_MOST, Asked, Later, Reply, link
from tournaments.discord.replies import Shown
from tournaments.lifecycle import LegStatus, SeasonStatus
from tournaments.models import Leg
from tournaments.reading.sheet import Sheet
from tournaments.webhooks.payloads import absolute

BOARD, RECORD = "board", "record"


# -- which match ---------------------------------------------------------------------------------


def _number(asked: Asked) -> int | None:
    number = asked.number("match")
    if number is None and asked.text("match"):
        raise NotFound("match.none", "There is no such match.")
    return number


def _own(asked: Asked) -> Match:
    """The match that is named, or the one in which somebody is to do something. Raises Refusal
    ``match.none``, ``discord.no-match`` and ``discord.which-match``."""
    number = _number(asked)
    if number is not None:
        return match_for(number, asked.user)
    running = own_running(asked.user)
    waiting = [each for each in running if each.to_move] or running
    if not waiting:
        raise Refusal("discord.no-match", "You are in no match at the moment.")
    if len(waiting) > 1:
        raise _which()
    return match_for(waiting[0].match.pk, asked.user)


def _which() -> Refusal:
    sentence = "You are in several matches. Say which one in the field “match”."
    return Refusal("discord.which-match", sentence)


def _seat(match: Match, user: User, sentence: str) -> Seat:
    seat = seat_of(match, user)
    if seat is None:
        raise Forbidden("seat.none", sentence)
    return seat


def _named(match: Match) -> tuple[str, int]:
    names = " vs ".join(player.name for player in match.players.all())
    return f"{match.pk}: {names} ({game_name(match.ruleset, match.variant)})", match.pk


def _fitting(matches: list[Match], typed: str) -> Choices:
    named = list(dict.fromkeys(map(_named, matches)))
    wanted = typed.casefold()
    return [each for each in named if wanted in each[0].casefold()][:CHOICES_MOST]


def _own_named(asked: Asked) -> Choices:
    own = [] if asked.linked is None else [each.match for each in own_running(asked.linked)]
    return _fitting(own, asked.text("match"))


def _live_named(asked: Asked) -> Choices:
    own = [] if asked.linked is None else [each.match for each in own_running(asked.linked)]
    return _fitting([*own, *matches_live(asked.reader)[:50]], asked.text("match"))


def _over_named(asked: Asked) -> Choices:
    over = matches_over(asked.reader)
    own = [] if asked.linked is None else list(over.filter(players__user=asked.linked)[:10])
    return _fitting([*own, *over[:50]], asked.text("match"))


_MATCH: Final = Option(
    name="match", description="Which match, by its number.", kind=NUMBER, typing=_own_named
)
_ANY_MATCH: Final = Option(
    name="match",
    description="Which match, by its number; otherwise your own.",
    kind=NUMBER,
    typing=_live_named,
)


# -- looking -------------------------------------------------------------------------------------


def _match(asked: Asked) -> Reply:
    number = _number(asked)
    if number is None:
        return board_reply(_own(asked), asked)
    return board_reply(match_for(number, asked.reader), asked)


def board_reply(match: Match, asked: Asked, words: str = "") -> Reply:
    """A match with its board: to a player as they see it and for their eyes alone, to everybody
    else as anybody sees it. The ``words`` are for whoever asked, whoever sits where by now."""
    user = asked.linked if seat_of(match, asked.reader) is not None else None
    shown = Shown(match.pk, user)
    return Reply(
        words,
        embeds=[shown.embed],
        rows=[shown.buttons],
        public=user is None and not words,
        later=Later(BOARD, match.pk, user),
    )


def _reserve(asked: Asked) -> Reply:
    number = _number(asked)
    match = _own(asked) if number is None else match_for(number, asked.reader)
    shown = Shown(match.pk, asked.linked if seat_of(match, asked.reader) is not None else None)
    if match.is_over:
        raise Refusal("match.over", "The match is over.")
    lines = [*shown.reserves, f"As of {moment(shown.sync['at'], 'T')}."]
    return Reply("\n".join(lines), rows=[shown.buttons])


def _record(asked: Asked) -> Reply:
    number = _number(asked)
    if number is None:
        raise NotFound("match.none", "There is no such match.")
    match = match_for(number, asked.reader)
    record_bytes(match)  # says now what a worker would say later
    public = Match.objects.visible_to(AnonymousUser()).filter(pk=match.pk).exists()
    shown = Shown(match.pk, None if public else asked.linked)
    return Reply(
        embeds=[shown.embed],
        rows=[shown.buttons],
        public=public,
        later=Later(RECORD, match.pk, None if public else asked.linked),
    )


# -- moving --------------------------------------------------------------------------------------


def _move(asked: Asked) -> Reply:
    match = _own(asked)
    seat = _seat(match, asked.user, "Only the two players can submit.")
    return _submit(asked, match, seat, versions_of(match.pk)[seat])


def _pick(asked: Asked) -> Reply:
    match = _own(asked)
    seat = _seat(match, asked.user, "Only the two players can submit.")
    # Before it is looked at: what is another decision by then is refused.
    version = versions_of(match.pk)[seat]
    slot = store.held_of(match).live.table.open[seat]
    # Where nothing is asked just now, the submission is refused as on the page.
    if slot is not None and slot.decision.barrier is None:
        sentence = "Nothing is picked in secret just now. Use /move for a move."
        raise Refusal("discord.nothing-to-pick", sentence)
    return _submit(asked, match, seat, version)


def _submit(asked: Asked, match: Match, seat: Seat, version: int) -> Reply:
    """Submit what was typed, as of when it came. What it answers is what was asked of the seat by
    then, which is its ``version``: a command names none. Where what came before it may still be on
    its way, that is waited for, and the answer comes later."""
    ticket = INTAKE.take(match.pk, taken=asked.came)
    submit = partial(_submitted, asked, match, seat, version)
    try:
        with store.without_waiting():
            reply = submit()
    except (StillComingError, store.RowHeldError):

        def awaited() -> Reply:
            try:
                return submit()
            finally:
                ticket.done()

        return Reply(awaited=awaited)
    except BaseException:
        ticket.done()
        raise
    ticket.done()
    return reply


def _submitted(asked: Asked, match: Match, seat: Seat, version: int) -> Reply:
    laps = Laps(asked.at, "discord")
    match_submit(
        match_id=match.pk,
        seat=seat,
        acting_user=asked.user,
        client_id=f"discord-{asked.id}",
        text=asked.text("text"),
        version=version,
        at=asked.at,
        clock=now_ms,
        laps=laps,
    )
    laps.finish()
    words = f"Submitted: {escaped(asked.text('text'))}"
    return board_reply(match_for(match.pk, asked.user), asked, words)


def _legal(asked: Asked) -> Choices:
    """The legal answers to what is asked of whoever types, where they can be listed."""
    if asked.linked is None:
        return []
    match = _own(asked)
    seat = seat_of(match, asked.linked)
    if seat is None:
        return []
    found = legal_like(store.held_of(match), seat, asked.text("text"), at_most=CHOICES_MOST)
    return [(text, text) for text in found]


_TEXT: Final = Option(
    name="text",
    description="The move, as the log writes it.",
    kind=TEXT,
    required=True,
    typing=_legal,
    at_most=2000,
)


# -- being there ---------------------------------------------------------------------------------


def _ready(asked: Asked) -> Reply:
    number = _number(asked)
    if number is not None:
        return ready_for(asked, str(number))
    waiting = [each.match for each in own_running(asked.user) if each.begins]
    if len(waiting) > 1:
        raise _which()
    if waiting:
        return ready_for(asked, str(waiting[0].pk))
    planned = _legs_of(asked.user)
    if not planned:
        raise _nothing_to_begin()
    subjects = [_at_leg(asked.user, leg) for leg in planned]
    return _confirm(next((each for each in subjects if CONFIRM.offered(each)), subjects[0]))


def _confirm(subject: AtLeg) -> Reply:
    refusal = CONFIRM.refusal(subject)
    if refusal is not None:
        raise refusal
    done = CONFIRM.do(subject)
    address = done.address or subject.death_match.get_absolute_url()
    if done.words:
        return Reply(done.words, rows=[[link("Open the death match", absolute(address))]])
    match = Match.objects.filter(leg=subject.leg.pk).first()
    waits = match is not None and match.waits_until is not None and is_in_turns(match)
    words = f"The match begins once both players {LOOKED_IN}." if waits else "The match has begun."
    return Reply(words, rows=[[link("Open the board", absolute(address))]])


def leg_ready_for(asked: Asked, number: str) -> Reply:
    """Say that one is there for a match of a season, before it begins or while it waits."""
    own = next((each for each in _legs_of(asked.user) if each.pk == int(number)), None)
    if own is not None:
        return _confirm(_at_leg(asked.user, own))
    begun = Leg.objects.filter(pk=int(number)).values_list("match", flat=True).first()
    if begun is None:
        raise _nothing_to_begin()
    return ready_for(asked, str(begun))


def _nothing_to_begin() -> Refusal:
    return Refusal("discord.nothing-to-begin", "No match waits for you to be ready.")


def ready_for(asked: Asked, number: str) -> Reply:
    """Say that one is there for a match that waits for its players."""
    match = match_for(int(number), asked.user)
    seat = _seat(match, asked.user, "Only the two players can say that.")
    begun = match_ready_now(match_id=match.pk, acting_user=asked.user, seat=seat)
    words = "The match is on." if begun else _ready_words(match)
    return board_reply(match_for(match.pk, asked.user), asked, words)


def _ready_words(match: Match) -> str:
    if is_in_turns(match):
        return (
            "You have looked in. It begins once both of you have and your numbers are open: the "
            "browser that has added one opens it."
        )
    return "You are ready. It begins once both of you are."


def is_ready_spent(number: str) -> bool:
    """Whether nobody can say any more that they are there for a match: it has begun, or is over."""
    row = Match.objects.filter(pk=int(number)).only("status", "waits_until").first()
    return row is None or row.is_over or row.waits_until is None


def is_here_spent(number: str) -> bool:
    """The same of a match of a season, which may not have been called yet."""
    row = Leg.objects.filter(pk=int(number)).values_list("status", "match").first()
    if row is None:
        return True
    status, match_id = row
    if status == LegStatus.PLANNED:
        return False
    return match_id is None or is_ready_spent(str(match_id))


def _legs_of(user: User) -> list[Leg]:
    """What somebody has still to play in seasons, what has a time first."""
    rows = Leg.objects.filter(
        status=LegStatus.PLANNED, death_match__round__season__status=SeasonStatus.RUNNING
    )
    own = rows.filter(death_match__home__user=user) | rows.filter(death_match__away__user=user)
    own = own.select_related("death_match__round__season")
    return list(own.order_by("scheduled_at", "death_match", "number", "attempt"))


def _at_leg(user: User, leg: Leg) -> AtLeg:
    sheet = Sheet(leg.death_match.round.season)
    found = sheet.death_match(leg.death_match_id)
    return AtLeg(user, sheet, found, found.leg(leg.pk))


COMMANDS: Final = (
    Command(
        name="match",
        description="A match: the board, the clocks, and whose turn it is.",
        run=_match,
        options=[_ANY_MATCH],
    ),
    Command(
        name="move",
        description="Move in your match. Nobody else sees what you type.",
        run=_move,
        options=[_TEXT, _MATCH],
    ),
    Command(
        name="pick",
        description="Pick in secret, where both choose at the same time.",
        run=_pick,
        options=[_TEXT, _MATCH],
    ),
    Command(
        name="ready",
        description="Say that you are there for your match.",
        run=_ready,
        options=[_MATCH],
    ),
    Command(
        name="reserve",
        description="What both players have left of their reserve.",
        run=_reserve,
        options=[_ANY_MATCH],
    ),
    Command(
        name="record",
        description="The record of a match that is over, to replay it anywhere.",
        run=_record,
        options=[
            Option(
                name="match",
                description="Which match, by its number.",
                kind=NUMBER,
                required=True,
                typing=_over_named,
            )
        ],
    ),
)
PRESSED: Final[dict[str, Pressed]] = {"ready": ready_for, "here": leg_ready_for}
#: The buttons that have done their part some day, and whether they have.
SPENT: Final[dict[str, Callable[[str], bool]]] = {"ready": is_ready_spent, "here": is_here_spent}
