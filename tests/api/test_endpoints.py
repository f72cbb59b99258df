"""What the endpoints about people, games, matches and challenges say."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from html import unescape
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from django.db.models import F
from django.test import Client
from django.utils.html import strip_tags

from accounts.models import User
from accounts.tokens.services import token_create
from games.models import Challenge, Match
from games.rulesets import REGISTRY
from games.services.challenges import challenge_create
from tests.games.support import Play, committing, started

pytestmark = pytest.mark.django_db

API = "/api/v1"


def get(path: str, user: User | None = None, status: int = 200) -> Any:
    client = Client()
    if user is not None:
        client.force_login(user)
    answer = client.get(API + path)
    assert answer.status_code == status, answer.content
    return answer.json()


def post(path: str, user: User, body: Any = None, status: int = 201, **headers: str) -> Any:
    _row, text = token_create(
        acting_user=user, name="test", scopes=["play", "bot"], lasts=timedelta(hours=1)
    )
    client = Client(headers={"Authorization": f"Bearer {text}", **headers})
    data = "" if body is None else json.dumps(body)
    with committing():
        answer = client.post(API + path, data, content_type="application/json")
    assert answer.status_code == status, answer.content
    return json.loads(answer.content)


# -- people --------------------------------------------------------------------------------------


def test_people(ada: User, ben: User, cleo: User) -> None:
    User.objects.filter(pk=ben.pk).update(is_bot=True, email="ben@example.org")
    User.objects.filter(pk=cleo.pk).update(is_active=False)
    listed = get("/users/")["results"]
    assert [person["username"] for person in listed] == ["ada", "ben"]
    assert set(listed[0]) == {"username", "name", "is_bot", "joined_at", "page", "url"}
    assert listed[0]["page"] == "http://testserver/u/ada/"
    assert [p["username"] for p in get("/users/?is_bot=true")["results"]] == ["ben"]
    assert [p["username"] for p in get("/users/?search=AD")["results"]] == ["ada"]
    assert [p["username"] for p in get("/users/?ordering=-joined_at")["results"]] == ["ben", "ada"]
    assert "example.org" not in json.dumps([listed, get("/users/ben/")])


def test_a_person(ada: User, cleo: User, root: User) -> None:
    assert get("/users/Ada/")["username"] == "ada"
    assert (get("/users/root/")["organiser"], get("/users/ada/")["organiser"]) == (True, False)
    User.objects.filter(pk=cleo.pk).update(is_active=False)
    assert get("/users/cleo/")["closed"] is True
    assert get("/users/nobody/", status=404)["code"] == "user.none"


def test_the_caller(ada: User) -> None:
    assert get("/me/", status=401)["code"] == "request.not-authenticated"
    assert get("/me/", ada)["scopes"] is None
    _row, text = token_create(
        acting_user=ada, name="x", scopes=["play", "read"], lasts=timedelta(hours=1)
    )
    answer = Client(headers={"Authorization": f"Bearer {text}"}).get(f"{API}/me/")
    assert answer.json()["scopes"] == ["read", "play"]
    assert answer["Cache-Control"] == "private, no-store"


def test_becoming_a_bot(ada: User, cleo: User, play: Play) -> None:
    assert post("/me/bot/", ada, status=409)["code"] == "bot.has-played"
    assert post("/me/bot/", cleo, status=200)["is_bot"] is True
    assert post("/me/bot/", cleo, status=409)["code"] == "bot.already"


# -- games ---------------------------------------------------------------------------------------


def test_games() -> None:
    listed = get("/rulesets/")["results"]
    assert [each["id"] for each in listed] == [ruleset.id for ruleset in REGISTRY]
    assert get("/rulesets/chess/", status=404)["code"] == "setup.ruleset"


@pytest.mark.parametrize("ruleset", [ruleset.id for ruleset in REGISTRY])
def test_a_game(ruleset: str) -> None:
    found = get(f"/rulesets/{ruleset}/")
    assert found["record_format"].startswith("deathmatch-record/")
    jsonschema.Draft202012Validator.check_schema(found["options"])
    validator = jsonschema.Draft202012Validator(found["options"])
    validator.validate(found["defaults"])
    assert not validator.is_valid({"nonsense": 1})
    assert not validator.is_valid({"turn_time": -1})
    assert {each["option"] for each in found["times"]} >= {"turn_time", "reserve"}
    for each in found["times"]:
        assert each["seconds"] == found["defaults"][each["option"]]
        assert set(each["paces"]) >= {"normal", "blitz"}
        assert each["paces"]["normal"] == each["seconds"]
    examples = [example for entry in found["notation"] for example in entry["examples"]]
    assert len(examples) >= 4
    for entry in found["notation"]:
        assert entry["examples"]
        assert entry["meaning"]
        assert "<" not in "".join(entry["examples"]) + entry["meaning"]


def letters(text: str) -> str:
    return "".join(re.findall(r"\w", unescape(text)))


@pytest.mark.parametrize("ruleset", [each.id for each in REGISTRY])
def test_the_rules_as_text(ruleset: str) -> None:
    """Every word of the rules' page, but for its pictures and the times at other paces."""
    found = get(f"/rulesets/{ruleset}/")["rules_text"]
    page = Client().get(f"/rules/{ruleset}/").content.decode()
    body = page.partition('class="prose rules__text"')[2].partition(
        '<section aria-labelledby="rules-paces"'
    )
    shown = re.sub(r"<figure.*?</figure>", "", body[0].partition(">")[2], flags=re.DOTALL)
    told = "".join(f"{each['title']}\n{each['text']}\n" for each in found)
    assert letters(told.removeprefix(found[0]["title"])) == letters(strip_tags(shown))
    assert not re.search(r"</?\w", told)
    assert any(each["title"] == "Notation" for each in found)


@pytest.mark.parametrize("ruleset", [each.id for each in REGISTRY])
def test_every_house_ruling_is_marked_in_the_text(ruleset: str) -> None:
    page = Client().get(f"/rules/{ruleset}/").content.decode()
    body = page.partition('class="prose rules__text"')[2].partition("rules-paces")[0]
    found = get(f"/rulesets/{ruleset}/")["rules_text"]
    marks = sum(section["text"].count("[House ruling]") for section in found)
    assert marks == body.count('tag-ruling">House ruling<') > 2


def test_the_rules_keep_their_form() -> None:
    found = {each["title"]: each["text"] for each in get("/rulesets/domino-wars/")["rules_text"]}
    assert "\n\n6 | Your next turn is skipped.\n\n- You choose" in found["Effects"]
    assert "\n\nHand Mulligan: You may put" in found["Items"]
    assert "[House ruling] Nothing is drawn" in found["Skipped turns"]
    assert "\n\nDecks | 120 s, both at once | none | " in found["Time"]


def test_notation_is_what_the_rules_say() -> None:
    first = get("/rulesets/tetronogo/")["notation"][0]
    assert first == {
        "examples": ["pick T"],
        "meaning": "Your tetromino for the bout: O, I, S, Z, L, J or T.",
    }


# -- matches -------------------------------------------------------------------------------------


def test_matches(ada: User, ben: User, cleo: User) -> None:
    running, over = started((ada, ben)), started((cleo, ada))
    Match.objects.filter(pk=running.pk).update(created_at=F("created_at") - timedelta(hours=1))
    over.move(0, "concede", 1)
    assert [match["id"] for match in get("/matches/")["results"]] == [over.pk, running.pk]
    found = {match["id"]: match for match in get("/matches/")["results"]}
    ended = found[over.pk]
    assert (ended["status"], ended["winner"], ended["reason"]) == ("finished", 1, "concession")
    assert [player["username"] for player in ended["players"]] == ["cleo", "ada"]
    assert ended["links"]["record"] == f"http://testserver{API}/matches/{over.pk}/record/"
    on = found[running.pk]
    assert (on["status"], on["winner"], on["reason"]) == ("running", None, "")
    assert (on["scores"], on["finished_at"], on["links"]["record"]) == ([], None, None)

    def ids(query: str) -> list[int]:
        return [match["id"] for match in get(f"/matches/?{query}")["results"]]

    assert ids("status=running") == [running.pk]
    assert ids("player=BEN") == [running.pk]
    assert ids("player=ada&ordering=created_at") == [running.pk, over.pk]
    assert ids("ordering=-finished_at") == [over.pk, running.pk]
    assert ids("ruleset=domain") == []
    assert ids("variant=standard&source=imported") == []
    since = found[over.pk]["created_at"].replace("+", "%2B")
    assert ids(f"since={since}") == [over.pk]
    assert ids(f"until={since}") == [running.pk]
    for link in ("view", "log", "page", "picture", "picture_png"):
        path = on["links"][link].removeprefix("http://testserver")
        assert Client().get(path).status_code == 200, link


def test_lists_do_not_tell_of_secret_choices(play: Play, ada: User, ben: User) -> None:
    """Whether somebody has chosen must not show in anything that others can ask for."""
    paths = ("/matches/", f"/matches/{play.pk}/log/", f"/matches/{play.pk}/chat/")
    before = {(path, user): get(path, user) for path in paths for user in (None, ben)}
    play.move(0, "pick T", 1)
    for (path, user), said in before.items():
        assert get(path, user) == said, path


def test_a_log_as_each_may_see_it(play: Play, ada: User) -> None:
    play.move(0, "pick T", 1)
    own, room = (get(f"/matches/{play.pk}/log/", user) for user in (ada, None))
    assert own["version"] == room["version"] + 1
    assert not room["over"]
    assert "pick" not in json.dumps(room["log"]).lower()
    play.move(0, "concede", 2)
    assert get(f"/matches/{play.pk}/log/")["over"]
    assert get("/matches/404/log/", status=404)["code"] == "match.none"


def test_a_log_that_has_not_changed(play: Play) -> None:
    path = f"{API}/matches/{play.pk}/log/"
    tag = Client().get(path)["ETag"]
    assert Client().get(path, headers={"If-None-Match": tag}).status_code == 304
    play.move(0, "pick T", 1)
    assert Client().get(path, headers={"If-None-Match": tag}).status_code == 304
    play.move(1, "pick L", 2)
    assert Client().get(path, headers={"If-None-Match": tag}).status_code == 200


def test_who_may_read_which_room(play: Play, ada: User) -> None:
    assert get(f"/matches/{play.pk}/chat/")["messages"] == []
    assert get(f"/matches/{play.pk}/chat/?room=spectators")["room"] == "spectators"
    closed = get(f"/matches/{play.pk}/chat/?room=spectators", ada, 403)
    assert closed["code"] == "chat.not-your-room"
    assert get(f"/matches/{play.pk}/chat/?room=kitchen", status=400)["code"] == "chat.none"


# -- challenges ----------------------------------------------------------------------------------

OFFER = {"ruleset": "tetronogo", "variant": "standard"}


def test_offering_and_accepting(ada: User, ben: User, cleo: User) -> None:
    offered = post(
        "/challenges/", ada,
        {**OFFER, "opponent": "Ben", "options": {"turn_time": 30}, "message": "Hi", "lasts_s": 60},
    )  # fmt: skip
    assert offered["opponent"]["username"] == "ben"
    assert offered["options"] == {"turn_time": 30}
    path = f"/challenges/{offered['id']}/"
    assert get(path, ben)["message"] == "Hi"
    assert get(path, cleo, 404)["code"] == "challenge.none"
    assert get("/challenges/")["results"] == []
    assert post(f"{path}accept/", cleo, status=404)["code"] == "challenge.none"
    assert post(f"{path}accept/", ada, status=409)["code"] == "challenge.yourself"
    match = post(f"{path}accept/", ben)
    assert Match.objects.get(pk=match["id"]).challenge.pk == offered["id"]
    assert [player["username"] for player in match["players"]] == ["ada", "ben"]
    assert get(path, ada)["match"] == match["id"]
    assert post(f"{path}decline/", ben, status=409)["code"] == "challenge.not-open"


def test_declining_and_taking_back(ada: User, ben: User) -> None:
    for verb, user, other in (("decline", ben, ada), ("cancel", ada, ben)):
        offer = challenge_create(
            acting_user=ada, ruleset_id="tetronogo", variant="standard", opponent=ben
        )
        path = f"/challenges/{offer.pk}/{verb}/"
        assert post(path, other, status=403)["code"].startswith("challenge.not-")
        assert post(path, user, status=200)["status"] == f"{verb}d".replace("ld", "lled")


def test_lists_of_challenges(ada: User, ben: User, cleo: User) -> None:
    anybody = challenge_create(acting_user=ada, ruleset_id="tetronogo", variant="standard")
    named = challenge_create(acting_user=ada, ruleset_id="domain", variant="standard", opponent=ben)

    def ids(query: str, user: User | None) -> list[int]:
        return [each["id"] for each in get(f"/challenges/?{query}", user)["results"]]

    assert ids("", None) == ids("", cleo) == [anybody.pk]
    assert ids("", ben) == ids("challenger=ada", ben) == [named.pk, anybody.pk]
    assert ids("opponent=ben&status=open", ben) == [named.pk]
    assert ids("ruleset=tetronogo", ada) == [anybody.pk]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 400, "request.invalid"), ({**OFFER, "ruleset": "chess"}, 400, "setup.ruleset"),
        ({**OFFER, "variant": "x"}, 400, "setup.variant"),
        ({**OFFER, "opponent": "nobody"}, 400, "challenge.opponent-none"),
        ({**OFFER, "opponent": "ada"}, 400, "challenge.yourself"),
        ({**OFFER, "options": {"nonsense": 1}}, 400, "setup.options"),
        ({**OFFER, "lasts_s": 1}, 400, "request.invalid"),
        ({**OFFER, "advantage": "me"}, 400, "request.invalid"),
    ],
)  # fmt: skip
def test_offers_that_are_refused(body: Any, status: int, code: str, ada: User) -> None:
    assert post("/challenges/", ada, body, status)["code"] == code
    assert not Challenge.objects.exists()


def test_an_offer_that_is_sent_twice(ada: User) -> None:
    key: Any = {"Idempotency-Key": "offer-1"}
    first = post("/challenges/", ada, OFFER, **key)
    assert post("/challenges/", ada, OFFER, **key) == first
    assert Challenge.objects.count() == 1
