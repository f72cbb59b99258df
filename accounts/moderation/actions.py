"""What moderators can do to people, sanctions and reports, in tables: see `core.actions`. What they
can do to an appeal is beside it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from django.utils.formats import date_format
from django.utils.functional import cached_property
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from accounts.models import Report, Sanction, User
from accounts.moderation import merging, reports, sanctions, several
from accounts.moderation.appeal_actions import APPEAL
from accounts.moderation.forms import (
    LiftForm,
    MergeForm,
    ReasonForm,
    ResolveForm,
    SanctionForm,
)
from accounts.moderation.second_factors import must_be_resettable, second_factor_reset
from accounts.roles import Role
from accounts.services import (
    must_administer,
    must_be_reopenable,
    must_hold_role,
    must_lack_role,
    must_moderate,
    must_not_be_closed,
    role_grant,
    role_revoke,
    user_close,
    user_reopen,
)
from core.actions import Action, Actions, Done, Fact
from core.admin.links import row_link, row_links
from core.refusals import Refusal, refusal_of

# -- a person ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AtUser:
    """A moderator, and a person; ``report``: the one that leads to it."""

    moderator: User
    user: User
    report: Report | None = None


def _history(subject: AtUser) -> list[Fact]:
    """What a moderator should have before them when they judge."""
    latest = Sanction.objects.filter(user=subject.user)[:5]
    lines = format_html_join(
        SafeString("<br>"),
        "{}: {} ({}, {})",
        ((row_link(s), s.reason, date_format(s.at, "j F Y"), s.standing) for s in latest),
    )
    own: list[Fact] = [("Before this", lines or "No sanction yet")]
    return own if subject.report is None else [("Report", row_link(subject.report)), *own]


def _sanction_with(service: Callable[..., Sanction]) -> Callable[[AtUser, Any], object]:
    return lambda s, form: service(
        acting_user=s.moderator, user=s.user, report=s.report, **form.cleaned_data
    )


def _for_judges(*checks: Callable[[User], object]) -> Callable[[AtUser], None]:
    """What a service asks that lays a sanction on somebody."""

    def ask(subject: AtUser) -> None:
        sanctions.must_judge(subject.moderator, subject.user)
        for check in checks:
            check(subject.user)

    return ask


def _for_moderators(check: Callable[[User], object]) -> Callable[[AtUser], None]:
    """What a service asks that closes or reopens an account."""

    def ask(subject: AtUser) -> None:
        must_moderate(subject.moderator, subject.user)
        check(subject.user)

    return ask


def _merge(subject: AtUser, form: Any) -> None:
    merging.user_merge(
        acting_user=subject.moderator,
        keep=form.cleaned_data["keep"],
        duplicate=subject.user,
        reason=form.cleaned_data["reason"],
    )


def _merge_facts(subject: AtUser, form: Any) -> Sequence[Fact]:
    """What a merge would move."""
    keep = form.cleaned_data["keep"]
    try:
        moved = merging.merge_preview(
            acting_user=subject.moderator, keep=keep, duplicate=subject.user
        )
    except Refusal as refusal:
        return [("Not possible", refusal.sentence)]
    return [("Would be kept", row_link(keep)), ("Would be moved", merging.merge_summary(moved))]


WARN: Final = Action[AtUser](
    name="warn",
    label="Warn…",
    title=lambda s: f"Warn @{s.user.username}",
    button="Warn",
    done=lambda s: f"@{s.user.username} is warned.",
    follows=[
        "The next page they open shows your reason, until they say they have read it.",
        "They get it by mail, at a confirmed address; it stays on their page “Conduct”.",
        "Nobody else sees it.",
    ],
    facts=_history,
    check=_for_judges(),
    form=lambda _s: partial(SanctionForm, ends=False),
    run=_sanction_with(sanctions.user_warn),
)
MUTE: Final = Action[AtUser](
    name="mute",
    label="Mute…",
    title=lambda s: f"Mute @{s.user.username}",
    button="Mute",
    done=lambda s: f"@{s.user.username} is muted.",
    follows=[
        "They cannot write in any chat, nor add words to a challenge, until the end.",
        "They can play, watch and read. They are told why, and until when.",
    ],
    facts=_history,
    check=_for_judges(sanctions.must_not_be_muted),
    form=lambda _s: partial(SanctionForm, ends=True),
    run=_sanction_with(sanctions.user_mute),
)
SUSPEND: Final = Action[AtUser](
    name="suspend",
    label="Suspend…",
    title=lambda s: f"Suspend @{s.user.username}",
    button="Suspend",
    done=lambda s: f"@{s.user.username} is suspended.",
    follows=[
        "They are signed out everywhere at once, and cannot sign in until the end.",
        "Their open challenges are taken back; no match or challenge begins with them.",
        "Matches that are running go on by the clock: they will probably lose them.",
        "They are told why, and until when.",
        "For a suspension without an end, their username must be typed below.",
    ],
    facts=_history,
    check=_for_judges(sanctions.must_not_be_suspended),
    form=lambda s: partial(SanctionForm, ends=True, phrase=s.user.username),
    run=_sanction_with(sanctions.user_suspend),
    danger=True,
)
CLOSE: Final = Action[AtUser](
    name="close",
    label="Close the account…",
    title=lambda s: f"Close the account of @{s.user.username}",
    button="Close the account",
    done=lambda s: f"The account of @{s.user.username} is closed.",
    follows=[
        "Nobody can sign in with it any more, and what is open ends at once.",
        "Their matches, and what they said, remain. Running matches go on by the clock.",
        "Their name stays taken. To keep somebody out for a time, suspend them instead.",
    ],
    facts=_history,
    check=_for_moderators(must_not_be_closed),
    form=lambda _s: ReasonForm,
    run=lambda s, form: user_close(
        acting_user=s.moderator, user=s.user, reason=form.cleaned_data["reason"]
    ),
    danger=True,
    phrase=lambda s: s.user.username,
)
REOPEN: Final = Action[AtUser](
    name="reopen",
    label="Reopen…",
    title=lambda s: f"Reopen the account of @{s.user.username}",
    button="Reopen",
    done=lambda s: f"The account of @{s.user.username} is open again.",
    follows=["Its owner can sign in again, with the password they had."],
    check=_for_moderators(must_be_reopenable),
    form=lambda _s: ReasonForm,
    run=lambda s, form: user_reopen(
        acting_user=s.moderator, user=s.user, reason=form.cleaned_data["reason"]
    ),
    confirmed=True,
)
MERGE: Final = Action[AtUser](
    name="merge",
    label="Merge into…",
    title=lambda s: f"Merge @{s.user.username} into another account",
    button="Merge for good",
    done=lambda s: f"@{s.user.username} is merged.",
    follows=lambda s: [
        "Seats in matches, challenges, chat and saved moves go to the account that is kept;",
        "so do reports and sanctions. Addresses, passwords, roles and links to Discord do not.",
        f"@{s.user.username} is closed, and its public page leads to the kept one.",
        "Its addresses are let go: who reads them may confirm them for the kept account.",
        "Both owners are told by mail, at the addresses that they have confirmed.",
        "The audit log and the entries of matches stay as they are.",
        "This cannot be undone.",
    ],
    check=lambda s: merging.must_be_mergeable(s.moderator, s.user),
    form=lambda _s: MergeForm,
    run=_merge,
    danger=True,
    phrase=lambda s: s.user.username,
    look="Look first",
    found=_merge_facts,
    confirmed=True,
)

RESET_FACTOR: Final = Action[AtUser](
    name="reset_second_factor",
    label="Remove their second factor…",
    title=lambda s: f"Remove the second factor of @{s.user.username}",
    button="Remove it",
    done=lambda s: f"@{s.user.username} has no second factor any more.",
    follows=[
        "Make sure first that it is them who ask, by a way that you knew before, or face to face.",
        "Whoever has their password could write to you in their name.",
        "App, passkeys and recovery codes are removed, and their password alone signs them in.",
        "They are told by mail, at a confirmed address.",
        "What their role lets them do rests until they have set up another.",
    ],
    check=lambda s: must_be_resettable(s.moderator, s.user),
    form=lambda _s: ReasonForm,
    run=lambda s, form: second_factor_reset(
        acting_user=s.moderator, user=s.user, reason=form.cleaned_data["reason"]
    ),
    danger=True,
    phrase=lambda s: s.user.username,
    confirmed=True,
)

USER: Final = Actions("user", (WARN, MUTE, SUSPEND, CLOSE, REOPEN, MERGE, RESET_FACTOR))


# -- several people, chosen on their list ----------------------------------------------------------


@dataclass(frozen=True)
class AtPeople:
    """A moderator, and people."""

    moderator: User
    users: Sequence[User]

    @cached_property
    def allowed(self) -> list[Refusal | None]:
        """Whether each may be judged, and why not."""
        return [refusal_of(sanctions.must_judge, self.moderator, user) for user in self.users]

    def judged(self, kind: Sanction.Kind) -> list[tuple[User, Refusal | None]]:
        """Each, with what stands against a sanction of a kind."""
        check = several.CHECKS[kind]
        return [
            (user, refusal_of(check, user) if refusal is None else refusal)
            for user, refusal in zip(self.users, self.allowed, strict=True)
        ]

    def able(self, kind: Sanction.Kind) -> list[User]:
        """Those against whom nothing stands."""
        return [user for user, refusal in self.judged(kind) if refusal is None]


def _told_of(refused: Sequence[tuple[object, Refusal]]) -> SafeString | str:
    """Of each who is left as they are, why."""
    lines = ((_named(row), refusal.sentence) for row, refusal in refused)
    return format_html_join(SafeString("<br>"), "{}: {}", lines)


def _named(row: object) -> str:
    return f"@{row.username}" if isinstance(row, User) else str(row)


def _people_facts(kind: Sanction.Kind) -> Callable[[AtPeople], list[Fact]]:
    def facts(subject: AtPeople) -> list[Fact]:
        able = subject.able(kind)
        unable = [(user, each) for user, each in subject.judged(kind) if each is not None]
        found: list[Fact] = [(f"Concerns ({len(able)})", row_links(able))]
        return found if not unable else [*found, (f"Not ({len(unable)})", _told_of(unable))]

    return facts


def _people_check(kind: Sanction.Kind) -> Callable[[AtPeople], None]:
    """What the service asks beforehand: of several, one at least can be put under it."""

    def check(subject: AtPeople) -> None:
        sanctions.must_be_moderator(subject.moderator)
        several.must_be_few(subject.users)
        refusals = [refusal for _user, refusal in subject.judged(kind)]
        if refusals[0] is not None and None not in refusals:
            raise refusals[0]

    return check


def _people_run(kind: Sanction.Kind, what: str) -> Callable[[AtPeople, Any], Done]:
    def run(subject: AtPeople, form: Any) -> Done:
        outcome = several.users_sanction(
            acting_user=subject.moderator, users=subject.users, kind=kind, **form.cleaned_data
        )
        names = ", ".join(f"@{sanction.user.username}" for sanction in outcome.done)
        return _done_to_some(f"{what}: {names}.", outcome)

    return run


def _done_to_some(words: str, outcome: several.Outcome) -> Done:
    left = [f"Not {_named(row)}: {refusal.sentence}" for row, refusal in outcome.refused]
    return Done(" ".join([words, *left]))


_EACH: Final = [
    "Everybody named below gets the same sanction, with the same words. Nobody sees the others.",
    "Whoever cannot be put under it now, or when you send this, is left as they are.",
    "All others are done at once, and you are told who was left and why.",
]


def _people_action(kind: Sanction.Kind, one: Action[AtUser], what: str) -> Action[AtPeople]:
    """The action on several people that `one` is on one."""
    open_ended = kind is Sanction.Kind.SUSPENSION
    typed = "For a suspension without an end, how many it concerns must be typed below."
    return Action[AtPeople](
        name=f"{one.name}_several",
        label=str(one.label),
        title=f"{one.button} several people",
        button=str(one.button),
        done="",
        follows=[*_EACH, *_follows_of(one), *([typed] if open_ended else [])],
        facts=_people_facts(kind),
        check=_people_check(kind),
        form=lambda s: partial(
            SanctionForm,
            ends=kind is not Sanction.Kind.WARNING,
            phrase=f"suspend {len(s.able(kind))}" if open_ended else "",
        ),
        run=_people_run(kind, what),
        danger=one.danger,
        who=sanctions.must_be_moderator,
    )


def _follows_of(one: Action[AtUser]) -> list[str]:
    assert not callable(one.follows)  # noqa: S101  (for the type checker)
    return [line for line in one.follows if "username" not in line]


PEOPLE: Final = Actions(
    "user",
    (
        _people_action(Sanction.Kind.WARNING, WARN, "Warned"),
        _people_action(Sanction.Kind.MUTE, MUTE, "Muted"),
        _people_action(Sanction.Kind.SUSPENSION, SUSPEND, "Suspended"),
    ),
)


# -- roles, on the list of people ------------------------------------------------------------------


def _role_action(
    name: str,
    label: str,
    service: Callable[..., None],
    check: Callable[[User, Role], object],
    role: Role,
) -> Action[AtUser]:
    def ask(subject: AtUser) -> None:
        must_administer(subject.moderator)
        check(subject.user, role)

    return Action[AtUser](
        name=name,
        label=label,
        title=label,
        button=label,
        done=lambda s: f"{label}: @{s.user.username}.",
        check=ask,
        run=lambda s, _form: service(acting_user=s.moderator, user=s.user, role=role),
        who=must_administer,
        confirmed=True,
    )


USERS: Final = Actions(
    "users",
    (
        _role_action(
            "make_organisers", "Make organisers", role_grant, must_lack_role, Role.ORGANISER
        ),
        _role_action(
            "make_moderators", "Make moderators", role_grant, must_lack_role, Role.MODERATOR
        ),
        _role_action(
            "unmake_organisers", "No longer organisers", role_revoke, must_hold_role, Role.ORGANISER
        ),
        _role_action(
            "unmake_moderators", "No longer moderators", role_revoke, must_hold_role, Role.MODERATOR
        ),
    ),
)


# -- a sanction ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class AtSanction:
    """A moderator, and a sanction."""

    moderator: User
    sanction: Sanction


def _may_lift(subject: AtSanction) -> None:
    sanctions.must_judge(subject.moderator, subject.sanction.user)
    sanctions.must_stand(subject.sanction)


LIFT: Final = Action[AtSanction](
    name="lift",
    label="Lift…",
    title=lambda s: f"Lift: {s.sanction}",
    button="Lift it",
    done="It is lifted.",
    follows=["It ends now. The row stays, and the person is told."],
    facts=lambda s: [("Given for", s.sanction.reason)],
    check=_may_lift,
    form=lambda _s: LiftForm,
    run=lambda s, form: sanctions.sanction_lift(
        acting_user=s.moderator, sanction=s.sanction, why=form.cleaned_data["why"]
    ),
)

SANCTION: Final = Actions("sanction", (LIFT,))


@dataclass(frozen=True)
class AtSanctions:
    """A moderator, and sanctions."""

    moderator: User
    sanctions: Sequence[Sanction]

    @cached_property
    def judged(self) -> list[tuple[Sanction, Refusal | None]]:
        """Each, with what stands against lifting it."""
        subjects = [AtSanction(self.moderator, each) for each in self.sanctions]
        return [(each.sanction, refusal_of(_may_lift, each)) for each in subjects]


def _may_lift_some(subject: AtSanctions) -> None:
    sanctions.must_be_moderator(subject.moderator)
    several.must_be_few(subject.sanctions)
    refusals = [refusal for _sanction, refusal in subject.judged]
    if refusals[0] is not None and None not in refusals:
        raise refusals[0]


def _lift_facts(subject: AtSanctions) -> list[Fact]:
    able = [each for each, refusal in subject.judged if refusal is None]
    unable = [(each, refusal) for each, refusal in subject.judged if refusal is not None]
    found: list[Fact] = [(f"Lifted ({len(able)})", row_links(able))]
    return found if not unable else [*found, (f"Not ({len(unable)})", _told_of(unable))]


def _lift_some(subject: AtSanctions, form: Any) -> Done:
    outcome = several.sanctions_lift(
        acting_user=subject.moderator, chosen=subject.sanctions, why=form.cleaned_data["why"]
    )
    names = ", ".join(str(sanction) for sanction in outcome.done)
    return _done_to_some(f"Lifted: {names}.", outcome)


LIFT_SEVERAL: Final = Action[AtSanctions](
    name="lift_several",
    label="Lift…",
    title="Lift several sanctions",
    button="Lift them",
    done="",
    follows=[
        "They end now, all with the same reason. The rows stay, and each person is told.",
        "What cannot be lifted now, or when you send this, stays as it is.",
        "You are told which and why.",
    ],
    facts=_lift_facts,
    check=_may_lift_some,
    form=lambda _s: LiftForm,
    run=_lift_some,
    who=sanctions.must_be_moderator,
)

SANCTIONS: Final = Actions("sanction", (LIFT_SEVERAL,))


# -- a report ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AtReport:
    """A moderator, and a report."""

    moderator: User
    report: Report


CLAIM: Final = Action[AtReport](
    name="claim",
    label="Take it on",
    title="Take a report on",
    button="Take it on",
    done="This report is yours now.",
    check=lambda s: reports.must_be_claimable(s.moderator, s.report),
    run=lambda s, _form: reports.report_claim(acting_user=s.moderator, report=s.report),
    at_once=True,
)
RESOLVE: Final = Action[AtReport](
    name="resolve",
    label="Answer and close…",
    title=lambda s: f"Answer report {s.report.pk}",
    button="Close the report",
    done="The report is closed, and its reporter is told.",
    follows=[
        "The reporter gets the outcome and your answer by mail and on their own page.",
        "Do not tell them what followed for the other person.",
    ],
    facts=lambda s: [
        ("About", s.report.title),
        (s.report.get_reason_display(), s.report.words),
        ("Sanctions from it", row_links(s.report.sanctions.all())),
    ],
    check=lambda s: reports.must_be_resolvable(s.moderator, s.report),
    form=lambda _s: ResolveForm,
    run=lambda s, form: reports.report_resolve(
        acting_user=s.moderator, report=s.report, **form.cleaned_data
    ),
)
RELEASE: Final = Action[AtReport](
    name="release",
    label="Give it back",
    title="Give a report back",
    button="Give it back",
    done="This report is back in the queue.",
    check=lambda s: reports.must_be_releasable(s.moderator, s.report),
    run=lambda s, _form: reports.report_release(acting_user=s.moderator, report=s.report),
    at_once=True,
)

REPORT: Final = Actions("report", (CLAIM, RESOLVE, RELEASE))

#: Every table.
TABLES: Final[tuple[Actions[Any], ...]] = (
    USER, PEOPLE, USERS, SANCTION, SANCTIONS, REPORT, APPEAL,
)  # fmt: skip
