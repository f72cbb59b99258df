"""The demo data: complete, the same when asked for twice, and not on a real site by accident. Tests
of its people play no matches, and seasons only in a whole run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client, override_settings

from accounts.models import AuditEntry, User
from accounts.roles import Role, holds_role, is_moderator, is_organiser
from core.refusals import Refusal
from games.demo import KEEPER, PEOPLE, _account
from games.management.commands.demo_data import PASSWORD
from games.models import Challenge, Match
from games.rulesets import REGISTRY
from tests.games.support import nothing_changes, record_holds
from tests.support import depth

# In one process: all but the first two look at the same demo.
pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("demo")]
PLAYERS = ["ada", "ben"]
DEVELOPMENT = {"GAUNTLET_DEVELOPMENT": True}


def made(*options: str) -> str:
    out = StringIO()
    call_command("demo_data", *options, stdout=out)
    return out.getvalue()


def test_a_site_that_is_not_a_development_one_is_left_alone() -> None:
    with nothing_changes(), pytest.raises(CommandError, match="--force"):
        made()
    assert not User.objects.exists()


@pytest.fixture
def in_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Matches and seasons are looked at below."""
    monkeypatch.setattr("games.demo.MOVES_AT_MOST", 1)
    if not depth.whole:
        for name in ("_cup", "_gauntlet"):
            monkeypatch.setattr(f"tournaments.simulation.demo.{name}", lambda *_people: None)


@pytest.mark.usefixtures("in_short")
def test_on_a_real_site_passwords_are_drawn_and_shown_once() -> None:
    printed = made("--force")
    passwords = dict(re.findall(r"^  (\w+) +\w+ +(\S+)$", printed, re.MULTILINE))
    assert len({*passwords.values()}) == 5
    assert PASSWORD not in passwords.values()
    assert Client().login(username="ada", password=passwords["ada"])
    again = made("--force")
    assert not any(password in again for password in passwords.values())
    assert Client().login(username="ada", password=passwords["ada"])


@override_settings(GAUNTLET_SECOND_FACTOR_REQUIRED=True)
@pytest.mark.usefixtures("in_short")
def test_where_second_factors_are_required_it_is_made_all_the_same() -> None:
    made("--force")
    assert holds_role(User.objects.get(username="olga"), Role.ORGANISER)
    assert holds_role(User.objects.get(username="max"), Role.MODERATOR)
    granted = AuditEntry.objects.filter(action="user.grant_role")
    assert [each.who for each in granted] == [None, None]


@override_settings(GAUNTLET_SECOND_FACTOR_REQUIRED=True)
@pytest.mark.usefixtures("in_short")
def test_what_cannot_be_made_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_any: Any) -> None:
        raise Refusal("x.no", "Organisers need a second factor here.")

    monkeypatch.setattr("games.demo.role_grant", refuse)
    with nothing_changes(), pytest.raises(CommandError, match="Organisers need a second factor"):
        made("--force")


@pytest.mark.usefixtures("in_short")
def test_names_of_those_who_run_the_site_are_left_to_them() -> None:
    User.objects.create_superuser("root", display_name="Olga")
    made("--force")
    assert User.objects.get(username="olga").display_name == ""
    assert User.objects.get(username="max").display_name == "Max"


# -- one demo, looked at ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def demo(django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    """What was printed when it was made, once for all that look at it: it takes a while."""
    with django_db_blocker.unblock(), transaction.atomic(), override_settings(**DEVELOPMENT):
        yield made()
        transaction.set_rollback(True)


def test_everything_that_was_promised_is_there(demo: str) -> None:
    users = {user.username: user for user in User.objects.filter(is_bot=False)}
    assert {*users} == {"ada", "ben", "olga", "max", "keeper"}
    for name in users:
        assert re.search(rf"^  {name} .*{PASSWORD}$", demo, re.MULTILINE)
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


def test_the_leaderboard_has_somebody_on_it(demo: str) -> None:
    found = Client().get("/api/v1/leaderboards/overall/").json()["results"]
    assert sorted(row["username"] for row in found) == PLAYERS
    assert {row["games"] for row in found} == {len(list(REGISTRY))}


def test_it_is_made_by_the_services(demo: str) -> None:
    actions = {*AuditEntry.objects.values_list("action", flat=True)}
    assert {"user.register", "user.grant_role", "match.start", "challenge.create"} <= actions


def test_a_second_time_changes_nothing(demo: str) -> None:
    people = list(User.objects.order_by("pk").values())
    with nothing_changes():
        assert made() == demo
    assert list(User.objects.order_by("pk").values()) == people


def test_what_is_missing_is_made_again(demo: str) -> None:
    Challenge.objects.filter(opponent=None).update(status=Challenge.Status.CANCELLED)
    made()
    assert Challenge.objects.filter(opponent=None, status=Challenge.Status.OPEN).count() == 1


@override_settings(**DEVELOPMENT)
def test_where_others_reach_it_nobody_has_the_password_that_all_know() -> None:
    """Accounts from before, the administrator's too; with the demo or without it."""
    for person in (KEEPER, *PEOPLE):
        _account(person, PASSWORD)  # as far as the demo above has not made them
    own = User.objects.get(username="max")
    own.set_password("chosen-by-themselves")
    own.save()
    browser = Client()
    assert browser.login(username="keeper", password=PASSWORD)
    printed = made("--exposed", "--passwords-only")
    assert PASSWORD not in printed
    for user in User.objects.filter(is_bot=False):
        assert not user.check_password(PASSWORD), user
    assert User.objects.get(username="max").check_password("chosen-by-themselves")
    shown = dict(re.findall(r"^  (\w+) +(\S{12,})$", printed, re.MULTILINE))
    assert {*shown} == {"ada", "ben", "olga", "keeper"}
    assert Client().login(username="keeper", password=shown["keeper"])
    assert browser.get("/admin/").status_code == 302  # whoever came in by it is out
    noted = AuditEntry.objects.filter(action="user.set_password", who=None)
    assert noted.count() == 4
    assert made("--exposed", "--passwords-only").strip() == ""
