"""What moderators do in the admin site: judging, the queue, the audit log, and what they cannot."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail as outbox
from django.db import transaction
from django.test import Client, TestCase
from django.utils import timezone

from accounts.admin.audit import audit_address
from accounts.models import AccountMerge, AuditEntry, Report, Sanction, User
from accounts.moderation.appeals import appeal_file, appeal_withdraw
from accounts.moderation.reports import report_file
from accounts.moderation.sanctions import user_mute, user_suspend, user_warn
from accounts.roles import Role, is_moderator
from accounts.services import audit_record
from core.admin import readers
from tests.accounts.conftest import with_confirmed_address

People = Callable[..., User]
Actions = Callable[[], list[str]]


@pytest.fixture
def ada(person: People) -> User:
    return person("ada")


@pytest.fixture
def desk(client: Client, mona: User) -> Client:
    """A browser in which the moderator is signed in."""
    client.force_login(mona)
    return client


@pytest.fixture
def report(ada: User, person: People) -> Report:
    return report_file(
        acting_user=person("ben"),
        target_type="accounts.user",
        target_id="ada",
        reason="abuse",
        words="She <shouts>.",
    )


def page(response: Any) -> str:
    assert response.status_code in (200, 403, 422), response.status_code
    text: str = response.content.decode()
    return text


def action_address(user: User, name: str) -> str:
    return f"/admin/accounts/user/{user.pk}/{name}/"


# -- who gets in ---------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["nobody", "player", "organiser", "closed"])
def test_others_stay_outside(client: Client, person: People, ada: User, role: str) -> None:
    if role == "organiser":
        client.force_login(person("orla", Role.ORGANISER))
    elif role == "player":
        client.force_login(person("ben"))
    elif role == "closed":
        client.force_login(person("mike", Role.MODERATOR))
        User.objects.filter(username="mike").update(is_active=False)
    for address in ("/admin/", "/admin/accounts/report/", action_address(ada, "mute")):
        response = client.get(address)
        assert (response.status_code, response["Location"][:13]) == (302, "/admin/login/")
    client.post(action_address(ada, "mute"), {"reason": "Rude", "lasts": "day"})
    assert not Sanction.objects.exists()


def test_nobody_is_a_moderator_there_of_whom_it_was_not_told(
    desk: Client, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ground floor keeps no list of moderators: it asks who registered one."""
    inside = ("/admin/", "/admin/accounts/report/", action_address(ada, "mute"))
    assert [desk.get(address).status_code for address in inside] == [200, 200, 200]
    monkeypatch.setattr(readers, "_moderators", [])
    assert [desk.get(address).status_code for address in inside] == [302, 302, 302]
    readers.register_moderators(is_moderator)
    readers.register_moderators(is_moderator)
    assert readers._moderators == [is_moderator]
    assert [desk.get(address).status_code for address in inside] == [200, 200, 200]


def test_a_muted_moderator_still_moderates_and_a_suspended_one_does_not(
    desk: Client, mona: User, ada: User
) -> None:
    root = User.objects.create_superuser("ruth")
    user_mute(acting_user=root, user=mona, reason="Calm down", until=None)
    assert desk.get(action_address(ada, "warn")).status_code == 200
    user_suspend(acting_user=root, user=mona, reason="Calm down", until=None)
    assert desk.get(action_address(ada, "warn")).status_code == 302


def test_the_site_leads_moderators_there(client: Client, mona: User, ada: User) -> None:
    client.force_login(mona)
    assert "/admin/" in page(client.get("/accounts/settings/"))
    client.force_login(ada)
    assert "/admin/" not in page(client.get("/accounts/settings/"))


LISTS = ["user", "sanction", "appeal", "report", "auditentry", "accountmerge"]


@pytest.mark.parametrize("model", LISTS)
def test_a_moderator_looks_at_everything_and_edits_nothing(
    desk: Client, mona: User, ada: User, report: Report, person: People, model: str
) -> None:
    twin = person("twin")
    sanction = user_warn(acting_user=mona, user=ada, reason="Be kind")
    merge = AccountMerge.objects.create(keep=ada, duplicate=twin, by=mona, reason="Same address")
    row = {
        "user": ada,
        "sanction": sanction,
        "appeal": appeal_file(acting_user=ada, sanction=sanction, words="I was."),
        "report": report,
        "auditentry": AuditEntry.objects.latest("id"),
        "accountmerge": merge,
    }[model]
    base = f"/admin/accounts/{model}/"
    assert ("ben" if model == "auditentry" else "ada") in page(desk.get(base))
    assert desk.get(f"{base}?q=ada").status_code == 200
    one = page(desk.get(f"{base}{row.pk}/change/"))
    assert 'name="_save"' not in one
    assert "argon2" not in one
    before = list(type(row)._default_manager.order_by("pk").values())
    assert desk.get(f"{base}add/").status_code == 403
    assert desk.post(f"{base}{row.pk}/change/", {"reason": "x"}).status_code == 403
    assert desk.post(f"{base}{row.pk}/delete/", {"post": "yes"}).status_code == 403
    assert list(type(row)._default_manager.order_by("pk").values()) == before


FILTERS = [
    ("user", "standing", ["muted", "suspended", "sanctioned", "closed", "merged", "nonsense"]),
    ("sanction", "standing", ["in-force", "over", "lifted", "nonsense"]),
    ("appeal", "state", ["mine", "over", "answered", "withdrawn", "all", "nonsense"]),
    ("report", "state", ["mine", "closed", "all", "nonsense"]),
    ("auditentry", "by", ["moderators", "organisers", "superusers", "system", "nonsense"]),
]


@pytest.mark.parametrize(
    ("model", "name", "value"), [(m, n, v) for m, n, values in FILTERS for v in values]
)
def test_filters_answer(desk: Client, model: str, name: str, value: str) -> None:
    assert desk.get(f"/admin/accounts/{model}/?{name}={value}").status_code == 200


def listed(client: Client, address: str) -> list[Any]:
    return list(client.get(address).context["cl"].result_list)


def test_filters_find(desk: Client, mona: User, ada: User, person: People) -> None:
    ben, cleo = person("ben"), person("cleo")
    mute = user_mute(acting_user=mona, user=ada, reason="Rude", until=None)
    stop = user_suspend(acting_user=mona, user=ben, reason="Rude", until=None)
    warning = user_warn(acting_user=mona, user=cleo, reason="Rude")
    past = timezone.now() - timedelta(hours=1)
    Sanction.objects.filter(pk=stop.pk).update(at=past - timedelta(hours=1), until=past)
    users = "/admin/accounts/user/?standing="
    assert listed(desk, f"{users}muted") == [ada]
    assert listed(desk, f"{users}suspended") == []
    assert listed(desk, f"{users}sanctioned") == [ada, ben, cleo]
    rows = "/admin/accounts/sanction/?standing="
    assert set(listed(desk, f"{rows}in-force")) == {mute, warning}
    assert listed(desk, f"{rows}over") == [stop]
    assert listed(desk, f"/admin/accounts/sanction/?user__id__exact={ada.pk}") == [mute]


# -- sanctions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["warn", "mute", "suspend"])
def test_a_sanction_is_given_on_a_page(
    desk: Client, mona: User, ada: User, actions: Actions, name: str
) -> None:
    shown = page(desk.get(action_address(ada, name)))
    assert "@ada" in shown
    assert actions() == []
    form = {"reason": "Rude words", "lasts": "week", "note": "twice now"}
    response = desk.post(action_address(ada, name), form)
    assert response["Location"] == f"/admin/accounts/user/{ada.pk}/change/"
    sanction = Sanction.objects.get()
    assert (sanction.user, sanction.by, sanction.note) == (ada, mona, "twice now")
    if name == "warn":
        assert sanction.until is None
    else:
        assert sanction.until is not None
        assert timedelta(days=6, hours=23) < sanction.until - sanction.at <= timedelta(days=7)
    assert actions() == [f"user.{name}"]
    assert "Rude words" in page(desk.get(action_address(ada, "warn")))


def test_an_end_of_ones_own(desk: Client, ada: User) -> None:
    form = {"reason": "Rude", "lasts": "until"}
    assert "Please say until when" in page(desk.post(action_address(ada, "mute"), form))
    past = {**form, "until": "2001-01-01T10:00"}
    assert "must lie in the future" in page(desk.post(action_address(ada, "mute"), past))
    assert "valid date" in page(desk.post(action_address(ada, "mute"), {**form, "until": "soon"}))
    assert not Sanction.objects.exists()
    desk.post(action_address(ada, "mute"), {**form, "until": "2090-01-01T10:30"})
    until = Sanction.objects.get().until
    assert until is not None
    assert until.isoformat() == "2090-01-01T10:30:00+00:00"


def test_a_suspension_without_an_end_needs_the_name_typed(desk: Client, ada: User) -> None:
    form = {"reason": "Cheating", "lasts": "open"}
    for typed in ("", "adam"):
        response = desk.post(action_address(ada, "suspend"), {**form, "typed": typed})
        assert response.status_code == 422
        assert not Sanction.objects.exists()
    assert desk.post(action_address(ada, "suspend"), {**form, "typed": "ada"}).status_code == 302
    assert Sanction.objects.get().until is None


def test_refusals_are_shown_where_they_belong(desk: Client, mona: User, ada: User) -> None:
    user_mute(acting_user=mona, user=ada, reason="Rude", until=None)
    again = desk.post(action_address(ada, "mute"), {"reason": "Rude", "lasts": "day"})
    assert again.status_code == 422
    assert "muted already" in page(again)
    own = desk.post(action_address(mona, "mute"), {"reason": "Rude", "lasts": "day"})
    assert "Nobody judges their own account" in page(own)
    root = User.objects.create_superuser("ruth")
    high = desk.post(action_address(root, "suspend"), {"reason": "Rude", "lasts": "day"})
    assert "Only an administrator" in page(high)
    assert (own.status_code, high.status_code) == (403, 403)
    assert Sanction.objects.count() == 1


def test_buttons_are_those_of_ones_role(desk: Client, mona: User, ada: User) -> None:
    other = page(desk.get(f"/admin/accounts/user/{ada.pk}/change/"))
    assert action_address(ada, "suspend") in other
    assert action_address(ada, "reopen") not in other
    assert "Make moderators" not in page(desk.get("/admin/accounts/user/"))
    assert action_address(mona, "suspend") not in page(
        desk.get(f"/admin/accounts/user/{mona.pk}/change/")
    )


def test_lifting(desk: Client, mona: User, ada: User, actions: Actions) -> None:
    sanction = user_mute(acting_user=mona, user=ada, reason="Rude", until=None)
    row = f"/admin/accounts/sanction/{sanction.pk}"
    assert f"{row}/lift/" in page(desk.get(f"{row}/change/"))
    assert desk.post(f"{row}/lift/", {"why": ""}).status_code == 422
    assert desk.post(f"{row}/lift/", {"why": "A mistake"}).status_code == 302
    sanction.refresh_from_db()
    assert sanction.standing == "lifted"
    assert actions()[-1] == "sanction.lift"
    assert f"{row}/lift/" not in page(desk.get(f"{row}/change/"))


@pytest.mark.parametrize("name", ["warn", "mute", "suspend", "close", "merge"])
def test_there_is_no_action_to_nobody(desk: Client, name: str) -> None:
    for pk in ("999999", "x"):
        assert desk.get(f"/admin/accounts/user/{pk}/{name}/").status_code == 404


# -- reports -------------------------------------------------------------------------------------


def test_the_queue(desk: Client, mona: User, ada: User, report: Report, actions: Actions) -> None:
    assert report.reporter is not None
    with_confirmed_address(report.reporter)
    queue = "/admin/accounts/report/"
    row = f"{queue}{report.pk}"
    assert listed(desk, queue) == [report]
    shown = page(desk.get(f"{row}/change/"))
    assert "She &lt;shouts&gt;." in shown
    assert f"{action_address(ada, 'mute')}?report={report.pk}" in shown
    assert desk.get(f"{row}/claim/").status_code == 405
    assert "yours now" in page(desk.post(f"{row}/claim/", follow=True))
    assert "already" in page(desk.post(f"{row}/claim/", follow=True))
    assert listed(desk, f"{queue}?state=mine") == [report]
    desk.post(f"{row}/release/")
    assert listed(desk, f"{queue}?state=mine") == []
    # To the sanction and back to the report, which knows of it then.
    back = desk.post(
        f"{action_address(ada, 'mute')}?report={report.pk}", {"reason": "Shouting", "lasts": "day"}
    )
    assert back["Location"] == f"{row}/change/"
    assert report.sanctions.get().user == ada
    assert desk.post(f"{row}/resolve/", {"outcome": "nonsense"}).status_code == 422
    with TestCase.captureOnCommitCallbacks(execute=True):
        desk.post(f"{row}/resolve/", {"outcome": "acted", "answer": "Thank you.", "note": "x"})
    report.refresh_from_db()
    assert (report.standing, report.closed_by, report.outcome) == ("closed", mona, "acted")
    assert listed(desk, queue) == []
    assert listed(desk, f"{queue}?state=closed") == [report]
    assert actions() == [
        "report.file", "report.claim", "report.release", "user.mute", "report.resolve",
    ]  # fmt: skip
    assert any("Thank you." in letter.body for letter in outbox.outbox)


def test_a_report_of_somebody_else_is_not_linked(
    desk: Client, report: Report, person: People
) -> None:
    cleo = person("cleo")
    for number in (report.pk, "x", "9" * 30, "²"):
        desk.post(f"{action_address(cleo, 'warn')}?report={number}", {"reason": "Be kind"})
    assert not report.sanctions.exists()
    assert Sanction.objects.filter(user=cleo).count() == 4


# -- appeals -------------------------------------------------------------------------------------


def test_the_queue_of_appeals(
    desk: Client, mona: User, ada: User, person: People, actions: Actions
) -> None:
    """From the start page to the answer; whoever laid the sanction is offered nothing."""
    omar = person("omar", Role.MODERATOR)
    mute = user_mute(acting_user=omar, user=ada, reason="Rude", until=None)
    appeal = appeal_file(acting_user=ada, sanction=mute, words="I <whispered>.")
    queue = "/admin/accounts/appeal/"
    row = f"{queue}{appeal.pk}"
    start = page(desk.get("/admin/"))
    assert "Open appeals" in start
    assert f"{row}/change/" in start
    assert listed(desk, queue) == [appeal]
    assert "I &lt;whispered&gt;." in page(desk.get(f"{row}/change/"))
    assert f"{row}/change/" in page(desk.get(f"/admin/accounts/sanction/{mute.pk}/change/"))
    assert "yours now" in page(desk.post(f"{row}/claim/", follow=True))
    assert listed(desk, f"{queue}?state=mine") == [appeal]
    assert "I &lt;whispered&gt;." in page(desk.get(f"{row}/grant/"))
    until = {"comes_to": "until", "answer": "A little."}
    for form in (until, {**until, "until": "soon"}, {**until, "until": "2001-01-01T10:00"}):
        assert desk.post(f"{row}/grant/", form).status_code == 422
    assert desk.post(f"{row}/deny/", {"answer": " "}).status_code == 422
    desk.post(f"{row}/grant/", {**until, "until": "2090-01-01T10:30"})
    appeal.refresh_from_db()
    mute.refresh_from_db()
    assert (appeal.standing, appeal.answered_by, appeal.answer) == ("granted", mona, "A little.")
    assert mute.until == appeal.until
    assert mute.standing == "in force"
    assert listed(desk, queue) == []
    assert listed(desk, f"{queue}?state=answered") == [appeal]
    assert "granted: shortened" in page(desk.get(f"{row}/change/"))
    assert actions() == [
        "user.mute", "appeal.file", "appeal.claim", "sanction.shorten", "appeal.grant",
    ]  # fmt: skip
    own = user_warn(acting_user=mona, user=ada, reason="Rude")
    against = appeal_file(acting_user=ada, sanction=own, words="No.")
    shown = page(desk.get(f"{queue}{against.pk}/change/"))
    for name in ("claim", "grant", "deny", "release"):
        assert f"{queue}{against.pk}/{name}/" not in shown
    assert "You laid this sanction" in page(desk.get(f"{queue}{against.pk}/deny/"))
    appeal_withdraw(acting_user=ada, appeal=against)
    assert listed(desk, f"{queue}?state=withdrawn") == [against]
    third = appeal_file(acting_user=ada, sanction=own, words="No.")
    desk.post(f"/admin/accounts/sanction/{own.pk}/lift/", {"why": "A mistake"})
    assert listed(desk, f"{queue}?state=over") == [third]


# -- the audit log -------------------------------------------------------------------------------


def test_the_audit_log_is_filtered_by_who_what_and_whom(
    desk: Client, mona: User, ada: User, person: People
) -> None:
    orla = person("orla", Role.ORGANISER)
    with transaction.atomic():
        first = audit_record(acting_user=mona, action="test.first", target=ada)
        second = audit_record(acting_user=orla, action="test.second", target=orla)
        third = audit_record(acting_user=None, action="test.third")
    log = "/admin/accounts/auditentry/"
    assert listed(desk, f"{log}?by=moderators") == [first]
    assert listed(desk, f"{log}?by=organisers") == [second]
    assert listed(desk, f"{log}?by=system") == [third]
    # Who reads the log is in it from then on.
    look, done = listed(desk, f"{log}?who__id__exact={mona.pk}")
    assert (look.action, done) == ("look.list", first)
    assert listed(desk, f"{log}?q=orla") == [second]
    assert listed(desk, f"{log}?action=test.third") == [third]
    address = audit_address(ada)
    assert listed(desk, address) == [first]
    assert address.replace("&", "&amp;") in page(desk.get(f"/admin/accounts/user/{ada.pk}/change/"))
    assert f'href="/admin/accounts/user/{ada.pk}/change/"' in page(desk.get(address))


def test_superusers_cannot_touch_it_either(client: Client, mona: User) -> None:
    client.force_login(User.objects.create_superuser("ruth"))
    with transaction.atomic():
        entry = audit_record(acting_user=mona, action="test.action", target=mona)
    base = f"/admin/accounts/auditentry/{entry.pk}"
    assert client.post(f"{base}/change/", {"action": "test.lie"}).status_code == 403
    assert client.post(f"{base}/delete/", {"post": "yes"}).status_code == 403


# -- the start page ------------------------------------------------------------------------------


def test_the_start_page_shows_what_waits(
    desk: Client, mona: User, ada: User, report: Report
) -> None:
    user_mute(acting_user=mona, user=ada, reason="Rude", until=None)
    start = page(desk.get("/admin/"))
    for words in ("Open reports", "ada (@ada)", "Latest sanctions", "Mute of ada"):
        assert words in start
    assert f"/admin/accounts/report/{report.pk}/change/" in start


def test_staff_who_are_no_moderators_see_no_reports(
    client: Client, person: People, report: Report
) -> None:
    client.force_login(person("stan", is_staff=True))
    start = page(client.get("/admin/"))
    assert "Open reports" not in start
    assert client.get("/admin/accounts/report/").status_code == 403


@pytest.mark.parametrize("address", ["/admin/", "/admin/login/", "/admin/accounts/user/"])
def test_nothing_on_it_breaks_the_content_policy(desk: Client, address: str) -> None:
    html = desk.get(address, follow=True).content.decode()
    assert not re.search(r"<style|\sstyle=|\son\w+=", html)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", html))
