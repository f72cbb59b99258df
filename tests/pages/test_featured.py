"""The match in the best place: which it is, what is told of it, and who may choose it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from accounts.models import AuditEntry, User
from accounts.roles import Role
from accounts.services import role_grant
from core.refusals import Refusal
from games import presence
from games.models import FeaturedMatch, Match
from games.ratings.models import OVERALL, Rating, RatingLadder
from games.reading.featured import match_featured, standing_of
from games.reading.matches import SPECTATORS_VERSION
from games.services.featuring import match_feature, match_unfeature, must_be_able_to_feature
from tests.games import support
from tests.games.support import Wire, user_named
from tests.pages.support import conceded, links, words

Visitor = Callable[..., Client]
PLACES = ("/", "/lobby/", "/watch/")


@pytest.fixture
def orla(db: None) -> User:
    head = User.objects.create_superuser("head", password="not asked for")
    user = user_named("orla")
    role_grant(acting_user=head, user=user, role=Role.ORGANISER)
    return user


@pytest.fixture
def crowds(monkeypatch: pytest.MonkeyPatch) -> dict[int, int]:
    """The spectators by match, as they are told to be."""
    counts: dict[int, int] = {}
    monkeypatch.setattr("games.reading.featured.watched", lambda: counts)
    return counts


def started(players: tuple[User, User], **more: Any) -> Match:
    return Match.objects.get(pk=support.started(players, **more).pk)


def ended(match: Match) -> None:
    first, second = (each.user for each in match.players.select_related("user").order_by("seat"))
    assert first is not None
    assert second is not None
    conceded(support.Play(match, (first, second)))


def rated(user: User, shown: int) -> None:
    ladder, _ = RatingLadder.objects.get_or_create(pk=OVERALL, defaults={"method": "any"})
    Rating.objects.create(
        ladder=ladder, user=user, mu=25, sigma=8, shown=shown, games=1, wins=0, peak=shown,
        last_played="2026-01-01T00:00Z",
    )  # fmt: skip


def shown(client: Client, address: str = "/") -> str:
    return client.get(address, headers={"X-Fragment": "featured"}).content.decode()


# -- which ---------------------------------------------------------------------------------------


def test_the_site_chooses_by_spectators_then_ratings_then_the_latest(
    crowds: dict[int, int], ada: User, ben: User, cleo: User
) -> None:
    assert match_featured(None).first() is None
    first, second, third = (
        started((ada, ben)), started((ada, cleo)), started((ben, user_named("dora"))),
    )  # fmt: skip
    assert match_featured(None).get() == third
    rated(cleo, 1800)
    assert match_featured(None).get() == second
    crowds[first.pk] = 2
    assert match_featured(None).get() == first


def test_the_site_passes_over_what_is_slow_paused_or_waits(
    crowds: dict[int, int], ada: User, ben: User
) -> None:
    live = started((ada, ben))
    Match.objects.filter(pk=started((ada, ben)).pk).update(paused=True)
    started((ada, ben), options={"turn_time": 86_400})
    assert match_featured(None).get() == live


def test_what_organisers_feature_comes_first_until_it_is_over(
    crowds: dict[int, int], ada: User, ben: User, cleo: User, orla: User
) -> None:
    quiet, loud = started((ada, ben)), started((ada, cleo))
    crowds[loud.pk] = 50
    match_feature(acting_user=orla, match=quiet)
    assert match_featured(None).get() == quiet
    ended(quiet)
    assert match_featured(None).get() == loud
    assert FeaturedMatch.objects.get().match == quiet


# -- what is told --------------------------------------------------------------------------------


@pytest.mark.parametrize("address", PLACES)
def test_pages_show_it_with_its_board_its_score_and_whose_move_it_is(
    nobody: Client, crowds: dict[int, int], ada: User, ben: User, address: str
) -> None:
    match = started((ada, ben))
    crowds[match.pk] = 7
    page = nobody.get(address)
    assert "Featured match" in words(page)
    assert "7 watching" in words(page)
    standing = standing_of(match, [each.name for each in match.players.order_by("seat")])
    assert standing.words
    assert standing.words in words(page)
    assert f"/matches/{match.pk}/board.svg?v={standing.version}" in page.content.decode()
    assert shown(nobody, address).count("featured-card__text") == 1
    assert f"/matches/{match.pk}/" in links(page)


@pytest.mark.parametrize("address", PLACES)
def test_pages_without_a_match_show_none(nobody: Client, db: None, address: str) -> None:
    assert "Featured match" not in words(nobody.get(address))
    assert shown(nobody, address).strip() == ""


def test_a_script_asks_for_it_alone_and_is_told_when_nothing_has_changed(
    nobody: Client, ada: User, ben: User
) -> None:
    started((ada, ben))
    asked = {"X-Fragment": "featured"}
    first = nobody.get("/", headers=asked)
    again = nobody.get("/", headers={**asked, "If-None-Match": first["ETag"]})
    assert (first.status_code, again.status_code) == (200, 304)


def test_a_list_with_a_filter_begins_with_what_was_asked_for(
    nobody: Client, ada: User, ben: User
) -> None:
    started((ada, ben))
    assert "Featured match" not in words(nobody.get("/watch/?player=ada"))


# -- who chooses ---------------------------------------------------------------------------------


def test_an_organiser_features_a_match_from_its_page(
    visitor: Visitor, wire: Wire, ada: User, ben: User, orla: User
) -> None:
    match = started((ada, ben))
    client, page = visitor(orla), f"/matches/{match.pk}/"
    assert "Feature this match" in words(client.get(page))
    with support.committing():
        response = client.post(f"{page}feature/", {"act": "feature"}, follow=True)
    assert "This match is featured now" in words(response)
    assert "Stop featuring it" in words(response)
    assert "Feature this match" not in words(response)
    assert AuditEntry.objects.filter(action="match.feature", who=orla).count() == 1
    ((group, frame),) = wire.frames("match.featured")
    assert (group, frame["match"], frame["featured"]) == ("lobby", match.pk, True)
    with support.committing():
        client.post(f"{page}feature/", {"act": "unfeature"})
    assert not FeaturedMatch.objects.exists()
    assert wire.frames("match.featured")[-1][1]["featured"] is False
    assert AuditEntry.objects.filter(action="match.unfeature", who=orla).count() == 1


def test_featuring_twice_is_done_once(ada: User, ben: User, orla: User) -> None:
    match = started((ada, ben))
    for _ in range(2):
        match_feature(acting_user=orla, match=match)
    assert AuditEntry.objects.filter(action="match.feature").count() == 1
    with pytest.raises(Refusal, match="featured already") as refusal:
        must_be_able_to_feature(match, orla)
    assert refusal.value.code == "feature.already"


def test_another_takes_its_place(ada: User, ben: User, cleo: User, orla: User) -> None:
    first, second = started((ada, ben)), started((ada, cleo))
    match_feature(acting_user=orla, match=first)
    match_feature(acting_user=orla, match=second)
    assert FeaturedMatch.objects.get().match == second
    assert AuditEntry.objects.latest("pk").data == {"instead_of": first.pk}


@pytest.mark.parametrize("act", ["feature", "unfeature", "", "other"])
def test_others_are_refused(visitor: Visitor, ada: User, ben: User, cleo: User, act: str) -> None:
    match = started((ada, ben))
    for user in (ada, cleo):
        page = visitor(user).get(f"/matches/{match.pk}/")
        assert "Feature this match" not in words(page)
        answer = visitor(user).post(f"/matches/{match.pk}/feature/", {"act": act})
        assert answer.status_code == 403
    assert not FeaturedMatch.objects.exists()


def test_what_cannot_be_is_said(visitor: Visitor, ada: User, ben: User, orla: User) -> None:
    match = started((ada, ben))
    address = f"/matches/{match.pk}/feature/"
    client = visitor(orla)
    none = client.post(address, {"act": "unfeature"})
    assert "This match is not featured." in words(none)
    assert client.post(address, {"act": "dance"}).status_code == 404
    assert client.get(address).status_code == 405
    own = started((orla, ada))
    assert client.post(f"/matches/{own.pk}/feature/", {"act": "feature"}).status_code == 403
    ended(match)
    assert "The match is over." in words(client.post(address, {"act": "feature"}))
    assert visitor().post(address, {"act": "feature"}).status_code == 302


def test_unfeature_is_a_service_of_its_own(ada: User, ben: User, orla: User) -> None:
    match = started((ada, ben))
    match_feature(acting_user=orla, match=match)
    match_unfeature(acting_user=orla, match=match)
    assert not FeaturedMatch.objects.exists()


# -- spectators ----------------------------------------------------------------------------------


async def test_it_is_known_which_matches_are_watched(ada: User) -> None:
    presence.forget_watched()
    try:
        await presence.arrive(4_000_001, "room", "one")
        await presence.arrive(4_000_001, "room", "two")
        await presence._exchange(presence._here()[4_000_001])
        presence.forget_watched()
        assert presence.watched().get(4_000_001) == 2
    finally:
        presence.forget_watched()


# -- over HTTP -----------------------------------------------------------------------------------

API = "/api/v1"


def test_programs_read_it(
    nobody: Client, crowds: dict[int, int], ada: User, ben: User, orla: User
) -> None:
    none = nobody.get(f"{API}/featured/")
    assert (none.status_code, none.json()["code"]) == (404, "featured.none")
    match = started((ada, ben))
    crowds[match.pk] = 3
    told = nobody.get(f"{API}/featured/").json()
    assert told["match"]["id"] == match.pk
    assert (told["chosen"], told["spectators"]) == (False, 3)
    # No scores before the end: a program reads those of the room's view.
    assert told["match"]["scores"] == []
    match_feature(acting_user=orla, match=match)
    told = nobody.get(f"{API}/featured/?fields=id").json()
    assert told == {"match": {"id": match.pk}, "chosen": True, "spectators": 3}


def test_organisers_choose_it_over_http(
    visitor: Visitor, ada: User, ben: User, cleo: User, orla: User
) -> None:
    match = started((ada, ben))
    address = f"{API}/matches/{match.pk}/featured/"
    for user, status in ((None, 401), (ada, 403), (cleo, 403)):
        for method in ("put", "delete"):
            client = visitor() if user is None else visitor(user)
            assert getattr(client, method)(address).status_code == status
    client = visitor(orla)
    assert client.put(address).status_code == 204
    assert client.put(address).status_code == 204
    assert FeaturedMatch.objects.get().match == match
    assert client.put(address, {"a": 1}, content_type="application/json").status_code == 400
    assert client.delete(address).status_code == 204
    none = client.delete(address)
    assert (none.status_code, none.json()["code"]) == (409, "feature.none")
    assert client.put(f"{API}/matches/999999/featured/").status_code == 404
    assert client.get(address).status_code == 405
    ended(match)
    over = client.put(address)
    assert (over.status_code, over.json()["code"]) == (409, "match.over")


def test_its_version_is_what_the_room_knows(ada: User, ben: User) -> None:
    """It is read off the row's text, and changes with each turn that everybody may see; a secret
    choice changes nothing."""
    play = support.started((ada, ben))

    def version() -> int:
        sql = f"SELECT {SPECTATORS_VERSION} FROM games_match WHERE id = %s"  # noqa: S608  (a constant)
        with connection.cursor() as cursor:
            cursor.execute(sql, [play.pk])
            (found,) = cursor.fetchone()
        return int(found)

    assert version() == play.versions[2]
    before = version()
    play.move(0, "pick T", 1000)
    assert version() == before
    play.move(1, "pick L", 2000)
    assert version() == play.versions[2] > before
