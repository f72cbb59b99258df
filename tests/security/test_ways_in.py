"""By which ways accounts are come into: when it is written, what is kept of it and for how long,
and who is told."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
import time_machine
from allauth.account.models import EmailAddress
from django.conf import settings as configured
from django.db import DatabaseError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import DiscordLink, User, WayIn
from accounts.moderation.merging import user_merge
from accounts.moderation.ways import (
    canonical_address,
    canonical_mail,
    digest_of,
    shared_ways,
    sharing_with,
    ways_note,
)
from accounts.roles import Role
from accounts.signin import tasks, ways
from tests.accounts.conftest import PASSWORD, made_person, mona, own_cache, person

__all__ = ["mona", "own_cache", "person"]

pytestmark = pytest.mark.django_db
HOME = "93.184.216.34"
DAY = date(2026, 11, 30)
COOKIE = configured.GAUNTLET_DEVICE_COOKIE


def signed_in(user: User, *, address: str = HOME, client: Client | None = None) -> Client:
    """A browser in which somebody has signed in by their password."""
    client = client or Client()
    answer = client.post(
        "/accounts/login/", {"login": user.username, "password": PASSWORD}, REMOTE_ADDR=address
    )
    assert answer.status_code == 302, answer.content.decode()
    return client


def kinds(user: User) -> list[str]:
    return sorted(WayIn.objects.filter(user=user).values_list("kind", flat=True))


def test_a_sign_in_notes_every_way_and_none_as_it_was() -> None:
    ada = made_person("ada")
    EmailAddress.objects.create(user=ada, email=ada.email, primary=True, verified=True)
    DiscordLink.objects.create(user=ada, discord_id="123456789", name="Ada")
    client = signed_in(ada)
    assert kinds(ada) == ["address", "device", "discord", "mail"]
    told = str(list(WayIn.objects.values()))
    token = client.cookies[COOKIE].value
    for plain in (HOME, "123456789", ada.email, "'ada'", token):
        assert plain not in told
    cookie = client.cookies[COOKIE]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert cookie["max-age"] == 90 * 86_400


def test_an_address_that_nobody_has_confirmed_says_nothing() -> None:
    ada = made_person("ada")
    EmailAddress.objects.create(user=ada, email=ada.email, primary=True, verified=False)
    signed_in(ada)
    assert kinds(ada) == ["address", "device"]


def test_without_the_sites_secret_a_digest_is_another(settings: Any) -> None:
    before = digest_of("address", HOME)
    assert digest_of("address", HOME) == before
    assert digest_of("device", HOME) != before
    settings.SECRET_KEY = "another"
    assert digest_of("address", HOME) != before


def test_it_is_noted_once_a_day_and_never_by_a_turn() -> None:
    ada = made_person("ada")
    with time_machine.travel("2026-11-30T10:00:00Z", tick=True):
        client = signed_in(ada)
    with time_machine.travel("2026-11-30T20:00:00Z", tick=True):
        with CaptureQueriesContext(connection) as queries:
            client.get("/", REMOTE_ADDR=HOME)
        assert not [q for q in queries.captured_queries if "accounts_wayin" in q["sql"]]
    with time_machine.travel("2026-12-01T10:00:00Z", tick=True):
        with CaptureQueriesContext(connection) as queries:
            client.post("/matches/1/chat/", {"text": "hello"}, REMOTE_ADDR=HOME)
            client.get("/api/v1/me/", REMOTE_ADDR=HOME)
            client.post("/api/v1/matches/1/submissions/", {"text": "pick T"}, REMOTE_ADDR=HOME)
        assert not [q for q in queries.captured_queries if "accounts_wayin" in q["sql"]]
        client.get("/", REMOTE_ADDR=HOME)
        assert set(WayIn.objects.values_list("first_on", "last_on")) == {
            (DAY, DAY + timedelta(days=1))
        }
        with CaptureQueriesContext(connection) as queries:
            client.get("/", REMOTE_ADDR="93.184.216.35")
        assert not [q for q in queries.captured_queries if "accounts_wayin" in q["sql"]]


def test_nobody_without_an_account_is_noted() -> None:
    client = Client()
    client.get("/", REMOTE_ADDR=HOME)
    assert COOKIE not in client.cookies
    assert not WayIn.objects.exists()


def test_a_browser_is_known_again_after_a_sign_out() -> None:
    ada, ben = made_person("ada"), made_person("ben")
    client = signed_in(ada)
    client.post("/accounts/logout/")
    signed_in(ben, client=client, address="93.184.216.99")
    assert [way.kind for way in shared_ways(ada.pk, ben.pk)] == ["device"]


def test_a_cookie_that_is_not_one_of_ours_is_replaced() -> None:
    ada = made_person("ada")
    client = Client()
    client.cookies[COOKIE] = "../../etc"
    signed_in(ada, client=client)
    assert len(client.cookies[COOKIE].value) == 32


def test_a_database_that_takes_nothing_keeps_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(**_given: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(ways, "ways_note", away)
    ada = made_person("ada")
    client = signed_in(ada)
    assert client.get("/accounts/preferences/").status_code == 200
    assert not WayIn.objects.exists()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ada@example.org", "Ada@Example.ORG"), ("ada@example.org", "ada+2@example.org"),
        ("a.d.a+x@gmail.com", "ada@googlemail.com"),
    ],
)  # fmt: skip
def test_what_is_one_address_of_mail(one: str, other: str) -> None:
    assert canonical_mail(one) == canonical_mail(other)


def test_what_are_two_addresses_of_mail() -> None:
    assert canonical_mail("a.da@example.org") != canonical_mail("ada@example.org")
    assert canonical_mail("ada@example.org") != canonical_mail("ada@example.net")


@pytest.mark.parametrize(
    ("found", "known", "canonical"),
    [
        ("93.184.216.34", False, "93.184.216.34"),
        ("2606:2800:220:1:248:1893:25c8:1946", False, "2606:2800:220:1::/64"),
        ("::ffff:93.184.216.34", False, "93.184.216.34"),
        ("127.0.0.1", False, None), ("10.0.0.7", False, None), ("10.0.0.7", True, "10.0.0.7"),
        ("", False, None), ("nonsense", True, None),
    ],
)  # fmt: skip
def test_what_is_one_network_address(found: str, known: bool, canonical: str | None) -> None:
    assert canonical_address(found, known=known) == canonical


def noted(user: User, kind: str, what: str, on: date) -> None:
    ways_note(user_id=user.pk, ways=[(kind, what)], on=on)


def test_when_a_way_was_shared() -> None:
    ada, ben = made_person("ada"), made_person("ben")
    for user, days in ((ada, (1, 5, 9)), (ben, (4, 12))):
        for day in days:
            noted(user, "address", HOME, date(2026, 11, day))
    (shared,) = shared_ways(ada.pk, ben.pk)
    assert (shared.since, shared.last) == (date(2026, 11, 4), date(2026, 11, 9))
    assert shared.words == "Network address: from 04 November 2026 to 09 November 2026"


def test_what_is_old_is_forgotten_after_ninety_days() -> None:
    ada = made_person("ada")
    today = timezone.now().date()
    noted(ada, "address", "old", today - timedelta(days=91))
    noted(ada, "address", "kept", today - timedelta(days=90))
    noted(ada, "address", "again", today - timedelta(days=200))
    noted(ada, "address", "again", today)
    tasks.forget_ways()
    left = {digest_of("address", what) for what in ("kept", "again")}
    assert set(WayIn.objects.values_list("digest", flat=True)) == left


def test_moderators_alone_are_told(mona: User, person: Callable[..., User]) -> None:
    ada, ben = person("ada"), person("ben")
    other = person("judge", Role.MODERATOR)
    for user in (ada, ben, other):
        noted(user, "device", "a browser", DAY)
    assert sharing_with(acting_user=mona, user=ada) == {ben: ["Browser"], other: ["Browser"]}
    assert sharing_with(acting_user=ben, user=ada) == {}
    # Of what concerns them themselves, moderators are told nothing.
    assert sharing_with(acting_user=other, user=ada) == {ben: ["Browser"]}
    assert sharing_with(acting_user=other, user=other) == {}
    client = Client()
    client.force_login(mona)
    page = client.get(f"/admin/accounts/user/{ada.pk}/change/").content.decode()
    assert "Shares with @ben: browser" in page
    client.force_login(ben)
    for address in ("/u/ada/", "/api/v1/users/ada/"):
        answer = client.get(address).content.decode()
        assert "Shares with" not in answer


def test_digests_are_on_no_page_of_the_admin_site(mona: User, person: Callable[..., User]) -> None:
    from django.contrib import admin

    assert WayIn not in admin.site._registry


def test_a_merge_takes_them_along(person: Callable[..., User]) -> None:
    root = User.objects.create_superuser("chief")
    ada, ben = person("ada"), person("ben")
    noted(ada, "address", "both", DAY)
    noted(ben, "address", "both", DAY)
    noted(ben, "device", "his", DAY)
    user_merge(acting_user=root, keep=ada, duplicate=ben, reason="One person.")
    assert not WayIn.objects.filter(user=ben).exists()
    assert kinds(ada) == ["address", "device"]
