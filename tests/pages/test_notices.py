"""What goes out to the lobby and to people: who gets it, and what it says."""

from __future__ import annotations

import pytest

from accounts.models import User
from games.audience import LOBBY_GROUP, user_group_of
from games.services.challenges import challenge_accept, challenge_decline
from tests.games.support import Wire, committing
from tests.pages.support import challenge


def test_an_open_challenge_is_news_for_the_lobby(wire: Wire, ada: User) -> None:
    made = challenge(ada)
    frame = {
        "type": "challenge",
        "challenge": made.pk,
        "status": "open",
        "url": f"/challenges/{made.pk}/",
        "game": "Tetronogo",
        "from": "ada",
        "name": "Ada",
        "to": None,
        "rated": True,
        "terms": "",
    }
    lobby, own = wire.frames("challenge")
    assert own == (user_group_of(ada.pk), frame)
    # And its cards, for the lists that pages have open.
    cards = {name: lobby[1].pop(name) for name in ("card", "visitor_card")}
    assert all(card.startswith("<article") for card in cards.values())
    assert lobby == (LOBBY_GROUP, frame)


def test_a_named_challenge_is_news_for_two(wire: Wire, ada: User, ben: User) -> None:
    made = challenge(ada, ben)
    with committing():
        challenge_decline(acting_user=ben, challenge=made)
    heard = [(group, frame["status"], frame["to"]) for group, frame in wire.frames("challenge")]
    assert heard == [
        (user_group_of(ben.pk), "open", "ben"),
        (user_group_of(ada.pk), "open", "ben"),
        (user_group_of(ben.pk), "declined", "ben"),
        (user_group_of(ada.pk), "declined", "ben"),
    ]


@pytest.mark.parametrize(
    ("turn", "more"),
    [(60, {"begun": False}), (86_400, {"begun": False, "in_turns": True})],
)
def test_a_match_that_begins_is_news_for_all(
    wire: Wire, ada: User, ben: User, turn: int, more: dict[str, bool]
) -> None:
    """And whether it has begun, or waits for both, and how."""
    made = challenge(ada, ben, options={"turn_time": turn})
    with committing():
        match = challenge_accept(acting_user=ben, challenge=made)
    frame = {
        "type": "match.started",
        "match": match.pk,
        "url": f"/matches/{match.pk}/",
        "game": "Tetronogo",
        "seats": [{"name": "Ada", "username": "ada"}, {"name": "Ben", "username": "ben"}],
        **more,
    }
    groups = [LOBBY_GROUP, user_group_of(ada.pk), user_group_of(ben.pk)]
    told = wire.frames("match.started")
    card = told[0][1].pop("card")  # of the lists that everybody sees
    assert f'href="/matches/{match.pk}/"' in card
    assert told == [(group, frame) for group in groups]
