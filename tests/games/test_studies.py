"""Studies of finished matches: what is found out, what could have happened, what is said."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from django.core.cache import cache
from django.db import IntegrityError, transaction

from accounts.models import User
from accounts.services import guest_create
from core.clock import now_utc
from core.env import ROOT
from core.jobs import guard
from core.refusals import Refusal
from games import store
from games.engine import records
from games.engine.course import MatchCourse
from games.engine.notation import tidy
from games.engine.studying import (
    METHOD,
    Judgement,
    Swing,
    answer_judged,
    mistakes_of,
    studied,
    swings_of,
    tables_of,
)
from games.engine.table import Entry
from games.engine.variations import LONGEST, followed, played
from games.engine.weighing import Worth, played_on
from games.jobs import (
    advice_begun,
    advice_enqueue,
    bot_begun,
    bot_enqueue,
    study_begun,
    study_enqueue,
)
from games.models import ChatMessage, Match, Study, StudyPart
from games.moderation import message_target
from games.reading.replays import replay_of, steps_seen
from games.rulesets import REGISTRY
from games.services import studies
from games.services.chat import chat_history, chat_post, chat_remove, chat_restore
from games.services.studies import (
    STUDIED,
    position_of,
    studies_hand_out,
    study_ask,
    study_comment_post,
    study_comments,
    study_next,
    study_of,
    study_work,
)
from games.tasks import study as study_task
from tests.games.support import GAMES, Play, committing, nothing_changes, refused
from tests.games.test_practice import Clocks, Practising
from tests.support.workers import Workers

START = 1_800_000_000_000
BLACK_WHITE = ("domino-black-white", "standard")


@pytest.fixture
def quick(settings: Any) -> None:
    """Bots that hardly think, and no task on its way that a test before has left."""
    study_begun()
    settings.GAUNTLET_BOT_SECONDS = 0.0
    settings.GAUNTLET_STUDY_PART_SECONDS = 0.0
    settings.GAUNTLET_STUDY_SLICE_SECONDS = 0.0
    settings.GAUNTLET_STUDY_TRIES = 4


@pytest.fixture
def over(ada: User, quick: None) -> Match:
    """A match of Ada's against a bot, at Tetronogo, played to its end."""
    return Practising(ada).to_the_end()


@pytest.fixture
def ended(play: Play) -> Match:
    """A match of two people that is over."""
    play.move(0, "concede", 1_000)
    return Match.objects.get(pk=play.pk)


def finished(user: User, game: tuple[str, str]) -> Match:
    return Practising(user, game).to_the_end()


def drawn() -> Any:
    return random.Random(7).random


def work_through(match: Match) -> int:
    """A worker does slice after slice; returns how many it took."""
    slices = 0
    while study_next() is not None:
        study_work(match_id=match.pk, random=drawn())
        slices += 1
        assert slices < 500
    return slices


# -- what is studied -------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES, ids="/".join)
def test_a_match_of_each_game_is_studied(ada: User, quick: None, game: tuple[str, str]) -> None:
    match = finished(ada, game)
    ruleset, header = store.header_of(match)
    entries = store.entries_of(match.pk)
    pieces = studied(ruleset, header, entries)
    assert pieces.positions[-1].table.result is not None
    steps = [each.at for each in pieces.positions]
    assert steps == sorted(set(steps))
    for answer in pieces.answers:
        assert entries[answer.move - 1].text == answer.text
        assert answer.at in steps
        assert answer.at < answer.move
        move = ruleset.parse(tidy(answer.text))
        ruleset.validate(answer.state, answer.decision, move)
    # Pieces of the beginning, and of the end.
    few = random.Random(1).sample(pieces.answers, 2)
    for answer in few:
        judged = answer_judged(ruleset, answer, drawn(), tries=4, may_think=lambda: False)
        decision = answer.decision
        ruleset.validate(answer.state, decision, ruleset.parse(tidy(judged.best)))
        assert -1 <= judged.lost.low <= judged.lost.share <= judged.lost.high <= 1
        assert judged.played_worth.tries == judged.best_worth.tries == 4


def test_what_was_taken_back_is_not_studied(ada: User, quick: None) -> None:
    practising = Practising(ada)
    for number in range(20):
        practising.move() if practising.is_asked else practising.bot()
        with contextlib.suppress(Refusal):
            practising.take_back(f"back-{number}")
            break
    match = practising.to_the_end()
    ruleset, header = store.header_of(match)
    entries = store.entries_of(match.pk)
    back = next(n for n, each in enumerate(entries, 1) if each.text.startswith("take back"))
    pieces = studied(ruleset, header, entries)
    standing = {n + 1 for n in MatchCourse(ruleset, header, entries).standing}
    undone = {*range(1, back)} - standing
    assert undone
    assert not undone & {each.move for each in pieces.answers}
    assert not undone & {each.at for each in pieces.positions}


def reviewed() -> tuple[Any, Any, list[Entry]]:
    """A match of Domain in which an organiser ruled on moves."""
    path = ROOT / "tests" / "playthroughs" / "domain.standard.review.dmr.json"
    record = records.read(path.read_bytes())
    ruleset, header = records.header_of(REGISTRY, record)
    return ruleset, header, [records.entry_of(move) for move in record.moves]


def test_a_position_that_waits_for_a_ruling_is_not_weighed() -> None:
    ruleset, header, entries = reviewed()
    tables = tables_of(ruleset, header, entries)
    waits = {n for n, each in enumerate(tables) if each.state and ruleset.in_dispute(each.state)}
    assert waits
    assert not waits & {each.at for each in studied(ruleset, header, entries).positions}
    for at in waits:  # nor does play that comes to one go on
        assert played_on(ruleset, tables[at].state, drawn()) == tables[at].state


def test_who_tries_a_line_rules_as_they_like() -> None:
    ruleset, header, entries = reviewed()
    tables = tables_of(ruleset, header, entries)
    at = next(n for n, each in enumerate(tables) if each.state and ruleset.in_dispute(each.state))
    ruled = [followed(ruleset, tables[at], f"organiser rule {way}") for way in ("valid", "invalid")]
    assert ruled[0].table != ruled[1].table
    for here in ruled:
        assert not ruleset.in_dispute(here.table.state)
        assert followed(ruleset, tables[at], here.line).table == here.table


def worth(share: float, off: float = 0.0) -> Worth:
    return Worth(share, share - off, share + off, 10)


def judgement(lost: Worth) -> Judgement:
    return Judgement(0, 0, "a", "b", worth(0.5), worth(0.5), lost)


def test_swings_are_where_the_graph_surely_changed() -> None:
    shares = [0.5, 0.55, 0.9, 0.5, 0.3, 0.0]
    weighed = [(3 * n, worth(share, 0.15)) for n, share in enumerate(shares)]
    assert swings_of(weighed) == [
        Swing(9, 6, 0.9, 0.5, True),
        Swing(6, 3, 0.55, 0.9, True),
    ]
    steep = [(n, worth(float(n % 2), 0.1)) for n in range(20)]
    assert [each.move for each in swings_of(steep)] == [*range(1, 9)]
    assert swings_of([]) == swings_of(weighed[:1]) == []


def test_where_no_change_is_certain_the_largest_are_told_as_such() -> None:
    shares = [0.5, 0.9, 0.5, 0.45, 0.1, 0.4, 0.0]
    weighed = [(n, worth(share, 0.4)) for n, share in enumerate(shares)]
    told = swings_of(weighed)
    assert [each.move for each in told] == [1, 2, 6]
    assert not any(each.sure for each in told)
    assert swings_of([(n, worth(0.5 + n / 100, 0.4)) for n in range(5)]) == []
    found = [(n, judgement(worth(share, 1.0))) for n, share in enumerate(shares)]
    assert mistakes_of(found) == [1, 0, 2]
    assert mistakes_of([(1, judgement(worth(0.1, 0.3)))]) == []


def test_mistakes_are_what_was_surely_missed() -> None:
    found = [
        (1, judgement(worth(0.2, 0.1))),
        (2, judgement(worth(0.5, 0.6))),  # it may be nothing
        (3, judgement(worth(0.4, 0.1))),
        (4, judgement(worth(-0.3, 0.1))),
        (5, judgement(Worth(0.0, 0.0, 0.0, 0))),
    ]
    assert mistakes_of(found) == [3, 1]
    many = [(n, judgement(worth(0.3, 0.1))) for n in range(1, 20)]
    assert mistakes_of(many) == [*range(1, 9)]


# -- slices ----------------------------------------------------------------------------------------


def test_a_study_is_done_in_slices_and_stored(over: Match, workers: Workers) -> None:
    assert study_of(over)["state"] == "none"
    with committing():
        study = study_ask(match=over)
    assert workers.of("games.bots.study")
    told = study_of(over)
    assert (told["state"], told["done"]) == ("working", 0)
    study_work(match_id=over.pk, random=drawn())
    assert study_of(over)["done"] == 1  # no time is left behind the first piece
    assert work_through(over) >= study.positions + study.answers - 1
    told = study_of(over)
    assert told["state"] == "done"
    assert told["done"] == told["total"] == study.positions + study.answers
    last = told["positions"][-1]
    assert last["share"] == (1.0 if over.winner == 0 else 0.0)
    assert last["tries"] == 0
    assert [each["at"] for each in told["positions"]] == sorted(
        each["at"] for each in told["positions"]
    )
    with nothing_changes():
        study_work(match_id=over.pk)
        study_ask(match=over)


def test_what_a_killed_worker_left_is_gone_on_with(
    over: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    study_ask(match=over)
    study_work(match_id=over.pk, random=drawn())
    before = [*StudyPart.objects.values_list("pk", "found")]

    def killed(*_: Any, **__: Any) -> None:
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(studies, "_store", killed)
        with pytest.raises(SystemExit):
            study_work(match_id=over.pk, random=drawn())
    assert study_next() == over.pk
    work_through(over)
    assert [*StudyPart.objects.order_by("pk").values_list("pk", "found")[: len(before)]] == before
    assert study_of(over)["state"] == "done"


def test_what_an_older_way_found_is_not_shown_and_found_anew(over: Match, workers: Workers) -> None:
    with committing():
        study_ask(match=over)
    work_through(over)
    StudyPart.objects.update(found=msgspec.to_builtins(worth(0.123)))
    Study.objects.update(method=METHOD - 1)
    told = study_of(over)
    assert (told["state"], told["total"], told["positions"], told["swings"]) == ("old", 0, [], [])
    assert study_next() is None
    study_begun()
    with committing():
        study_ask(match=over)
    assert len(workers.of("games.bots.study")) == 2
    assert (study_of(over)["state"], study_of(over)["done"]) == ("working", 0)
    work_through(over)
    told = study_of(over)
    assert told["state"] == "done"
    assert 0.123 not in [each["share"] for each in told["positions"]]


def test_a_study_under_way_is_begun_anew_by_whoever_takes_it_up(over: Match) -> None:
    study_ask(match=over)
    study_work(match_id=over.pk, random=drawn())
    StudyPart.objects.update(found=msgspec.to_builtins(worth(0.123)))
    Study.objects.update(method=METHOD - 1)
    told = study_of(over)
    assert (told["state"], told["done"], told["positions"]) == ("working", 0, [])
    work_through(over)
    told = study_of(over)
    assert (told["state"], told["done"]) == ("done", told["total"])
    assert 0.123 not in [each["share"] for each in told["positions"]]
    assert Study.objects.get().method == METHOD


def test_what_a_newer_release_has_begun_is_left_to_it(over: Match) -> None:
    study_ask(match=over)
    study_work(match_id=over.pk, random=drawn())
    Study.objects.update(method=METHOD + 1)
    assert study_next() is None
    with nothing_changes():
        study_ask(match=over)
    assert study_of(over)["done"] == 1


def test_a_piece_found_twice_stays_what_it_was(over: Match) -> None:
    study_ask(match=over)
    study_work(match_id=over.pk, random=drawn())
    part = StudyPart.objects.get()
    studies._store(over.pk, StudyPart.Kind.POSITION, part.number, worth(0.123))
    assert StudyPart.objects.get().found == part.found


def test_one_task_is_on_its_way_at_a_time(over: Match, workers: Workers) -> None:
    with committing():
        study_ask(match=over)
    study_enqueue()
    assert len(workers.of("games.bots.study")) == 1
    study_begun()
    studies_hand_out()
    assert len(workers.of("games.bots.study")) == 2


def test_a_task_has_the_next_one_done(over: Match, workers: Workers) -> None:
    cache.delete("bots:playing")
    with committing():
        study_ask(match=over)
    for _ in range(500):
        if Study.objects.filter(done_at__isnull=False).exists():
            break
        asked = len(workers.of("games.bots.study"))
        study_task()
    assert len(workers.of("games.bots.study")) == asked
    study_task()  # there is nothing to do, and it does nothing


def test_a_slice_ends_when_somebody_waits_for_a_bot(
    ada: User, ben: User, quick: None, settings: Any, workers: Workers
) -> None:
    settings.GAUNTLET_STUDY_SLICE_SECONDS = 60.0
    match = Practising(ada).to_the_end()
    study_ask(match=match)
    other = Practising(ben).match.pk
    bot_begun(match_id=other)
    bot_enqueue(match_id=other)
    study_work(match_id=match.pk, random=drawn())
    assert StudyPart.objects.count() == 1
    bot_begun(match_id=other)
    advice_enqueue(match_id=other, seat=0)
    study_work(match_id=match.pk, random=drawn())
    assert StudyPart.objects.count() == 2
    advice_begun()
    study_work(match_id=match.pk, random=drawn())
    assert study_of(match)["state"] == "done"


def test_a_slice_on_a_starved_machine_ends_by_the_clock(
    over: Match, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever waits for a bot would otherwise wait for as long as others have the processor."""
    settings.GAUNTLET_STUDY_SLICE_SECONDS = 60.0
    study_ask(match=over)
    clocks = Clocks(share=0.0)
    monkeypatch.setattr("games.thinking.time", clocks)

    def weighed(*_given: Any, **_more: Any) -> Worth:
        clocks.passed += 100
        return Worth(0.5, 0.4, 0.6, 4)

    monkeypatch.setattr(studies, "position_weighed", weighed)
    study_work(match_id=over.pk)
    assert StudyPart.objects.count() == 3  # 240 s, and what it was at then


def test_a_study_makes_room_while_somebody_plays_a_bot_and_not_for_long(
    ada: User, ben: User, quick: None, workers: Workers
) -> None:
    match = Practising(ada).to_the_end()
    cache.delete("bots:playing")
    with committing():
        study_ask(match=match)
    bot_begun(match_id=Practising(ben).match.pk)
    for _ in range(3):
        study_task()
    assert StudyPart.objects.count() == 0
    assert len(workers.of("games.bots.study")) == 4
    Study.objects.update(worked_at=now_utc() - timedelta(seconds=30))
    study_task()
    assert StudyPart.objects.count() == 1
    study_task()
    assert StudyPart.objects.count() == 1
    cache.delete("bots:playing")
    study_task()
    assert StudyPart.objects.count() == 2


def test_studies_take_turns(ada: User, ben: User, quick: None) -> None:
    first, second = Practising(ada).to_the_end(), Practising(ben).to_the_end()
    study_ask(match=first)
    study_ask(match=second)
    assert study_next() == first.pk
    study_work(match_id=first.pk, random=drawn())
    assert study_next() == second.pk


def test_a_running_match_is_not_studied(ada: User, quick: None) -> None:
    match = Practising(ada).match
    calls: list[Callable[[], Any]] = [
        lambda: study_ask(match=match),
        lambda: study_of(match),
        lambda: study_comments(match),
        lambda: position_of(match, at=0),
        lambda: comment(ada, match),
    ]
    for call in calls:
        with nothing_changes(), pytest.raises(Refusal) as raised:
            call()
        assert raised.value.code == "match.not-over"


# -- lines -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES, ids="/".join)
def test_a_line_leads_to_the_same_position_for_all(
    ada: User, quick: None, game: tuple[str, str]
) -> None:
    match = finished(ada, game)
    ruleset, header = store.header_of(match)
    entries = store.entries_of(match.pk)
    tables = tables_of(ruleset, header, entries)
    luck = random.Random(5).random
    asked = [n for n, each in enumerate(tables) if each.state is not None and any(each.open)]
    here = followed(ruleset, tables[asked[len(asked) // 3]], "")
    start = here.table
    for _ in range(6):
        slot = next((each for each in here.table.open if each is not None), None)
        if here.table.result is not None or slot is None:
            break
        move = ruleset.sample(here.table.state, slot.decision, luck)
        seat = slot.decision.seat
        here = played(ruleset, start, here.line, seat, ruleset.print(move), luck)
    assert here.line
    again = followed(ruleset, start, here.line, luck)
    assert again.table == here.table
    assert again.line == here.line
    assert again.events == here.events


def test_what_is_no_line_is_refused(over: Match) -> None:
    with nothing_changes():
        for line in ("x", "2 pass", "0", "chance", "organiser void", "~", "organiser winner 0"):
            with pytest.raises(Refusal):
                position_of(over, at=1, line=line)
        last = len(replay_of(over)["steps"]) - 1
        for code, asked in (
            ("study.line-too-long", {"at": 1, "line": "0 a" * 2000}),
            ("study.position", {"at": last + 1}),
            ("study.position", {"at": 0}),  # the advantage was to be drawn
            ("match.over", {"at": last, "seat": 0, "text": "concede"}),
        ):
            with pytest.raises(Refusal) as raised:
                position_of(over, **asked)
            assert raised.value.code == code


def test_a_position_is_beside_what_each_could_know(ada: User, quick: None) -> None:
    """Not even after the end does what a seat saw then hold what it could not see."""
    match = finished(ada, BLACK_WHITE)
    ruleset, header = store.header_of(match)
    entries = store.entries_of(match.pk)
    tables = tables_of(ruleset, header, entries)
    for at in (len(tables) // 2, len(tables) - 1):
        views = position_of(match, at=at)["views"]
        state = tables[at].state
        for seat in (0, 1):
            assert views[str(seat)]["game"] == ruleset.view(state, seat)
        assert views["all"]["game"] == ruleset.view(state, "all")
    middle = position_of(match, at=len(tables) // 2)["views"]
    assert middle["0"]["game"] != middle["1"]["game"] != middle["all"]["game"]


@pytest.mark.parametrize("game", GAMES, ids="/".join)
def test_a_log_tells_a_seat_what_it_was_told_then(
    ada: User, quick: None, game: tuple[str, str]
) -> None:
    match = finished(ada, game)
    ruleset, header = store.header_of(match)
    reckoned = records.replay(ruleset, header, store.entries_of(match.pk))
    own, theirs = steps_seen(match, 0), steps_seen(match, 1)
    for step, (first, second) in zip(reckoned, zip(own, theirs, strict=True), strict=True):
        assert first["n"] == second["n"] == step.index + 1
        for seat, told in ((0, first), (1, second)):
            assert told["text"] == (step.entry.text if step.entry.actor == seat else "")
            assert len(told["events"]) == sum(
                event.seen_as(1 if seat else 0) is not None for event in step.events
            )
    if game == BLACK_WHITE:
        assert own != theirs


# -- what is said ----------------------------------------------------------------------------------


def a_variation(match: Match) -> tuple[int, str]:
    """Where one can begin, and one answer from there."""
    ruleset, header = store.header_of(match)
    tables = tables_of(ruleset, header, store.entries_of(match.pk))
    at = next(n for n, each in enumerate(tables) if each.state is not None and any(each.open))
    decision = next(slot.decision for slot in tables[at].open if slot is not None)
    text = ruleset.print(ruleset.sample(tables[at].state, decision, drawn()))
    tried = position_of(match, at=at, seat=decision.seat, text=text, random=drawn())
    return at, tried["line"]


def comment(user: User, match: Match, **more: Any) -> Any:
    given = {"step": 1, "client_id": "a", "text": "A strange move.", "at": START, **more}
    return study_comment_post(acting_user=user, match=match, **given)


def test_people_say_something_of_a_position(ada: User, ben: User, ended: Match) -> None:
    said = comment(ben, ended)
    assert (said["step"], said["text"], said["username"]) == (1, "A strange move.", "ben")
    assert comment(ben, ended) == said  # sent again
    comment(ada, ended, text="Not at all.", client_id="b", step=0)
    assert [(each["step"], each["text"]) for each in study_comments(ended)] == [
        (1, "A strange move."),
        (0, "Not at all."),
    ]
    assert ChatMessage.objects.filter(room="study").count() == 2


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("chat.empty", {"text": "  "}),
        ("chat.too-long", {"text": "x" * 501}),
        ("study.position", {"step": 10_000}),
        ("study.position", {"step": -1}),
        ("frame.malformed", {"client_id": ""}),
    ],
)
def test_what_cannot_be_said_is_refused(
    ben: User, ended: Match, code: str, given: dict[str, Any]
) -> None:
    with nothing_changes(), pytest.raises(Refusal) as raised:
        comment(ben, ended, **given)
    assert raised.value.code == code


def test_people_say_something_of_a_variation(ben: User, ended: Match) -> None:
    at, line = a_variation(ended)
    said = comment(ben, ended, step=at, line=line)
    assert (said["step"], said["line"]) == (at, line)
    assert study_comments(ended) == [said]


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("study.line", "nobody knows"),
        ("study.line", "0 Z99"),
        ("study.line-too-long", "0 " + "x" * LONGEST),
    ],
)
def test_what_is_no_variation_is_nothing_to_speak_of(
    ben: User, ended: Match, code: str, line: str
) -> None:
    with nothing_changes(), pytest.raises(Refusal) as raised:
        comment(ben, ended, line=line)
    assert raised.value.code == code


def test_elsewhere_nothing_is_said_of_a_variation(ben: User, ended: Match) -> None:
    said = {"match": ended, "author": ben, "client_id": "a", "text": "Hello", "at": START}
    with pytest.raises(IntegrityError, match="chat_line_in_study"), transaction.atomic():
        ChatMessage.objects.create(room="players", line="0 x", **said)


def test_a_study_that_fails_says_so(ended: Match) -> None:
    study_ask(match=ended)
    assert study_of(ended)["state"] == "working"
    guard.set_aside(STUDIED, str(ended.pk), ValueError("x"), target="games.match")
    assert study_of(ended)["state"] == "delayed"
    guard.take_up(STUDIED, str(ended.pk))
    assert study_of(ended)["state"] == "working"


def test_guests_and_the_silenced_say_nothing(ben: User, mona: User, ended: Match) -> None:
    guest = guest_create()
    with nothing_changes(), pytest.raises(Refusal) as raised:
        comment(guest, ended)
    assert raised.value.code == "study.guest"
    User.objects.filter(pk=ben.pk).update(is_active=False)
    with nothing_changes(), pytest.raises(Refusal) as raised:
        comment(ben, ended)
    assert raised.value.code == "chat.muted"


def test_nothing_is_said_of_practice(ada: User, over: Match) -> None:
    with nothing_changes(), pytest.raises(Refusal) as raised:
        comment(ada, over)
    assert raised.value.code == "study.practice"


def test_a_comment_is_reported_and_taken_away(
    ada: User, ben: User, mona: User, ended: Match
) -> None:
    said = ChatMessage.objects.get(pk=comment(ben, ended)["id"])
    target = message_target(ada, str(said.pk))
    assert target is not None
    assert target.about == ben
    assert ("Room", "Study") in target.facts
    assert ("Of", "move 1") in target.facts
    assert target.url == f"/matches/{ended.pk}/study/?at=1"
    refused("chat.not-moderator", chat_remove, acting_user=ada, message=said)
    with committing():
        chat_remove(acting_user=mona, message=said)
    assert study_comments(ended) == []
    chat_restore(acting_user=mona, message=said)
    assert len(study_comments(ended)) == 1


def test_no_other_room_has_what_is_said_of_positions(ben: User, ended: Match) -> None:
    comment(ben, ended)
    with pytest.raises(Refusal) as raised:
        chat_history(match=ended, room="study", user=ben)
    assert raised.value.code == "chat.not-your-room"
    with nothing_changes():
        refused(
            "chat.not-your-room", chat_post, acting_user=ben, match=ended, room="study",
            client_id="x", text="Hello", at=START,
        )  # fmt: skip
