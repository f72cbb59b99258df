"""Nothing outside of a ruleset's folder knows that there is such a ruleset.

So a further one is a folder and a line in the registry, and so is one fewer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from games.engine.ruleset import Ruleset
from games.folders import folder_of
from games.rulesets import REGISTRY
from script.lib.console import ROOT

ROOMS = (
    "accounts", "benchmarks", "config", "core", "examples", "games", "script", "static",
    "templates", "tournaments", "types",
)  # fmt: skip
KINDS = {".py", ".html", ".txt", ".svg", ".css", ".js", ".ts", ".json"}
AnyRuleset = Ruleset[Any, Any]

every_ruleset = pytest.mark.parametrize("ruleset", list(REGISTRY), ids=[r.id for r in REGISTRY])
# The line of the registry, and what has been migrated once, which stays as it was.
MAY_NAME = (ROOT / "games/rulesets/__init__.py", ROOT / "games/migrations", ROOT / "static/vendor")
# An id that is an English word, where it is meant as that word.
ENGLISH = (
    "domain logic", "importlinter.domain", "is_same_domain", "top-level domain",
    '"turn" | "total"', '{"total", "sum"',
)  # fmt: skip


def declared(ruleset: AnyRuleset) -> Iterator[str]:
    """What only the ruleset itself may call by name: itself, its ways to end a match that no other
    has, and its items."""
    yield ruleset.id
    others = {each.id for other in REGISTRY if other is not ruleset for each in other.reasons}
    yield from (each.id for each in ruleset.reasons if each.id not in others)
    yield from (each.id for each in ruleset.items)


def searched(ruleset: AnyRuleset) -> list[tuple[str, re.Pattern[str]]]:
    """What the ruleset has declared, and how each is found elsewhere."""
    reasons = {each.id for each in ruleset.reasons if "-" not in each.id}
    return [
        (name, value_pattern_of(name) if name in reasons else pattern_of(name))
        for name in declared(ruleset)
    ]


def value_pattern_of(word: str) -> re.Pattern[str]:
    """A word that anybody may use for something else ("total"), where it stands as a value: quoted,
    and no key."""
    return re.compile(rf"""(?<![\[\w])(["']){re.escape(word)}\1(?!\s*:)""")


def pattern_of(name: str) -> re.Pattern[str]:
    """The name however it is written: apart, with hyphens or underscores, or as one word."""
    words = re.split(r"[ _-]|& ", name)
    return re.compile(
        r"(?<![a-z])" + r"[ _-]?(?:& |and )?".join(filter(None, words)) + r"(?![a-z])",
        re.IGNORECASE,
    )


def files() -> Iterator[Path]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*")):
            known = any(path.is_relative_to(each) for each in MAY_NAME)
            if path.suffix in KINDS and not known and "__pycache__" not in path.parts:
                yield path


def outside(ruleset: AnyRuleset) -> Iterator[tuple[str, Path]]:
    """Every file that must not know the ruleset, by its name. The words of another ruleset whose
    own name has this one's in it are its own."""
    pattern = pattern_of(ruleset.id)
    own = [folder_of(other) for other in REGISTRY if pattern.search(other.id)]
    for path in files():
        if not any(path.is_relative_to(folder) for folder in own):
            yield str(path.relative_to(ROOT)), path


def read(path: Path) -> str:
    text = path.read_text(errors="replace")
    for phrase in ENGLISH:
        text = text.replace(phrase, "")
    return text


@every_ruleset
def test_no_ruleset_is_known_outside_of_its_folder(ruleset: AnyRuleset) -> None:
    patterns = searched(ruleset)
    found = [
        f"{file}:{number}: {name}"
        for file, path in outside(ruleset)
        for number, line in enumerate(read(path).splitlines(), 1)
        for name, pattern in patterns
        if pattern.search(line)
    ]
    assert found == []


@every_ruleset
def test_no_file_outside_is_named_after_a_ruleset(ruleset: AnyRuleset) -> None:
    pattern = pattern_of(ruleset.id)
    assert [file for file, _ in outside(ruleset) if pattern.search(file)] == []


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_is_searched(room: str) -> None:
    assert any(path.is_relative_to(ROOT / room) for path in files())


@pytest.mark.parametrize(
    "text",
    ["peg-domain", "peg_domain.css", "class PegDomain:", "as in Peg Domain.", '"PEG_DOMAIN"'],
)
def test_a_name_is_found_however_it_is_written(text: str) -> None:
    assert pattern_of("peg-domain").search(text)
    assert not pattern_of("peg-domain").search("a peg on the domain")


@pytest.mark.parametrize(
    "text", ['reason="total",', "(9, winner, 'total', 5)", 'if (end === "total") {']
)
def test_an_end_in_one_word_is_found_as_a_value(text: str) -> None:
    assert value_pattern_of("total").search(text)


@pytest.mark.parametrize("text", ['counts["total"]', '"total": page.total', "the `total` of all"])
def test_a_word_that_is_no_value_is_a_word(text: str) -> None:
    assert not value_pattern_of("total").search(text)
