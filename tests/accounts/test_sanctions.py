"""Warnings, mutes, suspensions: who may, what they do, how they end."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
import time_machine
from django.core import mail as outbox
from django.db import IntegrityError, transaction
from django.test import Client, TestCase
from django.utils import timezone

from accounts import hooks
from accounts.models import AuditEntry, Report, Sanction, User
from accounts.moderation.sanctions import (
    sanction_lift,
    user_mute,
    user_suspend,
    user_warn,
    warning_acknowledge,
)
from accounts.moderation.standing import is_suspended, mute_of, suspension_of, why_silent
from accounts.roles import Role
from core.refusals import Refusal
from tests.accounts.conftest import PASSWORD, with_confirmed_address

People = Callable[..., User]
Actions = Callable[[], list[str]]


@pytest.fixture
def ada(person: People) -> User:
    return person("ada", time_zone="Europe/Paris")


def later(**parts: int) -> datetime:
    return timezone.now() + timedelta(**parts)


def warn(by: User, user: User, **more: Any) -> Sanction:
    return user_warn(**{"acting_user": by, "user": user, "reason": "Be kind", **more})


def mute(by: User, user: User, **more: Any) -> Sanction:
    given = {"acting_user": by, "user": user, "reason": "Rude words", "until": later(days=1)}
    return user_mute(**{**given, **more})


def suspend(by: User, user: User, **more: Any) -> Sanction:
    given = {"acting_user": by, "user": user, "reason": "Cheating", "until": later(days=1)}
    return user_suspend(**{**given, **more})


ACTIONS = [warn, mute, suspend]


def refused(code: str, call: Callable[[], object]) -> Refusal:
    before = [list(model.objects.order_by("pk").values()) for model in (Sanction, AuditEntry)]
    with pytest.raises(Refusal) as caught, transaction.atomic():
        call()
    assert caught.value.code == code
    assert caught.value.sentence.endswith(".")
    after = [list(model.objects.order_by("pk").values()) for model in (Sanction, AuditEntry)]
    assert before == after
    return caught.value


@pytest.mark.parametrize("action", ACTIONS)
def test_each_leaves_an_entry_and_tells_the_person(
    action: Callable[..., Sanction], mona: User, ada: User
) -> None:
    with_confirmed_address(ada)
    with TestCase.captureOnCommitCallbacks(execute=True):
        sanction = action(mona, ada, note=" seen twice ")
    assert (sanction.user, sanction.by, sanction.note) == (ada, mona, "seen twice")
    entry = AuditEntry.objects.get()
    names = {"warning": "user.warn", "mute": "user.mute", "suspension": "user.suspend"}
    assert (entry.who, entry.action) == (mona, names[sanction.kind])
    assert (entry.target_type, entry.target_id) == ("accounts.user", str(ada.pk))
    assert entry.data["sanction"] == sanction.pk
    (letter,) = outbox.outbox
    assert letter.to == ["ada@example.org"]
    assert sanction.reason in letter.body
    assert "seen twice" not in letter.body
    if sanction.until is not None:
        assert "CET" in letter.body or "CEST" in letter.body


def test_an_address_that_nobody_has_confirmed_is_told_nothing(mona: User, ada: User) -> None:
    with TestCase.captureOnCommitCallbacks(execute=True):
        warn(mona, ada)
    assert ada.email
    assert outbox.outbox == []


@pytest.mark.parametrize("action", ACTIONS)
def test_who_may(action: Callable[..., Sanction], mona: User, ada: User, person: People) -> None:
    root = User.objects.create_superuser("ruth")
    other = person("omar", Role.MODERATOR)
    organiser = person("orla", Role.ORGANISER)
    closed = person("mike", Role.MODERATOR, is_active=False)
    for by in (ada, organiser, closed):
        refused("account.not-moderator", partial(action, by, person()))
    refused("account.own-account", lambda: action(mona, mona))
    refused("account.own-account", lambda: action(root, root))
    refused("account.protected", lambda: action(mona, other))
    refused("account.protected", lambda: action(mona, root))
    assert action(mona, organiser).pk
    assert action(root, other).pk


@pytest.mark.parametrize("action", ACTIONS)
def test_a_reason_of_some_length_is_needed(
    action: Callable[..., Sanction], mona: User, ada: User
) -> None:
    refusal = refused("sanction.reason-missing", lambda: action(mona, ada, reason="  "))
    assert refusal.field == "reason"
    refused("sanction.reason-too-long", lambda: action(mona, ada, reason="x" * 501))


@pytest.mark.parametrize("action", [mute, suspend])
def test_the_end_lies_in_the_future(action: Callable[..., Sanction], mona: User, ada: User) -> None:
    assert refused("sanction.end-past", lambda: action(mona, ada, until=later(minutes=-1))).field


@pytest.mark.parametrize(
    ("action", "code", "held"),
    [(mute, "sanction.muted", mute_of), (suspend, "sanction.suspended", suspension_of)],
)
def test_one_at_a_time_and_it_ends_by_itself(
    action: Callable[..., Sanction], code: str, held: Any, mona: User, ada: User
) -> None:
    first = action(mona, ada, until=later(hours=1))
    assert held(ada.pk) == first
    refused(code, lambda: action(mona, ada))
    refused(code, lambda: action(mona, ada, until=None))
    passed = {"at": later(hours=-2), "until": later(hours=-1)}
    Sanction.objects.filter(pk=first.pk).update(**passed)
    assert held(ada.pk) is None
    assert Sanction.objects.get(pk=first.pk).standing == "over"
    refused("sanction.over", lambda: lift(mona, first))
    second = action(mona, ada, until=None)
    assert held(ada.pk) == second
    with pytest.raises(IntegrityError, match="sanction_one_without_end"), transaction.atomic():
        Sanction.objects.create(user=ada, by=mona, kind=second.kind, reason="again")


def lift(by: User, sanction: Sanction, why: str = "A mistake") -> Sanction:
    return sanction_lift(acting_user=by, sanction=sanction, why=why)


@pytest.mark.parametrize("action", ACTIONS)
def test_lifting(
    action: Callable[..., Sanction], mona: User, ada: User, person: People, actions: Actions
) -> None:
    with_confirmed_address(ada)
    sanction = action(mona, ada)
    refused("account.not-moderator", lambda: lift(ada, sanction))
    refused("account.not-moderator", lambda: lift(person("orla", Role.ORGANISER), sanction))
    refused("sanction.why-missing", lambda: lift(mona, sanction, " "))
    refused("sanction.reason-too-long", lambda: lift(mona, sanction, "x" * 501))
    with TestCase.captureOnCommitCallbacks(execute=True):
        lifted = lift(mona, sanction)
    assert (lifted.standing, lifted.lifted_by, lifted.lifted_why) == ("lifted", mona, "A mistake")
    assert (mute_of(ada.pk), suspension_of(ada.pk)) == (None, None)
    assert actions()[-1] == "sanction.lift"
    assert len(outbox.outbox) == 1
    refused("sanction.lifted", lambda: lift(mona, sanction))


def test_a_moderators_own_sanction_is_lifted_by_an_administrator_only(
    mona: User, person: People
) -> None:
    root = User.objects.create_superuser("ruth")
    sanction = mute(root, mona)
    refused("account.own-account", lambda: lift(mona, sanction))
    refused("account.protected", lambda: lift(person("omar", Role.MODERATOR), sanction))
    assert lift(root, sanction).standing == "lifted"


def test_who_is_silent_is_told_until_when_and_why(mona: User, ada: User) -> None:
    assert why_silent(ada) == ""
    end = datetime.fromisoformat("2040-12-05T13:30:00+00:00")
    sanction = mute(mona, ada, until=end)
    assert why_silent(ada) == (
        "You are muted until 5 December 2040, 14:30 CET. The reason: Rude words."
    )
    lift(mona, sanction)
    mute(mona, ada, until=None, reason="Flooding!")
    assert why_silent(ada) == "You are muted until a moderator lifts it. The reason: Flooding!"
    suspend(mona, ada, until=end)
    assert why_silent(ada).startswith("You are suspended until 5 December 2040")
    User.objects.filter(pk=ada.pk).update(is_active=False)
    assert why_silent(ada) == "This account may not write."


def test_a_closed_account_is_not_suspended_but_may_be_muted(mona: User, ada: User) -> None:
    User.objects.filter(pk=ada.pk).update(is_active=False)
    refused("account.closed", lambda: suspend(mona, ada))
    assert mute(mona, ada).pk


def test_a_suspension_is_announced_after_commit(mona: User, ada: User) -> None:
    heard: list[int] = []

    def hear(*, user_id: int, **_more: Any) -> None:
        heard.append(user_id)

    hooks.account_suspended.connect(hear)
    try:
        with TestCase.captureOnCommitCallbacks(execute=True):
            mute(mona, ada)
            suspend(mona, ada)
            assert heard == []
    finally:
        hooks.account_suspended.disconnect(hear)
    assert heard == [ada.pk]


# -- signing in ----------------------------------------------------------------------------------


def sign_in(client: Client, name: str) -> Any:
    form = {"login": name, "password": PASSWORD}
    return client.post("/accounts/login/", form)


@pytest.mark.parametrize("name", ["ada", "ada@example.org"])
def test_a_suspended_person_is_told_why_and_until_when(
    client: Client, mona: User, ada: User, name: str
) -> None:
    suspend(mona, ada, until=datetime.fromisoformat("2040-12-05T13:30:00+00:00"))
    response = sign_in(client, name)
    assert (response.status_code, response["Location"]) == (302, "/accounts/suspended/")
    page = client.get("/accounts/suspended/").content.decode()
    assert "until 5 December 2040, 14:30 CET" in page
    assert "Cheating" in page
    assert not client.get("/").wsgi_request.user.is_authenticated
    wrong = client.post("/accounts/login/", {"login": name, "password": "wrong"})
    assert wrong.status_code == 200
    assert "Cheating" not in wrong.content.decode()


def test_nobody_else_is_told(client: Client, mona: User, ada: User) -> None:
    suspend(mona, ada)
    assert client.get("/accounts/suspended/")["Location"] == "/accounts/login/"
    for page in ("/u/ada/", "/"):
        assert "suspend" not in client.get(page).content.decode().lower()
    client.force_login(mona)
    assert client.get("/accounts/suspended/")["Location"] == "/accounts/login/"


def test_open_sessions_are_cut_off_and_come_back_at_the_end(
    client: Client, mona: User, ada: User
) -> None:
    assert sign_in(client, "ada")["Location"] == "/"
    assert client.get("/accounts/settings/").status_code == 200
    sanction = suspend(mona, ada)
    assert client.get("/accounts/settings/").status_code == 302
    home = client.get("/").content.decode()
    assert "Your account is suspended" in home
    assert "Cheating" in client.get("/accounts/suspended/").content.decode()
    Sanction.objects.filter(pk=sanction.pk).update(at=later(hours=-2), until=later(hours=-1))
    assert client.get("/accounts/settings/").status_code == 200


def test_the_admin_sites_own_sign_in_is_shut_too(client: Client, person: People) -> None:
    root = User.objects.create_superuser("ruth")
    staff = person("stan", is_staff=True)
    suspend(root, staff)
    form = {"username": "stan", "password": PASSWORD}
    answer = client.post("/admin/login/", form)
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/login/?next=%2Fadmin%2F")
    assert not client.get("/").wsgi_request.user.is_authenticated


def test_a_password_reset_does_not_let_in(client: Client, mona: User, ada: User) -> None:
    suspend(mona, ada)
    client.post("/accounts/password/reset/", {"email": ada.email})
    letter = next(m for m in outbox.outbox if "password" in m.subject.lower())
    link = next(word for word in letter.body.split() if "/password/reset/key/" in word)
    form = client.get(link.split("testserver")[1], follow=True)
    new = {"password1": "another-fish-88", "password2": "another-fish-88"}
    client.post(form.redirect_chain[-1][0], new)
    assert not client.get("/").wsgi_request.user.is_authenticated


def test_standing_comes_with_the_person_in_one_query(
    client: Client, mona: User, ada: User, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(1):
        known = User.objects.with_standing().get(pk=ada.pk)
        assert not is_suspended(known)
    suspend(mona, ada)
    assert is_suspended(User.objects.with_standing().get(pk=ada.pk))
    assert is_suspended(ada)


def test_who_comes_with_a_request_is_as_they_stand_now(
    person: People, mona: User, ada: User
) -> None:
    """The query whose text is made only once gives what the other gives, whoever asks and when."""
    ben = person("ben")

    def told(user: User | None) -> dict[str, Any]:
        assert user is not None
        return {key: value for key, value in vars(user).items() if key != "_state"}

    now = timezone.now()
    steps: list[Callable[[], object]] = [
        lambda: None, lambda: warn(mona, ben), lambda: suspend(mona, ada),
    ]  # fmt: skip
    for step in steps:
        step()
        for hours in (0, 1, 24 * 365 * 20):
            with time_machine.travel(now + timedelta(hours=hours), tick=False):
                for user in (mona, ada, ben):
                    known = User.objects.with_standing().get(pk=user.pk)
                    assert told(User.objects.of_number(user.pk)) == told(known)
                    assert told(User.objects.of_number(str(user.pk))) == told(known)
    found = [User.objects.of_number(user.pk) for user in (mona, ada, ben)]
    assert [user.suspended for user in found] == [False, True, False]  # type: ignore[union-attr]
    assert [user.warned for user in found] == [False, False, True]  # type: ignore[union-attr]
    assert found[0].group_names == ["moderators"]  # type: ignore[union-attr]
    assert User.objects.of_number(0) is None
    assert User.objects.of_number("nobody") is None


# -- warnings, and one's own page ----------------------------------------------------------------


def test_a_warning_is_shown_until_it_is_acknowledged(
    client: Client, mona: User, ada: User, actions: Actions
) -> None:
    client.force_login(ada)
    warning = warn(mona, ada, reason="Be kind to <b>everybody</b>")
    for page in ("/rules/", "/accounts/settings/"):
        assert "Be kind to &lt;b&gt;everybody" in client.get(page).content.decode()
    address = f"/accounts/conduct/{warning.pk}/acknowledge/"
    assert client.get(address).status_code == 405
    response = client.post(address, {"next": "/rules/"})
    assert response["Location"] == "/rules/"
    assert "Be kind" not in client.get("/rules/").content.decode()
    assert actions() == ["user.warn", "sanction.acknowledge"]
    assert client.post(address, {"next": "https://evil.example/"})["Location"] == "/"
    assert actions() == ["user.warn", "sanction.acknowledge"]


def test_a_warning_taken_back_is_not_shown(client: Client, mona: User, ada: User) -> None:
    client.force_login(ada)
    lift(mona, warn(mona, ada))
    assert "Be kind" not in client.get("/rules/").content.decode()


def test_nobody_acknowledges_for_another(client: Client, mona: User, ada: User) -> None:
    warning, silence = warn(mona, ada), mute(mona, ada)
    refused("sanction.not-yours", lambda: warning_acknowledge(acting_user=mona, sanction=warning))
    refused("sanction.no-warning", lambda: warning_acknowledge(acting_user=ada, sanction=silence))
    client.force_login(mona)
    assert client.post(f"/accounts/conduct/{warning.pk}/acknowledge/").status_code == 404


def test_ones_own_page_lists_them_and_nobody_elses(
    client: Client, mona: User, ada: User, person: People
) -> None:
    mute(mona, ada, note="an internal note")
    client.force_login(ada)
    page = client.get("/accounts/conduct/").content.decode()
    assert "Rude words" in page
    assert "internal" not in page
    client.force_login(person("ben"))
    assert "Rude words" not in client.get("/accounts/conduct/").content.decode()
    assert "Rude words" not in client.get("/u/ada/").content.decode()
    client.logout()
    assert client.get("/accounts/conduct/").status_code == 302


# -- the database's own word ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "constraint"),
    [
        ({"kind": "ban"}, "sanction_kind_known"),
        ({"reason": ""}, "sanction_reason_given"),
        ({"until": "2001-01-01T00:00:00Z"}, "sanction_ends_later"),
        ({"kind": "warning", "until": "2090-01-01T00:00:00Z"}, "sanction_warning_form"),
        ({"acknowledged_at": "2090-01-01T00:00:00Z"}, "sanction_warning_form"),
        ({"lifted_at": "2090-01-01T00:00:00Z"}, "sanction_lifted_whole"),
        ({"lifted_why": "because"}, "sanction_lifted_whole"),
    ],
)
def test_constraints(fields: dict[str, Any], constraint: str, mona: User, ada: User) -> None:
    row = {"user": ada, "by": mona, "kind": "mute", "reason": "Rude", **fields}
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        Sanction.objects.create(**row)


def test_nobody_judges_themselves_in_the_database_either(mona: User) -> None:
    with pytest.raises(IntegrityError, match="sanction_not_oneself"), transaction.atomic():
        Sanction.objects.create(user=mona, by=mona, kind="mute", reason="Rude")


def test_a_report_stays_linked(mona: User, ada: User, person: People) -> None:
    report = Report.objects.create(
        reporter=person("ben"),
        about=ada,
        target_type="accounts.user",
        target_id="ada",
        title="Ada",
        reason="abuse",
        words="She shouts.",
    )
    mute(mona, ada, report=report)
    assert report.sanctions.get().user == ada
    assert AuditEntry.objects.get().data["report"] == report.pk
