"""Practice: against the site's own bots, without haste and without a rating, for one's own eyes."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser

from accounts.models import AuditEntry, User
from accounts.services import guest_create, guest_join
from core.clock import now_ms
from core.refusals import Refusal
from games import store
from games.engine.capabilities import LEVELS
from games.jobs import bot_begun, bot_enqueue
from games.models import (
    HouseBot,
    Match,
    MatchEntry,
    MatchPlayer,
    Puzzle,
    PuzzleAnswer,
    PuzzleSolver,
    Rating,
)
from games.puzzles.services import puzzle_answer, puzzles_load
from games.reading import selectors
from games.reading.matches import match_for, practice_level, standing_of
from games.reading.readers import reader_of
from games.services import practice
from games.services.aftermath import end_follow_up
from games.services.chat import chat_post
from games.services.matches import match_start
from games.services.merging import guest_rows_move
from games.services.practice import (
    advice_find,
    bot_move,
    bots_hand_out,
    house_bot_ensure,
    practice_advise,
    practice_start,
    practice_take_back,
)
from games.services.turns import match_organise, match_submit
from games.thinking import processor_time, think
from tests.games.support import GAMES, Wire, committing, nothing_changes, record_holds, refused
from tests.support.workers import Workers

FIRST, SECOND = (lambda: 0.9), (lambda: 0.1)


class Practising:
    """A match of somebody against a bot."""

    def __init__(
        self, user: User, game: tuple[str, str] = ("tetronogo", "standard"), level: str = "novice"
    ) -> None:
        self.user = user
        self.random = random.Random(3).random
        ruleset, variant = game
        with committing():
            self.match = practice_start(
                acting_user=user,
                ruleset_id=ruleset,
                variant=variant,
                level=level,
                random=self.random,
            )
        self.seat = 1 if self.match.bot_seats == 1 else 0
        self.number = 0

    @property
    def held(self) -> store.Held:
        return store.read(self.match.pk)

    @property
    def entries(self) -> list[tuple[str, str]]:
        found = MatchEntry.objects.filter(match=self.match).order_by("seq")
        return list(found.values_list("actor", "text"))

    @property
    def is_asked(self) -> bool:
        table = self.held.live.table
        return table.open[self.seat] is not None and not table.holds_back(self.seat)

    def bot(self) -> bool:
        """A worker begins what it was handed."""
        bot_begun(match_id=self.match.pk)
        with committing():
            return bot_move(match_id=self.match.pk, random=self.random)

    def move(self, text: str = "") -> None:
        """What is asked of the person is answered: like this, or as a novice would."""
        held = self.held
        text = text or think(held, self.seat, "novice", seconds=0.0, random=self.random)
        self.number += 1
        with committing():
            match_submit(
                match_id=self.match.pk,
                seat=self.seat,
                acting_user=self.user,
                client_id=f"id-{self.number}",
                text=text,
                version=held.readers.versions[self.seat],
                at=now_ms(),
                random=self.random,
            )

    def to_the_end(self) -> Match:
        """A novice's moves against the bot's."""
        for _ in range(500):
            if self.held.is_over:
                break
            if self.is_asked:
                self.move()
            else:
                assert self.bot()
        return Match.objects.get(pk=self.match.pk)

    def take_back(self, client_id: str = "back") -> Any:
        with committing():
            return practice_take_back(
                acting_user=self.user,
                match_id=self.match.pk,
                client_id=client_id,
                at=now_ms(),
                random=self.random,
            )


@pytest.fixture
def practising(ada: User) -> Practising:
    """A match of Ada's at Tetronogo, of which nothing has been played."""
    return Practising(ada)


@pytest.mark.parametrize("game", GAMES, ids="/".join)
@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_plays_a_whole_match(
    ada: User, game: tuple[str, str], level: str, settings: Any
) -> None:
    settings.GAUNTLET_BOT_SECONDS = 0.0
    match = Practising(ada, game, level).to_the_end()
    assert match.winner in (0, 1)
    record_holds(match)


def test_practice_counts_for_nothing(ada: User, practising: Practising) -> None:
    match = practising.match
    assert match.is_practice
    assert match.unrated
    assert practice_level(match) == "novice"
    bot = User.objects.get(house_bot__level="novice")
    assert bot.is_bot
    assert not bot.has_usable_password()
    assert {each.user for each in match.players.all()} == {ada, bot}
    match = practising.to_the_end()
    with committing():
        end_follow_up(match_id=match.pk)
    assert not Match.objects.get(pk=match.pk).aftermath_due
    assert not Rating.objects.exists()
    assert not MatchPlayer.objects.filter(missed_end=True).exists()
    assert selectors.tallies_of(ada, ada) == []
    assert AuditEntry.objects.filter(action="match.start", who=ada).count() == 1


def test_a_bot_is_made_once(db: None) -> None:
    assert house_bot_ensure(level="club") == house_bot_ensure(level="club")
    assert AuditEntry.objects.filter(action="house_bot.create").count() == 1


def test_a_bot_whose_name_is_taken_has_another(db: None) -> None:
    person = User.objects.create_user("strong-bot")
    bot = house_bot_ensure(level="strong")
    assert bot != person
    assert bot.username.startswith("strong-bot-")
    assert bot.shown_name == "Strong Bot"


def test_seats_are_drawn(ada: User) -> None:
    arguments: dict[str, Any] = {
        "acting_user": ada, "ruleset_id": "domain", "variant": "standard", "level": "club",
    }  # fmt: skip
    for draw, seats in ((FIRST, 2), (SECOND, 1)):
        assert practice_start(**arguments, random=draw).bot_seats == seats


def test_what_cannot_begin(ada: User, settings: Any) -> None:
    def starts(code: str, **changes: Any) -> None:
        wanted = {"ruleset_id": "domain", "variant": "standard", "level": "club", **changes}
        refused(code, practice_start, acting_user=ada, **wanted)

    house_bot_ensure(level="club")
    starts("practice.level", level="best")
    starts("setup.ruleset", ruleset_id="chess")
    starts("setup.variant", variant="wide")
    settings.GAUNTLET_PRACTICE_AT_ONCE = 1
    Practising(ada, level="club")
    starts("practice.too-many")


# -- who sees it -----------------------------------------------------------------------------------


def test_nobody_else_sees_it(
    ada: User, ben: User, orla: User, root: User, practising: Practising, wire: Wire
) -> None:
    pk = practising.match.pk
    assert match_for(pk, ada).pk == pk
    for other in (ben, orla, root, guest_create(), AnonymousUser()):
        for look in (match_for, standing_of, reader_of):
            with pytest.raises(Refusal, match=r"match\.none"):
                look(pk, other)
    for who in (ada, ben, AnonymousUser()):
        assert not selectors.matches_listed(who).exists()
    assert selectors.own_running(ada) == []
    assert selectors.matches_to_move(ada) == []
    assert list(selectors.practice_of(ada)) == [practising.match]
    practising.to_the_end()
    assert not selectors.matches_listed(ada).exists()
    assert {group for group, _ in wire.frames()} <= {f"match.{pk}.{n}" for n in (0, 1, "room")}


def test_nobody_organises_it(orla: User, root: User, practising: Practising) -> None:
    for user in (orla, root):
        refused(
            "organiser.not-allowed", match_organise, match_id=practising.match.pk,
            acting_user=user, client_id="a", text="void", why="because", at=now_ms(),
        )  # fmt: skip


def test_a_bot_reads_no_chat(ada: User, practising: Practising) -> None:
    refused(
        "chat.practice", chat_post, acting_user=ada, match=practising.match, room="players",
        client_id="a", text="Good luck!", at=now_ms(),
    )  # fmt: skip


def test_guests_and_the_sites_bots_play_nothing_else(ada: User) -> None:
    def starts(code: str, other: User) -> None:
        refused(
            code, match_start, acting_user=ada, players=(ada, other), ruleset_id="tetronogo",
            variant="standard",
        )  # fmt: skip

    starts("setup.guest", guest_create())
    starts("setup.house-bot", house_bot_ensure(level="club"))


def test_a_guest_practises(db: None) -> None:
    guest = guest_create()
    assert guest.shown_name == "Guest"
    match = Practising(guest).to_the_end()
    assert {each.name for each in match.players.all()} == {"Guest", "Novice Bot"}


# -- what bots do ----------------------------------------------------------------------------------


def test_a_bot_is_asked_after_each_turn_that_leaves_something_to_it(
    ada: User, workers: Workers
) -> None:
    begun = Practising(ada)
    pk = begun.match.pk
    assert workers.of("games.bots.move") == [(pk,)]  # both pick, in secret
    begun.move("pick T")
    assert workers.of("games.bots.move") == [(pk,)]  # which is yet to be begun
    assert begun.bot()
    told = len(workers.of("games.bots.move"))
    assert told == 1 + store.awaits_bot(begun.held)
    for _ in range(5):
        if begun.is_asked:
            begun.move()
    assert len(workers.of("games.bots.move")) == told + 1


def test_a_bot_is_asked_once_and_again_when_that_was_lost(
    practising: Practising, workers: Workers
) -> None:
    pk = practising.match.pk
    bot_enqueue(match_id=pk)
    assert workers.of("games.bots.move") == []
    bot_begun(match_id=pk)
    assert bots_hand_out() == 1
    assert workers.of("games.bots.move") == [(pk,)]
    assert bots_hand_out() == 1
    assert len(workers.of("games.bots.move")) == 1


def test_nothing_is_asked_of_bots_in_what_is_over(practising: Practising, workers: Workers) -> None:
    practising.to_the_end()
    before = len(workers.of("games.bots.move"))
    assert bots_hand_out() == 0
    with nothing_changes():
        assert not practising.bot()
    assert len(workers.of("games.bots.move")) == before


def test_a_bot_that_is_asked_twice_moves_once(practising: Practising) -> None:
    assert practising.bot()
    with nothing_changes():
        assert not practising.bot()


def test_what_a_bot_thought_of_while_its_opponent_conceded_is_nothing(
    ada: User, practising: Practising, monkeypatch: pytest.MonkeyPatch
) -> None:
    thinks = think

    def concede_meanwhile(*arguments: Any, **more: Any) -> str:
        text = thinks(*arguments, **more)
        practising.move("concede")
        return text

    monkeypatch.setattr(practice, "think", concede_meanwhile)
    assert not practising.bot()
    assert Match.objects.get(pk=practising.match.pk).is_over


def test_what_a_bot_is_not_to_know_does_not_reach_it(
    practising: Practising, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All it is given is the view of its seat."""
    given: list[Any] = []
    ruleset = type(practising.held.ruleset)
    decide = ruleset.decide  # type: ignore[attr-defined]

    def noting(self: Any, view: Any, *arguments: Any) -> Any:
        given.append(view)
        return decide(self, view, *arguments)

    monkeypatch.setattr(ruleset, "decide", noting)
    practising.move("pick T")
    held = practising.held
    assert practising.bot()
    assert given == [held.ruleset.view(held.live.table.state, 0 if practising.seat else 1)]
    assert "T" not in str(given[0].get("picks"))


class Clocks:
    """What a thread is given of a processor, and the time that passes meanwhile."""

    def __init__(self, share: float) -> None:
        self.share, self.passed = share, 0.0

    def thread_time(self) -> float:
        return self.passed * self.share

    def monotonic(self) -> float:
        return self.passed


@pytest.mark.parametrize(("share", "answers_after"), [(1.0, 2.0), (0.5, 4.0), (0.01, 8.0)])
def test_a_bot_that_is_starved_of_a_processor_answers_all_the_same(
    share: float, answers_after: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clocks = Clocks(share)
    monkeypatch.setattr("games.thinking.time", clocks)
    may_go_on = processor_time(2.0)
    clocks.passed = answers_after - 0.1
    assert may_go_on()
    clocks.passed = answers_after + 0.1
    assert not may_go_on()


# -- hints -----------------------------------------------------------------------------------------


def advice(practising: Practising) -> Any:
    match = match_for(practising.match.pk, practising.user)
    return practice_advise(acting_user=practising.user, match=match)


def test_a_hint_is_what_the_strong_bot_would_play(practising: Practising, workers: Workers) -> None:
    pk, seat = practising.match.pk, practising.seat
    first = advice(practising)
    assert first.text is None
    assert workers.of("games.bots.advise") == [(pk, seat)]
    assert advice(practising).text is None
    assert len(workers.of("games.bots.advise")) == 1
    with nothing_changes():
        advice_find(match_id=pk, seat=seat)
    found = advice(practising)
    assert found.text.startswith("pick ")
    assert found.version == practising.held.readers.versions[seat]
    assert advice(practising) == found
    practising.move(found.text)


def test_who_is_given_hints(
    ada: User, ben: User, practising: Practising, start: Callable[..., Match]
) -> None:
    match = practising.match
    refused("practice.not-yours", practice_advise, acting_user=ben, match=match)
    between = start((ada, ben))
    refused("practice.not-yours", practice_advise, acting_user=ada, match=between)
    practising.move("pick T")
    mine = match_for(match.pk, ada)
    refused("decision.sealed", practice_advise, acting_user=ada, match=mine)
    practising.bot()
    for _ in range(5):
        if practising.is_asked:
            practising.move()
    mine = match_for(match.pk, ada)
    refused("decision.none", practice_advise, acting_user=ada, match=mine)
    practising.to_the_end()
    mine = match_for(match.pk, ada)
    refused("match.over", practice_advise, acting_user=ada, match=mine)


@pytest.fixture
def start(db: None) -> Callable[..., Match]:
    """Begins a match between two people."""

    def begin(players: tuple[User, User]) -> Match:
        with committing():
            return match_start(
                acting_user=players[0], players=players, ruleset_id="tetronogo", variant="standard"
            )

    return begin


def test_a_bot_that_is_away_is_said_to_be(
    ada: User, practising: Practising, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.jobs.enqueue", lambda *_arguments, **_more: False)
    match = match_for(practising.match.pk, ada)
    refused("practice.away", practice_advise, acting_user=ada, match=match)
    refused("practice.away", practice_advise, acting_user=ada, match=match)


# -- who signs in ----------------------------------------------------------------------------------


@pytest.mark.parametrize("over", [False, True], ids=["on", "over"])
def test_what_a_guest_has_practised_is_the_accounts_whose_owner_signs_in(
    ada: User, ben: User, over: bool
) -> None:
    guest = guest_create()
    practising = Practising(guest)
    practising.move()
    if over:
        practising.to_the_end()
    other = Practising(ben)
    with committing():
        guest_join(guest=guest, user=ada)
    match = Match.objects.get(pk=practising.match.pk)
    assert list(selectors.practice_of(ada)) == [match]
    assert {each.name for each in match.players.all()} == {"Ada", "Novice Bot"}
    assert match_for(match.pk, ada) == match
    with pytest.raises(Refusal, match=r"match\.none"):
        match_for(match.pk, guest)
    assert list(selectors.practice_of(ben)) == [other.match]
    if not over:  # and it goes on
        practising.user = ada
        record_holds(practising.to_the_end())
    with nothing_changes(), committing():
        guest_join(guest=guest, user=ben)


def test_puzzles_that_a_guest_has_answered_are_the_accounts_too(ada: User) -> None:
    puzzles_load()
    guest, row = guest_create(), Puzzle.objects.earliest("pk")
    puzzle_answer(acting_user=guest, puzzle=row, text=row.solution)
    with committing():
        guest_join(guest=guest, user=ada)
    assert PuzzleAnswer.objects.get().user == ada
    assert PuzzleSolver.objects.get().user == ada


def test_nothing_but_a_guests_moves(ada: User, ben: User) -> None:
    practising = Practising(ben)
    with nothing_changes(), committing():
        guest_join(guest=ben, user=ada)
        assert guest_rows_move(guest_id=ben.pk, user_id=ada.pk) == 0
    assert list(selectors.practice_of(ben)) == [practising.match]


# -- take-backs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("bot_answers", [False, True], ids=["at once", "after the bot"])
@pytest.mark.parametrize("game", GAMES, ids="/".join)
def test_ones_last_move_is_taken_back(
    ada: User, game: tuple[str, str], bot_answers: bool, settings: Any
) -> None:
    """Every third one, be it sealed still: what was asked then is asked again, and all is as it was
    before it."""
    settings.GAUNTLET_BOT_SECONDS = 0.0
    practising = Practising(ada, game)
    backs = 0
    for _ in range(60):
        if practising.held.is_over:
            break
        if not practising.is_asked:
            assert practising.bot()
            continue
        before = practising.held.live.table
        practising.move()
        while bot_answers and practising.bot():
            pass
        if practising.number % 3 or practising.held.is_over:
            continue
        backs += 1
        practising.take_back(f"back-{backs}")
        assert practising.held.live.table == before
        if backs == 4:
            break
        practising.move()
    assert backs
    log = reader_of(practising.match.pk, ada).sync["log"]
    told = [each for each in log if each["actor"] == "organiser"]
    assert [(event["seat"], event["text"]) for each in told for event in each["events"]] == [
        (practising.seat, "took a move back")
    ] * backs
    record_holds(practising.to_the_end())


def test_taken_back_once_however_often_it_is_sent(practising: Practising) -> None:
    practising.move("pick T")
    practising.bot()
    first = practising.take_back("a")
    with nothing_changes():
        again = practising.take_back("a")
    assert again == first._replace(resent=True)
    assert MatchEntry.objects.filter(match=practising.match, client_id="a").count() == 1


def test_what_cannot_be_taken_back(ada: User, ben: User, practising: Practising) -> None:
    def backs(code: str, user: User = ada, client_id: str = "a") -> None:
        refused(
            code, practice_take_back, acting_user=user, match_id=practising.match.pk,
            client_id=client_id, at=now_ms(),
        )  # fmt: skip

    backs("practice.nothing-to-take-back")
    backs("practice.not-yours", ben)
    backs("frame.malformed", client_id="an id")
    practising.bot()  # its secret pick is not Ada's to take back
    backs("practice.nothing-to-take-back")
    practising.move()  # nor can hers be, before anybody knows of any
    practising.take_back("b")
    practising.to_the_end()
    backs("match.over")
    refused(
        "match.none", practice_take_back, acting_user=ada, match_id=10**9, client_id="a",
        at=now_ms(),
    )  # fmt: skip


def test_a_take_back_is_of_practice_alone(
    ada: User, ben: User, start: Callable[..., Match]
) -> None:
    match = start((ada, ben))
    refused(
        "practice.not-yours", practice_take_back, acting_user=ada, match_id=match.pk,
        client_id="a", at=now_ms(),
    )  # fmt: skip


def test_a_level_has_one_bot(db: None) -> None:
    assert set(HouseBot.Level.values) == set(LEVELS)
