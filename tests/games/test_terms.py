"""What a challenger brings into a match for themselves: told wherever it is shown, and unrated."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from core.clock import now_ms
from games.bots.streams import _concerning
from games.models import Challenge, Match
from games.options.terms import terms_of
from games.ratings.models import RatingPoint
from games.ratings.results import first_differences
from games.ratings.services import _EVER, match_rate, ratings_rebuild, ratings_repair
from games.services.arrivals import match_attend
from games.services.challenges import challenge_accept, challenge_create
from games.services.preparations import preparation_delete
from tests.games.support import T0, Play, Wire, committing
from tests.games.test_preparations import kept

pytestmark = pytest.mark.django_db

# At a pace at which nobody has to be there for long.
PEGS: dict[str, Any] = {
    "ruleset_id": "peg-domain", "variant": "gauntlet", "options": {"turn_time": 7200},
}  # fmt: skip
SUPPLIES = "Orla supplies Pallets instead of having it drawn"
# Own material, own advantage: what is told, and whether the match counts.
CASES = [
    (True, "challenger", f"{SUPPLIES} and takes the advantage. It counts for no rating."),
    (True, "lot", f"{SUPPLIES}. It counts for no rating."),
    (False, "challenger", "Orla takes the advantage. It counts for no rating."),
    (False, "lot", ""),
    (False, "opponent", ""),
]


def test_a_casual_match_is_told_and_counts_for_nobody(orla: User, ada: User, wire: Wire) -> None:
    casual = "Casual: it counts for no rating."
    with committing():
        offered = challenge_create(acting_user=orla, **PEGS, rated=False)
    for _group, frame in wire.frames("challenge"):
        assert (frame["rated"], frame["terms"]) == (False, casual)
    reader = signed(ada)
    lobby = shown(reader, "/lobby/")
    assert '<span class="tag">Casual</span>' in lobby
    assert "unrated</span>" not in lobby
    page = shown(reader, offered.get_absolute_url())
    assert "no, casual" in page
    assert "Not an even start" not in page
    api = reader.get(f"/api/v1/challenges/{offered.pk}/").json()
    assert (api["rated"], api["terms"]) == (False, casual)
    with committing():
        match = challenge_accept(acting_user=ada, challenge=offered)
    assert match.unrated == casual
    assert ", casual" in shown(reader, "/lobby/")
    assert casual in shown(reader, match.get_absolute_url())
    played = reader.get(f"/api/v1/matches/{match.pk}/").json()
    assert played["header"]["terms"] == casual
    assert "results" in reader.get("/api/v1/matches/").json()
    assert match_attend(match_id=match.pk, there=(True, True), at=now_ms())
    Match.objects.filter(pk=match.pk).update(
        status="finished", winner=0, reason="total", finished_at="2026-01-01T00:00Z",
        deadline_at=None, wake_at=None, sweep_at=None,
    )  # fmt: skip
    assert match_rate(match_id=match.pk) == []
    assert not RatingPoint.objects.exists()


def test_what_one_brings_oneself_is_told_rather_than_that_it_is_casual(orla: User) -> None:
    offered = challenge_create(acting_user=orla, **PEGS, rated=False, advantage="challenger")
    assert terms_of(offered) == "Orla takes the advantage. It counts for no rating."


def test_whatever_counts_for_no_rating_is_called_casual_on_cards(orla: User, ada: User) -> None:
    with committing():
        offered = challenge_create(acting_user=orla, **PEGS, advantage="challenger")
    reader = signed(ada)
    lobby = shown(reader, "/lobby/")
    assert "Casual</span> Orla takes the advantage." in lobby
    with committing():
        challenge_accept(acting_user=ada, challenge=offered)
    for page in (lobby, shown(reader, "/lobby/"), shown(reader, "/"), shown(reader, "/watch/")):
        assert "unrated" not in page
        assert "asual" in page


def test_the_form_and_the_api_offer_casual_matches(ada: User) -> None:
    offer = {"game": "tetronogo/standard", "pace": "normal", "advantage": "lot", "lasts": "60"}
    client = signed(ada)
    for given, rated in (({}, True), ({"rated": "rated"}, True), ({"rated": "casual"}, False)):
        client.post("/challenges/new/", {**offer, **given})
        assert Challenge.objects.latest("pk").rated is rated
    body = {"ruleset": "tetronogo", "variant": "standard"}
    for more, rated in (({}, True), ({"rated": False}, False)):
        answer = client.post(
            "/api/v1/challenges/", {**body, **more}, content_type="application/json"
        )
        assert (answer.status_code, answer.json()["rated"]) == (201, rated)


def signed(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def shown(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, (path, answer.status_code)
    return answer.content.decode()


@pytest.mark.parametrize(("own", "advantage", "told"), CASES)
def test_it_is_told_wherever_the_challenge_is_shown(
    own: bool, advantage: str, told: str, orla: User, ada: User, wire: Wire
) -> None:
    made = kept(orla) if own else None
    named = advantage == "challenger"
    opponent = ada if named else None
    with committing():
        offered = challenge_create(
            acting_user=orla, **PEGS, advantage=advantage, opponent=opponent,
            preparation_id=None if made is None else made.pk,
        )  # fmt: skip
    reader = signed(ada)
    for path in (offered.get_absolute_url(), "/lobby/", "/lobby/live/"):
        page = reader.get(path)
        if page.status_code == 404:
            continue
        text = page.content.decode()
        assert "Orla" in text, path
        assert (told in text) if told else ("counts for no rating" not in text), path
    api = reader.get(f"/api/v1/challenges/{offered.pk}/").json()
    (listed,) = reader.get("/api/v1/challenges/").json()["results"]
    for each in (api, listed):
        assert (each["rated"], each["terms"]) == (not told, told)
        assert each["supplied"] == (["Pallets"] if own else [])
    for _group, frame in wire.frames("challenge"):
        assert (frame["rated"], frame["terms"]) == (not told, told)
    if named:
        _matches, challenges = _concerning(ada)
        (streamed,) = challenges.values()
        assert (streamed["rated"], streamed["terms"]) == (not told, told)
        assert streamed["advantage"] == advantage


@pytest.mark.parametrize(("own", "advantage", "told"), CASES)
def test_its_match_says_so_and_counts_for_nothing(
    own: bool, advantage: str, told: str, orla: User, ada: User
) -> None:
    made = kept(orla) if own else None
    offered = challenge_create(
        acting_user=orla, **PEGS, advantage=advantage,
        preparation_id=None if made is None else made.pk,
    )  # fmt: skip
    with committing():
        match = challenge_accept(acting_user=ada, challenge=offered)
    if made is not None:  # what it rested on may go: the match stays as it was
        preparation_delete(acting_user=orla, preparation_id=made.pk)
    assert match.unrated == told
    reader = signed(ada)
    play = Play(match, (orla, ada))

    def is_told(*paths: str) -> None:
        for path in paths:
            text = shown(reader, path)
            assert (told in text) if told else ("counts for no rating" not in text), path
        for api in (
            reader.get(f"/api/v1/matches/{match.pk}/").json()["header"],
            reader.get("/api/v1/matches/").json()["results"][0],
        ):
            assert api["terms"] == told
            assert api.get("rated", not told) is (not told)

    is_told(f"/matches/{match.pk}/")
    at = round(match.created_at.timestamp() * 1000) + 1000
    assert match_attend(match_id=match.pk, there=(True, True), at=at)
    is_told(f"/matches/{match.pk}/")
    with committing():
        play.move(0, "concede", at - T0)
    assert Match.objects.get(pk=match.pk).winner == 1
    is_told(f"/matches/{match.pk}/", f"/matches/{match.pk}/replay/")
    match_rate(match_id=match.pk)
    assert RatingPoint.objects.filter(match=match).exists() == (not told)
    # Whoever looks for what was missed finds nothing, and neither does a computation from nothing.
    assert first_differences(_EVER) == {}
    ratings_repair()
    ratings_rebuild()
    assert RatingPoint.objects.filter(match=match).exists() == (not told)


def test_the_form_says_so_beforehand(orla: User) -> None:
    kept(orla)
    page = shown(signed(orla), "/challenges/new/")
    assert page.count("counts for no rating") == 2
    assert not Challenge.objects.exists()


@pytest.mark.parametrize("address", ["/challenges/new/", "/organise/hosted/new/"])
def test_whoever_offers_a_match_is_told_beforehand_what_makes_it_casual(
    orla: User, address: str
) -> None:
    """By every form that offers one, at each field that does."""
    kept(orla)
    client = Client()
    client.force_login(orla, backend="accounts.signin.backends.NameBackend")
    fields = client.get(address).context["form"].fields
    for name in ("preparation", "advantage"):
        assert "the match counts for no rating" in fields[name].help_text, name
