"""Two accounts made one: what moves, who may, what is refused, and where the old name leads."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail as outbox
from django.db import DatabaseError, IntegrityError, transaction
from django.test import Client, TestCase
from django.utils import timezone

from accounts import hooks
from accounts.models import AccountMerge, AuditEntry, Report, Sanction, User
from accounts.moderation import merging
from accounts.moderation.merging import merge_preview, merge_summary, user_merge
from accounts.moderation.reports import report_file
from accounts.moderation.sanctions import user_mute, user_warn
from accounts.roles import Role
from accounts.services import user_close, user_reopen
from core.refusals import Refusal
from tests.accounts.conftest import PASSWORD

People = Callable[..., User]
Actions = Callable[[], list[str]]


@pytest.fixture
def ada(person: People) -> User:
    return person("ada")


@pytest.fixture
def twin(person: People) -> User:
    return person("ada2")


def merge(by: User, keep: User, duplicate: User, reason: str = "Same address") -> AccountMerge:
    return user_merge(acting_user=by, keep=keep, duplicate=duplicate, reason=reason)


def everything() -> list[Any]:
    models: tuple[Any, ...] = (User, Sanction, Report, AccountMerge, AuditEntry, EmailAddress)
    return [list(model.objects.order_by("pk").values()) for model in models]


def refused(code: str, call: Callable[[], object]) -> None:
    before = everything()
    with pytest.raises(Refusal) as caught, transaction.atomic():
        call()
    assert caught.value.code == code
    assert caught.value.sentence.endswith(".")
    assert everything() == before


def test_the_duplicate_is_closed_and_both_have_an_entry(
    mona: User, ada: User, twin: User, actions: Actions
) -> None:
    heard: list[int] = []

    def hear(*, user_id: int, **_more: Any) -> None:
        heard.append(user_id)

    hooks.account_closed.connect(hear)
    try:
        with TestCase.captureOnCommitCallbacks(execute=True):
            done = merge(mona, ada, twin, " Same address ")
    finally:
        hooks.account_closed.disconnect(hear)
    assert heard == [twin.pk]
    assert (done.keep, done.duplicate, done.by, done.reason) == (ada, twin, mona, "Same address")
    assert not User.objects.get(pk=twin.pk).is_active
    assert User.objects.get(pk=ada.pk).is_active
    assert actions() == ["user.merge", "user.close_merged"]
    targets = AuditEntry.objects.order_by("id").values_list("target_id", flat=True)
    assert list(targets) == [str(ada.pk), str(twin.pk)]


def test_who_may(mona: User, ada: User, twin: User, person: People) -> None:
    root = User.objects.create_superuser("ruth")
    for by in (person("ben"), person("orla", Role.ORGANISER)):
        refused("account.not-moderator", partial(merge, by, ada, twin))
    refused("account.own-account", lambda: merge(mona, mona, twin))
    refused("account.own-account", lambda: merge(mona, ada, mona))
    other = person("omar", Role.MODERATOR)
    for keep, duplicate in ((ada, other), (other, ada), (ada, root), (root, ada)):
        refused("account.protected", partial(merge, mona, keep, duplicate))
    assert merge(root, other, twin).pk


def test_those_who_run_things_are_merged_by_administrators_only(
    mona: User, ada: User, person: People
) -> None:
    root = User.objects.create_superuser("ruth")
    for special in (person("orla", Role.ORGANISER), person("stan", is_staff=True)):
        for keep, duplicate in ((ada, special), (special, ada)):
            refused("merge.organiser", partial(merge, mona, keep, duplicate))
    judge = person("judge")
    merging.register_duty(runs := lambda user: user == judge)
    try:
        for keep, duplicate in ((ada, judge), (judge, ada)):
            refused("merge.organiser", partial(merge, mona, keep, duplicate))
        assert merge(root, ada, judge).pk
    finally:
        merging._duties.remove(runs)
    assert merge(root, User.objects.get(username="orla"), ada).pk


def test_other_refusals(mona: User, ada: User, twin: User, person: People) -> None:
    refused("merge.same", lambda: merge(mona, ada, ada))
    refused("merge.reason-missing", lambda: merge(mona, ada, twin, "  "))
    refused("merge.reason-too-long", lambda: merge(mona, ada, twin, "x" * 501))
    closed = person("cleo")
    user_close(acting_user=mona, user=closed, reason="Left")
    refused("merge.keep-closed", lambda: merge(mona, closed, twin))
    merge(mona, ada, twin)
    refused("merge.merged-before", lambda: merge(mona, ada, twin))
    refused("merge.merged-before", lambda: merge(mona, twin, ada))
    refused("account.merged", lambda: user_reopen(acting_user=mona, user=twin, reason="A mistake"))


def test_a_closed_account_may_be_merged(mona: User, ada: User, twin: User) -> None:
    user_close(acting_user=mona, user=twin, reason="Left")
    assert merge(mona, ada, twin).pk


def test_the_old_name_leads_to_the_kept_one(
    client: Client, mona: User, ada: User, twin: User, person: People
) -> None:
    last = person("ada3")
    merge(mona, twin, last)
    merge(mona, ada, twin)
    for name in ("ada2", "ada3", "ADA3"):
        response = client.get(f"/u/{name}/")
        assert (response.status_code, response["Location"]) == (301, "/u/ada/")
    assert client.get("/u/ada/").status_code == 200
    closed = person("cleo", is_active=False)
    assert client.get(closed.get_absolute_url()).status_code == 200


# -- addresses -----------------------------------------------------------------------------------


def address(user: User, *, verified: bool, email: str = "") -> EmailAddress:
    return EmailAddress.objects.create(
        user=user, email=email or user.email, verified=verified, primary=True
    )


def told(merge: Callable[[], object]) -> dict[str, str]:
    """The mail that a merge sends: its words by address."""
    outbox.outbox.clear()
    with TestCase.captureOnCommitCallbacks(execute=True):
        merge()
    return {message.to[0]: str(message.body) for message in outbox.outbox}


@pytest.mark.parametrize("kept_has", ["confirmed", "unconfirmed", "none"])
@pytest.mark.parametrize("verified", [True, False])
def test_no_address_opens_the_kept_account(
    client: Client, mona: User, person: People, twin: User, kept_has: str, verified: bool
) -> None:
    """Whoever reads the duplicate's mail can neither sign in with it nor set a password."""
    keep = person("kept", email="" if kept_has == "none" else "kept@example.org")
    if kept_has != "none":
        address(keep, verified=kept_has == "confirmed")
    address(twin, verified=verified)
    before = [*EmailAddress.objects.filter(user=keep).values()], keep.email
    done = merge(mona, keep, twin)
    keep.refresh_from_db()
    assert ([*EmailAddress.objects.filter(user=keep).values()], keep.email) == before
    assert "email addresses" not in done.moved
    client.post("/accounts/login/", {"login": "ada2@example.org", "password": PASSWORD})
    assert not client.get("/").wsgi_request.user.is_authenticated
    outbox.outbox.clear()
    client.post("/accounts/password/reset/", {"email": "ada2@example.org"})
    for message in outbox.outbox:
        assert "/password/reset/key/" not in message.body


def test_an_address_that_is_typed_counts_once_it_is_confirmed(
    client: Client, mona: User, ada: User, twin: User
) -> None:
    address(ada, verified=True)
    address(twin, verified=True)
    merge(mona, ada, twin)
    client.force_login(ada)
    client.post("/accounts/email/", {"email": "ada2@example.org", "action_add": ""})
    client.logout()
    for typed, known in (("ada2@example.org", False), ("ada@example.org", True)):
        outbox.outbox.clear()
        client.post("/accounts/password/reset/", {"email": typed})
        keys = [each for each in outbox.outbox if "/password/reset/key/" in each.body]
        assert bool(keys) == known, typed
        client.post("/accounts/login/", {"login": typed, "password": PASSWORD})
        assert client.get("/").wsgi_request.user.is_authenticated == known
        client.logout()


def test_its_address_may_be_confirmed_for_the_kept_account(
    client: Client, mona: User, ada: User, twin: User
) -> None:
    address(ada, verified=True)
    address(twin, verified=True)
    merge(mona, ada, twin)
    assert not EmailAddress.objects.filter(email="ada2@example.org").exists()
    client.force_login(ada)
    outbox.outbox.clear()
    client.post("/accounts/email/", {"email": "ada2@example.org", "action_add": ""})
    ada.refresh_from_db()
    assert ada.email == "ada@example.org"
    link = re.search(r"(/accounts/confirm-email/\S+/)", str(outbox.outbox[0].body))
    assert link is not None
    client.post(link[1])
    ada.refresh_from_db()
    assert ada.email == "ada2@example.org"


def test_both_owners_are_told(client: Client, mona: User, ada: User, twin: User) -> None:
    address(ada, verified=True)
    address(twin, verified=True)
    mails = told(lambda: merge(mona, ada, twin, reason="The same machine"))
    assert set(mails) == {"ada@example.org", "ada2@example.org"}
    assert "merged the account @ada2 into yours, @ada" in mails["ada@example.org"]
    assert "your account @ada2 into @ada" in mails["ada2@example.org"]
    assert not any("machine" in words or "mona" in words for words in mails.values())
    client.force_login(ada)
    assert "Merged: @ada2" in client.get("/accounts/conduct/").content.decode()


def test_nobody_is_told_at_an_address_that_is_not_confirmed(
    mona: User, ada: User, twin: User
) -> None:
    address(ada, verified=False)
    assert told(lambda: merge(mona, ada, twin)) == {}


def test_whoever_signs_in_to_the_duplicate_is_told_there(
    client: Client, mona: User, ada: User, twin: User
) -> None:
    """Whoever had confirmed no address gets no mail: this page is all that they see."""
    merge(mona, ada, twin)

    def told_to(username: str, password: str) -> str:
        form = {"login": username, "password": password}
        return client.post("/accounts/login/", form, follow=True).content.decode()

    # Nobody else is told: not with a wrong password, and not by the address of the page.
    stranger = client.get("/accounts/inactive/").content.decode()
    for shown in (told_to("ada2", "a guess"), stranger):
        assert "merged your account" not in shown
        assert "/u/ada/" not in shown
    # What is true of closed accounts in general: it is about nobody.
    assert "Accounts are closed by moderators, or merged" in stranger
    assert "This account is closed" not in stranger
    assert "A moderator has closed it" not in stranger
    shown = told_to("ada2", PASSWORD)
    assert "merged your account @ada2 into" in shown
    assert "Accounts are closed" not in shown
    assert 'href="/u/ada/"' in shown

    cora = User.objects.create_user("cora", password=PASSWORD)
    user_close(acting_user=mona, user=cora, reason="Asked for it")
    shown = told_to("cora", PASSWORD)
    assert "A moderator has closed it" in shown
    assert "/u/ada/" not in shown


def test_a_look_tells_nobody(mona: User, ada: User, twin: User) -> None:
    address(ada, verified=True)
    assert told(lambda: merge_preview(acting_user=mona, keep=ada, duplicate=twin)) == {}


# -- sanctions and reports -----------------------------------------------------------------------


def test_of_two_mutes_the_longer_stands(mona: User, ada: User, twin: User) -> None:
    soon = timezone.now() + timedelta(hours=1)
    short = user_mute(acting_user=mona, user=ada, reason="Rude", until=soon)
    long = user_mute(acting_user=mona, user=twin, reason="Very rude", until=None)
    warning = user_warn(acting_user=mona, user=twin, reason="Be kind")
    assert merge(mona, ada, twin).moved == {"sanctions": 2}
    assert list(Sanction.objects.in_force().filter(user=ada)) == [long]
    short.refresh_from_db()
    assert short.standing == "lifted"
    warning.refresh_from_db()
    assert warning.user == ada


def test_what_the_kept_account_gave_stays(mona: User, twin: User) -> None:
    root = User.objects.create_superuser("ruth")
    given = user_mute(acting_user=mona, user=twin, reason="Rude", until=None)
    merge(root, mona, twin)
    given.refresh_from_db()
    assert (given.user, given.by) == (twin, mona)


def test_reports_move_unless_they_would_collide(
    mona: User, ada: User, twin: User, person: People
) -> None:
    ben, cleo = person("ben"), person("cleo")

    def report(by: User, name: str) -> Report:
        return report_file(
            acting_user=by, target_type="accounts.user", target_id=name, reason="spam", words="!"
        )

    both, twice = report(ada, "ben"), report(twin, "ben")
    own, about = report(twin, "cleo"), report(cleo, "ada2")
    against, back = report(twin, "ada"), report(ada, "ada2")
    assert merge(mona, ada, twin).moved == {"reports": 2}
    for row in (both, twice, own, about, against, back):
        row.refresh_from_db()
    assert (both.reporter, twice.reporter) == (ada, twin)
    assert (own.reporter, own.about) == (ada, cleo)
    assert about.about == ada
    assert (against.reporter, against.about) == (twin, ada)
    assert (back.reporter, back.about) == (ada, twin)
    assert ben.reports_about.count() == 2


# -- the parts of other apps ---------------------------------------------------------------------


@pytest.fixture
def part() -> Iterator[list[tuple[User, User]]]:
    """A part that only notes that it was asked."""
    asked: list[tuple[User, User]] = []

    def note(keep: User, duplicate: User) -> Mapping[str, int]:
        asked.append((keep, duplicate))
        return {"pots": 3, "pans": 0}

    merging.register("test", note)
    yield asked
    merging.unregister("test")


def test_a_registered_part_is_asked_once(
    mona: User, ada: User, twin: User, part: list[tuple[User, User]]
) -> None:
    assert merge(mona, ada, twin).moved == {"pots": 3}
    assert part == [(ada, twin)]


def test_a_part_that_refuses_stops_everything(mona: User, ada: User, twin: User) -> None:
    def refuse(_keep: User, _duplicate: User) -> Mapping[str, int]:
        raise Refusal("merge.kitchen", "There is one kitchen only.")

    merging.register("test", refuse)
    try:
        refused("merge.kitchen", lambda: merge(mona, ada, twin))
    finally:
        merging.unregister("test")


def test_a_look_changes_nothing(
    mona: User, ada: User, twin: User, part: list[tuple[User, User]]
) -> None:
    before = everything()
    moved = merge_preview(acting_user=mona, keep=ada, duplicate=twin)
    assert moved == {"pots": 3}
    assert everything() == before
    assert merge_summary({"seats": 1, **moved}) == "1 seats, 3 pots"
    assert merge_summary({}) == "nothing"


# -- the database's own word, and the admin page -------------------------------------------------


def test_a_merge_is_for_ever(mona: User, ada: User, twin: User) -> None:
    done = merge(mona, ada, twin)
    for attempt in (
        lambda: AccountMerge.objects.update(keep=mona),
        AccountMerge.objects.all().delete,
        done.delete,
    ):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            attempt()


def test_constraints(mona: User, ada: User) -> None:
    for fields, name in (
        ({"keep": ada, "reason": "x"}, "merge_two_accounts"),
        ({"keep": mona, "reason": ""}, "merge_reason_given"),
    ):
        with pytest.raises(IntegrityError, match=name), transaction.atomic():
            AccountMerge.objects.create(duplicate=ada, by=mona, **fields)


def test_the_page_looks_first_and_needs_the_name_typed(
    client: Client, mona: User, ada: User, twin: User
) -> None:
    client.force_login(mona)
    page = f"/admin/accounts/user/{twin.pk}/merge/"
    form = {"keep": "@Ada", "reason": "Same address"}
    user_warn(acting_user=mona, user=twin, reason="Be kind")
    looked = client.post(page, {**form, "look": "1"})
    assert looked.status_code == 200
    assert "1 sanctions" in looked.content.decode()
    assert client.post(page, {**form, "typed": "ada"}).status_code == 422
    assert client.post(page, {**form, "keep": "nobody1", "typed": "ada2"}).status_code == 422
    impossible = client.post(page, {**form, "keep": "ada2", "look": "1"})
    assert "not two accounts but one" in impossible.content.decode()
    assert not AccountMerge.objects.exists()
    assert client.post(page, {**form, "typed": "ada2"}).status_code == 302
    assert AccountMerge.objects.get().keep == ada
    gone = client.get(f"/admin/accounts/user/{twin.pk}/change/").content.decode()
    assert "merged into" in gone
    assert page not in gone
