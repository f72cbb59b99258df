"""Orders of finish: the places they lead to, and what people write down."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tournaments.formats.elimination.rules import places_in_order
from tournaments.forms.finishing import order_of, order_text, read, strangers, tapped

NAMES = {1: "Ada", 2: "Ben", 3: "Cleo", 4: "Dora", 5: "7 of 9", 6: "Smith, John", 7: "-x-"}


def people(**more: str) -> list[Any]:
    """Contestants by name; their usernames are `p1` and so on, unless ``more`` says otherwise."""
    return [
        SimpleNamespace(
            pk=pk,
            name=name,
            shown_name=f"{name} (no account here)" if pk == 7 else name,
            user=None if pk == 7 else SimpleNamespace(username=more.get(name, f"p{pk}")),
        )
        for pk, name in NAMES.items()
    ]


@pytest.mark.parametrize(
    ("named", "others", "places"),
    [
        ([[7]], [1, 2, 3], {1: 1, 2: 1, 3: 1, 7: 4}),
        ([[4], [5, 6], [7]], [], {4: 1, 5: 2, 6: 2, 7: 4}),
        ([[4], [7]], [1, 2], {4: 1, 1: 2, 2: 2, 7: 4}),
        ([[6, 7]], [1, 2], {1: 1, 2: 1, 6: 3, 7: 3}),
        ([[1]], [], {1: 1}),
        ([], [], {}),
    ],
)
def test_places_follow_from_the_order(
    named: list[list[int]], others: list[int], places: dict[int, int]
) -> None:
    assert places_in_order(named, others) == places


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("Ada\nBen\nCleo", [[1], [2], [3]]),
        ("  ADA \n\n@P2\np3", [[1], [2], [3]]),
        ("1. Ada\n2) Ben\n3: Cleo\n4 Dora\n", [[1], [2], [3], [4]]),
        ("1st Ada\n#2 Ben\n3.Cleo", [[1], [2], [3]]),
        ("\U0001f947 Ada\n\U0001f948 Ben\n\U0001f949\ufe0f Cleo", [[1], [2], [3]]),
        ("- Ada\n* Ben\n\u2022 Cleo\n\u2013 Dora", [[1], [2], [3], [4]]),
        ("Ada\n= Ben\nCleo", [[1, 2], [3]]),
        ("Ada = Ben\nCleo, Dora", [[1, 2], [3, 4]]),
        ("1. Ada\n2= Ben\n2= Cleo\n4. Dora", [[1], [2, 3], [4]]),
        ("= Ada\nBen", [[1], [2]]),
        ("7 of 9\n2. 7 OF 9 ", None),
        ("1. 7 of 9\n2. Smith, John\n-x-", [[5], [6], [7]]),
        ("-x- (no account here)\n-\n---\n\nAda", [[7], [1]]),
        ("1\nAda", None),
        ("Ada\n2.", None),
        ("Ada\n3=", None),
        ("Ada\n\U0001f948", None),
        ("", []),
    ],
)
def test_a_list_is_read_as_people_write_it(text: str, groups: list[list[int]] | None) -> None:
    found = read(text, people())
    assert found.groups == (groups or [])
    assert bool(found.faults) == (groups is None)


def test_every_line_that_fits_nobody_or_two_is_named_and_nothing_is_read() -> None:
    found = read("Ada\nEve\np9 = Ben\nAda\nCleo", people(Dora="cleo"))
    assert found.groups == []
    assert found.faults == [
        "Line 2: nobody here is called \u201cEve\u201d.",
        "Line 3: nobody here is called \u201cp9\u201d.",
        "Line 4: \u201cAda\u201d is named twice.",
        "Line 5: several contestants fit \u201cCleo\u201d.",
    ]


def test_what_is_tapped_is_kept_and_taken_back() -> None:
    groups = tapped([], 3, together=True)
    groups = tapped(groups, 5, together=False)
    groups = tapped(groups, 7, together=True)
    assert order_text(groups) == "3,5=7"
    assert tapped(groups, 5, together=False) == [[3], [7]]
    assert tapped(groups, 3, together=True) == [[5, 7]]
    assert tapped(groups, None, together=True) == groups


@pytest.mark.parametrize("text", ["3,5=7", "3,,=5=7=,9,x", "3, 5 = 7,3=5", f"3,5={'9' * 5000}=7"])
def test_what_a_page_sends_is_read_as_far_as_it_is_known(text: str) -> None:
    assert order_of(text, {3, 5, 7}) == [[3], [5, 7]]
    assert strangers(text, {3, 5, 7}) in ([], [9])
