"""Who has an answer of one release is not told by the next that it is the same still.

Every address that somebody without an account may read is asked about a season in play and a
leaderboard; what says which version it is must be another version once the release is another,
unless it goes by what stands in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils.cache import set_response_etag

from accounts.models import User
from core.conditional import body_tag
from games.pictures.boards import figures_of
from games.rulesets import REGISTRY
from tests.secrecy.test_every_route import CONTESTANTS, STREAMS, Route, routes
from tests.tournaments.support import begun, played, running
from tournaments.models import DeathMatch

# Some of what has to be asked: pages, feeds, pictures and the API.
EXPECTED = {
    "tournaments:season", "tournaments:calendar", "tournaments:contestant_calendar",
    "tournaments:share", "tournaments:death_match_share", "games:match_share", "games:board",
    "games:board_png", "games:board_after", "games:rules_figure", "api:match",
    "api:season_standings",
}  # fmt: skip


@pytest.fixture
def addresses(orla: User) -> dict[str, str]:
    """Every address outside of the administration that can be made of a season with a result and
    a match in play, by its name."""
    season = running(orla, 4, "round-robin")
    first, second = DeathMatch.objects.filter(round__season=season).order_by("pk")[:2]
    played(orla, first, 0)
    match = begun(orla, second).match
    assert match is not None
    assert second.home is not None

    def values(route: Route) -> dict[str, Any]:
        return {
            "slug": season.slug,
            "match_id": match.pk,
            "ruleset": match.ruleset,
            "ruleset_id": match.ruleset,
            "ladder": match.ruleset,
            "username": second.home.user.username if second.home and second.home.user else "",
            "number": 1,
            "death_match_id": second.pk,
            "contestant_id": second.home_id,
            "pk": second.home_id if route.name in CONTESTANTS else second.pk,
            "name": next(iter(figures_of(REGISTRY.get(match.ruleset)))),
        }

    return {
        route.name: reverse(route.name, kwargs={name: given[name] for name in route.arguments})
        for route in routes()
        if route.arguments <= set(given := values(route)) and route.name not in STREAMS
    }


def versioned(client: Client, addresses: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """Name, address and tag of the answers that have one of their own."""
    for name, address in addresses.items():
        answer = client.get(address)
        if answer.status_code != 200 or "ETag" not in answer or answer.streaming:
            continue
        of_body = {
            body_tag(answer.content),
            set_response_etag(HttpResponse(answer.content))["ETag"],
        }
        if answer["ETag"] not in of_body:
            yield name, address, answer["ETag"]


def test_another_release_has_everything_made_anew(
    addresses: dict[str, str], nobody: Client, settings: Any
) -> None:
    found = list(versioned(nobody, addresses))
    assert {name for name, _, _ in found} >= EXPECTED
    settings.RELEASE = f"{settings.RELEASE}, mended"
    kept = [name for name, at, tag in found if is_known(nobody, at, tag)]
    assert kept == []


def is_known(client: Client, address: str, tag: str) -> bool:
    return client.get(address, headers={"If-None-Match": tag}).status_code == 304
