"""Challenges: every address, who may use it, and what is said when they may not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from games.models import Challenge, Match
from games.options import pace
from games.rulesets import REGISTRY
from games.services.challenges import challenge_accept, challenge_cancel, challenge_decline
from tests.games.support import nothing_changes
from tests.pages.support import challenge, forms, links, words

Visitor = Callable[..., Client]

OFFER = {
    "game": "tetronogo/standard",
    "opponent": "",
    "pace": "normal",
    "advantage": "lot",
    "message": "",
    "lasts": "1440",
}


def offer(client: Client, **fields: Any) -> Any:
    return client.post("/challenges/new/", {**OFFER, **fields})


def the_challenge() -> Challenge:
    return Challenge.objects.get()


# -- making one ----------------------------------------------------------------------------------


def test_the_form_needs_a_sign_in(nobody: Client) -> None:
    assert nobody.get("/challenges/new/")["Location"] == "/accounts/login/?next=/challenges/new/"
    with nothing_changes():
        assert offer(nobody)["Location"] == "/accounts/login/?next=/lobby/"


def test_the_form_takes_no_other_method(visitor: Visitor, ada: User) -> None:
    assert visitor(ada).put("/challenges/new/").status_code == 405


def test_the_form_needs_its_token(visitor: Visitor, ada: User) -> None:
    with nothing_changes():
        assert offer(visitor(ada, enforce_csrf_checks=True)).status_code == 403


def test_a_link_fills_the_form_in(visitor: Visitor, ada: User) -> None:
    form = visitor(ada).get("/challenges/new/?game=tetronogo&opponent=ben").context["form"]
    assert form["game"].value() == "tetronogo/standard"
    assert form["opponent"].value() == "ben"
    senseless = visitor(ada).get("/challenges/new/?game=chess").context["form"]
    assert senseless["game"].value() == "domino-black-white/standard"


def test_an_offer_to_anybody(visitor: Visitor, ada: User) -> None:
    response = offer(visitor(ada), message="Anyone?")
    made = the_challenge()
    assert response["Location"] == f"/challenges/{made.pk}/"
    assert (made.challenger, made.opponent, made.ruleset) == (ada, None, "tetronogo")
    assert (made.options, made.advantage, made.message) == ({}, "lot", "Anyone?")
    assert made.expires_at - made.created_at == timedelta(days=1)


def test_an_offer_to_a_named_player(visitor: Visitor, ada: User, ben: User) -> None:
    offer(visitor(ada), opponent=" @BEN ", advantage="opponent", lasts="10")
    made = the_challenge()
    assert (made.opponent, made.advantage) == (ben, "opponent")
    assert made.expires_at - made.created_at == timedelta(minutes=10)


@pytest.mark.parametrize(
    ("game", "chosen", "expected"),
    [
        ("tetronogo/standard", "blitz",
         {"turn_time": 20, "reserve": 40, "choice_time": 20, "pick_time": 20}),
        ("domino-black-white/standard", "blitz",
         {"turn_time": 20, "reserve": 100, "choice_time": 10}),
        ("domino-black-white/standard", "slow",
         {"turn_time": 259200, "reserve": 1296000, "choice_time": 129600}),
        ("tetronogo/standard", "normal", {}),
    ],
)  # fmt: skip
def test_a_pace_changes_every_time_of_the_game(
    visitor: Visitor, ada: User, game: str, chosen: str, expected: dict[str, int]
) -> None:
    offer(visitor(ada), game=game, pace=chosen)
    assert the_challenge().options == expected


def test_own_times_go_over_the_pace(visitor: Visitor, ada: User) -> None:
    offer(visitor(ada), pace="blitz", time_turn_time="33.5", time_reserve="0", time_pick_time="")
    assert the_challenge().options == {
        "turn_time": 33.5, "reserve": 0, "choice_time": 20, "pick_time": 20,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "field", "sentence"),
    [
        ({"opponent": "nemo"}, "opponent", "There is no player called “nemo”."),
        ({"opponent": "ada"}, "opponent", "You cannot challenge yourself."),
        ({"opponent": "gone"}, "opponent", "This account is closed."),
        ({"game": "chess/standard"}, "game", "Select a valid choice."),
        ({"game": ""}, "game", "This field is required."),
        ({"pace": "warp"}, "pace", "Select a valid choice."),
        ({"advantage": "me"}, "advantage", "Select a valid choice."),
        ({"message": "x" * 201}, "message", "Ensure this value has at most 200 characters"),
        ({"lasts": "5"}, "lasts", "Select a valid choice."),
        ({"time_turn_time": "0.5"}, "time_turn_time", "greater than or equal to 1"),
        ({"time_turn_time": "nan"}, "time_turn_time", "Enter a number."),
        ({"time_reserve": "1e12"}, "time_reserve", "less than or equal to"),
        ({"game": "domino-black-white/standard", "time_pick_time": "9"}, "time_pick_time",
         "Domino Black & White has no such time. Leave this empty."),
    ],
)  # fmt: skip
def test_what_cannot_be_offered_is_said_at_its_field(
    visitor: Visitor, ada: User, fields: dict[str, str], field: str, sentence: str
) -> None:
    User.objects.create_user("gone", is_active=False)
    with nothing_changes():
        response = offer(visitor(ada), **fields)
    assert response.status_code == 422
    assert [*response.context["form"].errors] == [field]
    assert sentence in words(response)
    # An error in the folded part of the form unfolds it.
    folded = field.startswith("time_") or field in {"advantage", "message", "lasts", "preparation"}
    opened = '<details class="disclosure" data-more open>' in response.content.decode()
    assert opened is (folded or any(key in fields for key in ("advantage", "message", "lasts")))


def test_too_many_offers_are_refused_above_the_form(visitor: Visitor, ada: User) -> None:
    for _ in range(10):
        challenge(ada)
    response = offer(visitor(ada))
    assert response.status_code == 422
    assert response.context["form"].non_field_errors() == [
        "You have too many open challenges. Cancel one first."
    ]
    assert Challenge.objects.count() == 10


# -- looking at one ------------------------------------------------------------------------------


def test_the_challenger_waits_at_the_challenge(visitor: Visitor, ada: User) -> None:
    made = challenge(ada)
    page = visitor(ada).get(f"/challenges/{made.pk}/")
    assert f'data-waits-for-match="{made.pk}"' in page.content.decode()
    assert forms(page) == [f"/challenges/{made.pk}/cancel/"]


def test_anybody_may_see_an_open_challenge(visitor: Visitor, nobody: Client, ada: User) -> None:
    made = challenge(ada, message="Anyone?", options={"turn_time": 45})
    page = nobody.get(f"/challenges/{made.pk}/")
    assert "Ada challenges anybody" in words(page)
    assert "45 s a turn, 2 min reserve" in words(page)
    assert "Anyone?" in words(page)
    assert f"/accounts/login/?next=/challenges/{made.pk}/" in links(page)


def test_a_named_challenge_is_between_two(
    visitor: Visitor, nobody: Client, ada: User, ben: User, cleo: User
) -> None:
    made = challenge(ada, ben)
    for client in (nobody, visitor(cleo)):
        assert client.get(f"/challenges/{made.pk}/").status_code == 404
    page = visitor(ben).get(f"/challenges/{made.pk}/")
    assert "Ada challenges you" in words(page)
    assert forms(page) == [
        f"/challenges/{made.pk}/accept/",
        f"/challenges/{made.pk}/decline/",
        "/accounts/block/ada/",
    ]


def test_there_is_no_such_challenge(visitor: Visitor, ada: User) -> None:
    for number in ("77", "9" * 40):
        assert visitor(ada).get(f"/challenges/{number}/").status_code == 404
        assert visitor(ada).post(f"/challenges/{number}/accept/").status_code == 404


def test_a_lapsed_challenge_says_so_and_offers_nothing(visitor: Visitor, ada: User) -> None:
    made = challenge(ada)
    Challenge.objects.filter(pk=made.pk).update(expires_at=timezone.now())
    page = visitor(ada).get(f"/challenges/{made.pk}/")
    assert "This challenge is no longer open." in words(page)
    assert forms(page) == []


# -- answering one -------------------------------------------------------------------------------


def test_accepting_begins_the_match(visitor: Visitor, ada: User, ben: User) -> None:
    made = challenge(ada, options={"turn_time": 45}, advantage="opponent")
    response = visitor(ben).post(f"/challenges/{made.pk}/accept/")
    match = Match.objects.get()
    assert response["Location"] == f"/matches/{match.pk}/"
    assert [player.user for player in match.players.all()] == [ada, ben]
    assert (match.options, match.advantage) == ({"turn_time": 45}, 1)
    # From then on the challenge's page leads there, for everybody.
    assert visitor().get(f"/challenges/{made.pk}/")["Location"] == f"/matches/{match.pk}/"


def test_declining_and_taking_back(visitor: Visitor, ada: User, ben: User) -> None:
    declined, cancelled = challenge(ada, ben), challenge(ada)
    assert visitor(ben).post(f"/challenges/{declined.pk}/decline/")["Location"] == "/lobby/"
    assert visitor(ada).post(f"/challenges/{cancelled.pk}/cancel/")["Location"] == "/lobby/"
    declined.refresh_from_db()
    cancelled.refresh_from_db()
    assert (declined.status, cancelled.status) == ("declined", "cancelled")


@pytest.mark.parametrize("action", ["accept", "decline", "cancel"])
def test_answers_are_posted_by_somebody_with_a_token(
    visitor: Visitor, nobody: Client, ada: User, ben: User, action: str
) -> None:
    made = challenge(ada, ben)
    address = f"/challenges/{made.pk}/{action}/"
    with nothing_changes():
        assert visitor(ben).get(address).status_code == 405
        assert nobody.post(address)["Location"] == "/accounts/login/?next=/lobby/"
        assert visitor(ben, enforce_csrf_checks=True).post(address).status_code == 403


@pytest.mark.parametrize(
    ("who", "action", "status", "sentence"),
    [
        ("ada", "accept", 409, "You cannot accept your own challenge."),
        ("ada", "decline", 403, "Only the challenged player can decline."),
        ("ben", "cancel", 403, "Only the challenger can take a challenge back."),
        ("cleo", "accept", 404, ""),
        ("cleo", "decline", 404, ""),
        ("cleo", "cancel", 404, ""),
    ],
)
def test_what_is_not_yours_to_answer(
    visitor: Visitor, people: dict[str, User], who: str, action: str, status: int, sentence: str
) -> None:
    made = challenge(people["ada"], people["ben"])
    with nothing_changes():
        client = visitor(people[who])
        response = client.post(f"/challenges/{made.pk}/{action}/")
    assert response.status_code == status
    assert sentence in words(response)


def test_only_one_can_accept(visitor: Visitor, ada: User, ben: User, cleo: User) -> None:
    made = challenge(ada)
    visitor(ben).post(f"/challenges/{made.pk}/accept/")
    with nothing_changes():
        late = visitor(cleo).post(f"/challenges/{made.pk}/accept/")
    assert late.status_code == 409
    assert "This challenge is no longer open." in words(late)
    assert "challenge.not-open" in words(late)


# -- paces ---------------------------------------------------------------------------------------


def test_every_pace_fits_every_game() -> None:
    for ruleset in REGISTRY:
        for each in pace.PACES:
            options = pace.options_at(ruleset, each)
            assert pace.default_times(ruleset).keys() >= options.keys()
            if each.turn is not None:
                assert options["turn_time"] == each.turn
            made = ruleset.options_type(**options)
            assert pace.pace_text(ruleset, options).startswith(pace.spoken(made.turn_time))


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, "0 s"), (0.2, "0.2 s"), (20, "20 s"), (60, "1 min"), (90, "1 min 30 s"),
        (3600, "1 h"), (3661, "1 h 1 min"), (86400, "1 day"), (259200, "3 days"),
        (90061, "1 day 1 h"), (1296000, "15 days"),
    ],
)  # fmt: skip
def test_spans_of_time_are_spoken_in_two_units_at_most(seconds: float, expected: str) -> None:
    assert pace.spoken(seconds) == expected


def test_a_challenges_page_is_never_shown_again_without_asking(
    people: dict[str, User], visitor: Callable[..., Client]
) -> None:
    """Going back to it after an answer shows how it stands now, and its script asks for that part
    alone, for both sides and whatever has become of it."""
    for action, title in (
        (None, ""),
        (challenge_decline, "Declined"),
        (challenge_cancel, "Taken back"),
        (challenge_accept, "Accepted"),
    ):
        made = challenge(people["ada"], people["ben"])
        if action is not None:
            by = people["ada"] if action is challenge_cancel else people["ben"]
            action(acting_user=by, challenge=made)
        for name in ("ada", "ben"):
            client = visitor(people[name])
            page = client.get(f"/challenges/{made.pk}/")
            assert "no-store" in page["Cache-Control"]
            assert page.status_code == (302 if action is challenge_accept else 200)
            part = client.get(f"/challenges/{made.pk}/", headers={"X-Fragment": "live"})
            assert "no-store" in part["Cache-Control"]
            assert "<html" not in part.content.decode()
            assert title in words(part)
            assert bool(forms(part)) == (action is None)
