"""Who has confirmed no address is named on the desk, and asked once more."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.cache import cache
from django.test import Client

from accounts.confirming import PAUSE
from accounts.models import AuditEntry, User
from tests.games.support import user_named
from tests.pages.support import words
from tests.tournaments.support import START, account, enrolled
from tournaments.models import Season
from tournaments.services.contestants.applications import application_make
from tournaments.services.contestants.enrolment import contestant_enrol
from tournaments.services.preflight import preflight
from tournaments.services.seasons import season_unlist


@pytest.fixture
def season(orla: User) -> Season:
    cache.clear()
    season = enrolled(orla, 3, "swiss", open_enrolment=True, by_application=True)
    for number, verified in ((1, False), (2, True)):
        address(account(season, number), verified=verified)
    application_make(acting_user=user_named("ada", display_name="Ada"), season=season, at=START)
    return season


def address(user: User, *, verified: bool) -> None:
    EmailAddress.objects.create(
        user=user, email=f"{user.username}@example.org", verified=verified, primary=True
    )


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="accounts.signin.backends.NameBackend")
    return client


def recipients() -> list[str]:
    return [to for letter in mail.outbox for to in letter.to]


def test_they_are_named_and_asked_once_a_day_without_a_word_of_the_address(
    orla: User, season: Season
) -> None:
    desk, page = signed_in(orla), f"/seasons/{season.slug}/desk/contestants/"
    shown = words(desk.get(page))
    head = shown[shown.index("No confirmed address") : shown.index("Send again to all")]
    assert [name in head for name in ("Player 1", "Player 2", "Player 3", "Ada")] == [
        True, False, True, True,
    ]  # fmt: skip
    first, third = account(season, 1), account(season, 3)
    with time_machine.travel(START, tick=False):
        sent = desk.post(page, {"confirm": first.pk}, follow=True)
        assert recipients() == ["player1@example.org"]
        assert "confirm-email" in str(mail.outbox[0].body)
        # The same is said of who has given none.
        none = desk.post(page, {"confirm": third.pk}, follow=True)
        said = "Whoever has given an address is asked to confirm it once more."
        assert [said in words(each) for each in (sent, none)] == [True, True]
        for answer in (sent, none):
            assert "@example.org" not in answer.content.decode()
        entries = AuditEntry.objects.filter(action="user.ask_to_confirm").order_by("pk")
        assert [(each.who, each.target_id, each.data) for each in entries] == [
            (orla, str(user.pk), {"season": season.pk}) for user in (first, third)
        ]
        again = desk.post(page, {"confirm": "all"}, follow=True)
        assert "Asked within a day, and not asked again: 2." in words(again)
        assert recipients() == ["player1@example.org"]


def test_after_a_day_all_can_be_asked_again(orla: User, season: Season) -> None:
    desk, page = signed_in(orla), f"/seasons/{season.slug}/desk/contestants/"
    address(User.objects.get(username="ada"), verified=False)
    desk.post(page, {"confirm": "all"})
    assert sorted(recipients()) == ["ada@example.org", "player1@example.org"]
    # As the cache forgets after that time.
    assert timedelta(days=1) == PAUSE
    cache.clear()
    desk.post(page, {"confirm": "all"})
    assert len(recipients()) == 4


def test_of_a_draft_nobody_is_asked_and_nothing_is_told(orla: User, season: Season) -> None:
    season_unlist(acting_user=orla, season=season, at=START)
    contestant_enrol(acting_user=orla, season=season, user=user_named("eve"), at=START)
    desk, page = signed_in(orla), f"/seasons/{season.slug}/desk/contestants/"
    assert "No confirmed address" not in words(desk.get(page))
    wanted = [User.objects.get(username="eve").pk, account(season, 2).pk, "all"]
    # The same of whoever has confirmed one.
    answers = [desk.post(page, {"confirm": each}) for each in wanted]
    assert [each.status_code for each in answers] == [answers[0].status_code] * 3
    assert recipients() == []
    assert not {"preflight.no-mail", "preflight.unreached"} & {
        each.code for each in preflight(Season.objects.get(pk=season.pk), "start", orla)
    }


def test_nobody_else_asks_and_nobody_else_is_asked(orla: User, season: Season) -> None:
    page = f"/seasons/{season.slug}/desk/contestants/"
    eve = user_named("eve")
    address(eve, verified=False)
    desk = signed_in(orla)
    for wanted in (eve.pk, account(season, 2).pk, "x"):
        assert desk.post(page, {"confirm": wanted}).status_code == 404
    assert signed_in(eve).post(page, {"confirm": "all"}).status_code == 403
    assert recipients() == []
