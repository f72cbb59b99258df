"""Two programs that know nothing of each other, the checker and the verifier of the pages, say the
same of what was drawn: of every match as it was played, and of every one that was falsified.

A few hundred matches; `script/test --whole` plays thousands.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec
import pytest

from games.engine import draws as derived
from games.engine import records
from games.engine.capabilities import built_in_of
from games.engine.decisions import Draw
from games.engine.draws import Draws
from games.engine.ruleset import Setup
from games.folders import folder_of
from games.rulesets import REGISTRY
from games.rulesets.domain import pool as pools
from games.rulesets.domain import rules as domain_rules
from games.services.matches import options_of
from script.lib import node
from script.lib.console import ROOT
from tests.engine import drawn_play
from tests.engine.drawn_play import DrawnGame, falsified
from tests.support import depth
from tests.support.typescript import PYTHON

MATCHES = 1200 if depth.whole else 100  # of each ruleset


class Case(NamedTuple):
    """A record, what was done to it, and whether that must be found."""

    ruleset: str
    seed: int
    done: str
    text: str
    certain: bool


class Said(NamedTuple):
    """What both programs said of a case."""

    case: Case
    checker: dict[str, Any]
    verifier: dict[str, Any]

    @property
    def found(self) -> tuple[bool, bool]:
        """Whether the checker, and the verifier, found something wrong."""
        return not self.checker["ok"], finds_fault(self.verifier)


def finds_fault(verified: dict[str, Any]) -> bool:
    """Whether the verifier of the pages found something wrong, or could not even read it."""
    if "unreadable" in verified:
        return True
    wrong = any(each["state"] == "wrong" for each in verified["outcomes"])
    return bool(verified["faults"] or verified.get("stopped") or wrong)


def by_the_verifier(cases: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    """What the verifier says of records, each with its ruleset."""
    lines = [
        json.dumps({"folder": str(folder_of(REGISTRY.get(ruleset))), "record": text})
        for ruleset, text in cases
    ]
    done = subprocess.run(
        [node.node(PYTHON), "tests/client/verify.js"],
        cwd=ROOT,
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def cases() -> Iterator[Case]:
    for ruleset in REGISTRY:
        for seed in range(MATCHES):
            record = DrawnGame(ruleset, seed).play().record
            yield Case(ruleset.id, seed, "", json.dumps(record), False)
            for done, copy, certain in falsified(record, seed):
                yield Case(ruleset.id, seed, done, json.dumps(copy), certain)


@pytest.fixture(scope="module")
def said() -> list[Said]:
    every = list(cases())
    verifier = by_the_verifier((case.ruleset, case.text) for case in every)
    return [
        Said(case, records.check(REGISTRY, case.text.encode(), draws=True), found)
        for case, found in zip(every, verifier, strict=True)
    ]


@pytest.fixture(scope="module")
def refused() -> list[Said]:
    every = [
        Case(ruleset.id, seed, done, json.dumps(copy), certain)
        for ruleset in REGISTRY
        for seed in range(MATCHES)
        for done, copy, certain in drawn_play.malformed(
            DrawnGame(ruleset, seed).play(30).record, seed
        )
    ]
    verifier = by_the_verifier((case.ruleset, case.text) for case in every)
    return [
        Said(case, records.check(REGISTRY, case.text.encode(), draws=True), found)
        for case, found in zip(every, verifier, strict=True)
    ]


def told(outcomes: Iterable[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """What both programs say of outcomes, in the same words."""
    return [
        (
            each["at"],
            each["label"],
            each["state"],
            each.get("by", ""),
            each.get("wanted", "") if each["state"] == "wrong" else "",
        )
        for each in outcomes
    ]


def test_every_draw_of_every_match_is_verified_by_both(said: list[Said]) -> None:
    honest = [each for each in said if not each.case.done]
    assert len(honest) == MATCHES * len(list(REGISTRY))
    for each in honest:
        assert each.checker["ok"], (each.case, each.checker)
        assert told(each.verifier["outcomes"]) == told(each.checker["drawn"]), each.case
        assert each.found == (False, False)
        assert each.checker["draws"]["unverifiable"] == 0


def test_what_both_say_is_about_every_kind_of_draw(said: list[Said]) -> None:
    found: dict[str, set[str]] = {}
    for each in said:
        if not each.case.done:
            for drawn in each.checker["drawn"]:
                kind = f"{each.case.ruleset} {drawn['label'].split(' ')[0]}"
                found.setdefault(kind, set()).add(drawn["state"])
    rulesets = {each.id for each in REGISTRY}
    assert {f"{ruleset} lot" for ruleset in rulesets} < set(found)
    page = (ROOT / "docs" / "record.md").read_text().split("| draw | label | how |")[1]
    rows = [row for row in page.split("\n\n")[0].splitlines() if row.startswith("| `")]
    kinds = {row.split("`")[1].split(" ")[0] for row in rows}
    assert {kind.split(" ")[1] for kind in found} == kinds
    assert all("verified" in states for states in found.values()), found
    assert any("supplied" in states for states in found.values())


def test_what_was_falsified_is_found_by_both(said: list[Said]) -> None:
    ways = [each for each in said if each.case.certain]
    assert {each.case.done for each in ways} == {way.__name__ for way in drawn_play.ALWAYS_FOUND}
    for each in ways:
        assert each.found == (True, True), (each.case, each.checker, each.verifier["faults"])


def test_what_may_not_show_is_found_by_both_or_by_neither(said: list[Said]) -> None:
    uncertain = [each for each in said if each.case.done and not each.case.certain]
    for each in uncertain:
        assert len(set(each.found)) == 1, (each.case, each.checker)
    assert any(each.found == (True, True) for each in uncertain)


def test_both_name_the_same_entry_and_what_it_would_have_been(said: list[Said]) -> None:
    """Up to the first one that is wrong: there the checker ends."""
    others = [each for each in said if each.checker.get("error", "").startswith("draws.other")]
    assert others
    for each in others:
        drawn = each.checker["drawn"]
        assert told(drawn) == told(each.verifier["outcomes"])[: len(drawn)], each.case
        assert (drawn[-1]["at"], drawn[-1]["state"]) == (each.checker["at"], "wrong")


def test_what_is_wrong_in_form_is_refused_by_both(refused: list[Said]) -> None:
    ways = [each for each in refused if each.case.certain]
    assert {each.case.done for each in ways} == {way.__name__ for way in drawn_play.REFUSED}
    for each in ways:
        assert each.found == (True, True), (each.case, each.checker, each.verifier)


def test_what_is_left_out_is_missed_by_both_or_by_neither(refused: list[Said]) -> None:
    uncertain = [each for each in refused if not each.case.certain]
    for each in uncertain:
        assert len(set(each.found)) == 1, (each.case, each.checker, each.verifier)
    for way in drawn_play.MISSING:
        done = [each for each in uncertain if each.case.done == way.__name__]
        assert {each.found for each in done} == {(True, True), (False, False)}


def test_a_record_without_a_seed_says_nothing_of_its_draws() -> None:
    for ruleset in REGISTRY:
        record = DrawnGame(ruleset, 1).play().record
        del record["draws"]
        text = json.dumps(record)
        checked = records.check(REGISTRY, text.encode(), draws=True)
        (verified,) = by_the_verifier([(ruleset.id, text)])
        assert told(checked["drawn"]) == told(verified["outcomes"])
        assert {each["state"] for each in checked["drawn"]} <= {"unverifiable", "supplied"}
        assert verified["derived"] is None


@pytest.mark.parametrize(
    "text", ["", "no", "[]", "null", '"x"', "{}", '{"format": "deathmatch-record/1", "moves": 3}']
)
def test_what_is_no_record_is_no_record_to_either(text: str) -> None:
    ruleset = next(iter(REGISTRY)).id
    assert by_the_verifier([(ruleset, text)])[0]["unreadable"]
    assert not records.check(REGISTRY, text.encode())["ok"]


def pool_record(**more: Any) -> dict[str, Any]:
    """A record of Domain whose options hold the pool that is played with."""
    (reference, document), *_ = built_in_of(REGISTRY.get("domain")).items()
    seed = "5e" * 32
    return {
        "format": records.FORMAT,
        "ruleset": "domain",
        "variant": "standard",
        "seats": ["Ada", "Ben"],
        "options": {"pool": {**document, "name": "mine"}},
        "advantage": 0,
        "moves": [{"seat": "chance", "move": f"pool mine@{reference.split('@')[1]}", **more}],
        "draws": {
            "method": derived.METHOD,
            "seed": seed,
            "commitment": derived.seed_commitment(seed),
            "nonces": [{}, {}],
        },
    }


@pytest.mark.parametrize(("more", "state"), [({}, "agreed"), ({"by": "Cleo"}, "supplied")])
def test_a_pool_that_the_options_hold_was_not_drawn_whoever_has_struck_out_the_name(
    more: dict[str, str], state: str
) -> None:
    text = json.dumps(pool_record(**more))
    checked = records.check(REGISTRY, text.encode(), draws=True)
    (verified,) = by_the_verifier([("domain", text)])
    assert checked["ok"], checked
    assert told(checked["drawn"]) == told(verified["outcomes"])
    assert [each["state"] for each in checked["drawn"]] == [state]
    assert checked["draws"][state] == 1
    assert checked["draws"]["verified"] == 0


def test_another_pool_that_is_built_in_makes_no_old_record_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a pool is drawn among by the method of records never changes."""
    classic = pools.built_in()["classic@1"]
    another = pools.prepared(msgspec.structs.replace(classic.document, name="another"))
    more = {another.reference: another, **pools.built_in()}
    for module in (domain_rules, pools):
        monkeypatch.setattr(module, "built_in", lambda: more)
    seeds = [Draws(f"{number:064x}") for number in range(20)]
    domain = REGISTRY.get("domain")
    state = domain.initial(Setup("standard", options_of(domain, {}), 0, ()))
    drawn = {domain.draw(state, Draw("pool"), each.numbers("pool")).value for each in seeds}
    assert drawn == {("classic@1",)}


def test_the_page_knows_every_pool_that_is_built_in() -> None:
    script = (folder_of(REGISTRY.get("domain")) / "static" / "draws.js").read_text()
    lists = dict(re.findall(r"const (BUILT_IN|DRAWN_AMONG) = (\[.*?\]);", script))
    assert json.loads(lists["BUILT_IN"]) == sorted(built_in_of(REGISTRY.get("domain")))
    assert json.loads(lists["DRAWN_AMONG"]) == list(domain_rules.DRAWN_AMONG)
