"""Ending mail from the mail itself, with one click."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
import time_machine
from allauth.account.models import EmailAddress
from django.conf import settings
from django.core import mail
from django.test import Client

from accounts.announcing.delivering import digest_send
from accounts.announcing.kinds import Way, When
from accounts.announcing.services import Told, announce, choices_of
from accounts.announcing.stopping import LASTS, stop_address, stop_token
from accounts.models import AnnouncementChoice, AuditEntry, User
from core.clock import now_utc
from tests.games.support import committing, nothing_changes, user_named
from tests.support.workers import Workers

pytestmark = pytest.mark.django_db

NEWS, RESULT = "season.news", "follow.result"
ONE_CLICK = {"List-Unsubscribe": "One-Click"}


@pytest.fixture
def ada(db: None) -> User:
    user = user_named("ada")
    EmailAddress.objects.create(user=user, email="ada@x.example", primary=True, verified=True)
    return user


def path_of(user: User, *keys: str) -> str:
    return stop_address(user, keys).removeprefix(settings.GAUNTLET_ORIGIN)


def test_a_digest_can_be_ended_from_the_mail_program(ada: User, workers: Workers) -> None:
    told = [Told(ada, kind, kind, "What", "Words.", "/seasons/") for kind in (NEWS, RESULT)]
    with committing():
        announce(told)
    assert digest_send(user_id=ada.pk)
    (letter,) = mail.outbox
    headers = letter.extra_headers
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    found = re.match(r"<([^>]+)>, <([^>]+)>$", headers["List-Unsubscribe"])
    assert found is not None
    address, choose = found.groups()
    assert choose == f"{settings.GAUNTLET_ORIGIN}/accounts/settings/announcements/"
    assert address.startswith(f"{settings.GAUNTLET_ORIGIN}/accounts/announcements/unsubscribe/")
    assert address in letter.body
    # Whoever asks has no cookie, and no token of a form.
    client = Client(enforce_csrf_checks=True)
    path = address.removeprefix(settings.GAUNTLET_ORIGIN)
    assert client.post(path, ONE_CLICK).status_code == 200
    off = {(NEWS, Way.MAIL): When.OFF, (RESULT, Way.MAIL): When.OFF}
    assert choices_of(ada) == off
    assert client.post(path, ONE_CLICK).status_code == 200
    assert choices_of(ada) == off


def test_looking_ends_nothing(ada: User) -> None:
    path = path_of(ada, NEWS)
    with nothing_changes((AnnouncementChoice, AuditEntry)):
        page = Client().get(path)
        Client().head(path)
    assert b"A season begins, ends, is called off, or has other rules" in page.content
    assert "no-store" in page["Cache-Control"]
    assert page["X-Robots-Tag"] == "noindex"
    # Nothing says whose mail it is.
    assert b"ada" not in page.content


def test_an_address_speaks_for_nothing_else(ada: User) -> None:
    ben = user_named("ben")
    Client().post(path_of(ada, NEWS))
    assert choices_of(ada) == {(NEWS, Way.MAIL): When.OFF}
    assert choices_of(ben) == {}


def test_an_address_that_is_not_good_ends_nothing(ada: User) -> None:
    good = stop_token(ada, [NEWS])
    base = path_of(ada, NEWS).removesuffix(f"{good}/")
    closed = user_named("cleo")
    User.objects.filter(pk=closed.pk).update(is_active=False)
    wrong = [f"{base}{good[:-1]}/", f"{base}x/", path_of(closed, NEWS), path_of(ada, NEWS)]
    with nothing_changes((AnnouncementChoice, AuditEntry)):
        for path in wrong[:-1]:
            assert Client().post(path).status_code == 404
            assert Client().get(path).status_code == 404
        with time_machine.travel(now_utc() + LASTS + timedelta(days=1), tick=False):
            assert Client().post(wrong[-1]).status_code == 404
