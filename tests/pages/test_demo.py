"""The demo data: complete, the same when asked for twice, and not on a real site by accident."""

from __future__ import annotations

import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.models import AuditEntry, User
from accounts.roles import is_moderator, is_organiser
from games.management.commands.demo_data import PASSWORD
from games.models import Challenge, Match
from games.rulesets import REGISTRY
from tests.games.support import nothing_changes, record_holds

pytestmark = pytest.mark.django_db
PLAYERS = ["ada", "ben"]


def made(*options: str) -> str:
    out = StringIO()
    call_command("demo_data", *options, stdout=out)
    return out.getvalue()


@pytest.fixture
def development(settings: Any) -> None:
    settings.GAUNTLET_DEVELOPMENT = True


def test_a_site_that_is_not_a_development_one_is_left_alone() -> None:
    with nothing_changes(), pytest.raises(CommandError, match="--force"):
        made()
    assert not User.objects.exists()


def test_everything_that_was_promised_is_there(development: None) -> None:
    printed = made()
    users = {user.username: user for user in User.objects.filter(is_bot=False)}
    assert {*users} == {"ada", "ben", "olga", "max", "keeper"}
    for name in users:
        assert re.search(rf"^  {name} .*{PASSWORD}$", printed, re.MULTILINE)
        assert Client().login(username=name, password=PASSWORD)
    assert is_organiser(users["olga"])
    assert is_moderator(users["max"])
    assert users["keeper"].is_superuser
    assert not any(is_organiser(users[name]) or is_moderator(users[name]) for name in PLAYERS)
    for ruleset in REGISTRY:
        match = Match.objects.finished().get(ruleset=ruleset.id, leg=None)
        assert sorted(match.players.values_list("user__username", flat=True)) == PLAYERS
        assert len(record_holds(match)["moves"]) > 10
    running = Match.objects.running().get()
    assert running.options["turn_time"] == 3 * 86_400
    assert running.seq > 5
    opponents = Challenge.objects.values_list("challenger__username", "opponent__username")
    assert sorted(opponents) == [("ben", None), ("olga", "ada")]


def test_the_leaderboard_has_somebody_on_it(development: None) -> None:
    made()
    found = Client().get("/api/v1/leaderboards/overall/").json()["results"]
    assert sorted(row["username"] for row in found) == PLAYERS
    assert {row["games"] for row in found} == {len(list(REGISTRY))}


def test_it_is_made_by_the_services(development: None) -> None:
    made()
    deeds = {*AuditEntry.objects.values_list("action", flat=True)}
    assert {"user.register", "user.grant_role", "match.start", "challenge.create"} <= deeds


def test_a_second_time_changes_nothing(development: None) -> None:
    first = made()
    people = list(User.objects.order_by("pk").values())
    with nothing_changes():
        assert made() == first
    assert list(User.objects.order_by("pk").values()) == people


def test_what_is_missing_is_made_again(development: None) -> None:
    made()
    Challenge.objects.filter(opponent=None).update(status=Challenge.Status.CANCELLED)
    made()
    assert Challenge.objects.filter(opponent=None, status=Challenge.Status.OPEN).count() == 1


def test_on_a_real_site_passwords_are_drawn_and_shown_once() -> None:
    printed = made("--force")
    passwords = dict(re.findall(r"^  (\w+) +\w+ +(\S+)$", printed, re.MULTILINE))
    assert len({*passwords.values()}) == 5
    assert PASSWORD not in passwords.values()
    assert Client().login(username="ada", password=passwords["ada"])
    again = made("--force")
    assert not any(password in again for password in passwords.values())
    assert Client().login(username="ada", password=passwords["ada"])
