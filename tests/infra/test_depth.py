"""What a run goes through of a product of cases."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from script.lib import compiling
from script.lib.suite import WHOLE, Suite
from tests.support import depth


@given(st.lists(st.integers(1, 5).map(range), min_size=1, max_size=4))
def test_every_case_of_every_dimension_occurs(dimensions: list[range]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(depth, "whole", False)
        found = depth.covering(*dimensions)
    assert [set(values) for values in zip(*found, strict=True)] == [
        set(each) for each in dimensions
    ]
    assert set(found) <= set(product(*dimensions))
    assert len(found) == max(map(len, dimensions))


@given(st.integers(0, 40), st.integers(2, 50))
def test_some_are_spread_from_the_first_to_the_last(count: int, at_most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(depth, "whole", False)
        found = depth.some(range(count), at_most)
    assert len(found) == len(set(found)) == min(count, at_most)
    assert not count or (found[0], found[-1]) == (0, count - 1)


def test_a_whole_run_leaves_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(depth, "whole", True)
    assert depth.covering("abc", "de") == list(product("abc", "de"))
    assert depth.some(range(9), 2) == list(range(9))


@pytest.mark.parametrize("whole", [True, False])
def test_the_argument_reaches_the_tests(monkeypatch: pytest.MonkeyPatch, whole: bool) -> None:
    found: list[tuple[bool, list[str]]] = []

    def run(_self: Suite, env: dict[str, str], arguments: list[str]) -> list[str]:
        found.append((WHOLE in env, list(arguments)))
        return []

    monkeypatch.setattr(Suite, "__init__", lambda _self: None)
    monkeypatch.setattr(Suite, "environment", None, raising=False)
    monkeypatch.setattr(compiling, "ensure", lambda *_arguments, **_options: None)
    monkeypatch.setattr(Suite, "_tests", run)
    # What the caller's environment holds does not count.
    monkeypatch.setenv(WHOLE, "1")
    Suite().run([*(["--whole"] if whole else []), "tests/rulesets", "-q"])
    assert found == [(whole, ["tests/rulesets", "-q"])]


def test_hypothesis_makes_up_a_third(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(depth, "whole", False)
    assert [depth.examples(number) for number in (1, 2, 40, 100)] == [1, 1, 14, 34]
    monkeypatch.setattr(depth, "whole", True)
    assert depth.examples(40) == 40


def test_the_same_comes_so_often(monkeypatch: pytest.MonkeyPatch) -> None:
    for whole, most in ((False, 2), (True, 10_000)):
        monkeypatch.setattr(depth, "whole", whole)
        assert len([number for number in range(10_000) if number < depth.at_most(2)]) == most
