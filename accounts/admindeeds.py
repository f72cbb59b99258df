"""Pages on which moderators do something to a person, a sanction or a report."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.formats import date_format
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

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
from accounts.services import Refusal, user_close, user_reopen

REFUSALS = (Refusal,)
_SERVICES: dict[Sanction.Kind, Callable[..., Sanction]] = {
    Sanction.Kind.WARNING: sanctions.user_warn,
    Sanction.Kind.MUTE: sanctions.user_mute,
    Sanction.Kind.SUSPENSION: sanctions.user_suspend,
}


def _sanction_texts(kind: Sanction.Kind, name: str) -> DeedTexts:
    if kind == Sanction.Kind.WARNING:
        return DeedTexts(
            title=_("Warn @%s") % name,
            button=_("Warn"),
            follows=[
                _("The next page they open shows your reason, until they say they have read it."),
                _("They get it by mail, at a confirmed address; it stays on their page “Conduct”."),
                _("Nobody else sees it."),
            ],
            done=_("@%s is warned.") % name,
        )
    if kind == Sanction.Kind.MUTE:
        return DeedTexts(
            title=_("Mute @%s") % name,
            button=_("Mute"),
            follows=[
                _("They cannot write in any chat, nor add words to a challenge, until the end."),
                _("They can play, watch and read. They are told why, and until when."),
            ],
            done=_("@%s is muted.") % name,
        )
    return DeedTexts(
        title=_("Suspend @%s") % name,
        button=_("Suspend"),
        follows=[
            _("They are signed out everywhere at once, and cannot sign in until the end."),
            _("Their open challenges are taken back; no match or challenge begins with them."),
            _("Matches that are running go on by the clock: they will probably lose them."),
            _("They are told why, and until when."),
            _("For a suspension without an end, their username must be typed below."),
        ],
        danger=True,
        done=_("@%s is suspended.") % name,
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
        facts.insert(0, (_("Report"), row_link(report)))
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
        refusals=REFUSALS,
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
    return [(_("Before this"), told or _("No sanction yet"))]


def _close_page(model_admin: Any, request: HttpRequest, user: User) -> HttpResponse:
    texts = DeedTexts(
        title=_("Close the account of @%s") % user.username,
        button=_("Close the account"),
        follows=[
            _("Nobody can sign in with it any more, and what is open ends at once."),
            _("Their matches, and what they said, remain. Running matches go on by the clock."),
            _("Their name stays taken. To keep somebody out for a time, suspend them instead."),
        ],
        facts=_history(user),
        danger=True,
        done=_("The account of @%s is closed.") % user.username,
    )
    return deed_page(
        model_admin,
        request,
        user,
        form=ReasonForm(request.POST or None, phrase=user.username),
        texts=texts,
        perform=lambda said: user_close(acting_user=person(request), user=user, **said),
        refusals=REFUSALS,
    )


def _reopen_page(model_admin: Any, request: HttpRequest, user: User) -> HttpResponse:
    texts = DeedTexts(
        title=_("Reopen the account of @%s") % user.username,
        button=_("Reopen"),
        follows=[_("Its owner can sign in again, with the password they had.")],
        done=_("The account of @%s is open again.") % user.username,
    )
    return deed_page(
        model_admin,
        request,
        user,
        form=ReasonForm(request.POST or None),
        texts=texts,
        perform=lambda said: user_reopen(acting_user=person(request), user=user, **said),
        refusals=REFUSALS,
    )


def _merge_page(model_admin: Any, request: HttpRequest, user: User) -> HttpResponse:
    """Merge this account into another; a look first shows what would be moved."""
    acting_user = person(request)
    form = MergeForm(request.POST or None, phrase=user.username)
    texts = DeedTexts(
        title=_("Merge @%s into another account") % user.username,
        button=_("Merge for good"),
        follows=[
            _("Seats in matches, challenges, chat and saved moves go to the account that is kept;"),
            _("so do reports and sanctions. Addresses, passwords and roles do not."),
            _("@%s is closed, and its public page leads to the kept one.") % user.username,
            _("Its addresses are let go: who reads them may confirm them for the kept account."),
            _("Both owners are told by mail, at the addresses that they have confirmed."),
            _("The audit log and the entries of matches stay as they are."),
            _("This cannot be undone."),
        ],
        facts=_merge_facts(acting_user, form, user),
        danger=True,
        done=_("@%s is merged.") % user.username,
        look=_("Look first"),
    )
    return deed_page(
        model_admin,
        request,
        user,
        form=form,
        texts=texts,
        perform=lambda said: merging.user_merge(acting_user=acting_user, duplicate=user, **said),
        refusals=REFUSALS,
    )


def _merge_facts(acting_user: User, form: MergeForm, duplicate: User) -> list[tuple[Any, Any]]:
    if "look" not in form.data or not form.is_valid():
        return []
    keep = form.cleaned_data["keep"]
    try:
        moved = merging.merge_preview(acting_user=acting_user, keep=keep, duplicate=duplicate)
    except Refusal as refusal:
        return [(_("Not possible"), refusal.sentence)]
    return [
        (_("Would be kept"), row_link(keep)),
        (_("Would be moved"), merging.merges_told(moved)),
    ]


def _judges(request: HttpRequest, user: User) -> bool:
    return sanctions.why_not_sanction(person(request), user) is None


USER_DEEDS = (
    Deed(
        "warn",
        _lazy("Warn…"),
        partial(_sanction_page, Sanction.Kind.WARNING),
        offers=_judges,
    ),
    Deed("mute", _lazy("Mute…"), partial(_sanction_page, Sanction.Kind.MUTE), offers=_judges),
    Deed(
        "suspend",
        _lazy("Suspend…"),
        partial(_sanction_page, Sanction.Kind.SUSPENSION),
        danger=True,
        offers=lambda request, user: _judges(request, user) and user.is_active,
    ),
    Deed(
        "close",
        _lazy("Close the account…"),
        _close_page,
        danger=True,
        offers=lambda request, user: _judges(request, user) and user.is_active,
    ),
    Deed(
        "reopen",
        _lazy("Reopen…"),
        _reopen_page,
        offers=lambda request, user: (
            _judges(request, user)
            and not user.is_active
            and not AccountMerge.objects.filter(duplicate=user).exists()
        ),
    ),
    Deed(
        "merge",
        _lazy("Merge into…"),
        _merge_page,
        danger=True,
        offers=lambda request, user: (
            _judges(request, user) and not AccountMerge.objects.filter(duplicate=user).exists()
        ),
    ),
)


def _lift_page(model_admin: Any, request: HttpRequest, sanction: Sanction) -> HttpResponse:
    texts = DeedTexts(
        title=_("Lift: %s") % sanction,
        button=_("Lift it"),
        follows=[_("It ends now. The row stays, and the person is told.")],
        facts=[(_("Given for"), sanction.reason)],
        done=_("It is lifted."),
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
        refusals=REFUSALS,
    )


SANCTION_DEEDS = (
    Deed(
        "lift",
        _lazy("Lift…"),
        _lift_page,
        offers=lambda request, sanction: (
            sanction.standing == "in force" and _judges(request, sanction.user)
        ),
    ),
)


def _claim(model_admin: Any, request: HttpRequest, report: Report) -> HttpResponse:
    service = partial(reports.report_claim, acting_user=person(request), report=report)
    words = _("This report is yours now.")
    return done_at_once(model_admin, request, report, service, refusals=REFUSALS, done=words)


def _release(model_admin: Any, request: HttpRequest, report: Report) -> HttpResponse:
    service = partial(reports.report_release, acting_user=person(request), report=report)
    words = _("This report is back in the queue.")
    return done_at_once(model_admin, request, report, service, refusals=REFUSALS, done=words)


def _resolve_page(model_admin: Any, request: HttpRequest, report: Report) -> HttpResponse:
    texts = DeedTexts(
        title=_("Answer report %d") % report.pk,
        button=_("Close the report"),
        follows=[
            _("The reporter gets the outcome and your answer by mail and on their own page."),
            _("Do not tell them what followed for the other person."),
        ],
        facts=[
            (_("About"), report.title),
            (report.get_reason_display(), report.words),
            (_("Sanctions from it"), row_links_told(report.sanctions.all())),
        ],
        done=_("The report is closed, and its reporter is told."),
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
        refusals=REFUSALS,
    )


def _handles(request: HttpRequest, report: Report) -> bool:
    mine = report.claimed_by_id in (None, person(request).pk) or person(request).is_superuser
    allowed = reports.why_not_handle(person(request), report) is None
    return report.closed_at is None and mine and allowed


REPORT_DEEDS = (
    Deed(
        "claim",
        _lazy("Take it on"),
        _claim,
        at_once=True,
        offers=lambda request, report: report.claimed_by_id is None and _handles(request, report),
    ),
    Deed("resolve", _lazy("Answer and close…"), _resolve_page, offers=_handles),
    Deed(
        "release",
        _lazy("Give it back"),
        _release,
        at_once=True,
        offers=lambda request, report: (
            report.claimed_by_id is not None and _handles(request, report)
        ),
    ),
)
