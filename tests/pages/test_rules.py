"""The public rules: every ruleset has a page, with its figures, rulings and times."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from django.test import Client

from core.refusals import Refusal
from games.engine.table import AnyRuleset
from games.pictures.boards import figures_of, words_of
from games.rulesets import REGISTRY
from games.templatetags.rules import rules_figure
from tests.pages.support import links, words

RULESETS = list(REGISTRY)
FIGURES = [(ruleset.id, name) for ruleset in RULESETS for name in figures_of(ruleset)]

each_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)

pytestmark = pytest.mark.django_db


def test_the_index_leads_to_every_game(nobody: Client) -> None:
    page = nobody.get("/rules/")
    assert {f"/rules/{ruleset.id}/" for ruleset in RULESETS} <= {*links(page)}
    assert nobody.post("/rules/").status_code == 405


@each_ruleset
def test_every_game_has_its_page(nobody: Client, ruleset: AnyRuleset) -> None:
    page = nobody.get(f"/rules/{ruleset.id}/")
    assert page.status_code == 200
    shown = words(page)
    assert shown.startswith(f"Rules of {ruleset.name} ")
    assert shown.count("House ruling") > 3
    assert "Other paces" in shown
    assert f"/challenges/new/?game={ruleset.id}" in links(page)
    assert nobody.post(f"/rules/{ruleset.id}/").status_code == 405


def test_the_rules_of_peg_domain_say_that_placements_can_be_painted(nobody: Client) -> None:
    assert "A placement can be painted, too" in words(nobody.get("/rules/peg-domain/"))


@each_ruleset
def test_every_game_says_once_when_one_is_reminded(nobody: Client, ruleset: AnyRuleset) -> None:
    shown = words(nobody.get(f"/rules/{ruleset.id}/"))
    assert shown.count("Everybody is reminded when 30, 15 and 5 seconds of ") == 1
    assert shown.count("when the reserve is begun, and after every 30 seconds of it") == 1


def test_where_the_general_rule_has_an_exception_it_is_named(nobody: Client) -> None:
    """Removals have no reminders, and the reserve of Peg Domain goes in steps."""
    assert "Of a removal nobody is reminded" in words(nobody.get("/rules/peg-domain/"))
    assert "in Peg Domain in whole steps" in words(nobody.get("/rules/"))


@each_ruleset
def test_the_contents_lead_to_every_heading(nobody: Client, ruleset: AnyRuleset) -> None:
    page = nobody.get(f"/rules/{ruleset.id}/").content.decode()
    headings = re.findall(r'<h2[^>]*\sid="([^"]+)"', page)
    assert re.findall(
        r'<a href="#([^"]+)"', page.split("contents__list")[1].split("</nav>")[0]
    ) == (headings)
    assert len(headings) == len({*headings}) == page.count("<h2") > 3


@each_ruleset
def test_every_figure_that_was_drawn_is_shown(nobody: Client, ruleset: AnyRuleset) -> None:
    page = nobody.get(f"/rules/{ruleset.id}/").content.decode()
    shown = re.findall(rf'src="/rules/{ruleset.id}/figures/([a-z-]+)\.svg"', page)
    assert len(shown) == len(set(shown))
    assert {*shown, *_on_cards(nobody, ruleset)} == set(figures_of(ruleset))
    assert all(alt for alt in re.findall(r'<img[^>]*alt="([^"]*)"', page))


def _on_cards(nobody: Client, ruleset: AnyRuleset) -> set[str]:
    """The figures beside the rules on cards, of all variants."""
    pages = [
        nobody.get(f"/learn/{ruleset.id}/{variant.id}/").content.decode()
        for variant in ruleset.variants
    ]
    figure = re.compile(rf'src="/rules/{ruleset.id}/figures/([a-z-]+)\.svg"')
    return {name for page in pages for name in figure.findall(page)}


@pytest.mark.parametrize(("ruleset", "name"), FIGURES)
def test_a_figure_is_a_picture(nobody: Client, ruleset: str, name: str) -> None:
    address = f"/rules/{ruleset}/figures/{name}.svg"
    response = nobody.get(address)
    assert response["Content-Type"] == "image/svg+xml; charset=utf-8"
    assert "sandbox" in response["Content-Security-Policy"]
    root = ElementTree.fromstring(response.content)  # noqa: S314  (our own)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert words_of(response.content.decode())
    known = nobody.get(address, headers={"If-None-Match": response["ETag"]})
    assert (known.status_code, known.content) == (304, b"")


@pytest.mark.parametrize(
    "address",
    [
        "/rules/chess/",
        "/rules/chess/figures/edges.svg",
        "/rules/tetronogo/figures/nothing.svg",
        "/rules/tetronogo/figures/..svg",
    ],
)
def test_what_there_is_not(nobody: Client, address: str) -> None:
    assert nobody.get(address).status_code == 404


def test_a_page_that_asks_for_a_figure_that_is_not_drawn_is_a_mistake() -> None:
    with pytest.raises(Refusal, match=r"rules\.no-figure"):
        rules_figure("tetronogo", "nothing")


def test_times_at_every_pace(nobody: Client) -> None:
    shown = words(nobody.get("/rules/domino-black-white/"))
    assert "Turn 20 s 2 min 5 min 1 day 3 days" in shown
    assert "Reserve 1 min 40 s 10 min 25 min 5 days 15 days" in shown
    assert "Set-up choice 10 s 1 min 2 min 30 s 12 h 1 day 12 h" in shown
