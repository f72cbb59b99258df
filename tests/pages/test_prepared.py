"""The organisers' pages for what they prepare, and choosing it and the rules for a challenge."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import User
from games.engine.capabilities import supplier, supplies_of
from games.folders import folder_of
from games.models import Challenge, Preparation
from games.options.rules import rule_options, rules_table
from games.rulesets import REGISTRY
from games.services.preparations import preparation_create
from tests.games.support import nothing_changes
from tests.pages.support import links, words
from tests.pages.test_challenges import OFFER
from tests.rulesets.peg_domain.helpers import OTHER_PEGS, PEGS

Visitor = Callable[..., Client]
LIST = "/organise/prepared/"
NEW = "/organise/prepared/new/peg-domain/pallets/"
PALLETS = f"pallet red {PEGS}\npallet blue {OTHER_PEGS}"


def kept(user: User, **more: Any) -> Preparation:
    arguments: dict[str, Any] = {
        "ruleset_id": "peg-domain", "key": "pallets", "name": "Plain", "data": PALLETS.encode(),
        **more,
    }  # fmt: skip
    return preparation_create(acting_user=user, **arguments)


# -- preparing -----------------------------------------------------------------------------------


def test_everything_that_can_be_prepared_is_listed(visitor: Visitor, orla: User) -> None:
    page = visitor(orla).get(LIST)
    assert page.status_code == 200
    for ruleset in REGISTRY:
        for supply in supplies_of(ruleset):
            address = f"{LIST}new/{ruleset.id}/{supply.key}/"
            assert address in links(page)
            assert visitor(orla).get(address).status_code == 200
            for name in supplier(ruleset).supply_files(supply.key):
                assert f"{address}{name}/" in links(page)
                answer = visitor(orla).get(f"{address}{name}/")
                assert answer.content.decode() == supplier(ruleset).supply_files(supply.key)[name]
                file = f"{ruleset.id}-{supply.key}-{name}{supply.suffix}"
                assert answer["Content-Disposition"] == f'attachment; filename="{file}"'


@pytest.mark.parametrize("address", [LIST, NEW, f"{LIST}1/"])
def test_it_needs_a_sign_in(nobody: Client, address: str) -> None:
    assert nobody.get(address)["Location"] == f"/accounts/login/?next={address}"


@pytest.mark.parametrize("address", [LIST, NEW])
def test_it_is_for_organisers(visitor: Visitor, ada: User, address: str) -> None:
    page = visitor(ada).get(address)
    assert page.status_code == 403
    assert "Only organisers may prepare matches." in words(page)


@pytest.mark.parametrize(
    "address",
    [f"{LIST}0/", f"{LIST}0/file/", f"{LIST}new/peg-domain/pool/", f"{LIST}new/chess/pool/",
     f"{NEW}nothing/"],
)  # fmt: skip
def test_what_is_not_there(visitor: Visitor, orla: User, address: str) -> None:
    assert visitor(orla).get(address).status_code == 404


def test_checking_keeps_nothing_and_shows_a_picture(visitor: Visitor, orla: User) -> None:
    with nothing_changes():
        page = visitor(orla).post(NEW, {"name": "x", "text": PALLETS, "check": ""})
    assert page.status_code == 200
    assert "This is sound" in words(page)
    assert b'<img class="board-picture" src="data:image/svg+xml;base64,' in page.content


def test_every_fault_is_named_and_the_text_stays_in_the_form(visitor: Visitor, orla: User) -> None:
    bad = f"pallet red {PEGS} A1 Z9"
    with nothing_changes():
        upload = SimpleUploadedFile("pallets.txt", bad.encode())
        page = visitor(orla).post(NEW, {"name": "x", "file": upload, "keep": ""})
    assert page.status_code == 422
    assert "3 things are wrong" in words(page)
    for fault in (
        "A1 is there twice on the red pallet.",
        "There is no square Z9 on the red pallet.",
        "There is no blue pallet.",
    ):
        assert fault in words(page)
    assert page.context["form"]["text"].value() == bad
    assert "Marked as wrong: A1" in words(page) or b"board-picture" in page.content


def test_a_sound_file_is_kept_shown_downloaded_and_deleted(visitor: Visitor, orla: User) -> None:
    browser = visitor(orla)
    upload = SimpleUploadedFile("pallets.txt", PALLETS.encode())
    answer = browser.post(NEW, {"name": "Plain", "file": upload, "keep": ""})
    mine = Preparation.objects.get()
    assert answer["Location"] == f"{LIST}{mine.pk}/"
    page = browser.get(f"{LIST}{mine.pk}/")
    assert "Plain" in words(page)
    assert "Gauntlet and Final" in words(page)
    assert f"/challenges/new/?game=peg-domain/gauntlet&preparation={mine.pk}" in links(page)
    assert page["Cache-Control"] == "private, no-store"
    assert browser.get(f"{LIST}{mine.pk}/file/").content.decode() == mine.value
    assert f"{LIST}{mine.pk}/" in links(browser.get(LIST))
    assert browser.get(f"{LIST}{mine.pk}/delete/").status_code == 405
    assert browser.post(f"{LIST}{mine.pk}/delete/")["Location"] == LIST
    assert not Preparation.objects.exists()


@pytest.mark.parametrize(
    ("fields", "field", "sentence"),
    [
        ({"name": "x"}, "__all__", "Choose a file, or paste a text."),
        ({"name": " ", "text": PALLETS}, "name", "Please give it a name."),
        ({"name": "Plain", "text": PALLETS}, "name", "You keep something called “Plain” already."),
        ({"name": "x", "file": b"\xff\xff"}, "file", "This is not a text file"),
        ({"name": "x", "file": b"#" * 300_000}, "file", "A file has at most 256 KiB."),
    ],
)
def test_what_cannot_be_kept_is_said_at_its_field(
    visitor: Visitor, orla: User, fields: dict[str, Any], field: str, sentence: str
) -> None:
    kept(orla)
    sent = {
        key: SimpleUploadedFile("x.txt", value) if isinstance(value, bytes) else value
        for key, value in fields.items()
    }
    with nothing_changes():
        page = visitor(orla).post(NEW, {**sent, "keep": ""})
    assert page.status_code == 422
    assert any(sentence in error for error in page.context["form"].errors[field])


def test_others_neither_see_nor_delete_it(visitor: Visitor, orla: User, root: User) -> None:
    mine = kept(orla)
    for address in (f"{LIST}{mine.pk}/", f"{LIST}{mine.pk}/file/"):
        assert visitor(root).get(address).status_code == 404
    with nothing_changes():
        assert visitor(root).post(f"{LIST}{mine.pk}/delete/").status_code == 404


def test_what_is_in_use_stays(visitor: Visitor, orla: User) -> None:
    mine = kept(orla)
    fields = {**OFFER, "game": "peg-domain/final", "preparation": str(mine.pk)}
    assert visitor(orla).post("/challenges/new/", fields).status_code == 302
    answer = visitor(orla).post(f"{LIST}{mine.pk}/delete/")
    assert answer.status_code == 409
    assert "must stay" in words(answer)


# -- challenging with it -------------------------------------------------------------------------


def test_a_challenge_says_that_something_is_supplied_but_not_what(
    visitor: Visitor, orla: User, ada: User
) -> None:
    mine = kept(orla, name="Easy corners")
    form = visitor(orla).get(f"/challenges/new/?preparation={mine.pk}&game=peg-domain/final")
    assert form.context["form"]["preparation"].value() == str(mine.pk)
    fields = {**OFFER, "game": "peg-domain/final", "preparation": str(mine.pk)}
    visitor(orla).post("/challenges/new/", fields)
    made = Challenge.objects.get()
    assert made.preparation == mine
    for user, named in ((orla, True), (ada, False)):
        page = visitor(user).get(f"/challenges/{made.pk}/")
        assert "Pallets, by the challenger, instead of being drawn" in words(page)
        assert ("Easy corners" in words(page)) is named
        assert ("A1" in words(page)) is False


def test_it_must_fit_the_game(visitor: Visitor, orla: User) -> None:
    mine = kept(orla)
    for game in ("peg-domain/tempo-up", "tetronogo/standard"):
        with nothing_changes():
            fields = {**OFFER, "game": game, "preparation": str(mine.pk)}
            page = visitor(orla).post("/challenges/new/", fields)
        assert page.status_code == 422
        assert page.context["form"].errors["preparation"]


def test_others_are_offered_nothing(visitor: Visitor, ada: User, orla: User) -> None:
    mine = kept(orla)
    page = visitor(ada).get("/challenges/new/")
    assert "preparation" not in page.context["form"].fields
    fields = {**OFFER, "game": "peg-domain/final", "preparation": str(mine.pk)}
    assert visitor(ada).post("/challenges/new/", fields).status_code == 302
    assert Challenge.objects.get().preparation is None


# -- the rules that can be chosen ----------------------------------------------------------------


def test_rules_have_titles_helps_and_choices() -> None:
    found = {(r.id, o.key): o for r in REGISTRY for o in rule_options(r.id)}
    assert set(found) == {
        ("domain", "early_ready"), ("domain", "refereeing"), ("domain", "review"),
        ("domino-wars", "draw_when_stuck"), ("peg-domain", "early_ready"),
    }  # fmt: skip
    for option in found.values():
        assert option.title
        assert option.help.endswith(".")
        assert option.default in option.choices
    review = found["domain", "review"]
    assert [choice.words for choice in review.choices] == ["The program", "An organiser"]
    assert review.chosen("organiser").value == "organiser"
    domain = REGISTRY.get("domain")
    assert rules_table(domain, {"early_ready": False, "review": "organiser"}) == [
        ("Ready before the time", "No"),
        ("Refereeing", "By challenge"),
        ("Who rules on a challenge", "An organiser"),
    ]


def test_rules_are_chosen_for_a_challenge(visitor: Visitor, ada: User, ben: User) -> None:
    fields = {
        **OFFER, "game": "domain/standard", "rule_domain_review": "organiser",
        "rule_domain_early_ready": "no", "rule_domain_refereeing": "challenge",
        # As a browser without scripts sends the other games' rules.
        "rule_domino-wars_draw_when_stuck": "no", "rule_peg-domain_early_ready": "yes",
    }  # fmt: skip
    assert visitor(ada).post("/challenges/new/", fields).status_code == 302
    made = Challenge.objects.get()
    assert made.options == {"review": "organiser", "early_ready": False}
    page = words(visitor(ben).get(f"/challenges/{made.pk}/"))
    assert "Who rules on a challenge An organiser" in page
    assert "Ready before the time No" in page


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("rule_domain_review", "nobody"),
        ("rule_domino-wars_draw_when_stuck", "yes"),
        ("rule_peg-domain_early_ready", "no"),
    ],
)
def test_a_rule_that_does_not_fit_is_said_at_its_field(
    visitor: Visitor, ada: User, field: str, value: str
) -> None:
    with nothing_changes():
        page = visitor(ada).post(
            "/challenges/new/", {**OFFER, "game": "domain/standard", field: value}
        )
    assert page.status_code == 422
    assert list(page.context["form"].errors) == [field]
    assert page.context["form"].rules_wanted


def test_what_the_service_says_of_an_option_stands_at_its_field(
    visitor: Visitor, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A league's times are allowed by the form up to ninety days; the engine's limit is far above.
    monkeypatch.setattr("games.forms.LONGEST_TIME", 10**12)
    wrong = {"time_turn_time": str(10**10), "time_reserve": "1e11", "opponent": "ada"}
    page = visitor(ada).post("/challenges/new/", {**OFFER, **wrong})
    assert page.status_code == 422
    assert set(page.context["form"].errors) == set(wrong)
    assert not set("$`") & set(str(page.context["form"].errors))


def test_a_pool_is_no_rule_to_choose() -> None:
    assert "pool" not in {option.key for option in rule_options("domain")}
    assert (
        json.loads(supplier(REGISTRY.get("domain")).supply_files("pool")["example"])["name"]
        == "my-pool"
    )


# -- editors ---------------------------------------------------------------------------------------


def test_an_editor_asks_what_a_text_is_worth(visitor: Visitor, orla: User) -> None:
    client = visitor(orla)
    with nothing_changes():
        answer = client.post(f"{NEW}check/", {"text": PALLETS})
        faulty = client.post(f"{NEW}check/", {"text": "pallet red A1"})
        empty = client.post(f"{NEW}check/", {})
    assert answer.json()["faults"] == []
    assert [part["name"] for part in answer.json()["parts"]] == ["red", "blue"]
    assert answer.json()["parts"][0]["data"] == PEGS.split()
    assert faulty.json()["faults"][0] == "There is no blue pallet."
    assert faulty.json()["parts"][0] == {"name": "red", "note": "1 peg of 36", "data": ["A1"]}
    assert empty.status_code == 200
    assert answer["Cache-Control"] == "private, no-store"


def test_what_an_editor_is_refused(visitor: Visitor, nobody: Client, ada: User, orla: User) -> None:
    for client in (nobody, visitor(ada)):
        answer = client.post(f"{NEW}check/", {"text": PALLETS})
        assert (answer.status_code, answer.json()["code"]) == (403, "preparation.not-allowed")
    client = visitor(orla)
    drawing = SimpleUploadedFile("a.svg", b"<svg/>")
    pool = f"{LIST}new/domain/pool/outlines/"
    for answer, status, code in (
        (client.post(f"{NEW}check/", {"text": "x" * (256 * 1024 + 1)}), 409,
         "preparation.too-large"),
        (client.post(f"{LIST}new/chess/pool/check/", {"text": "x"}), 404, "setup.ruleset"),
        (client.post(f"{NEW}outlines/", {"drawing": drawing}), 404, "svg.not-taken"),
        (client.post(pool), 400, "svg.none"),
        (client.post(pool, {"drawing": SimpleUploadedFile("a.svg", b"<svg/>")}), 409, "svg.empty"),
    ):  # fmt: skip
        assert (answer.status_code, answer.json()["code"]) == (status, code)
        assert answer.json()["sentence"]
    assert client.get(f"{NEW}check/").status_code in {404, 405}


def test_the_shapes_of_a_drawing(visitor: Visitor, orla: User) -> None:
    drawing = b'<svg xmlns="http://www.w3.org/2000/svg"><rect id="r" width="40" height="30"/></svg>'
    pool = f"{LIST}new/domain/pool/outlines/"
    answer = visitor(orla).post(pool, {"drawing": SimpleUploadedFile("a.svg", drawing)})
    assert answer.json() == {
        "outlines": [{"name": "r", "outline": [[0, 0], [40, 0], [40, 30], [0, 30]], "holes": []}]
    }


def test_the_page_names_the_editor_of_its_ruleset_alone(visitor: Visitor, orla: User) -> None:
    for ruleset in REGISTRY:
        for supply in supplies_of(ruleset):
            page = visitor(orla).get(f"{LIST}new/{ruleset.id}/{supply.key}/").content.decode()
            named = re.search(r'data-module="[^"]*/([a-z_]+)/static/supply[^"]*\.js"', page)
            assert named is not None
            assert named[1] == folder_of(ruleset).name
