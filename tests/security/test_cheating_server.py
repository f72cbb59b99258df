"""A server that cheats is found out, by both programs that verify draws (`record check` and the one
of the pages), and by what a player's browser has noted.

`tests/engine/test_verifiers.py` falsifies hundreds of records in every way it knows. Here a server
plays that is in league with a seat: it wants another outcome than it has committed to, and writes a
record that is otherwise as sound as it can make it.
"""

from __future__ import annotations

import io
import json
import subprocess
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from django.core.management import call_command

from games.engine import draws as derived
from games.engine import live as lives
from games.engine import records
from games.engine.acts import parse_act
from games.engine.draws import Draws
from games.engine.table import AnyRuleset, Entry, Header
from games.rulesets import REGISTRY
from script.lib import node
from script.lib.console import ROOT
from tests.engine.drawn_play import bytes_of
from tests.engine.random_play import random_header
from tests.engine.test_verifiers import by_the_verifier, finds_fault
from tests.support.typescript import PYTHON

Record = dict[str, Any]
EACH_GAME = pytest.mark.parametrize("ruleset", list(REGISTRY), ids=lambda each: each.id)
SEED = "5e" * 32
NONCES = ("20" * 32, "a1" * 32)


def both_opened(seed: str = SEED) -> Draws:
    """What a match is derived from whose players have both added a nonce."""
    draws = Draws(seed)
    for seat, nonce in enumerate(NONCES):
        draws = derived.committed(draws, seat, derived.nonce_commitment(seat, nonce))
    for seat, nonce in enumerate(NONCES):
        draws = derived.opened(draws, seat, nonce)
    return draws


class Match:
    """A match that is played at random, whose draws the server derives from whatever it likes."""

    def __init__(self, ruleset: AnyRuleset, draws: Draws) -> None:
        header = random_header(ruleset, 1)
        self.header = Header(
            ruleset=ruleset.id, variant=header.variant, options=header.options, advantage=None
        )
        self.ruleset, self.draws, self.entries, self.at = ruleset, draws, list[Entry](), 10**12
        self.keep(lives.begin(ruleset, self.header, at=self.at, random=self.none, draws=self.draws))

    def none(self) -> float:
        raise AssertionError("a match whose draws are derived draws from nothing else")

    def keep(self, turn: lives.Turn) -> None:
        self.live = turn.live
        self.entries += [happened.entry for happened in turn.happened]

    def play(self, random: Random, steps: int) -> Match:
        for _ in range(steps):
            slots = [(s, slot) for s, slot in enumerate(self.live.table.open) if slot is not None]
            if self.live.table.result is not None or not slots:
                break
            seat, slot = random.choice(slots)
            move = self.ruleset.sample(self.live.table.state, slot.decision, random.random)
            self.submit(seat, self.ruleset.print(move))
        return self

    def submit(self, seat: Any, text: str) -> None:
        self.at += 1000
        self.keep(
            lives.submit(
                self.ruleset, self.live, seat=seat, text=text, at=self.at, random=self.none
            )
        )

    def take_back(self) -> None:
        self.at += 1000
        self.keep(
            lives.organise(
                self.ruleset, self.live, act=parse_act("take back"), by="Cleo", why="again",
                at=self.at, random=self.none, entries=self.entries,
            )
        )  # fmt: skip

    def outcomes(self) -> dict[str, str]:
        """By label what was drawn, the first time."""
        verdict = records.check(REGISTRY, json.dumps(self.record).encode(), draws=True)
        found: dict[str, str] = {}
        for each in verdict["drawn"]:
            found.setdefault(each["label"], self.record["moves"][each["at"]]["move"])
        return found

    @property
    def record(self) -> Record:
        written: Record = json.loads(
            records.write(
                self.ruleset, self.header, seats=("Ada", "Ben"), entries=self.entries,
                result=self.live.table.result, draws=self.draws,
            )
        )  # fmt: skip
        return written


# -- both programs ---------------------------------------------------------------------------------


class Found(NamedTuple):
    """Whether the command, and the program of the pages, found the record wrong."""

    command: bool
    pages: bool


def judged(record: Record, folder: Path) -> Found:
    """By both: by the command that people run, and by the script that the pages run."""
    file = folder / "record.json"
    file.write_text(json.dumps(record))
    said = io.StringIO()
    try:
        call_command("record", "check", str(file), "--draws", stdout=said, stderr=io.StringIO())
        status: Any = 0
    except SystemExit as leave:
        status = leave.code
    (line,) = [json.loads(each) for each in said.getvalue().splitlines()]
    assert line["ok"] is (status == 0), line
    (verified,) = by_the_verifier([(record["ruleset"], json.dumps(record))])
    return Found(not line["ok"], finds_fault(verified))


def recalled(noted: dict[str, Any], record: Record, what: str = "wrong") -> list[str]:
    """What a player's browser finds wrong, or is in doubt of (`doubts`), that noted this before the
    match began."""
    program = """
      import { recalled } from "./static/js/draws/report.js";
      const { noted, derived } = JSON.parse(process.argv[1]);
      console.log(JSON.stringify(recalled(noted, derived, ["Ada", "Ben"])));
    """
    done = subprocess.run(
        [
            node.node(PYTHON), "--input-type=module", "--eval", program,
            json.dumps({"noted": noted, "derived": record["draws"]}),
        ],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found[what]


def noted(*, told_of_ada: bool = True) -> dict[str, Any]:
    """What Ben's browser notes as a match begins: it has opened its nonce, on the word that there
    is no other commitment than those that it was told of."""
    draws = both_opened()
    one, two = (each.commitment for each in draws.nonces)
    return {
        "match": 7, "seat": 1, "nonce": NONCES[1], "seed": draws.commitment,
        "nonces": [one if told_of_ada else None, two], "opened": [told_of_ada, True],
        "frozen": True,
    }  # fmt: skip


# -- what it does ----------------------------------------------------------------------------------


def seed_changed(record: Record) -> None:
    """Another seed, as it would draw something else, under the commitment that all were shown."""
    record["draws"]["seed"] = "5f" * 32


def nonce_dropped(record: Record) -> None:
    """A player has opened theirs, and the record says that it did not come in time."""
    del record["draws"]["nonces"][1]["nonce"]


def nonce_and_commitment_dropped(record: Record) -> None:
    """And that the player had added nothing at all."""
    record["draws"]["nonces"][1] = {}


def nonce_exchanged(record: Record) -> None:
    """It says that the player opened something else, and has the commitment fit."""
    nonce = bytes_of(Random(7))
    record["draws"]["nonces"][1] = {
        "commitment": derived.nonce_commitment(1, nonce), "nonce": nonce,
    }  # fmt: skip


def draw_altered(record: Record) -> None:
    """The first outcome is another one than follows."""
    first = next(each for each in record["moves"] if each["seat"] == "chance")
    kind, *words = first["move"].split()
    assert kind == "lot", first
    first["move"] = f"lot {1 - int(words[0])}"


CHEATS: tuple[Callable[[Record], None], ...] = (
    seed_changed, nonce_dropped, nonce_and_commitment_dropped, nonce_exchanged, draw_altered,
)  # fmt: skip


@EACH_GAME
def test_an_honest_record_is_believed_by_both(ruleset: AnyRuleset, tmp_path: Path) -> None:
    record = Match(ruleset, both_opened()).play(Random(3), 12).record
    assert judged(record, tmp_path) == (False, False)
    assert recalled(noted(), record) == []


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda each: each.__name__)
@EACH_GAME
def test_a_server_that_cheats_is_found_out_by_both(
    ruleset: AnyRuleset, cheat: Callable[[Record], None], tmp_path: Path
) -> None:
    """For some of it a single draw says nothing, as it may come out the same: of several seeds one
    is taken with which it does not."""
    for number in range(40):
        draws = both_opened(f"{number:064x}")
        record = Match(ruleset, draws).play(Random(3), 12).record
        falsified = deepcopy(record)
        cheat(falsified)
        other = _stated(falsified).numbers("lot")(2)
        if cheat is draw_altered or other != draws.numbers("lot")(2):
            break
    else:
        raise AssertionError("no seed of these draws another lot")
    assert judged(falsified, tmp_path) == (True, True)


def _stated(record: Record) -> Draws:
    one, two = (derived.Nonce(**each) for each in record["draws"]["nonces"])
    return Draws(record["draws"]["seed"], (one, two))


def _other_seed() -> Draws:
    return both_opened("5f" * 32)


def _other_without(seat: int) -> Draws:
    """As if that seat had not opened in time."""
    nonces = [*both_opened().nonces]
    nonces[seat] = derived.Nonce(nonces[seat].commitment)
    return Draws(SEED, (nonces[0], nonces[1]))


def _other_nobody() -> Draws:
    return Draws(SEED)


@pytest.mark.parametrize(
    ("draws", "sentence"),
    [
        (_other_seed(), "before the match began your browser had noted the commitment"),
        (_other_without(1), "your own nonce was opened, and the record has none"),
        (_other_without(0), "the nonce of Ada was opened, and the record has none"),
        (_other_nobody(), "of your own nonce your browser had noted"),
    ],
)
@EACH_GAME
def test_one_that_draws_everything_anew_is_found_out_by_what_browsers_noted(
    ruleset: AnyRuleset, draws: Draws, sentence: str, tmp_path: Path
) -> None:
    """Such a record fits in itself, so neither program can see it; but it is not what the players
    were shown."""
    record = Match(ruleset, draws).play(Random(3), 12).record
    assert judged(record, tmp_path) == (False, False)
    assert any(sentence in each for each in recalled(noted(), record))


def _other_nonce(seat: int) -> Draws:
    """As if that seat had committed to another nonce, chosen to suit once Ben's was known."""
    nonces = [*both_opened().nonces]
    nonces[seat] = derived.Nonce(derived.nonce_commitment(seat, "b2" * 32), "b2" * 32)
    return Draws(SEED, (nonces[0], nonces[1]))


@EACH_GAME
def test_one_that_lets_the_other_commit_after_a_nonce_was_opened_is_found_out(
    ruleset: AnyRuleset, tmp_path: Path
) -> None:
    """It tells Ben's page that both are there and that Ada adds nothing; his page opens its nonce,
    Ada commits to one that suits. In itself all of it fits."""
    record = Match(ruleset, _other_nonce(0)).play(Random(3), 12).record
    assert judged(record, tmp_path) == (False, False)
    (wrong,) = recalled(noted(told_of_ada=False), record)
    assert "it was told that nobody has committed to the nonce of Ada" in wrong
    honest = Match(ruleset, _without_ada()).play(Random(3), 12).record
    assert recalled(noted(told_of_ada=False), honest) == []


def _without_ada() -> Draws:
    return Draws(SEED, (derived.Nonce(), both_opened().nonces[1]))


@EACH_GAME
def test_one_that_changes_a_commitment_after_a_nonce_was_opened_is_found_out(
    ruleset: AnyRuleset, tmp_path: Path
) -> None:
    record = Match(ruleset, _other_nonce(0)).play(Random(3), 12).record
    assert judged(record, tmp_path) == (False, False)
    (wrong,) = recalled(noted(), record)
    assert "of the nonce of Ada your browser had noted" in wrong


@pytest.mark.parametrize("taken", [True, False])
@EACH_GAME
def test_one_that_puts_a_number_of_its_own_on_a_seat_is_not_believed_by_that_player(
    ruleset: AnyRuleset, taken: bool, tmp_path: Path
) -> None:
    """It says that Ben has come by another browser, as he may have. So nothing proves it wrong; but
    his browser, which knows what it chose, never says that all is as it was."""
    record = Match(ruleset, _other_nonce(1)).play(Random(3), 12).record
    assert judged(record, tmp_path) == (False, False)
    own = derived.nonce_commitment(1, NONCES[1])
    invented = record["draws"]["nonces"][1]["commitment"]
    ada = record["draws"]["nonces"][0]["commitment"]
    note = {
        **noted(), "own": own, "taken": taken, "frozen": False, "nonces": [ada, invented],
    }  # fmt: skip
    assert recalled(note, record) == []
    (doubt,) = recalled(note, record, "doubts")
    assert "a number for you that this browser did not choose" in doubt
    assert not any("your own nonce" in each for each in recalled(note, record, "same"))
    honest = Match(ruleset, both_opened()).play(Random(3), 12).record
    note["nonces"] = [ada, own]
    assert recalled(note, honest, "doubts") == []


# -- draws that are repeated, and draws among others -----------------------------------------------


@EACH_GAME
def test_a_draw_that_is_repeated_after_a_take_back_comes_out_the_same(ruleset: AnyRuleset) -> None:
    """Wherever a submission leads to draws, and however often it is taken back."""
    match, random, repeated = Match(ruleset, both_opened()), Random(11), 0
    for _ in range(60):
        slots = [(s, slot) for s, slot in enumerate(match.live.table.open) if slot is not None]
        if match.live.table.result is not None or not slots:
            break
        seat, slot = random.choice(slots)
        move = ruleset.sample(match.live.table.state, slot.decision, random.random)
        drawn: list[list[str]] = []
        for again in range(3):
            if again and (match.live.table.result is not None or not drawn[0]):
                break
            if again:
                match.take_back()
            before = len(match.entries)
            match.submit(seat, ruleset.print(move))
            drawn.append([each.text for each in match.entries[before:] if each.actor == "chance"])
        assert all(each == drawn[0] for each in drawn)
        repeated += len(drawn) > 1 and bool(drawn[0])
    assert bool(repeated) is (ruleset.id in DRAWN_AFTER_A_MOVE)


DRAWN_AFTER_A_MOVE = {"domino-wars", "peg-domain"}
# What is drawn out of all that there is, whatever was played before.
OF_ITSELF = {"lot", "pool", "deck", "pallet"}


@EACH_GAME
def test_no_draw_depends_on_how_many_came_before_it(ruleset: AnyRuleset) -> None:
    """Whatever is played, and however much is drawn meanwhile: what has the same label comes out
    the same."""
    found: dict[str, str] = {}
    for number in range(12):
        outcomes = Match(ruleset, both_opened()).play(Random(number), 4 + 2 * number).outcomes()
        for label, outcome in outcomes.items():
            if label.split()[0] in OF_ITSELF:
                assert found.setdefault(label, outcome) == outcome
    assert "lot" in found


def test_numbers_of_a_label_are_the_same_whatever_was_taken_before() -> None:
    labels = ["lot", "pick 0 1", "pile 1", "mulligan 0 2", "pallet red", "deck 1"]
    alone = {label: both_opened().numbers(label)(56) for label in labels}
    for number in range(30):
        draws, random = both_opened(), Random(number)
        for label in random.sample(labels, len(labels)):
            below = draws.numbers(label)
            assert below(56) == alone[label]
            for _ in range(random.randrange(200)):
                below(1 + random.randrange(2**31))
