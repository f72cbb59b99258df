"""One sanction upon several people, and several lifted at once."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.core import mail as outbox
from django.db import connection, transaction
from django.db.utils import OperationalError
from django.test import Client, TestCase
from django.utils import timezone

from accounts import hooks
from accounts.models import AuditEntry, Sanction, User
from accounts.moderation.sanctions import user_mute, user_warn
from accounts.moderation.several import Kind, sanctions_lift, users_sanction
from accounts.roles import Role
from core.actions import ROWS_AT_MOST
from core.refusals import Refusal
from tests.accounts.conftest import made_person, with_confirmed_address
from tests.support.locks import own_pid, somebody_waits_for
from tests.support.site import wait_for

People = Callable[..., User]
SOON = 60  # seconds: far more than anything here takes


@pytest.fixture
def crowd(person: People) -> list[User]:
    return [with_confirmed_address(person(name)) for name in ("ada", "ben", "cleo")]


def later(**parts: int) -> datetime:
    return timezone.now() + timedelta(**parts)


def lay(by: User, users: Any, kind: Kind = Kind.MUTE, **more: Any) -> Any:
    end = {} if kind is Kind.WARNING else {"until": later(days=1)}
    given = {"acting_user": by, "users": users, "kind": kind, "reason": "A brawl", **end}
    return users_sanction(**{**given, **more})


def rows() -> list[Any]:
    return [list(m._default_manager.order_by("pk").values()) for m in (Sanction, AuditEntry)]


def refused(code: str, call: Callable[[], object]) -> Refusal:
    before = rows()
    with (
        TestCase.captureOnCommitCallbacks() as told,
        pytest.raises(Refusal) as caught,
        transaction.atomic(),
    ):
        call()
    assert caught.value.code == code
    assert caught.value.sentence.endswith(".")
    assert rows() == before
    assert told == []
    return caught.value


@pytest.mark.parametrize("kind", list(Kind))
def test_each_gets_the_same_with_an_entry_a_letter_and_an_event(
    kind: Kind, mona: User, crowd: list[User]
) -> None:
    signals = {Kind.MUTE: hooks.writing_changed, Kind.SUSPENSION: hooks.account_suspended}
    heard: list[int] = []

    def hear(*, user_id: int, **_more: Any) -> None:
        heard.append(user_id)

    for signal in signals.values():
        signal.connect(hear)
    try:
        with TestCase.captureOnCommitCallbacks(execute=True):
            outcome = lay(mona, crowd, kind, note="the brawl of Sunday")
            assert (heard, outbox.outbox) == ([], [])
    finally:
        for signal in signals.values():
            signal.disconnect(hear)
    assert outcome.refused == []
    found = Sanction.objects.order_by("user")
    assert [each.user for each in found] == crowd
    assert {(each.kind, each.reason, each.note, each.by) for each in found} == {
        (kind, "A brawl", "the brawl of Sunday", mona)
    }
    assert len({each.until for each in found}) == 1
    verb = {Kind.WARNING: "warn", Kind.MUTE: "mute", Kind.SUSPENSION: "suspend"}[kind]
    entries = AuditEntry.objects.order_by("id")
    assert [(each.action, each.target_id) for each in entries] == [
        (f"user.{verb}", str(user.pk)) for user in crowd
    ]
    assert [letter.to for letter in outbox.outbox] == [[user.email] for user in crowd]
    assert heard == ([user.pk for user in crowd] if kind in signals else [])


def test_whoever_cannot_be_is_left_as_they_are_and_told_of(
    mona: User, crowd: list[User], person: People
) -> None:
    ada, ben, cleo = crowd
    omar, root = person("omar", Role.MODERATOR), User.objects.create_superuser("ruth")
    user_mute(acting_user=root, user=ben, reason="Rude", until=None)
    with TestCase.captureOnCommitCallbacks(execute=True):
        outcome = lay(mona, [omar, ada, root, ben, mona, cleo])
    assert [each.user for each in outcome.done] == [ada, cleo]
    assert {user.username: refusal.code for user, refusal in outcome.refused} == {
        "omar": "account.protected",
        "ruth": "account.protected",
        "ben": "sanction.muted",
        "mona": "account.own-account",
    }
    assert Sanction.objects.count() == 3
    assert AuditEntry.objects.filter(who=mona).count() == 2
    assert [letter.to for letter in outbox.outbox] == [[ada.email], [cleo.email]]


def test_closed_accounts_are_not_suspended(mona: User, crowd: list[User]) -> None:
    User.objects.filter(pk=crowd[0].pk).update(is_active=False)
    outcome = lay(mona, crowd, Kind.SUSPENSION)
    assert [refusal.code for _user, refusal in outcome.refused] == ["account.closed"]


def test_what_is_wrong_with_the_whole_is_refused(
    mona: User, crowd: list[User], person: People
) -> None:
    for by in (crowd[0], person("orla", Role.ORGANISER)):
        refused("account.not-moderator", partial(lay, by, crowd))
    assert refused("sanction.reason-missing", partial(lay, mona, crowd, reason=" ")).field
    refused("sanction.reason-too-long", partial(lay, mona, crowd, reason="x" * 501))
    assert refused("sanction.end-past", partial(lay, mona, crowd, until=later(hours=-1))).field
    refused("sanction.nobody", partial(lay, mona, []))
    refused("account.own-account", partial(lay, mona, [mona]))
    many = [made_person() for _number in range(ROWS_AT_MOST + 1)]
    refused("sanction.too-many", partial(lay, mona, many))
    assert len(lay(mona, many[:-1]).done) == ROWS_AT_MOST


def test_lifting_several(mona: User, crowd: list[User], person: People) -> None:
    ada, ben, cleo = crowd
    root, omar = User.objects.create_superuser("ruth"), person("omar", Role.MODERATOR)
    mute = user_mute(acting_user=mona, user=ada, reason="Rude", until=None)
    warning = user_warn(acting_user=mona, user=ben, reason="Be kind")
    high = user_mute(acting_user=root, user=omar, reason="Rude", until=None)
    over = user_mute(acting_user=mona, user=cleo, reason="Rude", until=later(hours=1))
    Sanction.objects.filter(pk=over.pk).update(at=later(hours=-2), until=later(hours=-1))
    over.refresh_from_db()
    chosen = [over, high, warning, mute]
    lift = partial(sanctions_lift, chosen=chosen, why="A mistake")
    refused("account.not-moderator", partial(lift, acting_user=ada))
    refused("sanction.why-missing", partial(lift, acting_user=mona, why=" "))
    refused("sanction.reason-too-long", partial(lift, acting_user=mona, why="x" * 501))
    refused("sanction.nobody", partial(lift, acting_user=mona, chosen=[]))
    refused("sanction.too-many", partial(lift, acting_user=mona, chosen=[mute] * 101))
    refused("sanction.over", partial(lift, acting_user=mona, chosen=[over]))
    with TestCase.captureOnCommitCallbacks(execute=True):
        outcome = lift(acting_user=mona)
    assert [each.pk for each in outcome.done] == [mute.pk, warning.pk]
    assert {each.lifted_why for each in outcome.done} == {"A mistake"}
    assert {row.pk: refusal.code for row, refusal in outcome.refused} == {
        high.pk: "account.protected",
        over.pk: "sanction.over",
    }
    assert AuditEntry.objects.filter(action="sanction.lift", who=mona).count() == 2
    assert [letter.to for letter in outbox.outbox] == [[ada.email], [ben.email]]


# -- two moderators at once ----------------------------------------------------------------------


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def in_a_thread(action: Callable[[], Any]) -> Any:
    """What an action answered, or its refusal, with a connection of its own."""
    try:
        return action()
    except Refusal as refusal:
        return refusal
    finally:
        connection.close()


def is_free(user: User) -> bool:
    """Whether nobody holds an account."""
    try:
        with transaction.atomic():
            User.objects.select_for_update(no_key=True, nowait=True).get(pk=user.pk)
    except OperationalError:
        return False
    return True


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("what", ["laying", "lifting"])
def test_people_are_locked_in_one_order_whatever_order_they_come_in(
    what: str, pool: ThreadPoolExecutor
) -> None:
    """Who waits for the first of them holds none of the others: so whoever holds the first gets
    them, and the two do not wait for each other."""
    mona = made_person("mona", Role.MODERATOR)
    root = User.objects.create_superuser("ruth")
    ada, ben = made_person("ada"), made_person("ben")
    act: Callable[[], object]
    if what == "laying":
        act = partial(lay, mona, [ben, ada])
    else:
        # The row of the second person is the older.
        laid = [
            user_mute(acting_user=root, user=user, reason="Rude", until=None) for user in (ben, ada)
        ]
        act = partial(sanctions_lift, acting_user=mona, chosen=laid, why="A mistake")
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=ada.pk)
        held = own_pid()
        waiting = pool.submit(in_a_thread, act)
        wait_for(lambda: waiting.done() or somebody_waits_for(held), timeout=SOON)
        assert not waiting.done(), waiting.result()
        assert is_free(ben)
    assert len(waiting.result(SOON).done) == 2


@pytest.mark.django_db(transaction=True)
def test_what_comes_about_meanwhile_changes_nothing_for_that_one_alone(
    pool: ThreadPoolExecutor,
) -> None:
    mona, omar = (made_person(name, Role.MODERATOR) for name in ("mona", "omar"))
    ada, ben, cleo = (made_person(name) for name in ("ada", "ben", "cleo"))
    with transaction.atomic():
        lay(omar, [ben, ada])
        held = own_pid()
        second = pool.submit(in_a_thread, partial(lay, mona, [ada, ben, cleo]))
        wait_for(lambda: second.done() or somebody_waits_for(held), timeout=SOON)
        assert not second.done(), second.result()
    outcome = second.result(SOON)
    assert [each.user for each in outcome.done] == [cleo]
    assert [refusal.code for _user, refusal in outcome.refused] == ["sanction.muted"] * 2
    assert sorted(Sanction.objects.values_list("user", flat=True)) == [ada.pk, ben.pk, cleo.pk]


# -- in the admin site ---------------------------------------------------------------------------


@pytest.fixture
def desk(client: Client, mona: User) -> Client:
    client.force_login(mona)
    return client


def page(response: Any, status: int = 200) -> str:
    assert response.status_code == status
    text: str = response.content.decode()
    return text


def chosen_on(client: Client, model: str, name: str, chosen: Any) -> Any:
    form = {"action": name, "_selected_action": [row.pk for row in chosen]}
    return client.post(f"/admin/accounts/{model}/", form)


@pytest.mark.parametrize("name", ["warn", "mute", "suspend"])
def test_from_the_list_to_the_page_and_back(
    desk: Client, mona: User, crowd: list[User], name: str
) -> None:
    listed = page(desk.get("/admin/accounts/user/"))
    assert f'value="{name}_several"' in listed
    led = chosen_on(desk, "user", f"{name}_several", [*crowd, mona])
    address = led["Location"]
    assert address.startswith(f"/admin/accounts/user/several/{name}_several/?row=")
    shown = page(desk.get(address))
    assert "Concerns (3)" in shown
    assert "Not (1)" in shown
    assert "@mona: Nobody judges their own account." in shown
    for user in crowd:
        assert f"/admin/accounts/user/{user.pk}/change/" in shown
    assert "reason" in page(desk.post(address, {"lasts": "day"}), 422)
    assert not Sanction.objects.exists()
    done = desk.post(address, {"reason": "A brawl", "lasts": "day"}, follow=True)
    assert done.redirect_chain[-1][0] == "/admin/accounts/user/"
    told = page(done)
    assert "@ada, @ben, @cleo." in told
    assert "Not @mona: Nobody judges their own account." in told
    assert Sanction.objects.count() == 3


def test_a_suspension_of_several_without_an_end_needs_their_number_typed(
    desk: Client, crowd: list[User]
) -> None:
    address = chosen_on(desk, "user", "suspend_several", crowd)["Location"]
    form = {"reason": "A brawl", "lasts": "open"}
    for typed in ("", "suspend", "suspend 2"):
        assert "was to be typed" in page(desk.post(address, {**form, "typed": typed}), 422)
    assert not Sanction.objects.exists()
    # Where it comes to concern fewer meanwhile, what was typed does not stand for that.
    user = crowd[0]
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert "suspend 2" in page(desk.post(address, {**form, "typed": "suspend 3"}), 422)
    assert desk.post(address, {**form, "typed": "suspend 2"}).status_code == 302
    assert [each.until for each in Sanction.objects.all()] == [None, None]


def test_where_nobody_can_be_the_page_says_so_before(
    desk: Client, mona: User, crowd: list[User]
) -> None:
    user_mute(acting_user=mona, user=crowd[0], reason="Rude", until=None)
    address = chosen_on(desk, "user", "mute_several", crowd[:1])["Location"]
    assert "muted already" in page(desk.get(address))
    own = chosen_on(desk, "user", "mute_several", [mona])["Location"]
    assert "Nobody judges their own account" in page(desk.get(own), 403)


def test_at_most_so_many(desk: Client, person: People) -> None:
    many = [person() for _number in range(ROWS_AT_MOST + 20)]
    address = chosen_on(desk, "user", "warn_several", many)["Location"]
    assert address.count("row=") == ROWS_AT_MOST + 1
    assert "At most 100 at once" in page(desk.get(address))
    page(desk.post(address, {"reason": "A brawl"}), 422)
    assert not Sanction.objects.exists()


@pytest.mark.parametrize(
    "query", ["", "?row=", "?row=x", "?row=²", "?row=999999", f"?row={'9' * 30}", "?rows=1"]
)
def test_there_is_no_page_about_nobody(desk: Client, query: str) -> None:
    for model, name in (("user", "warn_several"), ("sanction", "lift_several")):
        assert desk.get(f"/admin/accounts/{model}/several/{name}/{query}").status_code == 404


def test_sanctions_are_lifted_from_their_list(
    desk: Client, mona: User, crowd: list[User], person: People
) -> None:
    root, omar = User.objects.create_superuser("ruth"), person("omar", Role.MODERATOR)
    laid = [user_mute(acting_user=mona, user=user, reason="Rude", until=None) for user in crowd[:2]]
    high = user_mute(acting_user=root, user=omar, reason="Rude", until=None)
    led = chosen_on(desk, "sanction", "lift_several", [*laid, high])
    shown = page(desk.get(led["Location"]))
    assert "Lifted (2)" in shown
    assert "Mute of omar: Only an administrator" in shown
    page(desk.post(led["Location"], {"why": " "}), 422)
    assert Sanction.objects.filter(lifted_at__isnull=False).count() == 0
    told = page(desk.post(led["Location"], {"why": "A mistake"}, follow=True))
    assert "Lifted: Mute of ada, Mute of ben." in told
    assert Sanction.objects.filter(lifted_why="A mistake").count() == 2


def test_only_moderators_are_offered_it(client: Client, person: People, crowd: list[User]) -> None:
    client.force_login(person("stan", is_staff=True))
    for model, name in (("user", "warn_several"), ("sanction", "lift_several")):
        address = f"/admin/accounts/{model}/several/{name}/?row={crowd[0].pk}"
        assert client.get(address).status_code == 403
        assert client.post(address, {"reason": "X", "why": "X"}).status_code == 403
    assert not Sanction.objects.exists()
