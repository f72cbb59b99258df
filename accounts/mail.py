"""Mail about moderation.

Each function that sends takes an id and reads the row; call it after commit. Nobody without a
confirmed address gets one; the same words stand on the person's own pages.
"""

from typing import Any

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string

from accounts.addresses import confirmed_addresses
from accounts.models import AccountMerge, Appeal, Report, Sanction, User
from accounts.moderation.standing import end_text


def sanction_announce(sanction_id: int) -> None:
    """Tell somebody of a warning, a mute or a suspension."""
    sanction = Sanction.objects.select_related("user").get(pk=sanction_id)
    subject = {
        Sanction.Kind.WARNING: "A warning from the moderators",
        Sanction.Kind.MUTE: "You are muted",
        Sanction.Kind.SUSPENSION: "Your account is suspended",
    }[Sanction.Kind(sanction.kind)]
    context = {"sanction": sanction, "until": end_text(sanction, sanction.user)}
    _send(sanction.user, subject, "accounts/mail/sanction_laid.txt", context)


def sanction_announce_lift(sanction_id: int) -> None:
    """Tell somebody that a sanction was lifted."""
    sanction = Sanction.objects.select_related("user").get(pk=sanction_id)
    subject = "The moderators have lifted a sanction"
    _send(sanction.user, subject, "accounts/mail/sanction_lifted.txt", {"sanction": sanction})


def report_announce_outcome(report_id: int) -> None:
    """Tell a reporter what came of their report. The site itself is told nothing."""
    report = Report.objects.select_related("reporter").get(pk=report_id)
    if report.reporter is None:
        return
    subject = f"Your report: {report.get_outcome_display()}"
    _send(report.reporter, subject, "accounts/mail/report_answered.txt", {"report": report})


def appeal_announce_answer(appeal_id: int) -> None:
    """Tell somebody what came of their appeal, and what holds now."""
    appeal = Appeal.objects.select_related("sanction__user").get(pk=appeal_id)
    sanction = appeal.sanction
    subject = f"Your appeal: {appeal.get_outcome_display().lower()}"
    context = {"appeal": appeal, "sanction": sanction, "until": end_text(sanction, sanction.user)}
    _send(sanction.user, subject, "accounts/mail/appeal_answered.txt", context)


def merge_announce(merge_id: int, reader_id: int, address: str | None) -> None:
    """Tell one of the two owners that accounts were merged. ``address``: the one they had confirmed
    before, since the account that is closed has none any more."""
    merge = AccountMerge.objects.select_related("keep", "duplicate").get(pk=merge_id)
    reader = merge.keep if reader_id == merge.keep_id else merge.duplicate
    subject = "Two accounts are one now"
    context = {"merge": merge, "kept": reader.pk == merge.keep_id}
    _send_to(address, reader, subject, "accounts/mail/accounts_merged.txt", context)


def second_factor_announce_reset(user_id: int) -> None:
    """Tell somebody that an administrator has taken their second factors away."""
    user = User.objects.get(pk=user_id)
    _send(user, "Your second factor was removed", "accounts/mail/second_factor_reset.txt", {})


def _send(reader: User, subject: str, template: str, context: dict[str, Any]) -> None:
    address = confirmed_addresses([reader]).get(reader.pk)
    _send_to(address, reader, subject, template, context)


def _send_to(
    address: str | None, reader: User, subject: str, template: str, context: dict[str, Any]
) -> None:
    if address is None:
        return
    send_mail(
        f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{subject}",
        render_to_string(template, {"reader": reader, **context}),
        settings.DEFAULT_FROM_EMAIL,
        [address],
    )
