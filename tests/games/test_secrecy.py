"""Non-interference over every surface: two matches that differ only in what an audience must not
know give that audience the same bytes, at the same instants.

Each run is made at the same instants, with the same row numbers, and taken back afterwards. What is
compared: frames to the audience's channel groups, the view after everything that happens, the HTTP
view with its ETag whenever pages are read and at the end, what a submission of theirs is answered,
chat, reminders, the pages and lists that tell of the match, what an organiser's acts are answered,
announcements and mails, and what a report captures. Only a whole run has five pairs of Tetronogo
matches instead of three.
"""

from __future__ import annotations

import functools
import itertools
import logging
import random
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec
import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import AnonymousUser
from django.core import mail
from django.core.cache import cache
from django.db import connection, transaction
from django.middleware import csrf
from django.test import Client
from django.urls import reverse

from accounts.announcing.kinds import Way, When
from accounts.announcing.services import choices_set
from accounts.models import Announcement, User
from accounts.moderation import reports
from core.refusals import Refusal
from games.announcements import TURN
from games.engine import live as lives
from games.engine import notation
from games.engine.decisions import Audience, Seat
from games.engine.play import opened, submitted
from games.engine.ruleset import HeldItem
from games.engine.table import AnyRuleset, Header
from games.jobs import TELL_TURN
from games.models import Match
from games.pictures.diagrams import diagram_of
from games.reading.known import Known
from games.reading.readers import reader_of
from games.reading.shared import room_view
from games.rulesets import REGISTRY
from games.services.chat import chat_post
from games.services.commentary import commentator_name
from games.services.plans import plan_of, plan_save
from games.services.predictions import prediction_make, predictions_tell
from games.tasks import tell_turn
from tests.games.support import T0, Play, Wire, committing, group, started
from tests.support import depth
from tests.support.workers import Workers

pytestmark = pytest.mark.usefixtures("letters_go_out")

SEED = 5
ADA = "ada@gauntlet.example"


# What the answer to is the same in both of two twins, and told.
TOLD_TO_ALL = ("organise", "predict")


class Action(NamedTuple):
    """Something that is done at an instant. Those that are ``secret`` leave no trace of their own
    with an audience other than their seat's."""

    at: int
    name: str  # "submit", "organise", "chat", "plan", "comment", "predict", "look"
    seat: Seat | None
    text: str
    secret: bool = False


class Onlooker:
    """Somebody who must not know: gathers whatever they can get hold of."""

    def __init__(self, audience: Audience, user: User | None, wire: Wire) -> None:
        self.audience = audience
        self.user = user
        self.wire = wire
        self.client = Client()
        if user is not None:
            self.client.force_login(user)
        self.gathered: list[tuple[str, object]] = []
        self.known: Known | None = None

    def groups(self, play: Play) -> set[str]:
        watches = self.audience not in (0, 1)
        rooms = ["players", "spectators", "commentary"] if watches else ["players"]
        own = [] if self.user is None else [f"user.{self.user.pk}"]
        chats = [f"match.{play.pk}.chat.{room}" for room in rooms]
        return {group(play.pk, self.audience), "lobby", *chats, *own}

    def hear(self, play: Play, texts: Sequence[tuple[str, str]]) -> None:
        """Take in the frames of one's groups."""
        self.gathered += [("frame", each) for each in texts if each[0] in self.groups(play)]

    def look(self, play: Play, at: int) -> None:
        """See the match: what the HTTP view and the socket's first frame consist of."""
        reader = reader_of(play.pk, self.user or AnonymousUser())
        self.gathered.append((f"{at} view", (*reader[:3], reader.sync)))
        if self.audience == "room":
            self.share(play, at)

    def share(self, play: Play, at: int) -> None:
        """See the match as spectators share it: kept since the last time where nothing has
        happened since, and even so as of now."""
        sync = room_view(play.pk).sync(at=T0 + at, organise=False, known=self.known)
        self.gathered.append((f"{at} shared", msgspec.json.decode(msgspec.json.encode(sync))))
        self.known = Known(None, sync["version"], self.known_items(sync))

    def known_items(self, sync: dict[str, Any]) -> int:
        """How much of the log is known with what came."""
        after: int = sync.get("after", 0)
        return after + len(msgspec.json.decode(sync["log"]))

    def ask(self, play: Play, at: int) -> None:
        """Ask for the match over HTTP."""
        self._get(at, reverse("api:match", args=[play.pk]))
        for name in ("record", "commentary", "predictions"):
            self._get(at, reverse(f"api:{name}", args=[play.pk]))

    def look_around(self, play: Play, at: int) -> None:
        """Ask for the match, and for every page that tells of it."""
        self.ask(play, at)
        for page in ("match", "replay", "record", "board"):
            self._get(at, reverse(f"games:{page}", args=[play.pk]))
        for page in ("home", "lobby", "watch"):
            self._get(at, reverse(f"games:{page}"))
        if self.user is not None:
            self._get(at, reverse("games:mine"))
            self._get(at, self.user.get_absolute_url())

    def _get(self, at: int, address: str) -> None:
        answer = self.client.get(address)
        headers = {name: answer.headers.get(name) for name in ("ETag", "Location", "Content-Type")}
        self.gathered.append((f"{at} {address}", (answer.status_code, headers, answer.content)))

    def read_on(self, play: Play, stills: Callable[[], list[str]]) -> None:
        """Read one's mail, the boards after each turn, and what a report of the match captures for
        the moderators."""
        self.read_mail()
        self.read_announcements()
        self.gathered += [(f"still {number}", still) for number, still in enumerate(stills())]
        reader = self.user or User.objects.get(username="cleo")
        target = reports.target_of(reader, "games.match", str(play.pk))
        assert target is not None
        self.gathered.append(("report", target.context))

    def read_mail(self) -> None:
        """Read one's mail; spectators, everybody's but seat 0's."""
        theirs = [] if self.user is None else [self.user.email]
        letters = [
            letter for letter in mail.outbox if self.audience == "room" or letter.to == theirs
        ]
        # By whose link mail is ended is signed anew in each.
        told = [
            (letter.to, letter.subject, re.sub(r"(/unsubscribe/)\S+", r"\1", str(letter.body)))
            for letter in letters
        ]
        self.gathered.append(("mail", [each for each in told if each[0] != [ADA]]))

    def read_announcements(self) -> None:
        """Read what one was told, whatever ways it goes out by; spectators, everybody's but seat
        0's."""
        told = Announcement.objects.exclude(user__username="ada")
        if self.audience != "room":
            told = told.visible_to(self.user)
        rows = told.order_by("pk").values_list("user__username", "kind", "subject", "words", "path")
        self.gathered.append(("announcements", list(rows)))

    def try_something(self, play: Play, at: int) -> None:
        """A submission that cannot stand, to see whether its refusal tells anything."""
        for client_id, text in (("same-id", "nonsense"), ("a-1", "D4 90")):
            answer = self.client.post(
                reverse("api:submissions", args=[play.pk]),
                {"id": client_id, "text": text, "version": play.versions[1]},
                content_type="application/json",
            )
            self.gathered.append((f"{at} {text}", (answer.status_code, answer.content)))


def stills_of(play: Play) -> list[str]:
    """The boards after each entry of the room's log, which all readers are shown alike."""
    match, entries, stills = play.match, play.held.readers.logs[2], []
    for number in itertools.count():
        try:
            stills.append(diagram_of(match, number))
        except Refusal:  # no board yet, or no such entry
            if number > entries:
                return stills
            stills.append("")
    raise AssertionError("counting ends")


class Stage:
    """Where runs take place."""

    def __init__(
        self,
        set_clock: Callable[[int], None],
        wire: Wire,
        ada: User,
        ben: User,
    ) -> None:
        self.set_clock = set_clock
        self.wire = wire
        self.ada, self.ben = ada, ben
        for user, address in ((ada, ADA), (ben, "ben@gauntlet.example")):
            user.email = address
            user.save(update_fields=["email"])
            EmailAddress.objects.create(user=user, email=address, verified=True, primary=True)

    def run(
        self,
        ruleset: str,
        actions: Sequence[Action],
        users: dict[str, User],
        twins: Twins,
        audiences: Sequence[Audience] = (1, "room"),
    ) -> dict[Audience, list[tuple[str, object]]]:
        """Do the actions with a worker that is never late, and return what was gathered."""
        signed_in: dict[Audience, User] = {0: self.ada, 1: self.ben}
        onlookers = [Onlooker(who, signed_in.get(who), self.wire) for who in audiences]
        with transaction.atomic():
            _same_numbers()
            self._run(ruleset, sorted(actions), users, twins, onlookers)
            transaction.set_rollback(True)
        return {onlooker.audience: onlooker.gathered for onlooker in onlookers}

    def _run(
        self,
        ruleset: str,
        actions: list[Action],
        users: dict[str, User],
        twins: Twins,
        onlookers: list[Onlooker],
    ) -> None:
        until = twins.until
        mail.outbox.clear()
        self.set_clock(0)
        self.wire.texts()
        # Chance is the same in all runs, whatever was chosen.
        play = started(
            (self.ada, self.ben), ruleset, random=random.Random(SEED).random, **twins.setup
        )
        queue, number = list(actions), 0
        if twins.between >= 0:
            queue = sorted([*queue, Action(twins.between, "look", None, "")])
        while True:
            wake = Match.objects.values_list("wake_at", flat=True).get(pk=play.pk)
            due = until if wake is None else wake - T0
            at = min(due, queue[0].at if queue else until, until)
            self.set_clock(at)
            if at == until:
                break
            action = queue.pop(0) if queue and queue[0].at == at else None
            if action is not None:
                number += 1
                # Ids of public actions are the same in both runs, whatever else was done.
                client_id = f"a-{number}" if action.secret else f"{action.name}-{action.at}"
                answer = self._do(play, action, client_id, users)
            else:
                play.wake(at)
            texts = self.wire.texts()
            for onlooker in onlookers:
                onlooker.hear(play, texts)
                if action is not None and action.name == "look":
                    onlooker.look_around(play, at)
                if action is not None and action.name in TOLD_TO_ALL and not action.secret:
                    onlooker.gathered.append((f"{at} {action.text}", str(answer)))
                if not (action and action.secret) and at >= twins.since:
                    onlooker.look(play, at)
        self._leave(play, twins, onlookers)

    def _leave(self, play: Play, twins: Twins, onlookers: list[Onlooker]) -> None:
        stills = functools.cache(lambda: stills_of(play))
        for onlooker in onlookers:
            if twins.between < 0:
                onlooker.look_around(play, twins.until)
            else:
                onlooker.ask(play, twins.until)
            onlooker.read_on(play, stills)
        onlookers[0].try_something(play, twins.until)

    def _do(self, play: Play, action: Action, client_id: str, users: dict[str, User]) -> object:
        answer: object = None
        if action.name == "submit":
            assert action.seat is not None
            answer = play.submit(action.seat, action.text, action.at, client_id=client_id)
            assert hasattr(answer, "version"), answer
        elif action.name == "organise":
            answer = play.organise(users["orla"], action.text, action.at, client_id=client_id)
        elif action.name == "chat":
            room = "spectators" if action.seat is None else "players"
            author = users["cleo"] if action.seat is None else play.players[action.seat]
            with committing():
                chat_post(
                    acting_user=author, match=play.match, room=room, client_id=client_id,
                    text=action.text, at=T0 + action.at,
                )  # fmt: skip
        elif action.name == "comment":
            self._comment(play, action, client_id, users)
        elif action.name == "predict":
            answer = self._predict(play, action, users)
        elif action.name == "plan":
            assert action.seat is not None
            player = play.players[action.seat]
            revision = plan_of(match_id=play.pk, user=player).revision
            with committing():
                answer = plan_save(
                    acting_user=player, match_id=play.pk, revision=revision,
                    content=msgspec.json.decode(action.text),
                )  # fmt: skip
        return answer

    def _comment(self, play: Play, action: Action, client_id: str, users: dict[str, User]) -> None:
        with committing():
            if not play.match.commentators.exists():
                commentator_name(acting_user=users["orla"], match_id=play.pk, user=users["cleo"])
            chat_post(
                acting_user=users["cleo"], match=play.match, room="commentary",
                client_id=client_id, text=action.text, at=T0 + action.at,
            )  # fmt: skip

    def _predict(self, play: Play, action: Action, users: dict[str, User]) -> object:
        try:
            with committing():
                return prediction_make(
                    acting_user=users["cleo"], match_id=play.pk, seat=int(action.text),
                    at=T0 + action.at,
                )  # fmt: skip
        except Refusal as refusal:
            return str(refusal)
        finally:
            predictions_tell(play.pk)


def _same_numbers() -> None:
    """Rows of a run that is taken back leave gaps in the numbering: begin at the same one again."""
    with connection.cursor() as cursor:
        for table in (
            "games_match", "games_matchentry", "games_matchplayer", "games_chatmessage",
            "games_prediction", "accounts_announcement",
        ):  # fmt: skip
            cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), 70000)", [table])
    # What one run has left there would hide a difference.
    cache.clear()


@pytest.fixture
def stage(
    set_clock: Callable[[int], None],
    wire: Wire,
    ada: User,
    ben: User,
    workers: Workers,
    monkeypatch: pytest.MonkeyPatch,
) -> Stage:
    # Ben hears of every turn, by every way that carries words.
    workers.at_once[TELL_TURN] = tell_turn
    choices_set(
        acting_user=ben,
        chosen={(TURN.key, Way.SITE): When.NOW, (TURN.key, Way.MAIL): When.NOW},
    )
    # Tokens against forged requests are random on purpose and tell nothing.
    monkeypatch.setattr(csrf, "_mask_cipher_secret", lambda secret: secret)
    monkeypatch.setattr(csrf, "_get_new_csrf_string", lambda: "x" * 32)
    return Stage(set_clock, wire, ada, ben)


# -- pairs of matches that look alike ------------------------------------------------------------


class Twins(NamedTuple):
    """Two courses of a match that seat 1 and the room must not be able to tell apart."""

    one: list[Action]
    two: list[Action]
    since: int  # when they begin to differ
    until: int
    setup: dict[str, Any] = {}  # noqa: RUF012  (a named tuple's default; never changed)
    # When lists and pages are read: while one has made a secret choice and the other has not, where
    # there is such a time. Otherwise at the end.
    between: int = -1


def noise(start: int) -> list[Action]:
    """What else happens meanwhile, in both. Acts that are refused have to be so in both, too."""
    return [
        Action(start + 2_500, "organise", None, "extend 0 1"),
        Action(start + 2_600, "organise", None, "extend 1 1"),
        Action(start + 9_000, "chat", 1, "are you there?"),
        Action(start + 11_800, "organise", None, "rule valid"),
        Action(start + 12_000, "organise", None, "reserve 1 +30"),
        Action(start + 14_000, "chat", None, "who will win?"),
        Action(start + 14_100, "comment", None, "a close one"),
        Action(start + 14_200, "predict", None, "1"),
        Action(start + 33_000, "organise", None, "pause"),
        Action(start + 34_000, "organise", None, "resume"),
    ]


PICKS: dict[str, tuple[str, int] | None] = {
    "T early": ("T", 2_000),
    "L early": ("L", 2_000),
    "L late": ("L", 52_500),
    "not at all": None,
}


def tetronogo_twins(first: str, second: str, bout: int) -> Twins:
    """Seat 0's secret tetromino of a bout: which one, when, and whether at all. The bouts before
    are played alike."""
    before, at, used = _bouts_before(bout)

    def course(choice: tuple[str, int] | None) -> list[Action]:
        if choice is None:
            return before
        letter, offset = choice
        assert letter not in used
        return [*before, Action(at + offset, "submit", 0, f"pick {letter}", secret=True)]

    one, two = course(PICKS[first]), course(PICKS[second])
    back = [Action(at + 59_400, "organise", None, "take back")]
    return Twins(
        [*one, *noise(at), *back], [*two, *noise(at), *back], at, at + 59_500, {}, at + 5_000
    )


def _bouts_before(bout: int) -> tuple[list[Action], int, set[str]]:
    actions, at = [], 0
    letters = iter((("O", "I"), ("S", "Z"), ("J", "O")))
    used = set()
    for _ in range(1, bout):
        own, other = next(letters)
        used.add(own)
        actions += [
            Action(at + 1_000, "submit", 0, f"pick {own}"),
            Action(at + 2_000, "submit", 1, f"pick {other}"),
        ]
        moves, at = _random_bout(actions, at + 3_000)
        actions += moves
    return actions, at, used


def _random_bout(so_far: list[Action], at: int) -> tuple[list[Action], int]:
    """Random play from the choice of the starter to the end of the bout."""
    rules = REGISTRY.get("tetronogo")
    rng = random.Random(at)
    header = Header(
        ruleset="tetronogo",
        variant="standard",
        options=msgspec.convert({}, rules.options_type),
        advantage=0,
    )
    table = opened(rules, header)
    for action in so_far:
        assert action.seat is not None
        table = submitted(rules, table, seat=action.seat, text=action.text, reading_ms=0).table
    moves: list[Action] = []
    while True:
        seat = next(seat for seat in (0, 1) if table.open[seat] is not None)
        slot = table.open[seat]
        assert slot is not None
        if slot.decision.kind == "pick":
            return moves, at
        text = rules.print(rules.sample(table.state, slot.decision, rng.random))
        moves.append(Action(at, "submit", seat, text))
        table = submitted(rules, table, seat=seat, text=text, reading_ms=0).table
        at += 1_000


def domino_twins(seed: int, turns: int) -> Twins:
    """Seat 0 hides other numbers in the two matches, and lays other dominoes for it; every number
    that shows, every colour and every letter announced is the same."""
    rules = REGISTRY.get("domino-black-white")
    rng = random.Random(seed)
    states = [rules.initial(_setup(rules)) for _ in range(2)]
    courses: list[list[Action]] = [[], []]
    differences, at = 0, 1_000
    for number in range(turns + 1):
        (decision,) = rules.decisions(states[0])
        pairs = _alike(rules, states, decision, rng) if number else [("first", "first")]
        pair = pairs[0]
        differences += pair[0] != pair[1]
        for which, text in enumerate(pair):
            courses[which].append(Action(at, "submit", decision.seat, text))
            move = rules.parse(notation.tidy(text))
            states[which] = rules.apply(states[which], ((decision.seat, move),))
        assert rules.outcome(states[0]) is None
        at += 1_000
    assert differences >= 3
    # Then nobody moves for a while.
    return Twins([*courses[0], *noise(at)], [*courses[1], *noise(at)], 0, at + 130_000)


def _setup(rules: AnyRuleset) -> Any:
    from games.engine.ruleset import Setup

    return Setup(variant="standard", options=msgspec.convert({}, rules.options_type), advantage=0)


_PLACEMENT = re.compile(r"\((\d),(\d)\) (\w+):(\w+) hide (\w+)")


def _shown(text: str) -> tuple[Any, ...]:
    """What everybody sees of a placement."""
    match = _PLACEMENT.fullmatch(text)
    assert match is not None, text
    one, two, at, to, hide = match.groups()
    halves = {at: int(one), to: int(two)}
    hidden = halves.pop(hide)
    ((square, number),) = halves.items()
    return hide, hidden % 2, square, number


def _alike(
    rules: AnyRuleset, states: Sequence[Any], decision: Any, rng: random.Random
) -> list[tuple[str, str]]:
    """Pairs of placements, one for each state, that look alike to everybody but seat 0; those that
    differ come first. Seat 1 does the same in both."""
    options: list[dict[tuple[Any, ...], list[str]]] = []
    for state in states:
        found: dict[tuple[Any, ...], list[str]] = {}
        for move in rules.legal(state, decision):
            text = rules.print(move)
            after = rules.apply(state, ((decision.seat, move),))
            if rules.outcome(after) is None:
                key = (*_shown(text), after.last.met)
                found.setdefault(key, []).append(text)
        options.append(found)
    pairs = [
        (one, two)
        for key, texts in options[0].items()
        for one in texts
        for two in options[1].get(key, [])
        if decision.seat == 0 or one == two
    ]
    rng.shuffle(pairs)
    return sorted(pairs, key=lambda pair: pair[0] == pair[1])


class Pair:
    """Two matches played side by side in the engine, to find moves that both of them take.

    Chance falls as it will in the runs: from the same seed, in the order of the draws."""

    def __init__(
        self, ruleset: str, *, variant: str = "standard", items: Sequence[Any] = ()
    ) -> None:
        self.rules = REGISTRY.get(ruleset)
        self.setup = {"variant": variant, "items": tuple(items)}
        header = Header(
            ruleset=ruleset,
            variant=variant,
            options=msgspec.convert({}, self.rules.options_type),
            advantage=0,
            items=tuple(items),
        )
        self.sources = [random.Random(SEED).random for _ in range(2)]
        self.lives = [
            lives.begin(self.rules, header, at=T0, random=source).live for source in self.sources
        ]
        self.courses: list[list[Action]] = [[], []]
        self.at = 0

    def do(self, seat: Seat, one: str, two: str = "", *, wait: int = 1_000) -> None:
        """The same in both, or something secret that differs."""
        self.at += wait
        for which, text in enumerate((one, two or one)):
            self.only(which, seat, text, self.at, secret=bool(two))

    def only(self, which: int, seat: Seat, text: str, at: int, *, secret: bool = True) -> None:
        """Something in one of the two."""
        turn = lives.submit(
            self.rules, self.lives[which], seat=seat, text=text, at=T0 + at,
            random=self.sources[which],
        )  # fmt: skip
        assert turn.refusal is None, turn.refusal
        self.lives[which] = turn.live
        self.courses[which].append(Action(at, "submit", seat, text, secret))

    def legal(self, which: int, seat: Seat) -> list[str]:
        """The moves of a seat, as text."""
        table = self.lives[which].table
        slot = table.open[seat]
        assert slot is not None
        return [self.rules.print(move) for move in self.rules.legal(table.state, slot.decision)]

    def sample(self, seat: Seat, seed: int) -> str:
        """A move of a seat in the first match."""
        table = self.lives[0].table
        slot = table.open[seat]
        assert slot is not None
        return self.rules.print(
            self.rules.sample(table.state, slot.decision, random.Random(seed).random)
        )

    def deciding(self) -> Seat:
        """The seat whose turn it is, in both."""
        seats = [seat for seat in (0, 1) if self.lives[0].table.open[seat] is not None]
        assert seats == [s for s in (0, 1) if self.lives[1].table.open[s] is not None]
        return seats[0]

    def twins(self, since: int, until: int, between: int = -1) -> Twins:
        one, two = (sorted(course) for course in self.courses)
        meanwhile = [action for action in noise(since) if action.at < until]
        if between >= 0:
            meanwhile.append(Action(until - 100, "organise", None, "take back"))
        return Twins([*one, *meanwhile], [*two, *meanwhile], since, until, self.setup, between)


DECK = "01 12 23 34 45 56 06 16"
OTHER_DECK = "02 13 24 35 46 05 15 26"


def decks_twins() -> Twins:
    """Seat 0's eight dominoes, and when they are chosen."""
    pair = Pair("domino-wars")
    pair.do(0, "first")
    since = pair.at
    pair.only(0, 0, f"deck {DECK}", since + 3_000)
    pair.only(1, 0, f"deck {OTHER_DECK}", since + 70_000)
    return pair.twins(since, since + 119_000, since + 5_000)


def hands_twins() -> Twins:
    """One of seat 0's dominoes is another one. It stays in the hand or in the pile, while both
    play on; what is drawn, put back and put on top is nobody else's business."""
    pair = Pair("domino-wars")
    pair.do(0, "first")
    ours = ["01 02 12 13 23 24 34 56", "01 02 12 13 23 24 34 46"]
    pair.do(0, f"deck {ours[0]}", f"deck {ours[1]}")
    pair.do(1, f"deck {OTHER_DECK}")
    plays = 0
    for number in range(40):
        seat = pair.deciding()
        options = [text for text in pair.legal(0, seat) if text in pair.legal(1, seat)]
        if seat == 0:
            options = [text for text in options if not re.search("56|46", text)]
        if not options:
            break
        pair.do(seat, random.Random(number).choice(options))
        plays += 1
        if any(live.table.result is not None for live in pair.lives):
            # What ends the match reveals it: leave that one out.
            pair.courses = [course[:-1] for course in pair.courses]
            pair.at -= 1_000
            break
    assert plays >= 6
    return pair.twins(1_000, pair.at + 500)


def extra_peg_twins() -> Twins:
    """The square that seat 0 names for a peg while both look over the pallets, and how often."""
    pair = Pair("peg-domain", variant="final", items=[HeldItem(0, "additional-peg")])
    pair.do(0, "take order")
    since = pair.at
    squares = [text for text in pair.legal(0, 0) if text.startswith("extra peg")]
    pair.only(0, 0, squares[0], since + 2_000)
    for number, square in enumerate((squares[-1], squares[3], squares[-5])):
        pair.only(1, 0, square, since + 20_000 * (number + 1))
    return pair.twins(since, since + 100_000, since + 5_000)


def _to_the_first_turn() -> Pair:
    pair = Pair("peg-domain", variant="final")
    for seat, text in ((0, "take order"), (0, "ready"), (1, "ready"), (0, "first"), (1, "blue")):
        pair.do(seat, text)
    return pair


def placement_twins() -> Twins:
    """Seat 0's placement, while the time in which seat 1 may name a removal goes on."""
    pair = _to_the_first_turn()
    since = pair.at
    early, late = pair.sample(0, 1), pair.sample(0, 2)
    pair.only(0, 0, early, since + 2_000)
    pair.only(1, 0, late, since + 11_000)
    return pair.twins(since, since + 19_500, since + 5_000)


def removal_twins() -> Twins:
    """What seat 0 removes during seat 1's turn: named once, changed, or not at all."""
    pair = _to_the_first_turn()
    # Seat 0's turn ends when its own placement and seat 1's "no removal" are in.
    pair.do(0, pair.sample(0, 1))
    pair.do(1, "no removal")
    assert pair.lives[0].table.open[1] is not None
    since = pair.at
    squares = [text for text in pair.legal(0, 0) if re.fullmatch(r"remove \w+", text)]
    pair.only(0, 0, squares[0], since + 2_000)
    for number, text in enumerate((squares[-1], "no removal", squares[2])):
        pair.only(1, 0, text, since + 5_000 * (number + 1))
    return pair.twins(since, since + 90_000, since + 3_500)


PLANNED = "where nobody may ever read it"


def _plan(number: int) -> str:
    """A rich plan, as JSON; no two are alike."""
    items: list[dict[str, Any]] = [
        {"kind": "move", "text": f"{PLANNED} {number}", "colour": 0},
        {"kind": "arrow", "board": 0, "from": [number, 1], "to": [5, 6], "colour": 1},
        {"kind": "mark", "board": 1, "at": [1, number], "sign": "cross", "colour": 3},
        {"kind": "cut", "board": 0, "points": [[0, 0], [9, 0], [9, number]], "colour": 2},
        {"kind": "note", "board": 0, "at": [3, 4], "text": PLANNED},
        {"kind": "line", "board": 0, "points": [[0, 0], [9, number]], "colour": 0},
    ]
    plan = {
        "version": 1, "candidates": [{"name": PLANNED, "items": items}] * 2, "shown": 1,
        "note": PLANNED, "premove": {"text": PLANNED}, "wanted": [PLANNED, str(number)],
    }  # fmt: skip
    return msgspec.json.encode(plan).decode()


def plans_twins(ruleset: str) -> Twins:
    """Seat 0 plans again and again in one of two matches that are played alike: while it waits and
    when it is its turn, before pages are read and after. Not before the first move, with which
    those begin to listen who come by a stream."""
    pair = Pair(ruleset, variant=REGISTRY.get(ruleset).variants[0].id)
    for number in range(4):
        table = pair.lives[0].table
        seat = next(s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s))
        pair.do(seat, pair.sample(seat, number))
    plans = [
        Action(1_200 + 700 * number, "plan", 0, _plan(number), secret=True) for number in range(24)
    ]
    until = pair.at + 16_500
    twins = pair.twins(0, until, pair.at + 5_000)
    return twins._replace(one=sorted([*twins.one, *plans]))


def watchers_twins(ruleset: str) -> Twins:
    """Those who watch one of two matches that are played alike predict and comment, and nobody does
    so of the other: the players cannot tell."""
    pair = Pair(ruleset, variant=REGISTRY.get(ruleset).variants[0].id)
    for number in range(4):
        table = pair.lives[0].table
        seat = next(s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s))
        pair.do(seat, pair.sample(seat, number))
    said = [
        Action(1_200 + 700 * number, name, None, f"{number % 2}", secret=True)
        for number in range(12)
        for name in ("comment", "predict")
    ]
    one, two = (sorted(course) for course in pair.courses)
    return Twins(sorted([*one, *said]), two, 0, pair.at + 16_500, pair.setup, pair.at + 5_000)


# Every choice and both bouts are among the first and the last.
TETRONOGO_TWINS = depth.some(
    [
        ("T early", "L early", 1),
        ("T early", "L late", 1),
        ("T early", "not at all", 1),
        ("T early", "L early", 2),
        ("L late", "not at all", 2),
    ],
    3,
)
TWINS: dict[str, list[Callable[[], Twins]]] = {
    "tetronogo": [functools.partial(tetronogo_twins, *each) for each in TETRONOGO_TWINS],
    "domino-black-white": [
        lambda: domino_twins(2, 12),
    ],
    "domino-wars": [decks_twins, hands_twins],
    "peg-domain": [extra_peg_twins, placement_twins, removal_twins],
    # Nobody ever makes a choice in secret, and nothing is dealt.
    "domain": [],
}
for _ruleset, _made in TWINS.items():
    _made.append(functools.partial(plans_twins, _ruleset))


def twins_in_turn(surface: int) -> list[tuple[str, int]]:
    """One pair of twins of each ruleset, each of several surfaces another; all in a whole run."""
    return [
        (ruleset, number)
        for ruleset, makers in TWINS.items()
        for number in (range(len(makers)) if depth.whole else [surface % len(makers)])
    ]


def test_every_ruleset_is_held_to_this() -> None:
    assert set(TWINS) == {ruleset.id for ruleset in REGISTRY}


@pytest.mark.parametrize(
    ("ruleset", "number"),
    [(ruleset, number) for ruleset, makers in TWINS.items() for number in range(len(makers))],
)
def test_an_audience_cannot_tell_twins_apart(
    ruleset: str,
    number: int,
    stage: Stage,
    orla: User,
    cleo: User,
    caplog: pytest.LogCaptureFixture,
) -> None:
    twins = TWINS[ruleset][number]()
    users = {"orla": orla, "cleo": cleo}
    caplog.set_level(logging.INFO)
    one = stage.run(ruleset, twins.one, users, twins)
    two = stage.run(ruleset, twins.two, users, twins)
    for audience in (1, "room"):
        assert len(one[audience]) > 20
        for first, second in zip(one[audience], two[audience], strict=False):
            assert first == second
        assert len(one[audience]) == len(two[audience])
    # Logs are read by people, too.
    for action in (*twins.one, *twins.two):
        if action.name == "submit" and action.text != "first":
            assert action.text not in caplog.text
    assert PLANNED not in caplog.text


@pytest.mark.parametrize("ruleset", TWINS)
def test_players_cannot_tell_what_those_who_watch_say(
    ruleset: str, stage: Stage, orla: User, cleo: User
) -> None:
    users = {"orla": orla, "cleo": cleo}
    twins = watchers_twins(ruleset)
    one, two = (stage.run(ruleset, each, users, twins, (0, 1)) for each in (twins.one, twins.two))
    for seat in (0, 1):
        assert len(one[seat]) > 20
        assert one[seat] == two[seat]
    # And the room can.
    one, two = (
        stage.run(ruleset, each, users, twins, ("room",)) for each in (twins.one, twins.two)
    )
    assert one["room"] != two["room"]


def test_what_differs_is_seen_by_whoever_may_see_it(stage: Stage, orla: User, cleo: User) -> None:
    """The comparison has teeth: seat 0 can tell the twins apart at once."""
    users = {"orla": orla, "cleo": cleo}
    twins = tetronogo_twins("T early", "L early", 1)

    one = stage.run("tetronogo", twins.one, users, twins, (0,))
    two = stage.run("tetronogo", twins.two, users, twins, (0,))
    assert one[0] != two[0]


def test_whoever_plans_is_told_so(stage: Stage, orla: User, cleo: User) -> None:
    """Nothing but that tells the twins apart to the one who plans: the match is the same."""
    users = {"orla": orla, "cleo": cleo}
    twins = plans_twins("tetronogo")
    one = stage.run("tetronogo", twins.one, users, twins, (0,))
    two = stage.run("tetronogo", twins.two, users, twins, (0,))
    plans = [each for each in one[0] if '"type":"plan"' in str(each[1])]
    assert len(plans) == sum(action.name == "plan" for action in twins.one) > 20
    assert [each for each in one[0] if each not in plans] == two[0]
