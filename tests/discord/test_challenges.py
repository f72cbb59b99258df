"""Challenges by commands: offered as on the page, and accepted by a button."""

from __future__ import annotations

import re

import pytest

from accounts.blocking.services import block_create
from accounts.models import User
from games.forms import ChallengeForm, games_offered
from games.models import Challenge, Match
from games.reading.selectors import challenges_to
from games.services.challenges import challenge_cancel, challenge_create
from tests.discord.support import Guild, plain, said
from tests.games.support import nothing_changes
from tournaments.discord.fake.schemas import UPDATE

pytestmark = pytest.mark.django_db

GAME = "tetronogo/standard"


def test_anybody_may_accept(guild: Guild, ada: User, ben: User) -> None:
    answer = guild.ada.command("challenge", game=GAME, pace="daily")
    assert not answer.is_private
    assert said(answer).startswith("**Ada** offers a match of **Tetronogo**.")
    challenge = Challenge.objects.get()
    assert (challenge.challenger, challenge.opponent, challenge.rated) == (ada, None, True)
    accept, page = answer.original.body["components"][0]["components"]
    assert accept["label"] == "Accept"
    assert page["url"].endswith(challenge.get_absolute_url())
    accepted = guild.ben.press(accept["custom_id"], answer.original)
    assert accepted.body["type"] == UPDATE
    assert plain(accepted.content) == "**Ada** plays **Ben**."
    match = Match.objects.get()
    assert [player.user for player in match.players.order_by("seat")] == [ada, ben]
    again = guild.ben.press(accept["custom_id"])
    assert said(again) == "This challenge is no longer open."
    assert again.is_private


def test_a_match_that_waits_for_both_has_a_button_for_that(guild: Guild) -> None:
    answer = guild.ada.command("challenge", game=GAME)
    accept = answer.original.body["components"][0]["components"][0]
    accepted = guild.ben.press(accept["custom_id"])
    match = Match.objects.get()
    ids = [each.get("custom_id") for each in accepted.data["components"][0]["components"]]
    assert ids == [f"ready:{match.pk}", None]


def test_a_challenge_to_somebody_is_between_those_two(guild: Guild, ben: User) -> None:
    answer = guild.ada.command("challenge", game=GAME, opponent=guild.ben.id, message="*Well*?")
    assert answer.is_private
    assert said(answer).startswith("You challenge **Ben** to **Tetronogo**.")
    assert "“*Well*?”" in said(answer)
    assert Challenge.objects.get().opponent == ben
    guild.ada.command("challenge", game=GAME, player="ben")
    assert Challenge.objects.filter(opponent=ben).count() == 2
    number = Challenge.objects.first()
    assert number is not None
    eve = guild.joined("Cleo", User.objects.create_user("cleo"))
    assert said(eve.press(f"accept:{number.pk}")) == "This challenge is no longer open."


def test_refusals_are_the_pages(guild: Guild, ada: User) -> None:
    cases = {
        "You cannot challenge yourself.": {"opponent": guild.ada.id},
        "They have linked no account of this site.": {"opponent": guild.eve.id},
        "There is no player called “nobody”.": {"player": "nobody"},
    }
    for sentence, options in cases.items():
        with nothing_changes():
            answer = guild.ada.command("challenge", game=GAME, **options)
        assert said(answer) == sentence
        assert answer.is_private
    guild.ada.command("challenge", game=GAME)
    own = guild.ada.press(f"accept:{Challenge.objects.get().pk}")
    assert said(own) == "You cannot accept your own challenge."


def test_it_says_what_the_form_says(guild: Guild) -> None:
    data = {"game": "chess/standard", "pace": "normal", "advantage": "lot", "lasts": "1440"}
    form = ChallengeForm(data)
    assert not form.is_valid()
    answer = guild.ada.command("challenge", game="chess/standard")
    assert said(answer) == f"Game: {form.errors['game'][0]}"


def test_whoever_has_blocked_somebody_is_left_alone(guild: Guild, ada: User, ben: User) -> None:
    """And cannot tell it: each is answered as it is without a block."""
    as_ever = said(guild.ada.command("challenge", game=GAME, opponent=guild.ben.id))
    taken = challenge_create(acting_user=ben, ruleset_id="tetronogo", variant="standard")
    challenge_cancel(acting_user=ben, challenge=taken)
    offered = challenge_create(acting_user=ben, ruleset_id="tetronogo", variant="standard")
    block_create(acting_user=ben, user=ada)
    answer = guild.ada.command("challenge", game=GAME, opponent=guild.ben.id)
    assert numberless(said(answer)) == numberless(as_ever)
    assert not challenges_to(ben).exists()
    with nothing_changes():
        late = said(guild.ada.press(f"accept:{taken.pk}"))
        assert said(guild.ada.press(f"accept:{offered.pk}")) == late


def numberless(text: str) -> str:
    """Without the numbers in it."""
    return re.sub(r"\d+", "0", text)


def test_casual_and_with_an_advantage(guild: Guild) -> None:
    answer = guild.ada.command("challenge", game=GAME, casual=True, advantage="opponent")
    assert "Casual: it counts for no rating." in said(answer)
    challenge = Challenge.objects.get()
    assert (challenge.rated, challenge.advantage) == (False, "opponent")


def test_every_game_can_be_chosen(guild: Guild) -> None:
    (commands,) = guild.fake.commands.values()
    command = next(each for each in commands if each["name"] == "challenge")
    offered = next(each for each in command["options"] if each["name"] == "game")["choices"]
    assert [each["value"] for each in offered] == [value for value, _ in games_offered()]
