"""Pages on which moderators do something to a person, a sanction or a report."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.formats import date_format
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from accounts import merging, reports, sanctions
from accounts.adminforms import LiftForm, MergeForm, ReasonForm, ResolveForm, SanctionForm
from accounts.adminkit import (
    Deed,
    DeedTexts,
    deed_page,
    done_at_once,
    person,
    row_address,
    row_link,
    row_links_told,
)
from accounts.models import AccountMerge, Report, Sanction, User
from accounts.services import user_close, user_reopen
from core.refusals import Refusal

_SERVICES: dict[Sanction.Kind, Callable[..., Sanction]] = {
    Sanction.Kind.WARNING: sanctions.user_warn,
    Sanction.Kind.MUTE: sanctions.user_mute,
    Sanction.Kind.SUSPENSION: sanctions.user_suspend,
}


def _sanction_texts(kind: Sanction.Kind, name: str) -> DeedTexts:
    if kind == Sanction.Kind.WARNING:
        return DeedTexts(
            title=f"Warn @{name}",
            button="Warn",
            follows=[
                "The next page they open shows your reason, until they say they have read it.",
                "They get it by mail, at a confirmed address; it stays on their page “Conduct”.",
                "Nobody else sees it.",
            ],
            done=f"@{name} is warned.",
        )
    if kind == Sanction.Kind.MUTE:
        return DeedTexts(
            title=f"Mute @{name}",
            button="Mute",
            follows=[
                "They cannot write in any chat, nor add words to a challenge, until the end.",
                "They can play, watch and read. They are told why, and until when.",
            ],
            done=f"@{name} is muted.",
        )
    return DeedTexts(
        title=f"Suspend @{name}",
        button="Suspend",
        follows=[
            "They are signed out everywhere at once, and cannot sign in until the end.",
            "Their open challenges are taken back; no match or challenge begins with them.",
            "Matches that are running go on by the clock: they will probably lose them.",
            "They are told why, and until when.",
            "For a suspension without an end, their username must be typed below.",
        ],
        danger=True,
        done=f"@{name} is suspended.",
    )


def _sanction_page(
    kind: Sanction.Kind, model_admin: Any, request: HttpRequest, user: User
) -> HttpResponse:
    """Warn, mute or suspend. `?report=` links the report that led to it, and leads back there."""
    acting_user = person(request)
    report = _report_asked_for(request, acting_user, user)
    texts = _sanction_texts(kind, user.username)
    facts = _history(user)
    if report is not None:
        facts.insert(0, ("Report", row_link(report)))
    suspends = kind == Sanction.Kind.SUSPENSION
    return deed_page(
        model_admin,
        request,
        user,
        form=SanctionForm(
            request.POST or None,
            phrase=user.username if suspends else "",
            ends=kind != Sanction.Kind.WARNING,
        ),
        texts=replace(texts, facts=facts),
        perform=lambda said: _SERVICES[kind](
            acting_user=acting_user, user=user, report=report, **said
        ),
        back="" if report is None else row_address(report),
    )


def _report_asked_for(request: HttpRequest, moderator: User, about: User) -> Report | None:
    number = request.GET.get("report", "")
    if not (number.isascii() and number.isdigit() and len(number) < 19):
        return None
    return reports.queue_of(moderator).filter(pk=int(number), about=about).first()


def _history(user: User) -> list[tuple[Any, Any]]:
    """What a moderator should have before them when they judge."""
    latest = Sanction.objects.filter(user=user)[:5]
    told = format_html_join(
        SafeString("<br>"),
        "{}: {} ({}, {})",
        ((row_link(s), s.reason, date_format(s.at, "j F Y"), s.standing) for s in latest),
    )
    return [("Before this", told or "No sanction yet")]


def _close_page(model_admin: Any, request: HttpRequest, user: User) -> HttpResponse:
    texts = DeedTexts(
        title=f"Close the account of @{user.username}",
        button="Close the account",
        follows=[
            "Nobody can sign in with it any more, and what is open ends at once.",
            "Their matches, and what they said, remain. Running matches go on by the clock.",
            "Their name stays taken. To keep somebody out for a time, suspend them instead.",
        ],
        facts=_history(user),
        danger=True,
        done=f"The account of @{user.username} is closed.",
    )
    return deed_page(
        model_admin,
        request,
        user,
        form=ReasonForm(request.POST or None, phrase=user.username),
        texts=texts,
        perform=lambda said: user_close(acting_user=person(request), user=user, **said),
    )


def _reopen_page(model_admin: Any, request: HttpRequest, user: User) -> HttpResponse:
    texts = DeedTexts(
        title=f"Reopen the account of @{user.username}",
        button="Reopen",
        follows=["Its owner can sign in again, with the password they had."],
        done=f"The account of @{user.username} is open again.",
    )
    return deed_page(
        model_admin,
        request,
        user,
        form=ReasonForm(request.POST or None),
        texts=texts,
        perform=lambda said: user_reopen(acting_user=person(request), user=user, **said),
    )


def _merge_page(model_admin: Any, request: HttpRequest, user: User) -> HttpResponse:
    """Merge this account into another; a look first shows what would be moved."""
    acting_user = person(request)
    form = MergeForm(request.POST or None, phrase=user.username)
    texts = DeedTexts(
        title=f"Merge @{user.username} into another account",
        button="Merge for good",
        follows=[
            "Seats in matches, challenges, chat and saved moves go to the account that is kept;",
            "so do reports and sanctions. Addresses, passwords and roles do not.",
            f"@{user.username} is closed, and its public page leads to the kept one.",
            "Its addresses are let go: who reads them may confirm them for the kept account.",
            "Both owners are told by mail, at the addresses that they have confirmed.",
            "The audit log and the entries of matches stay as they are.",
            "This cannot be undone.",
        ],
        facts=_merge_facts(acting_user, form, user),
        danger=True,
        done=f"@{user.username} is merged.",
        look="Look first",
    )
    return deed_page(
        model_admin,
        request,
        user,
        form=form,
        texts=texts,
        perform=lambda said: merging.user_merge(acting_user=acting_user, duplicate=user, **said),
    )


def _merge_facts(acting_user: User, form: MergeForm, duplicate: User) -> list[tuple[Any, Any]]:
    if "look" not in form.data or not form.is_valid():
        return []
    keep = form.cleaned_data["keep"]
    try:
        moved = merging.merge_preview(acting_user=acting_user, keep=keep, duplicate=duplicate)
    except Refusal as refusal:
        return [("Not possible", refusal.sentence)]
    return [
        ("Would be kept", row_link(keep)),
        ("Would be moved", merging.merges_told(moved)),
    ]


def _judges(request: HttpRequest, user: User) -> bool:
    return sanctions.why_not_sanction(person(request), user) is None


USER_DEEDS = (
    Deed(
        "warn",
        "Warn…",
        partial(_sanction_page, Sanction.Kind.WARNING),
        offers=_judges,
    ),
    Deed("mute", "Mute…", partial(_sanction_page, Sanction.Kind.MUTE), offers=_judges),
    Deed(
        "suspend",
        "Suspend…",
        partial(_sanction_page, Sanction.Kind.SUSPENSION),
        danger=True,
        offers=lambda request, user: _judges(request, user) and user.is_active,
    ),
    Deed(
        "close",
        "Close the account…",
        _close_page,
        danger=True,
        offers=lambda request, user: _judges(request, user) and user.is_active,
    ),
    Deed(
        "reopen",
        "Reopen…",
        _reopen_page,
        offers=lambda request, user: (
            _judges(request, user)
            and not user.is_active
            and not AccountMerge.objects.filter(duplicate=user).exists()
        ),
    ),
    Deed(
        "merge",
        "Merge into…",
        _merge_page,
        danger=True,
        offers=lambda request, user: (
            _judges(request, user) and not AccountMerge.objects.filter(duplicate=user).exists()
        ),
    ),
)


def _lift_page(model_admin: Any, request: HttpRequest, sanction: Sanction) -> HttpResponse:
    texts = DeedTexts(
        title=f"Lift: {sanction}",
        button="Lift it",
        follows=["It ends now. The row stays, and the person is told."],
        facts=[("Given for", sanction.reason)],
        done="It is lifted.",
    )
    return deed_page(
        model_admin,
        request,
        sanction,
        form=LiftForm(request.POST or None),
        texts=texts,
        perform=lambda said: sanctions.sanction_lift(
            acting_user=person(request), sanction=sanction, **said
        ),
    )


SANCTION_DEEDS = (
    Deed(
        "lift",
        "Lift…",
        _lift_page,
        offers=lambda request, sanction: (
            sanction.standing == "in force" and _judges(request, sanction.user)
        ),
    ),
)


def _claim(model_admin: Any, request: HttpRequest, report: Report) -> HttpResponse:
    service = partial(reports.report_claim, acting_user=person(request), report=report)
    words = "This report is yours now."
    return done_at_once(model_admin, request, report, service, done=words)


def _release(model_admin: Any, request: HttpRequest, report: Report) -> HttpResponse:
    service = partial(reports.report_release, acting_user=person(request), report=report)
    words = "This report is back in the queue."
    return done_at_once(model_admin, request, report, service, done=words)


def _resolve_page(model_admin: Any, request: HttpRequest, report: Report) -> HttpResponse:
    texts = DeedTexts(
        title=f"Answer report {report.pk}",
        button="Close the report",
        follows=[
            "The reporter gets the outcome and your answer by mail and on their own page.",
            "Do not tell them what followed for the other person.",
        ],
        facts=[
            ("About", report.title),
            (report.get_reason_display(), report.words),
            ("Sanctions from it", row_links_told(report.sanctions.all())),
        ],
        done="The report is closed, and its reporter is told.",
    )
    return deed_page(
        model_admin,
        request,
        report,
        form=ResolveForm(request.POST or None),
        texts=texts,
        perform=lambda said: reports.report_resolve(
            acting_user=person(request), report=report, **said
        ),
    )


def _handles(request: HttpRequest, report: Report) -> bool:
    mine = report.claimed_by_id in (None, person(request).pk) or person(request).is_superuser
    allowed = reports.why_not_handle(person(request), report) is None
    return report.closed_at is None and mine and allowed


REPORT_DEEDS = (
    Deed(
        "claim",
        "Take it on",
        _claim,
        at_once=True,
        offers=lambda request, report: report.claimed_by_id is None and _handles(request, report),
    ),
    Deed("resolve", "Answer and close…", _resolve_page, offers=_handles),
    Deed(
        "release",
        "Give it back",
        _release,
        at_once=True,
        offers=lambda request, report: (
            report.claimed_by_id is not None and _handles(request, report)
        ),
    ),
)
