"""Drafts do not exist for anybody but those who run them: on no page, picture, feed or export."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.permissions.table import HELPERS, MANAGE
from tests.permissions.test_completeness import all_addresses
from tests.permissions.world import Savepoint, Scene, Who, World
from tournaments.models import Season

pytestmark = pytest.mark.django_db


def _drafted(world: World) -> Scene:
    """A draft with contestants in it. (What has begun cannot be a draft: the database says so.)"""
    scene = world.scene("hidden")
    assert Season.objects.get(pk=scene.season.pk).visibility == "draft"
    return scene


def _addresses(scene: Scene) -> list[str]:
    """Every address of a season, and of its death matches, with a number that is there."""
    known = {
        "slug": scene.season.slug, "pk": scene.id(1), "leg_id": 1, "number": 1,
        "contestant_id": scene.id(1), "gift_id": 1, "token": scene.invitation.token,
        "digest": scene.picture.digest, "width": 80,
        "webhook_id": 1, "delivery_id": 1, "name": "start",
        "uid": "00000000-0000-4000-8000-000000000000",
    }  # fmt: skip
    found = []
    for name, wanted in all_addresses():
        if "slug" in wanted:
            if name.startswith(("games:", "admin:", "account")):
                continue
            found.append(reverse(name, kwargs={each: known[each] for each in wanted}))
    return found


def test_there_is_nothing_at_any_address_of_a_draft(world: World) -> None:
    scene = _drafted(world)
    addresses = _addresses(scene)
    assert len(addresses) > 50
    outsiders = [who for who in Who if who not in MANAGE | HELPERS]
    for who in (Who.NOBODY, Who.RIVAL, Who.SEAT_0, Who.MODERATOR):
        assert who in outsiders
        token = world.token(who)
        for address in addresses:
            with Savepoint():
                answer: Any
                if address.startswith("/api/"):
                    client = Client(headers={"authorization": f"Bearer {token}"} if token else {})
                    answer = client.get(address)
                    # 405: an endpoint that only takes what is handed in; 401: only of people.
                    assert answer.status_code in (404, 405, 401), (who, address)
                else:
                    answer = world.clients[who].get(address)
                    gone = answer.status_code == 302 and "/login" in answer["Location"]
                    assert answer.status_code in (404, 405) or (
                        gone
                        and who is Who.NOBODY
                        and any(each in address for each in ("/webhooks/", "/discord/"))
                    ), (who, address, answer.status_code)


@pytest.mark.parametrize("who", [Who.NOBODY, Who.PLAYER, Who.SEAT_0, Who.RIVAL, Who.MODERATOR])
def test_no_list_names_a_draft(who: Who, world: World) -> None:
    scene = _drafted(world)
    slug = scene.season.slug
    token = world.token(who)
    api = Client(headers={"authorization": f"Bearer {token}"} if token else {})
    pages = ["/", "/seasons/", "/lobby/", "/watch/", "/u/player1/", "/sitemap.xml"]
    for address in pages:
        answer = world.clients[who].get(address)
        assert f"/seasons/{slug}/" not in answer.content.decode(), address
    for address in ("/api/v1/seasons/?limit=100", "/api/v1/death-matches/?limit=100"):
        answer = api.get(address)
        assert f'"{slug}"' not in answer.content.decode(), address


@pytest.mark.parametrize("who", [Who.ORGANISER, Who.ADMIN, Who.CO_ORGANISER, *sorted(HELPERS)])
def test_those_who_run_it_see_it(who: Who, world: World) -> None:
    scene = _drafted(world)
    for name in (
        "season",
        "standings",
        "schedule",
        "results",
        "items",
        "history",
        "calendar",
        "predictions",
    ):
        page = world.clients[who].get(reverse(f"tournaments:{name}", args=[scene.season.slug]))
        assert page.status_code == 200, name
    answer = Client(headers={"authorization": f"Bearer {world.token(who)}"}).get(
        reverse("api:season", args=[scene.season.slug])
    )
    assert answer.status_code == 200


def test_the_admin_site_shows_drafts_to_administrators_only(world: World) -> None:
    scene = _drafted(world)
    for name, pk in (("season", scene.season.pk), ("contestant", scene.id(1))):
        address = reverse(f"admin:tournaments_{name}_change", args=[pk])
        assert world.clients[Who.ADMIN].get(address).status_code == 200
        assert world.clients[Who.MODERATOR].get(address).status_code in (302, 404)
