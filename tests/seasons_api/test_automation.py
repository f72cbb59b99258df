"""A program runs whole seasons over HTTP."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from games.services.turns import match_submit
from games.store import read
from tests.games.support import committing, user_named
from tests.seasons_api.conftest import Caller
from tests.tournaments.support import GAME, nothing_changes
from tournaments.models import DeathMatch, Leg, Season, SeasonEvent
from tournaments.services.legs import leg_start, ms

NAMES = ["ann", "bob", "cyd", "dan"]


def made(olga: Caller, kind: str, count: int = 4, **settings: Any) -> str:
    """The slug of a season that has begun, with so many contestants in order of seed."""
    body = {"name": "Spring", "format": kind, "repertoire": [GAME], **settings}
    answer = olga.post("/seasons/", body)
    assert answer.status_code == 201, answer.json()
    slug = answer.json()["slug"]
    assert answer["Location"] == f"http://testserver/api/v1/seasons/{slug}/"
    assert olga.post(f"/seasons/{slug}/steps/", {"step": "list"}).status_code == 200
    for name in NAMES[:count]:
        user_named(name, display_name=name.capitalize())
    entries = [{"username": name, "seed": n} for n, name in enumerate(NAMES[:count], start=1)]
    answer = olga.post(f"/seasons/{slug}/contestants/", {"contestants": entries})
    assert answer.status_code == 201, answer.json()
    answer = olga.post(f"/seasons/{slug}/steps/", {"step": "start"})
    assert answer.status_code == 200, answer.json()
    assert answer.json()["status"] == "running"
    return str(slug)


def people(olga: Caller, slug: str) -> dict[str, int]:
    rows = olga.get(f"/seasons/{slug}/contestants/").json()["results"]
    return {row["username"]: row["id"] for row in rows}


def concede(death_match: int, seat: int) -> None:
    """Play a death match to its end: one side gives up."""
    planned = Leg.objects.filter(death_match=death_match, status="planned").order_by("number")
    leg = planned.select_related("death_match__round__season")[0]
    with committing():
        leg = leg_start(acting_user=None, leg=leg, waits=False)
    assert leg.match is not None
    user = leg.match.players.get(seat=seat).user
    assert user is not None
    held = read(leg.match.pk)
    with committing():
        match_submit(
            match_id=leg.match.pk,
            seat=seat,
            acting_user=user,
            client_id="bye",
            text="concede",
            version=held.readers.versions[seat],
            at=ms(timezone.now()),
        )


def test_an_elimination_season_from_nothing_to_its_winner(olga: Caller) -> None:
    slug = made(olga, "elimination", count=3, format_options={"final_best_of": 1})
    ids = people(olga, slug)
    (opened,) = olga.get(f"/seasons/{slug}/rounds/").json()["results"]
    assert opened["episode"]["status"] == "main-match"
    early = olga.post(f"/seasons/{slug}/rounds/", {})
    assert (early.status_code, early.json()["code"]) == (409, "round.not-closed")
    placements = [
        {"contestant": ids["ann"], "place": 1, "immune": True},
        {"contestant": ids["bob"], "place": 2},
        {"contestant": ids["cyd"], "place": 3},
    ]
    answer = olga.post(
        f"/seasons/{slug}/rounds/1/placements/",
        {"placements": placements, "main_match": "Fruit Auction"},
    )
    assert answer.status_code == 200, answer.json()
    assert answer.json()["episode"]["ec"]["username"] == "cyd"
    immune = olga.post(f"/seasons/{slug}/rounds/1/dmo/", {"contestant": ids["ann"]})
    assert (immune.status_code, immune.json()["code"]) == (409, "choice.not-allowed")
    chosen = olga.post(f"/seasons/{slug}/rounds/1/dmo/", {"contestant": ids["bob"]})
    assert chosen.status_code == 201, chosen.json()
    assert chosen.json()["legs"][0]["advantage"] == 1
    concede(chosen.json()["id"], 0)
    rows = {
        row["username"]: row for row in olga.get(f"/seasons/{slug}/contestants/").json()["results"]
    }
    assert (rows["cyd"]["status"], rows["cyd"]["place"]) == ("eliminated", 3)
    given = olga.post(
        f"/seasons/{slug}/items/",
        {"item": "copy", "receiver": ids["ann"], "giver": ids["cyd"], "note": "For luck."},
    )
    assert given.status_code == 201, given.json()
    assert given.json()["giver"]["username"] == "cyd"
    final = olga.post(f"/seasons/{slug}/rounds/", {})
    assert final.status_code == 201, final.json()
    assert final.json()["is_final"]
    concede(final.json()["death_matches"][0]["id"], 1)
    season = olga.get(f"/seasons/{slug}/").json()
    assert (season["status"], season["winner"]["username"]) == ("finished", "ann")


def test_a_swiss_round_by_the_format_and_one_by_hand(olga: Caller) -> None:
    slug = made(olga, "swiss", format_options={"rounds": 3})
    ids = people(olga, slug)
    when = (timezone.now() + timedelta(days=1)).replace(microsecond=0)
    first = olga.get(f"/seasons/{slug}/rounds/").json()["results"]
    if not first:
        answer = olga.post(f"/seasons/{slug}/rounds/", {"scheduled_at": when.isoformat()})
        assert answer.status_code == 201, answer.json()
        first = [answer.json()]
    for each in first[0]["death_matches"]:
        concede(each["id"], 1)
    met = {
        frozenset({each["home"]["id"], each["away"]["id"]}) for each in first[0]["death_matches"]
    }
    ann = ids["ann"]
    others = [pk for pk in ids.values() if pk != ann and frozenset({ann, pk}) not in met]
    left = [pk for pk in ids.values() if pk not in (ann, others[0])]
    pairings = [
        {"home": ann, "away": others[0], **_wars(), "scheduled_at": when.isoformat()},
        {"home": left[0], "away": left[1]},
    ]
    answer = olga.post(f"/seasons/{slug}/rounds/", {"pairings": pairings})
    assert answer.status_code == 201, answer.json()
    legs = [each["legs"][0] for each in answer.json()["death_matches"]]
    assert [leg["ruleset"] for leg in legs] == ["domino-wars", "tetronogo"]
    assert legs[0]["scheduled_at"] is not None
    assert legs[1]["scheduled_at"] is None
    table = olga.get(f"/seasons/{slug}/standings/").json()
    assert len(table["rows"]) == 4
    assert table["metrics"][0]["key"] == "points"
    times = [
        {"death_match": each["id"], "scheduled_at": when.isoformat()}
        for each in answer.json()["death_matches"]
    ]
    later = olga.put(f"/seasons/{slug}/rounds/2/schedule/", {"times": times})
    assert later.status_code == 200, later.json()
    assert all(each["legs"][0]["scheduled_at"] for each in later.json()["death_matches"])


def _wars() -> dict[str, str]:
    return {"ruleset": "domino-wars", "variant": "standard"}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ("twice", "pairing.twice"),
        ("short", "pairing.left-out"),
        ("rematch", "pairing.rematch"),
        ("late", "schedule.past"),
        ("game", "setup.ruleset"),
        ("variant", "request.invalid"),
        ("stranger", "contestant.none"),
    ],
)
def test_a_round_that_cannot_be_is_not_made_at_all(olga: Caller, change: str, code: str) -> None:
    slug = made(olga, "swiss", format_options={"rounds": 3})
    ids = people(olga, slug)
    rounds = olga.get(f"/seasons/{slug}/rounds/").json()["results"]
    if not rounds:
        rounds = [olga.post(f"/seasons/{slug}/rounds/", {}).json()]
    first = rounds[0]["death_matches"]
    for each in first:
        concede(each["id"], 1)
    one, two = first
    pairings: list[dict[str, Any]] = [
        {"home": one["home"]["id"], "away": two["home"]["id"]},
        {"home": one["away"]["id"], "away": two["away"]["id"]},
    ]
    match change:
        case "twice":
            pairings[1]["home"] = pairings[0]["home"]
        case "short":
            pairings.pop()
        case "rematch":
            pairings = [{"home": each["home"]["id"], "away": each["away"]["id"]} for each in first]
        case "late":
            pairings[1]["scheduled_at"] = "2001-01-01T00:00:00Z"
        case "game":
            pairings[1] |= {"ruleset": "chess", "variant": "standard"}
        case "variant":
            pairings[1]["variant"] = "zz"
        case _:
            pairings[1]["home"] = max(ids.values()) + 1
    with nothing_changes():
        answer = olga.post(f"/seasons/{slug}/rounds/", {"pairings": pairings})
    assert answer.json()["code"] == code, answer.json()


def test_formats_that_pair_by_themselves(olga: Caller) -> None:
    slug = made(olga, "round-robin")
    ids = list(people(olga, slug).values())
    rounds = DeathMatch.objects.filter(round__season__slug=slug, round__number=1)
    for each in rounds:
        concede(each.pk, 0)
    body = {"pairings": [{"home": ids[0], "away": ids[1]}]}
    with nothing_changes():
        answer = olga.post(f"/seasons/{slug}/rounds/", body)
    assert answer.json()["code"] == "pairing.not-by-hand"


def test_a_ladder_is_challenges(olga: Caller) -> None:
    slug = made(olga, "ladder")
    ids = people(olga, slug)
    with nothing_changes():
        assert olga.post(f"/seasons/{slug}/rounds/", {}).json()["code"] == "pairing.needed"
        oneself = {"pairings": [dict.fromkeys(("home", "away"), next(iter(ids.values())))]}
        answer = olga.post(f"/seasons/{slug}/rounds/", oneself)
        assert (answer.status_code, answer.json()["code"]) == (400, "ladder.self")
        assert list(answer.json()["fields"]) == ["pairings.0"]
    body = {"pairings": [{"home": ids["bob"], "away": ids["ann"]}]}
    answer = olga.post(f"/seasons/{slug}/rounds/", body)
    assert answer.status_code == 201, answer.json()
    made_match = answer.json()["death_matches"][-1]
    assert (made_match["home"]["username"], made_match["away"]["username"]) == ("bob", "ann")


def test_the_order_of_a_ladder(olga: Caller) -> None:
    slug = made(olga, "ladder")
    ids = people(olga, slug)

    def rungs() -> list[tuple[int, str, str]]:
        found = olga.get(f"/seasons/{slug}/standings/").json()
        assert found["metrics"] == []
        assert all(not row["shared"] and row["values"] == [] for row in found["rows"])
        return [(row["rank"], row["contestant"]["username"], row["why"]) for row in found["rows"]]

    assert [name for _, name, _ in rungs()] == ["ann", "bob", "cyd", "dan"]
    body = {"pairings": [{"home": ids["bob"], "away": ids["ann"]}]}
    answer = olga.post(f"/seasons/{slug}/rounds/", body)
    concede(answer.json()["death_matches"][-1]["id"], 1)
    olga.post(f"/seasons/{slug}/contestants/{ids['cyd']}/withdraw/", {"why": "Ill."})
    assert rungs() == [
        (1, "bob", "Took the rung from Ann."),
        (2, "ann", "Entered with seed 1. Since passed by Bob."),
        (3, "dan", "Entered with seed 4. Cyd, above, has left."),
    ]
    shown = olga.client.get(f"/seasons/{slug}/standings/").content.decode()
    assert "Took the rung from Ann." in shown


def test_only_who_stands_first_wins_a_season_that_is_ended(olga: Caller) -> None:
    slug = made(olga, "ladder")
    ids = people(olga, slug)
    end: dict[str, Any] = {"step": "finish"}
    with nothing_changes():
        answer = olga.post(f"/seasons/{slug}/steps/", end | {"winner": ids["dan"]})
    assert answer.json()["code"] == "season.not-first"
    answer = olga.post(f"/seasons/{slug}/steps/", end)
    assert (answer.status_code, answer.json()["winner"]["username"]) == (200, "ann")
    rows = olga.get(f"/seasons/{slug}/contestants/").json()["results"]
    assert [row["place"] for row in rows] == [1, 2, 3, 4]


def test_the_next_of_several_matches_gets_the_time(olga: Caller) -> None:
    slug = made(olga, "single-elimination", 2, format_options={"best_of": 3})
    row = DeathMatch.objects.get(round__season__slug=slug)
    path = f"/death-matches/{row.pk}/"
    when = (timezone.now() + timedelta(days=1)).replace(microsecond=0).isoformat()

    def times() -> list[bool]:
        return [leg["scheduled_at"] is not None for leg in olga.get(path).json()["legs"]]

    assert olga.patch(path, {"scheduled_at": when}).status_code == 200
    assert times() == [True, False, False]
    concede(row.pk, 0)
    assert olga.patch(path, {"scheduled_at": when}).status_code == 200
    assert times() == [True, True, False]
    assert olga.patch(path, {"scheduled_at": when, "leg": 3}).status_code == 200
    with nothing_changes():
        begun = olga.patch(path, {"scheduled_at": when, "leg": 1})
        missing = olga.patch(path, {"scheduled_at": when, "leg": 4})
    assert (begun.status_code, begun.json()["code"]) == (409, "leg.not-planned")
    assert missing.status_code == 400
    assert list(missing.json()["fields"]) == ["leg"]


def test_a_season_is_not_ended_before_its_last_round(olga: Caller) -> None:
    slug = made(olga, "swiss", format_options={"rounds": 2})
    for row in DeathMatch.objects.filter(round__season__slug=slug):
        concede(row.pk, 0)
    warned = olga.get(f"/seasons/{slug}/preflight/?step=finish").json()
    assert [(each["code"], each["stops"]) for each in warned] == [("season.not-concluded", True)]
    with nothing_changes():
        answer = olga.post(
            f"/seasons/{slug}/steps/", {"step": "finish", "winner": people(olga, slug)["ann"]}
        )
    assert answer.json()["code"] == "season.not-concluded"


def test_a_request_that_is_sent_again_counts_once(olga: Caller) -> None:
    body = {"name": "Once", "format": "ladder"}
    first = olga.post("/seasons/", body, key="k-1")
    with nothing_changes():
        again = olga.post("/seasons/", body, key="k-1")
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert Season.objects.count() == 1
    other = olga.post("/seasons/", {**body, "name": "Twice"}, key="k-1")
    assert (other.status_code, other.json()["code"]) == (409, "idempotency.reused")


def test_enrolling_is_all_or_nothing(olga: Caller) -> None:
    slug = olga.post("/seasons/", {"name": "Spring", "format": "swiss"}).json()["slug"]
    user_named("ann")
    with nothing_changes():
        answer = olga.post(
            f"/seasons/{slug}/contestants/",
            {"contestants": [{"username": "ann"}, {"username": "nobody"}]},
        )
    assert (answer.status_code, answer.json()["code"]) == (400, "user.none")
    assert list(answer.json()["fields"]) == ["contestants.1.username"]


def test_hundreds_at_once(olga: Caller) -> None:
    """What is said may be long, and who is meant is looked up in one query."""
    slug = olga.post("/seasons/", {"name": "Spring", "format": "swiss"}).json()["slug"]
    entries = [{"username": f"nobody-{n}", "name": "x" * 40, "seed": n} for n in range(1, 501)]
    unknown = [
        {"home": n, "away": n + 1, "scheduled_at": "2030-01-01T00:00:00Z"} for n in range(500)
    ]
    with nothing_changes():
        for path, body, code in (
            ("contestants", {"contestants": entries}, "user.none"),
            ("rounds", {"pairings": unknown}, "contestant.none"),
            ("rounds", {"pairings": [{"home": 2**63, "away": 1}]}, "contestant.none"),
            ("rounds", {"pairings": [{"home": -(2**70), "away": 1}]}, "contestant.none"),
        ):
            with CaptureQueriesContext(connection) as queries:
                answer = olga.post(f"/seasons/{slug}/{path}/", body)
            assert (answer.status_code // 100, answer.json()["code"]) == (4, code)
            assert len(queries) < 12


def test_fifty_are_enrolled_with_as_many_queries_as_five(
    olga: Caller, django_assert_max_num_queries: Any
) -> None:
    slug = olga.post("/seasons/", {"name": "Spring", "format": "swiss"}).json()["slug"]
    User.objects.bulk_create(User(username=f"fan-{number}") for number in range(55))
    few, many = (
        {"contestants": [{"username": f"fan-{n}", "seed": n + 1} for n in numbers]}
        for numbers in (range(5), range(5, 55))
    )
    with CaptureQueriesContext(connection) as queries:
        assert olga.post(f"/seasons/{slug}/contestants/", few).status_code == 201
    with django_assert_max_num_queries(len(queries)):
        answer = olga.post(f"/seasons/{slug}/contestants/", many)
    assert [(row["username"], row["seed"]) for row in answer.json()] == [
        (f"fan-{n}", n + 1) for n in range(5, 55)
    ]


def test_warnings_before_a_start(olga: Caller) -> None:
    slug = olga.post("/seasons/", {"name": "Spring", "format": "swiss"}).json()["slug"]
    answer = olga.get(f"/seasons/{slug}/preflight/", step="start")
    assert answer.status_code == 200
    assert any(warning["stops"] for warning in answer.json())
    with nothing_changes():
        refused = olga.post(f"/seasons/{slug}/steps/", {"step": "start"})
    assert refused.status_code == 409


def test_results_are_ruled_corrected_and_replayed(olga: Caller) -> None:
    slug = made(olga, "ladder")
    ids = people(olga, slug)
    body = {"pairings": [{"home": ids["bob"], "away": ids["ann"]}]}
    number = olga.post(f"/seasons/{slug}/rounds/", body).json()["death_matches"][-1]["id"]
    changed = olga.patch(f"/death-matches/{number}/", {**_wars(), "options": {"turn_time": 90}})
    assert changed.status_code == 200, changed.json()
    assert changed.json()["legs"][0]["options"] == {"turn_time": 90}
    ruled = olga.post(
        f"/death-matches/{number}/result/",
        {"winner": ids["bob"], "how": "ruling", "why": "The other had to go."},
    )
    assert ruled.status_code == 200, ruled.json()
    assert (ruled.json()["how"], ruled.json()["winner"]["username"]) == ("ruling", "bob")
    corrected = olga.post(
        f"/death-matches/{number}/result/",
        {"winner": ids["ann"], "how": "correction", "why": "It was the other one who went."},
    )
    assert corrected.status_code == 200, corrected.json()
    assert corrected.json()["winner"]["username"] == "ann"
    kinds = [each["kind"] for each in olga.get(f"/seasons/{slug}/events/").json()["results"]]
    assert "death-match.corrected" in kinds
    assert len(kinds) == SeasonEvent.objects.filter(season__slug=slug).count()


def test_who_has_withdrawn_is_brought_back(olga: Caller) -> None:
    slug = made(olga, "swiss")
    ann = people(olga, slug)["ann"]
    address = f"/seasons/{slug}/contestants/{ann}"
    early = olga.post(f"{address}/return/", {"why": "Well again."})
    assert (early.status_code, early.json()["code"]) == (409, "contestant.not-withdrawn")
    assert olga.post(f"{address}/withdraw/", {"why": "Ill."}).status_code == 200
    assert olga.post(f"{address}/return/", {}).status_code == 400
    back = [olga.post(f"{address}/return/", {"why": "Well again."}, key="k") for _ in range(2)]
    assert [answer.status_code for answer in back] == [200, 200]
    assert back[0].json() == back[1].json()
    assert (back[0].json()["id"], back[0].json()["status"]) == (ann, "active")
    assert SeasonEvent.objects.filter(kind="contestant.restored").count() == 1


@pytest.mark.parametrize(
    "body",
    ['{"name": "\\ud800", "format": "swiss"}', '{"name": ' + "[" * 900 + "]" * 900 + "}"],
    ids=["half a character", "nested deep"],
)
def test_keys_stand_even_bodies_that_make_no_sense(olga: Caller, body: str) -> None:
    answer = olga.client.post(
        "/api/v1/seasons/",
        body,
        content_type="application/json",
        headers={"idempotency-key": "k-1"},
    )
    assert 400 <= answer.status_code < 500, answer.content
    assert not Season.objects.exists()


def test_seeds_of_nobody(olga: Caller) -> None:
    slug = olga.post("/seasons/", {"name": "Spring", "format": "swiss"}).json()["slug"]
    for key in ("9" * 5000, "-1", "x", ""):
        answer = olga.put(f"/seasons/{slug}/seeds/", {"seeds": {key: 1}})
        assert answer.status_code == 400, answer.content
    answer = olga.put(f"/seasons/{slug}/seeds/", {"seeds": {"999999999999999999": 1}})
    assert answer.json()["code"] == "contestant.none"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("post", "contestants/999/withdraw/", {"why": "Ill."}),
        ("post", "contestants/999/return/", {"why": "Well."}),
        ("post", "contestants/999/replace/", {"why": "Ill.", "username": "olga"}),
        ("post", "items/999/take-back/", {"why": "A mistake."}),
        ("put", "rounds/999/schedule/", {"scheduled_at": "2027-01-01T12:00:00Z"}),
        ("post", "rounds/999/placements/", {"placements": []}),
        ("post", "rounds/999/dmo/", {"contestant": 1}),
        ("post", "/death-matches/999/result/", {"winner": None, "why": "Because."}),
        ("post", "/death-matches/999/legs/1/replay/", {"why": "Because."}),
        ("patch", "/death-matches/999/", {}),
    ],
)
def test_there_is_nothing_at_an_address_of_nothing(
    olga: Caller, method: str, path: str, body: dict[str, Any]
) -> None:
    slug = made(olga, "elimination", count=3)
    address = path if path.startswith("/") else f"/seasons/{slug}/{path}"
    answer = getattr(olga, method)(address, body)
    assert answer.status_code == 404, answer.content
    assert answer.json()["code"].endswith((".none", "not-found")), answer.content
