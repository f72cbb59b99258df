"""Practice on pages and over the API: who may, who sees it, and who plays without an account."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from accounts.guests import GuestMiddleware
from accounts.models import User
from accounts.services import guest_create
from games.models import Match, MatchEntry
from games.services.practice import advice_find, bot_move
from tests.games.support import GAMES, committing, nothing_changes
from tests.support.workers import Workers

pytestmark = pytest.mark.django_db

START = {"game": "tetronogo/standard", "level": "club"}


def begin(client: Client, **form: str) -> Match:
    """Press the button of a game."""
    with committing():
        answer = client.post("/practice/", {**START, **form})
    assert answer.status_code == 302, answer.content
    return Match.objects.get(pk=int(answer["Location"].split("/")[2]))


def api(client: Client, method: str, path: str, **body: Any) -> Any:
    return getattr(client, method)(
        f"/api/v1/{path}", body, content_type="application/json", HTTP_ACCEPT="application/json"
    )


@pytest.fixture
def ada(client: Client) -> User:
    """Somebody with an account, signed in with the client."""
    user = User.objects.create_user("ada", display_name="Ada")
    client.force_login(user)
    return user


# -- without an account ----------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES, ids="/".join)
def test_a_visitor_is_in_a_match_in_two_clicks(client: Client, game: tuple[str, str]) -> None:
    home = client.get("/")
    assert b'href="/practice/"' in home.content
    page = client.get("/practice/")
    key = "/".join(game)
    assert f'name="game" value="{key}"' in page.content.decode()
    match = begin(client, game=key, level="novice")
    assert (match.ruleset, match.variant) == game
    shown = client.get(match.get_absolute_url())
    assert shown.status_code == 200
    assert "Guest" in shown.content.decode()
    assert shown.context["you"] in (0, 1)


def test_a_guest_is_one_for_a_browser(client: Client) -> None:
    begin(client)
    begin(client)
    assert User.objects.filter(is_guest=True).count() == 1
    begin(Client())
    assert User.objects.filter(is_guest=True).count() == 2


def test_nobody_is_made_a_guest_by_looking(client: Client) -> None:
    for path in ("/", "/practice/", "/lobby/"):
        client.get(path)
    assert not User.objects.exists()


def test_what_cannot_begin_leaves_no_guest(client: Client) -> None:
    for form in ({"game": "chess/standard"}, {"game": ""}, {"level": "best"}):
        with nothing_changes():
            answer = client.post("/practice/", {**START, **form})
        assert answer.status_code == 422
        assert b"<h1" in answer.content
    assert not User.objects.exists()


def test_a_guest_plays_over_http_and_takes_back(client: Client, workers: Workers) -> None:
    match = begin(client)
    path = f"matches/{match.pk}/"
    view = api(client, "get", path).json()
    assert view["header"]["practice"] is True
    hint = api(client, "get", f"{path}advice/")
    assert (hint.status_code, hint.json()["text"]) == (200, None)
    seat = view["you"]
    advice_find(match_id=match.pk, seat=seat)
    hint = api(client, "get", f"{path}advice/").json()
    sent = {"id": "a", "text": hint["text"], "version": hint["version"]}
    assert api(client, "post", f"{path}submissions/", **sent).status_code == 201
    assert bot_move(match_id=match.pk)
    back = api(client, "post", f"{path}take-back/", id="b")
    assert back.status_code == 201, back.content
    assert api(client, "post", f"{path}take-back/", id="b").status_code == 200
    assert MatchEntry.objects.filter(match=match, text=f"take back {seat}").exists()
    assert api(client, "get", f"{path}plan/").status_code == 200


def test_a_guest_is_signed_in_nowhere_else(client: Client) -> None:
    """Every page that is not for guests is as it is for nobody: it offers to sign in."""
    match = begin(client)
    guest = User.objects.get(is_guest=True)
    for path in ("/", "/lobby/", "/practice/", "/rules/", match.get_absolute_url()):
        page = client.get(path).content.decode()
        assert "/accounts/login/" in page
        assert guest.username not in page.replace(f"@{guest.username}", "").split("<main")[0]
    for path in ("/accounts/settings/", "/matches/mine/", "/challenges/new/", "/accounts/conduct/"):
        assert client.get(path).status_code == 302
    for method, path in (("get", "me/"), ("post", "challenges/"), ("post", "seek/")):
        assert api(client, method, path).status_code in (401, 403)
    assert client.get(f"/u/{guest.username}/").status_code == 404
    people = api(client, "get", "users/").json()["results"]
    assert guest.username not in {each["username"] for each in people}
    assert api(client, "get", f"users/{guest.username}/").status_code == 404


# The views that know guests, by the names of their addresses.
WELCOME = {
    "games:practice", "games:match", "games:replay", "games:replay_steps", "games:record",
    "games:paint_template", "games:paint_read", "api:match", "api:submissions", "api:plan",
    "api:match_log", "api:saved", "api:saved_one", "api:advice", "api:take_back", "games:study",
    "api:study", "api:study_position", "api:study_comments", "games:puzzles", "games:puzzle_next",
    "games:puzzle", "games:puzzle_answer", "api:puzzle_answers", "api:puzzle_solution",
}  # fmt: skip


def all_views(patterns: list[Any], names: tuple[str, ...] = ()) -> Any:
    for each in patterns:
        if isinstance(each, URLResolver):
            inside = (*names, each.namespace) if each.namespace else names
            yield from all_views(each.url_patterns, inside)
        elif isinstance(each, URLPattern):
            yield ":".join([*names, each.name or str(each.pattern)]), each.callback


def test_which_views_know_guests() -> None:
    known = set()
    for name, view in all_views(get_resolver().url_patterns):
        request = RequestFactory().get("/")
        GuestMiddleware(lambda _request: HttpResponse()).process_view(request, view, (), {})
        if hasattr(request, "user"):
            known.add(name)
    assert known == WELCOME


PASSWORD = "a-long-one-of-hers"


@pytest.mark.parametrize("way", ["signs up", "signs in"])
def test_what_a_guest_has_practised_is_theirs_once_they_have_an_account(
    client: Client, way: str
) -> None:
    match = begin(client)
    with committing():
        if way == "signs in":
            User.objects.create_user("ben", email="ben@example.org", password=PASSWORD)
            form = {"login": "ben", "password": PASSWORD}
            client.post("/accounts/login/", form)
        else:
            form = {"username": "ben", "email": "ben@example.org"}
            form |= {"password1": PASSWORD, "password2": PASSWORD}
            client.post("/accounts/signup/", form)
    assert client.session["_auth_user_id"] == str(User.objects.get(username="ben").pk)
    page = client.get(match.get_absolute_url())
    assert page.status_code == 200
    assert page.context["you"] in (0, 1)
    assert f"/matches/{match.pk}/" in client.get("/practice/").content.decode()
    # Whoever signs in next in the same browser has none of it.
    client.force_login(User.objects.create_user("ada"))
    assert client.get(match.get_absolute_url()).status_code == 404


def test_a_guests_log_is_theirs(client: Client) -> None:
    match = begin(client)
    path = f"matches/{match.pk}/log/"
    assert api(client, "get", path).status_code == 200
    other = Client()
    assert api(other, "get", path).status_code in (401, 403, 404)
    begin(other)
    assert api(other, "get", path).status_code == 404


# -- who sees it -----------------------------------------------------------------------------------

PLACES = (
    "games:match", "games:replay", "games:replay_steps", "games:record", "games:match_share",
    "games:board", "games:board_png", "games:paint_template", "games:dispute", "games:rematch",
    "api:match", "api:record", "api:match_log", "api:match_chat", "api:plan", "api:predictions",
    "api:commentary", "api:advice", "games:study", "api:study", "api:study_comments",
)  # fmt: skip


@pytest.mark.parametrize("over", [False, True])
@pytest.mark.parametrize("who", ["nobody", "guest", "ben", "root"])
def test_others_find_nothing(ada: User, client: Client, who: str, over: bool) -> None:
    match = begin(client)
    if over:
        version = api(client, "get", f"matches/{match.pk}/").json()["version"]
        given = {"id": "a", "text": "concede", "version": version}
        assert api(client, "post", f"matches/{match.pk}/submissions/", **given).status_code == 201
    other = Client()
    if who == "guest":
        begin(other)
    elif who == "ben":
        other.force_login(User.objects.create_user("ben"))
    elif who == "root":
        other.force_login(User.objects.create_superuser("root"))
    for name in PLACES:
        answer = other.get(reverse(name, args=[match.pk]))
        refused = {404} if who in ("ben", "root") else {302, 401, 403, 404}
        assert answer.status_code in refused, name
        assert b"Ada" not in answer.content, name
    for path in ("/", "/lobby/", "/watch/", "/u/ada/"):
        assert f"/matches/{match.pk}/" not in other.get(path).content.decode()
    listed = api(other, "get", "matches/").json()["results"]
    assert match.pk not in {each["id"] for each in listed}
    # And who plays it finds it on the page of practice alone.
    for path in ("/", "/lobby/", "/watch/", "/u/ada/", "/matches/mine/"):
        assert f"/matches/{match.pk}/" not in client.get(path).content.decode()
    assert f"/matches/{match.pk}/" in client.get("/practice/").content.decode()


# -- where one finds it ----------------------------------------------------------------------------


def test_the_sites_bots_are_practised_with_and_not_challenged(ada: User, client: Client) -> None:
    begin(client)
    bot = User.objects.get(house_bot__level="club")
    page = client.get(f"/u/{bot.username}/").content.decode()
    assert '<a href="/practice/?level=club">Play it</a>' in page
    assert "/challenges/new/" not in page.split("<main")[1]
    form = client.get("/challenges/new/", {"opponent": bot.username})
    assert (form.status_code, form["Location"]) == (302, "/practice/?level=club")
    given = {
        "game": "domain/standard", "pace": "normal", "open_to": "player", "advantage": "lot",
        "lasts": "1440",
    }  # fmt: skip
    with nothing_changes():
        answer = client.post("/challenges/new/", {**given, "opponent": bot.username})
    assert answer.status_code == 422
    told = answer.context["form"].errors["opponent"]
    assert told == ["Club Bot answers no challenges. Play it at once under Practice."]
    answer = api(
        client, "post", "challenges/", ruleset="domain", variant="standard", opponent=bot.username
    )
    assert answer.json()["fields"]["opponent"][0]["code"] == "challenge.house-bot"


def test_what_is_going_on_stands_on_top(ada: User, client: Client) -> None:
    match = begin(client)
    page = client.get("/practice/").content.decode()
    assert page.index(f"/matches/{match.pk}/") < page.index('name="game"')


def test_the_lobby_and_ones_own_page_know_of_practice(ada: User, client: Client) -> None:
    for path in ("/lobby/", "/u/ada/"):
        main = client.get(path).content.decode().split("<main")[1]
        assert 'href="/practice/"' in main
    assert 'href="/practice/"' in Client().get("/lobby/").content.decode().split("<main")[1]


# -- over the API ----------------------------------------------------------------------------------


def test_practice_begins_over_the_api(ada: User, client: Client) -> None:
    wanted = {"ruleset": "domain", "variant": "standard", "level": "strong"}
    answer = api(client, "post", "practice/", **wanted)
    assert answer.status_code == 201, answer.content
    match = Match.objects.get(pk=answer.json()["match"])
    assert answer.json()["url"] == match.get_absolute_url()
    assert match.is_practice
    assert match.players.get(user=ada)
    with nothing_changes():
        faults = api(client, "post", "practice/", ruleset="chess", level="best", variant="x")
    assert faults.status_code == 400
    assert {"ruleset", "level"} <= set(faults.json()["fields"])


def test_hints_and_take_backs_over_the_api(ada: User, client: Client) -> None:
    match = begin(client)
    nothing = api(client, "post", f"matches/{match.pk}/take-back/", id="a")
    assert (nothing.status_code, nothing.json()["code"]) == (409, "practice.nothing-to-take-back")
    malformed = api(client, "post", f"matches/{match.pk}/take-back/", id="an id")
    assert (malformed.status_code, malformed.json()["code"]) == (400, "frame.malformed")


def test_guests_cannot_sign_in(client: Client) -> None:
    guest = guest_create()
    answer = client.post("/accounts/login/", {"login": guest.username, "password": ""})
    assert answer.status_code == 200
    assert not client.session.get("_auth_user_id")
