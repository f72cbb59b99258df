"""What moderators say to everybody on every page, and whether accounts are opened."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import AuditEntry, RegistrationChange, SiteAnnouncement, User
from accounts.site import announcements
from accounts.site.announcements import (
    forget,
    know,
    shown_now,
    site_announcement_end,
    site_announcement_publish,
)
from accounts.site.registration import is_registration_open, registration_set
from core.clock import now_utc
from core.refusals import Refusal
from tests.accounts.conftest import PASSWORD
from tests.games.support import committing
from tests.pages.support import words
from tests.tournaments.support import enrolled, organiser_named

pytestmark = pytest.mark.django_db

FORM = {"username": "Eve", "email": "eve@example.org", "password1": PASSWORD, "password2": PASSWORD}
NOTICE = "We are back at nine & say sorry."


def in_hours(hours: float) -> datetime:
    return now_utc() + timedelta(hours=hours)


def announced(by: User, text: str = NOTICE, **more: Any) -> SiteAnnouncement:
    """Published, and known to this process."""
    with committing():
        return site_announcement_publish(acting_user=by, words=text, **more)


def on(page: str, client: Client | None = None) -> str:
    return words((client or Client()).get(page))


def refused(code: str, service: Callable[..., object], **arguments: Any) -> Refusal:
    rows = list(AuditEntry.objects.order_by("pk")), SiteAnnouncement.objects.count()
    with pytest.raises(Refusal) as caught:
        service(**arguments)
    assert caught.value.code == code
    assert (list(AuditEntry.objects.order_by("pk")), SiteAnnouncement.objects.count()) == rows
    return caught.value


# -- on every page -------------------------------------------------------------------------------


def test_every_page_says_it_until_it_is_ended(mona: User, client: Client) -> None:
    row = announced(mona)
    for page in ("/", "/seasons/", "/accounts/login/", "/nowhere/"):
        assert NOTICE in on(page), page
    client.force_login(mona)
    assert NOTICE in on("/", client)
    with committing():
        site_announcement_end(acting_user=mona, announcement=row)
    assert NOTICE not in on("/")
    refused("site.over", site_announcement_end, acting_user=mona, announcement=row)
    assert [each.action for each in AuditEntry.objects.order_by("pk")][-2:] == [
        "site.announce", "site.announcement_end",
    ]  # fmt: skip


def test_it_is_shown_from_its_begin_until_its_end(
    mona: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = announced(mona, begins_at=in_hours(1), ends_at=in_hours(2))
    now = now_utc()
    for hours, standing in ((0, "to come"), (1.5, "shown"), (2.5, "over")):
        monkeypatch.setattr(announcements, "now_utc", lambda h=hours: now + timedelta(hours=h))
        monkeypatch.setattr(
            "accounts.models.site.now_utc", lambda h=hours: now + timedelta(hours=h)
        )
        assert row.standing == standing
        assert (shown_now() != []) == (standing == "shown")


def test_what_has_not_begun_is_ended_without_ever_being_shown(mona: User) -> None:
    row = announced(mona, begins_at=in_hours(1))
    with committing():
        row = site_announcement_end(acting_user=mona, announcement=row)
    assert row.begins_at == row.ends_at
    assert row.standing == "over"


def test_a_reader_closes_what_is_not_urgent(mona: User, client: Client) -> None:
    first = announced(mona, "The first")
    urgent = announced(mona, "It burns", is_urgent=True)
    second = announced(mona, "The second")
    client.cookies["announcements_closed"] = str(first.pk)
    page = on("/", client)
    assert "The first" not in page
    assert "The second" in page
    client.cookies["announcements_closed"] = f"{second.pk}-{urgent.pk}"
    page = on("/", client)
    assert "The first" in page
    assert "The second" not in page
    assert "It burns" in page
    html = client.get("/").content.decode()
    assert f'data-announcement="{urgent.pk}"' not in html


@pytest.mark.parametrize("cookie", ["", "x", "-", "1e9", "²", "9" * 19, "9" * 5_000, "1;2"])
def test_a_cookie_that_is_none_of_ours_closes_nothing(
    mona: User, client: Client, cookie: str
) -> None:
    announced(mona)
    client.cookies["announcements_closed"] = cookie
    assert NOTICE in on("/", client)


def test_pages_that_are_kept_for_everybody_say_it_at_once_and_to_each(
    mona: User, client: Client
) -> None:
    page = enrolled(organiser_named("orla"), 2).get_absolute_url()
    before = client.get(page)["ETag"]
    row = announced(mona)
    # What its first reader has closed is not closed for the others.
    closing = Client()
    closing.cookies["announcements_closed"] = str(row.pk)
    assert NOTICE not in words(closing.get(page, headers={"If-None-Match": before}))
    answer = client.get(page, headers={"If-None-Match": before})
    assert (answer.status_code, NOTICE in words(answer)) == (200, True)
    assert client.get(page, headers={"If-None-Match": answer["ETag"]}).status_code == 304
    with committing():
        site_announcement_end(acting_user=mona, announcement=row)
    answer = client.get(page, headers={"If-None-Match": answer["ETag"]})
    assert (answer.status_code, NOTICE in words(answer)) == (200, False)


def test_words_are_words(mona: User) -> None:
    announced(mona, "<b>Now</b> & then")
    assert "&lt;b&gt;Now&lt;/b&gt; &amp; then" in Client().get("/").content.decode()


def test_refused(person: Callable[..., User], mona: User) -> None:
    ada = person("ada")
    say: dict[str, Any] = {"acting_user": mona, "words": NOTICE}
    refused("account.not-moderator", site_announcement_publish, **{**say, "acting_user": ada})
    assert refused("site.words-missing", site_announcement_publish, **{**say, "words": " \n"}).field
    refused("site.words-too-long", site_announcement_publish, **{**say, "words": "x" * 301})
    refused("site.end-past", site_announcement_publish, **say, ends_at=in_hours(-1))
    later = {"begins_at": in_hours(2), "ends_at": in_hours(1)}
    refused("site.end-past", site_announcement_publish, **say, **later)
    row = announced(mona)
    refused("account.not-moderator", site_announcement_end, acting_user=ada, announcement=row)


@pytest.mark.parametrize(
    "wrong", [{"words": ""}, {"ends_at": datetime.fromisoformat("2001-01-01T00:00:00+00:00")}]
)
def test_the_database_refuses_it_too(mona: User, wrong: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        SiteAnnouncement.objects.create(**{"words": "x", "by": mona, **wrong})


# -- what it costs -------------------------------------------------------------------------------


def test_a_process_asks_once_in_a_while(mona: User, monkeypatch: pytest.MonkeyPatch) -> None:
    announced(mona)
    clock = [100.0]
    monkeypatch.setattr(announcements, "monotonic", lambda: clock[0])
    forget()
    with CaptureQueriesContext(
        connection,
    ) as asked:
        for _ in range(3):
            assert len(shown_now()) == 1
            clock[0] += 1
    assert len(asked) == 1
    clock[0] += announcements.REFRESHED_S
    with CaptureQueriesContext(connection) as asked:
        shown_now()
    assert len(asked) == 1


def test_pages_do_without_a_database(mona: User, monkeypatch: pytest.MonkeyPatch) -> None:
    row = announced(mona)
    shown_now()

    def away(*_arguments: Any) -> Any:
        raise DatabaseError

    monkeypatch.setattr(SiteAnnouncement.objects, "not_over", away)
    know([row], read_at=float("-inf"))
    # As it was known, and not asked again with the next page.
    assert shown_now() == [row]
    assert announcements._known.read_at > 0


# -- registration --------------------------------------------------------------------------------


def test_nobody_registers_while_it_is_closed(mona: User, client: Client) -> None:
    assert is_registration_open()
    registration_set(acting_user=mona, is_open=False, words="Too many robots.")
    page = client.get("/accounts/signup/")
    assert "Too many robots." in words(page)
    assert "No registration at present" in words(page)
    answer = client.post("/accounts/signup/", FORM)
    assert "No registration at present" in words(answer)
    assert not User.objects.filter(username="eve").exists()
    registration_set(acting_user=mona, is_open=True)
    assert client.post("/accounts/signup/", FORM).status_code == 302
    assert User.objects.filter(username="eve").exists()


def test_whoever_has_an_account_signs_in(mona: User, client: Client) -> None:
    mona.set_password(PASSWORD)
    mona.save()
    registration_set(acting_user=mona, is_open=False)
    client.post("/accounts/login/", {"login": "mona", "password": PASSWORD})
    assert "_auth_user_id" in client.session


def test_what_is_so_already_is_refused(person: Callable[..., User], mona: User) -> None:
    refused("registration.unchanged", registration_set, acting_user=mona, is_open=True)
    refused("account.not-moderator", registration_set, acting_user=person("ada"), is_open=False)
    registration_set(acting_user=mona, is_open=False)
    refused("registration.unchanged", registration_set, acting_user=mona, is_open=False)
    refused(
        "site.words-too-long", registration_set, acting_user=mona, is_open=False, words="x" * 301
    )
    # Other words for the same are something new.
    registration_set(acting_user=mona, is_open=False, words="Until Monday")
    assert not is_registration_open()


def test_what_was_decided_stays_written(mona: User) -> None:
    row = registration_set(acting_user=mona, is_open=False)
    for change in (row.delete, lambda: RegistrationChange.objects.update(is_open=True)):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            change()


# -- the admin site ------------------------------------------------------------------------------

ADD = "/admin/accounts/siteannouncement/add/"
REGISTRATION = "/admin/accounts/registrationchange/add/"
AT_ONCE = {"begins_at": "", "ends_at": ""}


def test_the_form_of_registration_begins_with_what_stands(mona: User, client: Client) -> None:
    client.force_login(mona)

    def stands() -> tuple[str, bool]:
        page = client.get(REGISTRATION).content.decode()
        return "".join(re.findall(r'<option value="(yes|no)" selected', page)), "Later." in page

    assert stands() == ("yes", False)
    # Saved as it is, it closes nothing.
    page = client.post(REGISTRATION, {"is_open": "yes", "words": ""}, follow=True)
    assert "Registration is open already." in words(page)
    registration_set(acting_user=mona, is_open=False, words="Later.")
    assert stands() == ("no", True)
    registration_set(acting_user=mona, is_open=True)
    assert stands() == ("yes", False)


def test_moderators_do_it_in_the_admin_site(mona: User, client: Client) -> None:
    client.force_login(mona)
    with committing():
        page = client.post(ADD, {"words": NOTICE, **AT_ONCE}, follow=True)
    assert "Every page shows it within seconds." in words(page)
    assert NOTICE in on("/")
    row = SiteAnnouncement.objects.get()
    assert "End it now" in words(client.get(f"/admin/accounts/siteannouncement/{row.pk}/change/"))
    with committing():
        client.post(f"/admin/accounts/siteannouncement/{row.pk}/end/")
    assert NOTICE not in on("/")
    past = {**AT_ONCE, "ends_at": "2026-01-01T11:00"}
    page = client.post(ADD, {"words": NOTICE, **past}, follow=True)
    assert "The end must lie in the future" in words(page)
    assert SiteAnnouncement.objects.count() == 1
    page = client.post(REGISTRATION, {"is_open": "no", "words": "Later."}, follow=True)
    assert "Registration is closed." in words(page)
    assert not is_registration_open()
    assert "Registration is closed" in words(client.get("/admin/"))
    page = client.post(REGISTRATION, {"is_open": "no", "words": "Later."}, follow=True)
    assert "Registration is closed already." in words(page)
    client.post(REGISTRATION, {"is_open": "yes", "words": ""})
    assert is_registration_open()
