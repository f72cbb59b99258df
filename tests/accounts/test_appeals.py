"""Appeals: who may, what comes of them, who reads them, and what the database refuses itself."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core import mail as outbox
from django.db import IntegrityError, transaction
from django.test import Client, TestCase
from django.utils import timezone

from accounts import hooks
from accounts.models import Appeal, AuditEntry, Sanction, User
from accounts.moderation import appeals
from accounts.moderation.appeals import (
    appeal_claim,
    appeal_deny,
    appeal_file,
    appeal_grant,
    appeal_release,
    appeal_withdraw,
)
from accounts.moderation.merging import user_merge
from accounts.moderation.sanctions import (
    sanction_lift,
    sanction_shorten,
    user_mute,
    user_suspend,
    user_warn,
    warning_acknowledge,
)
from accounts.moderation.standing import mute_of, suspension_of
from accounts.roles import Role
from accounts.services import user_close
from core import clock
from core.refusals import Forbidden, Refusal
from tests.accounts.conftest import PASSWORD, with_confirmed_address

People = Callable[..., User]
Actions = Callable[[], list[str]]
ROOT = Path(__file__).resolve().parents[2]

WORDS = "It was a quotation."


@pytest.fixture
def ada(person: People) -> User:
    return person("ada", time_zone="Europe/Paris")


@pytest.fixture
def omar(person: People) -> User:
    """The other moderator."""
    return person("omar", Role.MODERATOR)


def later(**parts: int) -> datetime:
    return timezone.now() + timedelta(**parts)


def warned(by: User, user: User) -> Sanction:
    return user_warn(acting_user=by, user=user, reason="Be kind")


def muted(by: User, user: User) -> Sanction:
    return user_mute(acting_user=by, user=user, reason="Rude words", until=later(days=9))


def suspended(by: User, user: User) -> Sanction:
    return user_suspend(acting_user=by, user=user, reason="Cheating", until=None)


KINDS = [warned, muted, suspended]


def file(user: User, sanction: Sanction, words: str = WORDS) -> Appeal:
    return appeal_file(acting_user=user, sanction=sanction, words=words)


def grant(by: User, appeal: Appeal, **more: Any) -> Appeal:
    return appeal_grant(acting_user=by, appeal=appeal, **more)


def deny(by: User, appeal: Appeal, **more: Any) -> Appeal:
    return appeal_deny(**{"acting_user": by, "appeal": appeal, "answer": "It stands.", **more})


def lapse(sanction: Sanction) -> None:
    """Let its end have come."""
    Sanction.objects.filter(pk=sanction.pk).update(at=later(hours=-2), until=later(hours=-1))


def rows() -> list[Any]:
    models = (Appeal, Sanction, AuditEntry)
    return [list(model._default_manager.order_by("pk").values()) for model in models]


def refused(code: str, call: Callable[[], object]) -> Refusal:
    """The refusal of this code, which changed nothing and told nobody."""
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


def fresh(appeal: Appeal) -> Appeal:
    return Appeal.objects.get(pk=appeal.pk)


# -- filing and taking back ----------------------------------------------------------------------


@pytest.mark.parametrize("laid", KINDS)
def test_whoever_is_under_a_sanction_appeals_once(
    laid: Callable[..., Sanction], mona: User, ada: User, actions: Actions
) -> None:
    sanction = laid(mona, ada)
    appeal = file(ada, sanction, f"  {WORDS} ")
    assert (appeal.sanction, appeal.words, appeal.standing) == (sanction, WORDS, "open")
    refused("appeal.already", partial(file, ada, sanction))
    assert actions()[1:] == ["appeal.file"]
    assert WORDS not in str(AuditEntry.objects.latest("id").data)


def test_refusals(mona: User, ada: User, person: People) -> None:
    mute = muted(mona, ada)
    assert isinstance(refused("appeal.not-yours", partial(file, person(), mute)), Forbidden)
    refused("appeal.not-yours", partial(file, mona, mute))
    assert refused("appeal.words-missing", partial(file, ada, mute, " \n")).field == "words"
    assert refused("appeal.words-too-long", partial(file, ada, mute, "x" * 1001)).field == "words"
    lapse(mute)
    refused("appeal.over", partial(file, ada, mute))
    warning = warned(mona, ada)
    sanction_lift(acting_user=mona, sanction=warning, why="A mistake")
    refused("appeal.over", partial(file, ada, warning))
    again = muted(mona, ada)
    user_close(acting_user=mona, user=ada, reason="Fraud")
    refused("appeal.account-closed", partial(file, ada, again))
    User.objects.filter(pk=ada.pk).update(is_active=True)
    assert file(User.objects.get(pk=ada.pk), again, "x" * 1000).pk


def test_a_warning_that_was_read_stays_on_record_and_can_be_appealed(
    mona: User, omar: User, ada: User
) -> None:
    warning = warned(mona, ada)
    appeal = file(ada, warning)
    warning_acknowledge(acting_user=ada, sanction=warning)
    assert fresh(appeal).standing == "open"
    grant(omar, appeal)
    warning.refresh_from_db()
    assert (warning.standing, warning.lifted_by) == ("lifted", omar)


def test_how_many_in_an_hour(mona: User, ada: User) -> None:
    for _number in range(appeals.APPEALS_AT_MOST):
        appeal = file(ada, warned(mona, ada))
        appeal_withdraw(acting_user=ada, appeal=appeal)
    last = warned(mona, ada)
    refused("appeal.too-many", partial(file, ada, last))
    hour_ago = timezone.now() - appeals.APPEALS_PER - timedelta(seconds=1)
    Appeal.objects.update(at=hour_ago)
    assert file(ada, last).pk


def test_withdrawing(mona: User, omar: User, ada: User, person: People, actions: Actions) -> None:
    mute = muted(mona, ada)
    appeal = file(ada, mute)
    for other in (person(), mona):
        refused("appeal.not-yours", partial(appeal_withdraw, acting_user=other, appeal=appeal))
    # Also one that a moderator has taken on, while nobody has answered.
    appeal_claim(acting_user=omar, appeal=appeal)
    assert appeal_withdraw(acting_user=ada, appeal=appeal).standing == "withdrawn"
    assert actions()[-1] == "appeal.withdraw"
    refused("appeal.withdrawn", partial(appeal_withdraw, acting_user=ada, appeal=appeal))
    for service in (grant, deny):
        refused("appeal.withdrawn", partial(service, omar, appeal))
    second = file(ada, mute)
    deny(omar, second)
    refused("appeal.answered", partial(appeal_withdraw, acting_user=ada, appeal=second))
    refused("appeal.already", partial(file, ada, mute))


# -- working on them -----------------------------------------------------------------------------


def test_claiming_and_giving_back(mona: User, omar: User, ada: User, person: People) -> None:
    third, root = person("maja", Role.MODERATOR), User.objects.create_superuser("ruth")
    appeal = file(ada, muted(mona, ada))
    refused("appeal.not-claimed", partial(appeal_release, acting_user=omar, appeal=appeal))
    claimed = appeal_claim(acting_user=omar, appeal=appeal)
    assert (claimed.standing, claimed.claimed_by) == ("claimed", omar)
    for service in (appeal_claim, appeal_release, grant_of, deny_of):
        refused("appeal.claimed", partial(service, acting_user=third, appeal=appeal))
    assert appeal_release(acting_user=root, appeal=appeal).standing == "open"
    appeal_claim(acting_user=omar, appeal=appeal)
    # An administrator answers over a claim, as with reports.
    assert grant(root, appeal).standing == "granted"


def grant_of(*, acting_user: User, appeal: Appeal) -> Appeal:
    return grant(acting_user, appeal)


def deny_of(*, acting_user: User, appeal: Appeal) -> Appeal:
    return deny(acting_user, appeal)


WORK = [appeal_claim, appeal_release, grant_of, deny_of]


@pytest.mark.parametrize("service", WORK)
def test_who_may_decide(
    service: Callable[..., Appeal], mona: User, omar: User, ada: User, person: People
) -> None:
    root, other = (User.objects.create_superuser(name) for name in ("ruth", "rolf"))
    appeal = file(ada, muted(mona, ada))
    for by in (ada, person("orla", Role.ORGANISER)):
        code = "account.not-moderator"
        refused(code, partial(service, acting_user=by, appeal=appeal))
    refusal = refused("appeal.your-sanction", partial(service, acting_user=mona, appeal=appeal))
    assert "only moderator or administrator" in refusal.sentence
    # Neither do administrators about theirs, nor anybody about themselves.
    by_root = file(ada, user_suspend(acting_user=root, user=ada, reason="X", until=None))
    refused("appeal.your-sanction", partial(service, acting_user=root, appeal=by_root))
    of_omar = file(omar, muted(root, omar))
    refused("account.own-account", partial(service, acting_user=omar, appeal=of_omar))
    refused("account.protected", partial(service, acting_user=mona, appeal=of_omar))
    of_root = file(other, muted(root, other))
    refused("account.own-account", partial(service, acting_user=other, appeal=of_root))
    for allowed, each in ((omar, appeal), (other, by_root)):
        if service is appeal_release:
            appeal_claim(acting_user=allowed, appeal=each)
        assert service(acting_user=allowed, appeal=each).pk


# Who else is there, and whether that is somebody who could decide.
OTHERS: dict[str, tuple[Callable[[People], User], bool]] = {
    "nobody": (lambda person: person(), False),
    "a player": (lambda person: person(), False),
    "an organiser": (lambda person: person("orla", Role.ORGANISER), False),
    "a moderator": (lambda person: person("omar", Role.MODERATOR), True),
    "an administrator": (lambda _person: User.objects.create_superuser("ruth"), True),
    "a closed moderator": (lambda person: person("omar", Role.MODERATOR, is_active=False), False),
}


@pytest.mark.parametrize("other", OTHERS)
def test_the_only_one_there_is_decides_about_their_own_sanctions(
    other: str, mona: User, ada: User, person: People
) -> None:
    made, could = OTHERS[other]
    made(person)
    appeal = file(ada, muted(mona, ada))
    if could:
        refused("appeal.your-sanction", partial(grant, mona, appeal))
    else:
        assert grant(mona, appeal).answered_by == mona


def test_whoever_cannot_judge_somebody_is_no_other(mona: User, ada: User, person: People) -> None:
    """Of a moderator's appeal only administrators decide: that there are moderators is no help. And
    a moderator who is suspended cannot decide either."""
    root = User.objects.create_superuser("ruth")
    person("omar", Role.MODERATOR)
    assert grant(root, file(mona, muted(root, mona))).pk
    alone = User.objects.get(username="omar")
    user_suspend(acting_user=root, user=alone, reason="X", until=None)
    User.objects.filter(pk=root.pk).update(is_active=False)
    appeal = file(ada, muted(mona, ada))
    assert grant(mona, appeal).pk


def test_an_account_that_was_merged_into_ones_own_was_ones_own(
    mona: User, ada: User, person: People
) -> None:
    root = User.objects.create_superuser("ruth")
    old = person("oldmona", Role.MODERATOR)
    appeal = file(ada, muted(old, ada))
    user_merge(acting_user=root, keep=mona, duplicate=old, reason="They said so.")
    refused("appeal.your-sanction", partial(grant, mona, appeal))


# -- what comes of it ----------------------------------------------------------------------------


@contextmanager
def heard(signal: Any) -> Iterator[list[int]]:
    found: list[int] = []

    def hear(*, user_id: int, **_more: Any) -> None:
        found.append(user_id)

    signal.connect(hear)
    try:
        yield found
    finally:
        signal.disconnect(hear)


@pytest.mark.parametrize("laid", KINDS)
def test_granting_lifts(
    laid: Callable[..., Sanction], mona: User, omar: User, ada: User, actions: Actions
) -> None:
    with_confirmed_address(ada)
    sanction = laid(mona, ada)
    appeal = file(ada, sanction)
    with (
        heard(hooks.writing_changed) as writing,
        TestCase.captureOnCommitCallbacks(execute=True),
    ):
        grant(omar, appeal, answer="You are right.", note="really")
    sanction.refresh_from_db()
    assert (sanction.standing, sanction.lifted_by) == ("lifted", omar)
    assert sanction.lifted_why == f"Appeal {appeal.pk} was granted."
    assert (mute_of(ada.pk), suspension_of(ada.pk)) == (None, None)
    found = fresh(appeal)
    assert (found.standing, found.answer, found.note) == ("granted", "You are right.", "really")
    assert (found.answered_by, found.until) == (omar, None)
    assert actions()[2:] == ["sanction.lift", "appeal.grant"]
    assert writing == ([ada.pk] if laid is muted else [])
    # One letter, not another one for the lifting.
    (letter,) = outbox.outbox
    assert letter.to == ["ada@example.org"]
    assert letter.subject == "[Gauntlet] Your appeal: granted"
    assert "You are right." in letter.body
    assert sanction.reason in letter.body
    for secret in ("really", "omar", "mona"):
        assert secret not in letter.body
    for service in (grant, deny):
        refused("appeal.answered", partial(service, omar, appeal))
    refused("appeal.answered", partial(appeal_claim, acting_user=omar, appeal=appeal))


@pytest.mark.parametrize("laid", [muted, suspended])
def test_granting_shortens(
    laid: Callable[..., Sanction], mona: User, omar: User, ada: User, actions: Actions
) -> None:
    with_confirmed_address(ada)
    sanction = laid(mona, ada)
    before = sanction.until
    appeal = file(ada, sanction)
    end = later(days=2)
    with (
        heard(hooks.writing_changed) as writing,
        TestCase.captureOnCommitCallbacks(execute=True),
    ):
        grant(omar, appeal, until=end)
    sanction.refresh_from_db()
    assert (sanction.standing, sanction.until) == ("in force", end)
    assert (fresh(appeal).standing, fresh(appeal).until) == ("granted", end)
    assert actions()[2:] == ["sanction.shorten", "appeal.grant"]
    told = AuditEntry.objects.get(action="sanction.shorten").data
    assert told["before"] == (None if before is None else before.isoformat())
    assert writing == ([ada.pk] if laid is muted else [])
    (letter,) = outbox.outbox
    assert "shortened" in letter.body
    assert "CET" in letter.body or "CEST" in letter.body


def test_what_cannot_be_shortened(mona: User, omar: User, ada: User) -> None:
    warning, mute = warned(mona, ada), muted(mona, ada)
    about_warning, about_mute = file(ada, warning), file(ada, mute)
    given = {
        "sanction.no-end": (about_warning, later(days=1)),
        "sanction.end-past": (about_mute, later(minutes=-1)),
        "sanction.end-later": (about_mute, later(days=10)),
    }
    for code, (appeal, until) in given.items():
        assert refused(code, partial(grant, omar, appeal, until=until)).field == "until"
    assert mute.until is not None
    refused("sanction.end-later", partial(grant, omar, about_mute, until=mute.until))
    lapse(mute)
    refused("sanction.over", partial(grant, omar, about_mute, until=later(hours=1)))
    assert isinstance(
        refused(
            "account.own-account",
            partial(
                sanction_shorten,
                acting_user=mona,
                sanction=muted(User.objects.create_superuser("ruth"), mona),
                until=later(days=1),
            ),
        ),
        Forbidden,
    )


def test_denying_leaves_it(mona: User, omar: User, ada: User, actions: Actions) -> None:
    with_confirmed_address(ada)
    sanction = suspended(mona, ada)
    appeal = file(ada, sanction)
    assert refused("appeal.answer-missing", partial(deny, omar, appeal, answer=" ")).field
    for service in (grant, deny):
        code = "appeal.answer-too-long"
        assert refused(code, partial(service, omar, appeal, answer="x" * 1001)).field == "answer"
    with TestCase.captureOnCommitCallbacks(execute=True):
        deny(omar, appeal, answer="We looked at it twice.")
    sanction.refresh_from_db()
    assert (sanction.standing, fresh(appeal).standing) == ("in force", "denied")
    assert actions()[2:] == ["appeal.deny"]
    (letter,) = outbox.outbox
    assert letter.subject == "[Gauntlet] Your appeal: denied"
    assert "We looked at it twice." in letter.body


@pytest.mark.parametrize("how", ["lapsed", "lifted"])
def test_a_sanction_that_ends_takes_its_appeal_with_it(
    how: str, mona: User, omar: User, ada: User
) -> None:
    mute = muted(mona, ada)
    appeal = file(ada, mute)
    stored = Appeal.objects.filter(pk=appeal.pk).values().get()
    if how == "lapsed":
        lapse(mute)
    else:
        sanction_lift(acting_user=mona, sanction=mute, why="A mistake")
    assert fresh(appeal).standing == "over"
    assert not Appeal.objects.open().exists()
    assert Appeal.objects.filter(pk=appeal.pk).values().get() == stored
    refused("appeal.over", partial(deny, omar, appeal))
    ended = Sanction.objects.filter(pk=mute.pk).values().get()
    # For the record.
    assert grant(omar, appeal).standing == "granted"
    assert Sanction.objects.filter(pk=mute.pk).values().get() == ended


def test_what_waits_is_what_stands(mona: User, omar: User, ada: User) -> None:
    """The queue asks the database what `standing` says of each row."""
    made = {name: file(ada, warned(mona, ada)) for name in ("open", "claimed", "denied")}
    mute = muted(mona, ada)
    made["over"] = file(ada, mute)
    lapse(mute)
    warning_acknowledge(acting_user=ada, sanction=made["open"].sanction)
    appeal_claim(acting_user=omar, appeal=made["claimed"])
    deny(omar, made["denied"])
    assert {name: fresh(appeal).standing for name, appeal in made.items()} == {
        name: name for name in made
    }
    assert set(Appeal.objects.open()) == {made["open"], made["claimed"]}
    standing = [sanction.pk for sanction in Sanction.objects.all() if sanction.stands]
    assert sorted(Sanction.objects.standing().values_list("pk", flat=True)) == sorted(standing)


# -- accounts that end ---------------------------------------------------------------------------


def test_appeals_move_with_a_merge(mona: User, omar: User, ada: User, person: People) -> None:
    root, twin = User.objects.create_superuser("ruth"), person("twin")
    theirs, answered = file(twin, suspended(mona, twin)), file(twin, warned(mona, twin))
    deny(omar, answered)
    merge = user_merge(acting_user=root, keep=ada, duplicate=twin, reason="Same address")
    assert merge.moved == {"appeals": 2, "sanctions": 2}
    assert set(Appeal.objects.visible_to(ada)) == {theirs, answered}
    assert not Appeal.objects.visible_to(twin).exists()
    assert appeal_withdraw(acting_user=ada, appeal=theirs).standing == "withdrawn"


def test_nobody_comes_to_hold_their_own_appeal_by_a_merge(
    mona: User, omar: User, person: People
) -> None:
    root, twin = User.objects.create_superuser("ruth"), person("twin")
    appeal = file(twin, muted(mona, twin))
    appeal_claim(acting_user=omar, appeal=appeal)
    user_merge(acting_user=root, keep=omar, duplicate=twin, reason="Same address")
    assert fresh(appeal).claimed_by is None
    refused("account.own-account", partial(grant, omar, appeal))


def test_closing_an_account_leaves_them(mona: User, omar: User, ada: User) -> None:
    appeal = file(ada, muted(mona, ada))
    user_close(acting_user=mona, user=ada, reason="Fraud")
    assert fresh(appeal).standing == "open"
    assert deny(omar, appeal).standing == "denied"


# -- pages ---------------------------------------------------------------------------------------


def text(response: Any, status: int = 200) -> str:
    assert response.status_code == status
    body: str = response.content.decode()
    return body


def test_the_page_conduct_leads_there_and_tells_where_it_stands(
    client: Client, mona: User, omar: User, ada: User
) -> None:
    mute = muted(mona, ada)
    client.force_login(ada)
    conduct, address = "/accounts/conduct/", f"/accounts/conduct/{mute.pk}/appeal/"
    assert address in text(client.get(conduct))
    assert "Rude words" in text(client.get(address))
    for words in ("", "x" * 1001):
        text(client.post(address, {"words": words}), 422)
    assert not Appeal.objects.exists()
    sent = client.post(address, {"words": "It was <b>a quotation</b>."})
    assert (sent.status_code, sent["Location"]) == (302, conduct)
    shown = text(client.get(conduct))
    assert "It was &lt;b&gt;a quotation" in shown
    assert ">waiting<" in shown
    assert f'href="{address}"' not in shown
    # The form of one that is filed already says so on the page that it leads back to.
    assert "can be done once" in text(client.post(address, {"words": "Again"}, follow=True))
    appeal = Appeal.objects.get()
    appeal_claim(acting_user=omar, appeal=appeal)
    shown = text(client.get(conduct))
    assert "A moderator has taken it on" in shown
    deny(omar, appeal, answer="It stands, sorry.", note="a note inside")
    shown = text(client.get(conduct))
    assert "It stands, sorry." in shown
    assert ">denied<" in shown
    for secret in ("omar", "mona", "a note inside"):
        assert secret not in shown
    assert "withdraw" not in shown


def test_withdrawing_on_the_page(client: Client, mona: User, omar: User, ada: User) -> None:
    mute = muted(mona, ada)
    client.force_login(ada)
    address = f"/accounts/conduct/{mute.pk}/appeal/"
    assert client.post(f"{address}withdraw/").status_code == 404
    file(ada, mute)
    assert f"{address}withdraw/" in text(client.get("/accounts/conduct/"))
    assert client.get(f"{address}withdraw/").status_code == 405
    assert "is withdrawn" in text(client.post(f"{address}withdraw/", follow=True))
    shown = text(client.get("/accounts/conduct/"))
    assert ">withdrawn<" in shown
    assert f'href="{address}"' in shown
    deny(omar, file(ada, mute))
    assert "answered before" in text(client.post(f"{address}withdraw/", follow=True))


def test_the_page_of_what_is_over(client: Client, mona: User, ada: User) -> None:
    mute = muted(mona, ada)
    file(ada, mute)
    lapse(mute)
    client.force_login(ada)
    shown = text(client.get("/accounts/conduct/"))
    assert "has ended, and the appeal with it" in shown
    assert "/appeal/" not in shown


def kept_out(client: Client, name: str = "ada") -> Client:
    """Their browser, after the right password."""
    answer = client.post("/accounts/login/", {"login": name, "password": PASSWORD})
    assert answer["Location"] == "/accounts/suspended/"
    return client


def test_whoever_is_kept_out_appeals_without_being_signed_in(
    client: Client, mona: User, omar: User, ada: User
) -> None:
    sanction = suspended(mona, ada)
    kept_out(client)
    page = "/accounts/suspended/"
    assert 'name="words"' in text(client.get(page))
    for words in ("", "x" * 1001):
        text(client.post(page, {"words": words}), 422)
    sent = client.post(page, {"words": WORDS})
    assert (sent.status_code, sent["Location"]) == (302, page)
    appeal = Appeal.objects.get()
    assert (appeal.sanction, appeal.words) == (sanction, WORDS)
    assert AuditEntry.objects.latest("id").who == ada
    shown = text(client.get(page))
    assert ">waiting<" in shown
    assert 'name="words"' not in shown
    assert "can be done once" in text(client.post(page, {"words": "Again"}), 422)
    assert Appeal.objects.count() == 1
    client.post(page, {"withdraw": "1"})
    assert fresh(appeal).standing == "withdrawn"
    client.post(page, {"words": "Once more"})
    deny(omar, Appeal.objects.open().get(), answer="It stands, sorry.")
    shown = text(client.get(page))
    assert "It stands, sorry." in shown
    assert 'name="words"' not in shown
    assert "omar" not in shown


def test_and_nothing_else(client: Client, mona: User, ada: User) -> None:
    """The password alone opens nothing but that page: every other of one's own still asks to sign
    in, and an earlier sanction is not reached by it."""
    mute = muted(mona, ada)
    suspended(mona, ada)
    kept_out(client)
    client.post("/accounts/suspended/", {"words": WORDS})
    assert not client.get("/").wsgi_request.user.is_authenticated
    own = f"/accounts/conduct/{mute.pk}/appeal/"
    before = rows()
    for path in ("/accounts/conduct/", own, f"{own}withdraw/", "/accounts/settings/"):
        for answer in (client.get(path), client.post(path, {"words": WORDS})):
            assert answer.status_code in {302, 405}
            assert answer.status_code == 405 or answer["Location"].startswith("/accounts/login/")
    assert rows() == before


def test_a_session_that_was_cut_off_appeals_too(client: Client, mona: User, ada: User) -> None:
    client.force_login(ada)
    suspended(mona, ada)
    client.post("/accounts/suspended/", {"words": WORDS})
    assert Appeal.objects.get().sanction.user == ada


def test_a_session_from_before_the_password_was_changed_does_not(
    client: Client, mona: User, ada: User
) -> None:
    client.force_login(ada)
    suspended(mona, ada)
    ada.set_password("another-fish-88")
    ada.save(update_fields=["password"])
    answer = client.post("/accounts/suspended/", {"words": WORDS})
    assert answer["Location"] == "/accounts/login/"
    assert client.get("/accounts/suspended/")["Location"] == "/accounts/login/"
    assert not Appeal.objects.exists()


def test_nor_does_a_browser_from_before_that_was_kept_out(
    client: Client, mona: User, ada: User
) -> None:
    suspended(mona, ada)
    kept_out(client)
    ada.set_password("another-fish-88")
    ada.save(update_fields=["password"])
    assert client.post("/accounts/suspended/", {"words": WORDS})["Location"] == "/accounts/login/"
    assert not Appeal.objects.exists()


def test_who_was_kept_out_is_forgotten_after_an_hour(
    client: Client, mona: User, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    suspended(mona, ada)
    kept_out(client)
    came = time.time_ns()
    for minutes, told in ((59, True), (61, False)):
        standing = SimpleNamespace(time_ns=lambda now=came + minutes * 60_000_000_000: now)
        monkeypatch.setattr(clock, "time", standing)
        assert (client.get("/accounts/suspended/").status_code == 200) is told
    assert client.post("/accounts/suspended/", {"words": WORDS})["Location"] == "/accounts/login/"
    assert not Appeal.objects.exists()


@pytest.mark.parametrize("cut_off", [False, True])
def test_whoever_leaves_the_page_leaves_it_to_nobody(
    client: Client, mona: User, ada: User, cut_off: bool
) -> None:
    if cut_off:
        client.force_login(ada)
    suspended(mona, ada)
    if not cut_off:
        kept_out(client)
    page = "/accounts/suspended/"
    assert 'name="leave"' in text(client.get(page))
    assert client.post(page, {"leave": "1"})["Location"] == "/accounts/login/"
    for answer in (client.get(page), client.post(page, {"words": WORDS})):
        assert answer["Location"] == "/accounts/login/"
    assert not Appeal.objects.exists()


def test_whoever_signs_in_after_them_is_not_taken_for_them(
    client: Client, mona: User, ada: User, person: People
) -> None:
    suspended(mona, ada)
    kept_out(client)
    person("ben")
    assert client.post("/accounts/login/", {"login": "ben", "password": PASSWORD}).status_code
    for _time in range(2):
        answer = client.post("/accounts/suspended/", {"words": WORDS})
        assert answer["Location"] == "/accounts/login/"
        client.logout()
    assert not Appeal.objects.exists()


def test_nobody_appeals_there_without_the_password(client: Client, mona: User, ada: User) -> None:
    suspended(mona, ada)
    client.post("/accounts/login/", {"login": "ada", "password": "wrong"})
    answer = client.post("/accounts/suspended/", {"words": WORDS})
    assert answer["Location"] == "/accounts/login/"
    assert not Appeal.objects.exists()


# -- who reads them ------------------------------------------------------------------------------

SECRET = "the quotation of the century"


@pytest.fixture
def said(mona: User, omar: User, ada: User) -> Appeal:
    """An appeal whose words, answer and note must reach nobody else."""
    return deny(
        omar, file(ada, muted(mona, ada), SECRET), answer=f"No, {SECRET}.", note=f"So {SECRET}."
    )


READERS = ["nobody", "player", "organiser", "staff"]


@pytest.mark.parametrize("role", READERS)
def test_nobody_else_reads_them(client: Client, role: str, said: Appeal, person: People) -> None:
    if role != "nobody":
        roles = [Role.ORGANISER] if role == "organiser" else []
        user = person("reader", *roles, is_staff=role == "staff")
        if role == "staff":
            # Even whom Django's own permissions would let.
            user.user_permissions.add(Permission.objects.get(codename="view_appeal"))
        client.force_login(user)
        assert not appeals.queue_of(user).exists()
    own = f"/accounts/conduct/{said.sanction_id}/appeal/"
    row = f"/admin/accounts/appeal/{said.pk}"
    for path in (
        "/", "/u/ada/", "/accounts/conduct/", "/accounts/suspended/", own, "/admin/",
        "/admin/accounts/appeal/", f"/admin/accounts/appeal/?state=all&q={SECRET}",
        f"{row}/change/", f"{row}/grant/", f"{row}/deny/", f"{row}/history/",
        f"/admin/accounts/sanction/{said.sanction_id}/change/", "/admin/accounts/auditentry/",
        "/api/v1/users/ada/", "/api/v1/users/", "/api/v1/me/", "/exports/",
    ):  # fmt: skip
        body = client.get(path, follow=True).content.decode()
        assert SECRET not in body.replace(f"q={SECRET}", "").replace(f'value="{SECRET}"', ""), path
    if role != "nobody":
        assert client.get(own).status_code == 404
        assert client.post(f"{own}withdraw/").status_code == 404


def test_the_person_and_moderators_read_them(
    client: Client, said: Appeal, mona: User, ada: User
) -> None:
    client.force_login(ada)
    shown = text(client.get("/accounts/conduct/"))
    assert f"“{SECRET}”" in shown
    assert f"No, {SECRET}." in shown
    assert f"So {SECRET}." not in shown
    client.force_login(mona)
    shown = text(client.get(f"/admin/accounts/appeal/{said.pk}/change/"))
    assert f"So {SECRET}." in shown


@pytest.mark.parametrize("administers", [False, True])
def test_a_moderators_own_are_not_in_their_queue(
    client: Client, mona: User, ada: User, person: People, administers: bool
) -> None:
    root = User.objects.create_superuser("ruth")
    whose, twin = (root if administers else mona), person("twin")
    other, third = (User.objects.create_superuser(name) for name in ("rita", "cara"))
    old = muted(whose, twin)  # it stays the old account's: whoever laid it has that now
    own = file(whose, muted(other, whose)), file(twin, old)
    theirs = file(ada, muted(other, ada))
    user_merge(acting_user=other, keep=whose, duplicate=twin, reason="They said so.")
    for appeal in own:
        appeal_claim(acting_user=third, appeal=appeal)
    assert own[1].sanction.user == twin
    assert list(appeals.queue_of(whose)) == [theirs]
    assert set(appeals.queue_of(other)) == {*own, theirs}
    client.force_login(whose)
    start = text(client.get("/admin/"))
    shown = text(client.get("/admin/accounts/appeal/?state=all"))
    log = text(client.get("/admin/accounts/auditentry/"))
    for entry in AuditEntry.objects.filter(action__startswith="appeal."):
        told = f"/admin/accounts/auditentry/{entry.pk}/" in log
        assert told is (entry.target_id == str(theirs.pk)), entry.action
    for appeal in own:
        row = f"/admin/accounts/appeal/{appeal.pk}/"
        sanction = text(client.get(f"/admin/accounts/sanction/{appeal.sanction_id}/change/"))
        assert row not in start + shown + sanction
        for page in ("change", "history", "deny"):
            answer = client.get(f"{row}{page}/", follow=True)
            assert "cara" not in answer.content.decode(), page
            assert appeal.words not in answer.content.decode(), page
    assert f"/admin/accounts/appeal/{theirs.pk}/" in shown
    refused("appeal.your-own", partial(deny, whose, own[1]))


def test_no_other_part_of_the_site_knows_of_them() -> None:
    """What the API, exports, webhooks and bots give out cannot have them: nothing there names the
    table, or gets to it by a relation."""
    named = re.compile(r"\bAppeal\b|appeals(_|\b)|accounts_appeal")
    own = {"accounts/models", "accounts/moderation", "accounts/admin", "accounts/migrations"}
    own |= {"accounts/views.py", "accounts/mail.py", "accounts/forms.py"}
    knowing = {
        path.relative_to(ROOT).as_posix()
        for app in ("accounts", "config", "core", "games", "tournaments")
        for path in (ROOT / app).rglob("*.py")
        if named.search(path.read_text())
    }
    assert "accounts/moderation/appeals.py" in knowing
    assert {path for path in knowing if not path.startswith(tuple(own))} == set()


# -- the database's own word ---------------------------------------------------------------------

WHEN = "2040-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("fields", "constraint"),
    [
        ({"words": ""}, "appeal_words_given"),
        ({"claimed_at": WHEN}, "appeal_claimed_whole"),
        ({"outcome": "granted"}, "appeal_answered_whole"),
        ({"answer": "No"}, "appeal_answered_whole"),
        ({"until": WHEN}, "appeal_answered_whole"),
        ({"answered_at": WHEN}, "appeal_answered_whole"),
        ({"answered_at": WHEN, "answered_by": 1, "outcome": "maybe"}, "appeal_answered_whole"),
        ({"answered_at": WHEN, "answered_by": 1, "outcome": "denied"}, "appeal_answered_whole"),
        (
            {
                "answered_at": WHEN,
                "answered_by": 1,
                "outcome": "denied",
                "answer": "No",
                "until": WHEN,
            },
            "appeal_answered_whole",
        ),
        (
            {"answered_at": WHEN, "answered_by": 1, "outcome": "granted", "withdrawn_at": WHEN},
            "appeal_withdrawn_or_answered",
        ),
    ],
)
def test_constraints(fields: dict[str, Any], constraint: str, mona: User, ada: User) -> None:
    row = {"sanction": muted(mona, ada), "words": WORDS, **fields}
    if "answered_by" in row:
        row["answered_by"] = mona
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        Appeal.objects.create(**row)


def test_one_for_each_sanction_in_the_database_too(mona: User, ada: User) -> None:
    mute = muted(mona, ada)
    Appeal.objects.create(sanction=mute, words=WORDS, withdrawn_at=timezone.now())
    Appeal.objects.create(sanction=mute, words=WORDS)
    with pytest.raises(IntegrityError, match="appeal_once"), transaction.atomic():
        Appeal.objects.create(sanction=mute, words=WORDS)
