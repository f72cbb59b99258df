"""Reports: filing, the moderators' work on them, and what the reporter hears."""

import inspect
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.core import mail as outbox
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.test import Client, TestCase
from django.utils import timezone

from accounts.models import AuditEntry, Report, User
from accounts.moderation import appeals, reports
from accounts.moderation.reports import (
    ContextLine,
    Target,
    queue_of,
    register_target,
    remedies_of,
    report_claim,
    report_file,
    report_release,
    report_resolve,
)
from accounts.roles import Role
from core.refusals import Refusal
from tests.accounts.conftest import with_confirmed_address

People = Callable[..., User]
Actions = Callable[[], list[str]]


@pytest.fixture
def ada(person: People) -> User:
    return person("ada", display_name="Ada L.")


@pytest.fixture
def ben(person: People) -> User:
    return person("ben")


def file(by: User, target_id: str = "ada", **more: Any) -> Report:
    given = {
        "acting_user": by,
        "target_type": "accounts.user",
        "target_id": target_id,
        "reason": "abuse",
        "words": "She shouts.",
    }
    return report_file(**{**given, **more})


def refused(code: str, call: Callable[[], object]) -> Refusal:
    before = [list(m._default_manager.order_by("pk").values()) for m in (Report, AuditEntry)]
    with pytest.raises(Refusal) as caught, transaction.atomic():
        call()
    assert caught.value.code == code
    assert caught.value.sentence.endswith((".", "?"))
    after = [list(m._default_manager.order_by("pk").values()) for m in (Report, AuditEntry)]
    assert before == after
    return caught.value


def test_a_report_keeps_what_things_looked_like(ada: User, ben: User, actions: Actions) -> None:
    report = file(ben, "ADA", words="  She shouts.  ")
    assert (report.reporter, report.about, report.words) == (ben, ada, "She shouts.")
    assert (report.title, report.url, report.standing) == ("Ada L. (@ada)", "/u/ada/", "open")
    User.objects.filter(pk=ada.pk).update(display_name="Somebody nice")
    report.refresh_from_db()
    assert ["Display name at the time", "Ada L."] in report.context["facts"]
    assert actions() == ["report.file"]


def test_refusals(ada: User, ben: User) -> None:
    refused("report.nothing", partial(file, ben, "nobody1"))
    refused("report.nothing", partial(file, ben, target_type="tests.unknown"))
    refused("report.yourself", partial(file, ada))
    assert refused("report.reason", partial(file, ben, reason="dislike")).field == "reason"
    assert refused("report.words-missing", partial(file, ben, words=" ")).field == "words"
    refused("report.words-too-long", partial(file, ben, words="x" * 1001))
    file(ben)
    refused("report.already", partial(file, ben))


def test_the_same_may_be_reported_again_once_answered(ada: User, ben: User, mona: User) -> None:
    report_resolve(acting_user=mona, report=file(ben), outcome="acted")
    assert file(ben).pk


def test_how_many_in_an_hour(ada: User, ben: User, person: People) -> None:
    for number in range(reports.REPORTS_AT_MOST):
        file(ben, person(f"player{number}").username)
    refused("report.too-many", partial(file, ben))
    hour_ago = timezone.now() - reports.REPORTS_PER - timedelta(seconds=1)
    Report.objects.filter(reporter=ben).update(at=hour_ago)
    assert file(ben).pk


# -- working on them -----------------------------------------------------------------------------


def test_claiming_and_giving_back(ada: User, ben: User, mona: User, person: People) -> None:
    other, root = person("omar", Role.MODERATOR), User.objects.create_superuser("ruth")
    report = file(ben)
    refused("report.not-claimed", partial(report_release, acting_user=mona, report=report))
    claimed = report_claim(acting_user=mona, report=report)
    assert (claimed.standing, claimed.claimed_by) == ("claimed", mona)
    refused("report.claimed", partial(report_claim, acting_user=other, report=report))
    refused("report.claimed", partial(report_release, acting_user=other, report=report))
    refused(
        "report.claimed",
        partial(report_resolve, acting_user=other, report=report, outcome="acted"),
    )
    assert report_release(acting_user=root, report=report).standing == "open"


def test_an_answer_reaches_the_reporter(
    client: Client, ada: User, ben: User, mona: User, actions: Actions
) -> None:
    report = file(with_confirmed_address(ben))
    with TestCase.captureOnCommitCallbacks(execute=True):
        report_resolve(
            acting_user=mona,
            report=report,
            outcome="no-breach",
            answer="It was a joke between friends.",
            note="they are a couple",
        )
    (letter,) = outbox.outbox
    assert letter.to == ["ben@example.org"]
    assert letter.subject == "[Gauntlet] Your report: We found no breach of the rules"
    assert "It was a joke between friends." in letter.body
    client.force_login(ben)
    page = client.get("/accounts/conduct/").content.decode()
    assert "It was a joke between friends." in page
    for words in (letter.body, page):
        assert "couple" not in words
    client.force_login(ada)
    assert "She shouts" not in client.get("/accounts/conduct/").content.decode()
    assert actions() == ["report.file", "report.resolve"]
    refused(
        "report.closed", partial(report_resolve, acting_user=mona, report=report, outcome="acted")
    )
    refused("report.closed", partial(report_claim, acting_user=mona, report=report))


def test_resolving_needs_an_outcome(ada: User, ben: User, mona: User) -> None:
    report = file(ben)
    resolve = partial(report_resolve, acting_user=mona, report=report)
    assert refused("report.outcome", partial(resolve, outcome="dunno")).field == "outcome"
    refused("report.answer-too-long", partial(resolve, outcome="acted", answer="x" * 1001))


@pytest.mark.parametrize("service", [report_claim, report_release, report_resolve])
def test_who_may_work_on_one(
    service: Callable[..., Report], ada: User, ben: User, mona: User, person: People
) -> None:
    root = User.objects.create_superuser("ruth")
    more = {"outcome": "acted"} if service is report_resolve else {}
    report = file(ben)
    for by in (ada, ben, person("orla", Role.ORGANISER)):
        refused("report.not-moderator", partial(service, acting_user=by, report=report, **more))
    about = file(ben, "mona")
    refused("report.about-you", partial(service, acting_user=mona, report=about, **more))
    own = file(root, "ada")
    refused("report.your-own", partial(service, acting_user=root, report=own, **more))


# -- what other apps let be reported -------------------------------------------------------------


@pytest.fixture
def pots(ben: User) -> Iterator[None]:
    def find(_reader: User, target_id: str) -> Target | None:
        lines = [ContextLine("Ben", "a lid", "2040-01-01T00:00:00+00:00", quoted=True)]
        return Target(f"pot {target_id}", "/", about=ben, lines=lines)

    register_target(
        "tests.pot",
        find,
        remedies=lambda report: [(f"Mend pot {report.target_id}", "/")],
        withheld=lambda moderator: Q(target_id=moderator.username),
    )
    yield
    del reports._kinds["tests.pot"]


def test_other_apps_bring_context_and_remedies(
    client: Client, pots: None, ada: User, mona: User
) -> None:
    client.force_login(ada)
    assert "a lid" in client.get("/accounts/report/tests.pot/7/").content.decode()
    report = file(ada, "7", target_type="tests.pot")
    assert report.context["lines"][0]["quoted"] is True
    assert remedies_of(report) == [("Mend pot 7", "/")]
    hidden = file(ada, "mona", target_type="tests.pot")
    assert list(queue_of(mona)) == [report]
    refused("report.own-match", partial(report_claim, acting_user=mona, report=hidden))
    assert not queue_of(ada).exists()


@pytest.mark.parametrize(
    ("fields", "constraint"),
    [
        ({"reason": "dislike"}, "report_reason_known"),
        ({"words": ""}, "report_whole"),
        ({"title": ""}, "report_whole"),
        ({"claimed_at": "2040-01-01T00:00:00Z"}, "report_claimed_whole"),
        ({"outcome": "acted"}, "report_closed_whole"),
        ({"closed_at": "2040-01-01T00:00:00Z"}, "report_closed_whole"),
    ],
)
def test_constraints(fields: dict[str, Any], constraint: str, ada: User, ben: User) -> None:
    row = {
        "reporter": ben,
        "about": ada,
        "target_type": "accounts.user",
        "target_id": "ada",
        "title": "Ada",
        "reason": "abuse",
        "words": "She shouts.",
        **fields,
    }
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        Report.objects.create(**row)


# -- pages ---------------------------------------------------------------------------------------


def test_the_link_is_on_others_profiles(client: Client, ada: User, ben: User) -> None:
    link = "/accounts/report/accounts.user/ada/"
    assert link not in client.get("/u/ada/").content.decode()
    client.force_login(ada)
    assert link not in client.get("/u/ada/").content.decode()
    client.force_login(ben)
    assert link in client.get("/u/ada/").content.decode()


def test_the_page(client: Client, ada: User, ben: User) -> None:
    page = "/accounts/report/accounts.user/ada/"
    assert client.get(page).status_code == 302
    client.force_login(ben)
    assert client.get(page).status_code == 200
    assert client.delete(page).status_code == 405
    assert client.get("/accounts/report/accounts.user/nobody1/").status_code == 404
    for form in ({}, {"reason": "abuse"}, {"reason": "x", "words": "y"}):
        assert client.post(page, form).status_code == 422
    assert not Report.objects.exists()
    done = client.post(page, {"reason": "abuse", "words": "She shouts."})
    assert (done.status_code, done["Location"]) == (302, "/accounts/conduct/")
    assert Report.objects.get().reporter == ben


def test_reports_and_appeals_are_taken_on_alike() -> None:
    """One mechanism: neither module writes who has taken something on by itself."""
    for module in (reports, appeals):
        text = inspect.getsource(module)
        assert "claimed_by" not in text, module.__name__
        assert "claimed_at" not in text, module.__name__
