"""One way of saying no: what is refused is of one kind, wherever it is raised and answered."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

import pytest
from django.http import Http404, HttpRequest, HttpResponse
from django.test import RequestFactory

from accounts.models import User
from core import refusals
from core.api import problems
from core.refusals import (
    Forbidden,
    NotFound,
    NotUnderstood,
    Refusal,
    RefusalKind,
    Refusals,
    Together,
    TooOften,
)
from games.views.common import explains_refusals
from script.lib.console import ROOT
from tests.support.sources import sources
from tournaments.forms.base import NoForm

KINDS = {each.__name__: each for each in (Refusal, Forbidden, NotFound, NotUnderstood, TooOften)}


def raised() -> Iterator[tuple[str, str, str]]:
    """Every refusal whose code stands in the source: its code, its class, and where."""
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str(code)), *_]):
                    if name in KINDS:
                        yield code, name, f"{path.relative_to(ROOT)}:{node.lineno}"


def test_a_code_is_of_one_kind() -> None:
    kinds: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for code, name, where in raised():
        kinds[code][name].append(where)
    assert len(kinds) > 300
    assert {code: dict(found) for code, found in kinds.items() if len(found) > 1} == {}


@pytest.mark.parametrize(
    ("refusal", "shown"),
    [
        (Refusal("ledger.short", "Not so many.", field="amount"), "Not so many."),
        (Refusal("free.zone", "No such zone."), "No such zone."),
        (Refusal("setup.options", "From 1 to 9.", field="rounds"), "rounds: From 1 to 9."),
        (Refusal("format.options", "From 1 to 9.", field="rounds"), "rounds: From 1 to 9."),
    ],
)
def test_a_form_without_the_field_names_options_alone(refusal: Refusal, shown: str) -> None:
    """What a field is called in the code tells people nothing; which option it is about does."""
    form = NoForm({})
    assert form.is_valid()
    form.refuse(refusal)
    assert form.non_field_errors() == [shown]


# Where the code is not written out: it begins with what the caller names, or is that of a refusal.
UNWRITTEN = 16


def test_few_codes_are_not_written_out() -> None:
    """What is handed on in a variable escapes the check above."""
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for app in ("accounts", "config", "games", "tournaments")
        for path in sorted((ROOT / app).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if node.func.id in KINDS and not isinstance(node.args[0], ast.Constant)
    ]
    assert len(found) <= UNWRITTEN, found


def test_every_kind_has_a_class_and_a_status() -> None:
    assert {each.kind for each in KINDS.values()} == set(RefusalKind) == set(refusals.HTTP_STATUS)
    assert len(set(refusals.HTTP_STATUS.values())) == len(RefusalKind)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.django_db
def test_pages_and_the_api_answer_it_alike(kind: type[Refusal]) -> None:
    refusal = kind("area.reason", "It cannot be.")

    @explains_refusals
    def view(request: HttpRequest) -> HttpResponse:
        raise refusal

    request = RequestFactory().get("/")
    request.user = User.objects.create_user("ada")
    try:
        page = view(request).status_code
    except Http404:
        page = 404
    assert page == problems.refused(refusal).status_code == refusal.status


@pytest.mark.parametrize(
    ("kind", "status"),
    [(Refusal, 422), (NotUnderstood, 422), (Forbidden, 403), (NotFound, 422), (TooOften, 429)],
)
def test_a_form_is_shown_again_for_what_can_be_mended_in_it(
    kind: type[Refusal], status: int
) -> None:
    assert kind("area.reason", "It cannot be.").form_status == status


def test_what_it_is_about_is_told() -> None:
    refusal = NotUnderstood("cut.twice", "A3 is cut twice.", ("A3",), field="cut")
    answer = problems.refused(refusal)
    assert answer.data["squares"] == ["A3"]
    assert list(answer.data["fields"]) == ["cut"]
    assert str(refusal) == "cut.twice: A3 is cut twice."


# Endings of codes that tell somebody that it is not for them to do.
_NOT_FOR_THEM = re.compile(
    r"\.(not-yours|own|own-account|own-match|your-own|about-you|not-organiser|not-moderator"
    r"|not-administrator|not-in|protected)$"
)
# Of the games: a move is refused as any other.
_MOVES = {"shape.not-yours"}


def test_who_may_not_is_told_so_everywhere() -> None:
    """403, whatever it is that somebody may not do."""
    found = [
        (code, kind, where)
        for code, kind, where in raised()
        if _NOT_FOR_THEM.search(code) and code not in _MOVES
    ]
    assert [each for each in found if each[1] != "Forbidden"] == []
    assert len(found) > 25


def test_several_are_told_together() -> None:
    told = Together()
    told.settle()
    for code in ("one.first", "two.second", "two.third"):
        with told.of():
            raise Refusal(code, f"{code}.")
    with pytest.raises(Refusals) as caught:
        told.settle()
    assert caught.value.code == "one.first"
    assert caught.value.sentence == "one.first. two.second. two.third."
    assert [each.code for each in caught.value.each] == ["one.first", "two.second", "two.third"]


def test_what_is_no_refusal_is_not_held_back() -> None:
    told = Together()
    with pytest.raises(ZeroDivisionError), told.of():
        raise ZeroDivisionError


def test_other_words_change_nothing_else() -> None:
    told = Together()
    for kind in (NotFound, Forbidden):
        with told.of():
            raise kind("area.reason", "It cannot be.", ("A3",), field="cut")
    with pytest.raises(Refusals) as caught:
        told.settle()
    for refusal in (*caught.value.each, caught.value):
        other = refusal.reworded("In row 3: no.")
        assert (other.sentence, str(other)) == ("In row 3: no.", "area.reason: In row 3: no.")
        assert (other.code, other.kind, other.status) == (
            refusal.code,
            refusal.kind,
            refusal.status,
        )
        assert (other.squares, other.field) == (refusal.squares, refusal.field)
