"""Seasons in the admin site: who sees what, and what its buttons do."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.roles import Role
from accounts.services import role_grant
from tests.games.support import user_named
from tests.tournaments.support import START, chosen, enrolled, played, running, who
from tournaments.models import Contestant, DeathMatch, Gift, Season, SeasonEvent
from tournaments.services.items.gifts import item_give
from tournaments.services.seasons import season_create

MODELS = (Season, Contestant, DeathMatch, Gift, SeasonEvent)


@pytest.fixture
def mona(orla: User) -> User:
    """A moderator, who may enter the admin site."""
    user = user_named("mona", is_staff=True)
    root = User.objects.get(username="root")
    role_grant(acting_user=root, user=user, role=Role.MODERATOR)
    return user


@pytest.fixture
def season(orla: User) -> Season:
    season = running(orla, 4)
    played(orla, chosen(orla, season, ec=1, dmo=2), winner=0)
    item_give(
        acting_user=orla, season=season, item="block", receiver=who(season, 1),
        giver=who(season, 2), at=START,
    )  # fmt: skip
    return season


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def address(model: Any, page: str, *args: Any) -> str:
    return reverse(f"admin:tournaments_{model._meta.model_name}_{page}", args=args)


@pytest.mark.parametrize("model", MODELS)
def test_moderators_look_and_search_and_change_nothing(
    mona: User, season: Season, model: Any
) -> None:
    client = signed_in(mona)
    row = model.objects.order_by("pk")[0]
    assert client.get(address(model, "changelist"), {"q": "player 1"}).status_code == 200
    page = client.get(address(model, "change", row.pk))
    assert page.status_code == 200
    assert b'name="_save"' not in page.content
    assert client.get(address(model, "add")).status_code == 403
    assert client.post(address(model, "delete", row.pk), {"post": "yes"}).status_code == 403
    assert client.post(address(model, "change", row.pk), {"name": "x"}).status_code == 403
    assert signed_in(user_named("nosy")).get(address(model, "changelist")).status_code == 302


def test_drafts_are_not_for_moderators(mona: User, orla: User) -> None:
    draft = season_create(acting_user=orla, name="Secret plans", format="swiss")
    client = signed_in(mona)
    assert b"Secret plans" not in client.get(address(Season, "changelist")).content
    assert client.get(address(Season, "change", draft.pk)).status_code == 302


def test_archiving_and_listing(mona: User, season: Season) -> None:
    client = signed_in(mona)
    assert client.get(address(Season, "archive", season.pk)).status_code == 405
    client.post(address(Season, "archive", season.pk))
    assert Season.objects.get(pk=season.pk).visibility == "archived"
    client.post(address(Season, "list", season.pk))
    assert Season.objects.get(pk=season.pk).visibility == "listed"
    client.post(
        address(Season, "changelist"),
        {"action": "archive_seasons", "_selected_action": [season.pk]},
    )
    assert Season.objects.get(pk=season.pk).visibility == "archived"


def test_calling_off_needs_the_slug_typed_and_an_organiser(mona: User, orla: User) -> None:
    season = enrolled(orla, 3)
    page = address(Season, "cancel", season.pk)
    right = {"why": "rain", "typed": season.slug}
    assert signed_in(mona).get(page).status_code == 403
    assert signed_in(mona).post(page, {}).status_code == 403
    answer = signed_in(mona).post(page, right)
    assert answer.status_code == 403
    assert b"Only an organiser of this season" in answer.content
    root = signed_in(User.objects.get(username="root"))
    assert root.get(page).status_code == 200
    assert root.post(page, {**right, "typed": "autum"}).status_code == 422
    assert Season.objects.get(pk=season.pk).status == "enrolling"
    assert root.post(page, right).status_code == 302
    assert Season.objects.get(pk=season.pk).status == "cancelled"
