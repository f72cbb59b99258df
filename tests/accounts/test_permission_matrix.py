"""Who may do which moderating action, on every surface: the service, the admin site, the pages.

One table for all. An action that is allowed leaves its audit entry; one that is not changes no row.
Everybody is made and signed in once, in a transaction that is never committed; what a test does in
it is undone.

Only a whole run has everybody try every action: else the roles that may do something try each, and
of the seven others three in turn.
"""

import inspect
import itertools
from collections.abc import Callable, Iterator
from datetime import timedelta
from http.cookies import SimpleCookie
from typing import Any, NamedTuple

import pytest
from django.contrib import admin
from django.db import transaction
from django.test import Client, RequestFactory
from django.urls import resolve
from django.utils import timezone

from accounts import services
from accounts.leaving import export
from accounts.leaving import services as leaving
from accounts.models import (
    AccountMerge,
    Appeal,
    AuditEntry,
    RegistrationChange,
    Report,
    Sanction,
    SiteAnnouncement,
    User,
)
from accounts.moderation import appeals, merging, reports, sanctions, second_factors, several
from accounts.moderation.actions import TABLES, USERS
from accounts.moderation.appeals import (
    appeal_claim,
    appeal_deny,
    appeal_file,
    appeal_grant,
    appeal_release,
)
from accounts.moderation.merging import user_merge
from accounts.moderation.reports import report_claim, report_file, report_release, report_resolve
from accounts.moderation.sanctions import sanction_lift, user_mute, user_suspend, user_warn
from accounts.moderation.second_factors import second_factor_reset
from accounts.moderation.several import sanctions_lift, users_sanction
from accounts.roles import Role
from accounts.services import role_grant, role_revoke, user_close, user_reopen
from accounts.site import announcements, registration
from accounts.site import second_factors as second_factor_rules
from accounts.site.announcements import site_announcement_end, site_announcement_publish
from accounts.site.registration import registration_set
from accounts.site.second_factors import second_factor_rule_set
from accounts.tokens import services as tokens
from core.refusals import Refusal
from tests.accounts.conftest import PASSWORD, made_person
from tests.accounts.factors import with_app
from tests.support import depth

People = Callable[..., User]

ROLES = [
    "nobody", "player", "organiser", "moderator", "superuser", "muted", "suspended",
    "muted-moderator", "suspended-moderator", "closed-moderator",
]  # fmt: skip
# A mute concerns chats only. Who is suspended cannot sign in; the services ask for the role.
JUDGES = {"moderator", "superuser", "muted-moderator"}


class Scene(NamedTuple):
    """Whom and what the actions concern."""

    victim: User
    twin: User
    closed: User
    sanction: Sanction
    report: Report
    claimed: Report
    appeal: Appeal
    claimed_appeal: Appeal
    announcement: SiteAnnouncement


class Everybody:
    """The scene, and one person of each role, signed in (None and nobody where there is none)."""

    def __init__(self) -> None:
        self.scene = made_scene()
        self.actors = {role: actor(role, f"actor{n}") for n, role in enumerate(ROLES)}
        self.clients = {role: Client() for role in ROLES}
        for role, user in self.actors.items():
            if user is not None:
                self.clients[role].force_login(user)
        self.cookies = {role: self.clients[role].cookies.output(header="") for role in ROLES}
        # Before anybody does anything; each test is undone.
        self.rows = rows()

    def actor(self, role: str) -> User | None:
        """Somebody of this role, as the database has them; None is nobody."""
        by = self.actors[role]
        return None if by is None else User.objects.get(pk=by.pk)

    def client(self, role: str) -> Client:
        """Their browser, as after signing in."""
        client = self.clients[role]
        client.cookies = SimpleCookie(self.cookies[role])
        return client


def made_scene() -> Scene:
    chief = User.objects.create_superuser("chief")
    victim, reporter = made_person("victim"), made_person("reporter")
    closed = made_person("closed", is_active=False)

    def report(name: str) -> Report:
        return report_file(
            acting_user=reporter,
            target_type="accounts.user",
            target_id=name,
            reason="abuse",
            words="Look.",
        )

    reports = report("victim"), report("closed")
    report_claim(acting_user=chief, report=reports[1])
    sanction = user_warn(acting_user=chief, user=victim, reason="Be kind")
    twin = made_person("twin")
    with_app(victim)
    # Of a moderator who is nobody of those that try.
    judge = made_person("judge", Role.MODERATOR)

    def appeal(user: User) -> Appeal:
        warning = user_warn(acting_user=judge, user=user, reason="Be gentle")
        return appeal_file(acting_user=user, sanction=warning, words="I was.")

    appeals = appeal(victim), appeal(twin)
    appeal_claim(acting_user=chief, appeal=appeals[1])
    announcement = site_announcement_publish(acting_user=chief, words="It will be slow today.")
    return Scene(victim, twin, closed, sanction, *reports, *appeals, announcement)


@pytest.fixture(scope="module")
def everybody(django_db_setup: None, django_db_blocker: Any) -> Iterator[Everybody]:
    with django_db_blocker.unblock(), transaction.atomic():
        yield Everybody()
        transaction.set_rollback(True)


@pytest.fixture
def _django_db_helper(everybody: Everybody) -> Iterator[None]:
    """In place of a transaction for each test."""
    before = transaction.savepoint()
    yield
    transaction.savepoint_rollback(before)


@pytest.fixture
def scene(db: None, everybody: Everybody) -> Scene:
    """The scene, as the database has it: services change the objects that they are given."""
    fresh: list[Any] = [type(row)._default_manager.get(pk=row.pk) for row in everybody.scene]
    return Scene(*fresh)


def in_a_day() -> Any:
    return timezone.now() + timedelta(days=1)


class Permission(NamedTuple):
    """An action: by its audit entry, by service (None where the admin site's own form does it) and
    what that is given, and by address and form in the admin site; who may."""

    action: str
    service: Callable[..., object] | None
    given: Callable[[Scene], dict[str, Any]]
    address: Callable[[Scene], str]
    form: dict[str, str]
    allowed: set[str]


def user_page(name: str, whose: str = "victim") -> Callable[[Scene], str]:
    return lambda scene: f"/admin/accounts/user/{getattr(scene, whose).pk}/{name}/"


def report_page(name: str, which: str = "report") -> Callable[[Scene], str]:
    return lambda scene: f"/admin/accounts/report/{getattr(scene, which).pk}/{name}/"


def appeal_page(name: str, which: str = "appeal") -> Callable[[Scene], str]:
    return lambda scene: f"/admin/accounts/appeal/{getattr(scene, which).pk}/{name}/"


def people_page(name: str) -> Callable[[Scene], str]:
    return lambda scene: (
        f"/admin/accounts/user/several/{name}/?row={scene.victim.pk}&row={scene.twin.pk}"
    )


LASTING = {"reason": "Rude", "lasts": "day"}
PERMISSIONS = {
    "warn": Permission(
        "user.warn",
        user_warn,
        lambda s: {"user": s.victim, "reason": "Rude"},
        user_page("warn"),
        LASTING,
        JUDGES,
    ),
    "mute": Permission(
        "user.mute",
        user_mute,
        lambda s: {"user": s.victim, "reason": "Rude", "until": in_a_day()},
        user_page("mute"),
        LASTING,
        JUDGES,
    ),
    "suspend": Permission(
        "user.suspend",
        user_suspend,
        lambda s: {"user": s.victim, "reason": "Rude", "until": None},
        user_page("suspend"),
        {"reason": "Rude", "lasts": "open", "typed": "victim"},
        JUDGES,
    ),
    "warn-several": Permission(
        "user.warn",
        users_sanction,
        lambda s: {"users": [s.victim, s.twin], "kind": Sanction.Kind.WARNING, "reason": "Rude"},
        people_page("warn_several"),
        LASTING,
        JUDGES,
    ),
    "mute-several": Permission(
        "user.mute",
        users_sanction,
        lambda s: {"users": [s.victim, s.twin], "kind": Sanction.Kind.MUTE, "reason": "Rude"},
        people_page("mute_several"),
        LASTING,
        JUDGES,
    ),
    "suspend-several": Permission(
        "user.suspend",
        users_sanction,
        lambda s: {"users": [s.victim, s.twin], "kind": Sanction.Kind.SUSPENSION, "reason": "Rude"},
        people_page("suspend_several"),
        {"reason": "Rude", "lasts": "open", "typed": "suspend 2"},
        JUDGES,
    ),
    "lift-several": Permission(
        "sanction.lift",
        sanctions_lift,
        lambda s: {"chosen": [s.sanction], "why": "A mistake"},
        lambda s: f"/admin/accounts/sanction/several/lift_several/?row={s.sanction.pk}",
        {"why": "A mistake"},
        JUDGES,
    ),
    "claim-appeal": Permission(
        "appeal.claim",
        appeal_claim,
        lambda s: {"appeal": s.appeal},
        appeal_page("claim"),
        {},
        JUDGES,
    ),
    "grant-appeal": Permission(
        "appeal.grant",
        appeal_grant,
        lambda s: {"appeal": s.appeal},
        appeal_page("grant"),
        {"answer": "You are right."},
        JUDGES,
    ),
    "deny-appeal": Permission(
        "appeal.deny",
        appeal_deny,
        lambda s: {"appeal": s.appeal, "answer": "It stands."},
        appeal_page("deny"),
        {"answer": "It stands."},
        JUDGES,
    ),
    "release-anothers-appeal": Permission(
        "appeal.release",
        appeal_release,
        lambda s: {"appeal": s.claimed_appeal},
        appeal_page("release", "claimed_appeal"),
        {},
        {"superuser"},
    ),
    "lift": Permission(
        "sanction.lift",
        sanction_lift,
        lambda s: {"sanction": s.sanction, "why": "A mistake"},
        lambda s: f"/admin/accounts/sanction/{s.sanction.pk}/lift/",
        {"why": "A mistake"},
        JUDGES,
    ),
    "close": Permission(
        "user.close",
        user_close,
        lambda s: {"user": s.victim, "reason": "Fraud"},
        user_page("close"),
        {"reason": "Fraud", "typed": "victim"},
        JUDGES,
    ),
    "reopen": Permission(
        "user.reopen",
        user_reopen,
        lambda s: {"user": s.closed, "reason": "A mistake"},
        user_page("reopen", "closed"),
        {"reason": "A mistake"},
        JUDGES,
    ),
    "merge": Permission(
        "user.merge",
        user_merge,
        lambda s: {"keep": s.victim, "duplicate": s.twin, "reason": "Same address"},
        user_page("merge", "twin"),
        {"keep": "victim", "reason": "Same address", "typed": "twin"},
        JUDGES,
    ),
    "claim": Permission(
        "report.claim",
        report_claim,
        lambda s: {"report": s.report},
        report_page("claim"),
        {},
        JUDGES,
    ),
    "resolve": Permission(
        "report.resolve",
        report_resolve,
        lambda s: {"report": s.report, "outcome": "acted"},
        report_page("resolve"),
        {"outcome": "acted"},
        JUDGES,
    ),
    "release-anothers": Permission(
        "report.release",
        report_release,
        lambda s: {"report": s.claimed},
        report_page("release", "claimed"),
        {},
        {"superuser"},
    ),
    "grant": Permission(
        "user.grant_role",
        role_grant,
        lambda s: {"user": s.victim, "role": Role.ORGANISER},
        lambda s: "/admin/accounts/user/",
        {"action": "make_organisers", "_selected_action": "{victim}"},
        {"superuser"},
    ),
    "revoke": Permission(
        "user.revoke_role",
        role_revoke,
        lambda s: {"user": s.twin, "role": Role.ORGANISER},
        lambda s: "/admin/accounts/user/",
        {"action": "unmake_organisers", "_selected_action": "{twin}"},
        {"superuser"},
    ),
    "grant-moderator": Permission(
        "user.grant_role",
        role_grant,
        lambda s: {"user": s.victim, "role": Role.MODERATOR},
        lambda s: "/admin/accounts/user/",
        {"action": "make_moderators", "_selected_action": "{victim}"},
        {"superuser"},
    ),
    "revoke-moderator": Permission(
        "user.revoke_role",
        role_revoke,
        lambda s: {"user": s.twin, "role": Role.MODERATOR},
        lambda s: "/admin/accounts/user/",
        {"action": "unmake_moderators", "_selected_action": "{twin}"},
        {"superuser"},
    ),
    "announce": Permission(
        "site.announce",
        site_announcement_publish,
        lambda s: {"words": "We are back at nine."},
        lambda s: "/admin/accounts/siteannouncement/add/",
        {
            "words": "We are back at nine.",
            "begins_at": "",
            "ends_at": "",
        },
        JUDGES,
    ),
    "end-an-announcement": Permission(
        "site.announcement_end",
        site_announcement_end,
        lambda s: {"announcement": s.announcement},
        lambda s: f"/admin/accounts/siteannouncement/{s.announcement.pk}/end/",
        {},
        JUDGES,
    ),
    "close-registration": Permission(
        "site.registration_close",
        registration_set,
        lambda s: {"is_open": False, "words": "Too many robots."},
        lambda s: "/admin/accounts/registrationchange/add/",
        {"is_open": "no", "words": "Too many robots."},
        JUDGES,
    ),
    "reset-a-second-factor": Permission(
        "user.second_factor_reset",
        second_factor_reset,
        lambda s: {"user": s.victim, "reason": "Lost the phone"},
        user_page("reset_second_factor"),
        {"reason": "Lost the phone", "typed": "victim"},
        {"superuser"},
    ),
    "ask-organisers-for-one": Permission(
        "site.second_factor_require",
        second_factor_rule_set,
        lambda s: {"of_organisers": True},
        lambda s: "/admin/accounts/secondfactorrule/add/",
        {"of_organisers": "yes"},
        {"superuser"},
    ),
    "create": Permission(
        "user.admin_create",
        None,
        lambda s: {},
        lambda s: "/admin/accounts/user/add/",
        {
            "username": "new",
            "usable_password": "true",
            "password1": PASSWORD,
            "password2": PASSWORD,
        },
        {"superuser"},
    ),
    "change": Permission(
        "user.admin_change",
        None,
        lambda s: {},
        user_page("change"),
        {"display_name": "Victor", "email": "victim@example.org", "time_zone": "", "theme": "auto"},
        {"superuser"},
    ),
    "set-a-password": Permission(
        "user.admin_password",
        None,
        lambda s: {},
        user_page("password"),
        {"usable_password": "true", "password1": "octopus-88", "password2": "octopus-88"},
        {"superuser"},
    ),
}
# Rows that moderators add, each by an action above.
ADDED_BY_MODERATORS = {SiteAnnouncement, RegistrationChange}
# Services that ask who it is, and are about one's own account or read.
ELSEWHERE = {
    "audit_record": "the log itself: test_audit.py",
    "audit_records": "the log itself: test_audit.py",
    "user_update_profile": "one's own: test_services.py",
    "warning_acknowledge": "one's own: below, and test_sanctions.py",
    "appeal_file": "one's own: test_appeals.py",
    "appeal_withdraw": "one's own: test_appeals.py",
    "sanction_shorten": "a part of granting an appeal: test_appeals.py",
    "must_be_moderator": "asks: every sanction does",
    "must_decide": "asks: everything about an appeal does",
    "must_be_appealable": "asks: appeal_file does",
    "must_be_answerable": "asks: appeal_grant does",
    "must_be_deniable": "asks: appeal_deny does",
    "report_file": "everybody's: below, and test_reports.py",
    "merge_preview": "reads: test_merging.py",
    "lock_for_sanction": "a part of the sanctions and the merge",
    "must_reset": "asks: taking a second factor away does",
    "must_be_resettable": "asks: taking a second factor away does",
    "must_administer": "asks: giving and taking roles do",
    "must_handle": "asks: everything about a report does",
    "must_judge": "asks: every sanction does",
    "must_moderate": "asks: closing and reopening do",
    "must_be_mergeable": "asks: the merge does",
    "must_be_open": "asks: everything about a report does",
    "must_be_claimable": "asks: report_claim does",
    "must_be_releasable": "asks: report_release does",
    "must_be_resolvable": "asks: report_resolve does",
    "token_create": "one's own: test_tokens.py",
    "token_revoke": "one's own: test_tokens.py",
    "tokens_revoke": "one's own: tests/security/test_sessions.py",
    "user_become_bot": "one's own: test_tokens.py",
    "deletion_ask": "one's own: tests/security/test_deletion.py",
    "deletion_cancel": "one's own: tests/security/test_deletion.py",
    "export_record": "one's own: tests/security/test_export.py",
    "address_change_drop": "a part of new passwords, signing out and undoing: test_undoing.py",
    "deletion_drop": "a part of thinking again, of new passwords and undoing: test_undoing.py",
    "discord_link_end": "a part of unlinking, of merges, and of new passwords",
    "password_given": "notes what the page above has done: test_new_password.py",
}


def actor(role: str, name: str) -> User | None:
    """Somebody of this role; None is nobody."""
    if role == "nobody":
        return None
    if role == "superuser":
        return User.objects.create_superuser(name)
    what, _hyphen, rank = role.rpartition("-")
    ranks = {"organiser": [Role.ORGANISER], "moderator": [Role.MODERATOR]}
    user = made_person(name, *ranks.get(rank, []))
    chief = User.objects.get(username="chief")
    state = what or rank
    if state == "muted":
        user_mute(acting_user=chief, user=user, reason="Rude", until=None)
    elif state == "suspended":
        user_suspend(acting_user=chief, user=user, reason="Rude", until=None)
    elif state == "closed":
        user_close(acting_user=chief, user=user, reason="Rude")
    return user


def rows() -> list[Any]:
    models: tuple[Any, ...] = (
        User, Sanction, Appeal, Report, AccountMerge, AuditEntry,
    )  # fmt: skip
    return [
        [
            {name: value for name, value in row.items() if name != "last_login"}
            for row in model.objects.order_by("pk").values()
        ]
        for model in models
    ]


def rows_for(name: str, scene: Scene, everybody: Everybody) -> list[Any]:
    """What there is once somebody has the role that an action takes away."""
    roles = {"revoke": Role.ORGANISER, "revoke-moderator": Role.MODERATOR}
    if name not in roles:
        return everybody.rows
    chief = User.objects.get(username="chief")
    role_grant(acting_user=chief, user=scene.twin, role=roles[name])
    return rows()


def test_everything_that_the_admin_site_can_change_is_in_the_table(
    scene: Scene, person: People
) -> None:
    asked = {
        (
            resolve(permission.address(scene).partition("?")[0]).url_name,
            permission.form.get("action", ""),
        )
        for permission in PERMISSIONS.values()
    }
    request, moderator = RequestFactory().get("/admin/"), RequestFactory().get("/admin/")
    request.user = User.objects.get(username="chief")
    moderator.user = person("mona", Role.MODERATOR)
    for model, its in admin.site._registry.items():
        meta = model._meta
        if meta.app_label in ("games", "tournaments"):
            continue  # tests/permissions
        prefix = f"{meta.app_label}_{meta.model_name}"
        for may in (its.has_add_permission, its.has_change_permission, its.has_delete_permission):
            adds = model in ADDED_BY_MODERATORS and may == its.has_add_permission
            assert may(moderator) == adds, model
        if meta.app_label != "accounts":
            continue  # Django's and the libraries' own, for superusers
        assert not its.has_delete_permission(request), model
        reading = {f"{prefix}_{each}" for each in ("changelist", "history", "delete")}
        if not its.has_add_permission(request):
            reading.add(f"{prefix}_add")
        if not its.has_change_permission(request):
            reading.add(f"{prefix}_change")
        for name in {each.name for each in its.get_urls() if each.name} - reading:
            assert (name, "") in asked, name
        # What concerns several has a page, which the list only leads to.
        pages = {each.name for each in getattr(its, "several_actions", ())}
        for name in set(its.get_actions(request)) - {"delete_selected"} - pages:
            assert (f"{prefix}_changelist", name) in asked, (model, name)


def test_every_action_of_moderation_is_in_the_table(scene: Scene) -> None:
    asked = {
        (resolve(each.address(scene).partition("?")[0]).url_name, each.form.get("action", ""))
        for each in PERMISSIONS.values()
    }
    on_rows = {(table.of, each.name) for table in TABLES if table is not USERS for each in table}
    offered = {(f"accounts_{of}_{name}", "") for of, name in on_rows}
    offered |= {("accounts_user_changelist", each.name) for each in USERS}
    assert len(offered) == 23
    assert sorted(offered - asked) == []


def test_every_service_that_asks_who_it_is_is_in_the_table() -> None:
    called = {each.service.__name__ for each in PERMISSIONS.values() if each.service}
    asking = {
        name
        for module in (
            services,
            sanctions,
            several,
            appeals,
            reports,
            merging,
            tokens,
            announcements,
            registration,
            second_factors,
            second_factor_rules,
            leaving,
            export,
        )
        for name, each in inspect.getmembers(module, inspect.isfunction)
        if each.__module__ == module.__name__
        and not name.startswith("_")
        and "acting_user" in inspect.signature(each).parameters
    }
    assert len(asking) > 15
    assert asking - called == set(ELSEWHERE)


def who_tries() -> list[tuple[str, str]]:
    """Actions, and the roles of those who try them; see above."""
    if depth.whole:
        return [(name, role) for name in PERMISSIONS for role in ROLES]
    never = itertools.cycle([role for role in ROLES if role not in JUDGES])
    return [
        (name, role)
        for name in PERMISSIONS
        for role in sorted({*JUDGES, *itertools.islice(never, 3)}, key=ROLES.index)
    ]


@pytest.mark.parametrize(
    ("name", "role"), [each for each in who_tries() if PERMISSIONS[each[0]].service]
)
def test_by_service(name: str, role: str, scene: Scene, everybody: Everybody) -> None:
    permission, by = PERMISSIONS[name], everybody.actor(role)
    if by is None or permission.service is None:
        return  # a service is asked by somebody
    before = rows_for(name, scene, everybody)
    # The services ask for the role; a suspension is kept out at the door, as the next test shows.
    if role in permission.allowed or (
        role == "suspended-moderator" and "moderator" in permission.allowed
    ):
        permission.service(acting_user=by, **permission.given(scene))
        assert AuditEntry.objects.filter(action=permission.action, who=by).exists()
    else:
        with pytest.raises(Refusal), transaction.atomic():
            permission.service(acting_user=by, **permission.given(scene))
        assert rows() == before


@pytest.mark.parametrize(("name", "role"), who_tries())
def test_by_admin_site(name: str, role: str, scene: Scene, everybody: Everybody) -> None:
    permission, by = PERMISSIONS[name], everybody.actors[role]
    before = rows_for(name, scene, everybody)
    names = {"victim": scene.victim.pk, "twin": scene.twin.pk}
    form = {key: value.format_map(names) for key, value in permission.form.items()}
    response = everybody.client(role).post(permission.address(scene), form)
    if role in permission.allowed:
        assert response.status_code == 302
        assert AuditEntry.objects.filter(action=permission.action, who=by).exists()
    else:
        assert rows() == before
        if role not in JUDGES:
            assert response["Location"].startswith("/admin/login/")


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("surface", ["conduct", "report", "acknowledge", "appeal", "profile"])
def test_pages_of_players(surface: str, role: str, scene: Scene, everybody: Everybody) -> None:
    """Everybody who can sign in may report and read their own; nobody reads another's."""
    client = everybody.client(role)
    inside = role not in ("nobody", "suspended", "suspended-moderator", "closed-moderator")
    if surface == "conduct":
        response = client.get("/accounts/conduct/")
        assert response.status_code == (200 if inside else 302)
        assert "Be kind" not in response.content.decode()
    elif surface == "report":
        form = {"reason": "spam", "words": "Look."}
        client.post("/accounts/report/accounts.user/twin/", form)
        assert Report.objects.filter(about=scene.twin).exists() == inside
    elif surface == "acknowledge":
        address = f"/accounts/conduct/{scene.sanction.pk}/acknowledge/"
        assert client.post(address).status_code == (404 if inside else 302)
        scene.sanction.refresh_from_db()
        assert scene.sanction.acknowledged_at is None
    elif surface == "appeal":
        before = list(Appeal.objects.values())
        address = f"/accounts/conduct/{scene.appeal.sanction_id}/appeal/"
        for answer in (
            client.get(address), client.post(address, {"words": "Me too."}),
            client.post(f"{address}withdraw/"),
        ):  # fmt: skip
            assert answer.status_code == (404 if inside else 302)
        assert list(Appeal.objects.values()) == before
    else:
        page = client.get("/u/victim/").content.decode()
        assert "Be kind" not in page
        assert "Warning" not in page
