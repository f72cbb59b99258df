"""Warnings, mutes and suspensions: the services. Who is bound by one: `standing`.

Each is one transaction: the sanction, its audit entry, and after commit the mail that tells the
person. A suspension also ends at once what the person has open (`hooks.account_suspended`), and a
mute is told to it (`hooks.writing_changed`).
Matches that are running when somebody is suspended go on, by the clock: the opponent has done
nothing to be robbed of them.
"""

from datetime import datetime
from functools import partial

from django.db import transaction

from accounts import hooks, mail
from accounts.models import Report, Sanction, User
from accounts.roles import is_moderator, is_protected_from
from accounts.services import audit_record
from core.clock import now_utc
from core.hooks import send
from core.refusals import Forbidden, Refusal

REASON_MAX = 500


@transaction.atomic
def user_warn(
    *, acting_user: User, user: User, reason: str, note: str = "", report: Report | None = None
) -> Sanction:
    """Warn somebody: the next page they open shows it, until they say that they have read it.

    Raises Refusal as `lock_for_sanction` does, ``sanction.reason-missing`` and
    ``sanction.reason-too-long``.
    """
    locked = lock_for_sanction(acting_user, user)
    return _lay(acting_user, locked, Sanction.Kind.WARNING, reason, note, None, report)


@transaction.atomic
def user_mute(
    *,
    acting_user: User,
    user: User,
    reason: str,
    until: datetime | None,
    note: str = "",
    report: Report | None = None,
) -> Sanction:
    """Stop somebody from writing in chats, until an instant, or (None) until it is lifted.

    Raises Refusal as `user_warn` does, ``sanction.end-past``, and ``sanction.muted``: they are
    already.
    """
    locked = lock_for_sanction(acting_user, user)
    must_not_be_muted(locked)
    sanction = _lay(acting_user, locked, Sanction.Kind.MUTE, reason, note, until, report)
    _announce_writing(locked)
    return sanction


@transaction.atomic
def user_suspend(
    *,
    acting_user: User,
    user: User,
    reason: str,
    until: datetime | None,
    note: str = "",
    report: Report | None = None,
) -> Sanction:
    """Keep somebody out, until an instant, or (None) until it is lifted.

    They cannot sign in, what they have open ends at once, and no match or challenge begins with
    them. Running matches go on by the clock.

    Raises Refusal as `user_warn` does, ``sanction.end-past``, ``account.closed``, and
    ``sanction.suspended``: they are already.
    """
    locked = lock_for_sanction(acting_user, user)
    must_not_be_suspended(locked)
    sanction = _lay(acting_user, locked, Sanction.Kind.SUSPENSION, reason, note, until, report)
    announce = partial(send, hooks.account_suspended, User, user_id=locked.pk)
    transaction.on_commit(announce, robust=True)
    return sanction


@transaction.atomic
def sanction_lift(
    *, acting_user: User, sanction: Sanction, why: str, tells: bool = True
) -> Sanction:
    """End a sanction before its time, or take a warning back, read or not. The row stays.
    ``tells``: by a mail of its own; not where another tells the person.

    Raises Refusal as `lock_for_sanction` does, ``sanction.why-missing``,
    ``sanction.reason-too-long``, ``sanction.lifted`` and ``sanction.over``.
    """
    lock_for_sanction(acting_user, sanction.user)
    locked = Sanction.objects.select_for_update(no_key=True).get(pk=sanction.pk)
    must_stand(locked)
    why = why_whole(why)
    locked.lifted_at = now_utc()
    locked.lifted_by = acting_user
    locked.lifted_why = why
    locked.save(update_fields=["lifted_at", "lifted_by", "lifted_why"])
    audit_record(
        acting_user=acting_user,
        action="sanction.lift",
        target=locked,
        data={"user": locked.user_id, "kind": locked.kind, "why": why},
    )
    if tells:
        transaction.on_commit(partial(mail.sanction_announce_lift, locked.pk), robust=True)
    if locked.kind == Sanction.Kind.MUTE:
        _announce_writing(locked.user)
    return locked


@transaction.atomic
def sanction_shorten(*, acting_user: User, sanction: Sanction, until: datetime) -> Sanction:
    """Have a mute or a suspension end earlier than it would. Whoever asks tells the person.

    Raises Refusal as `lock_for_sanction` and `must_stand` do, ``sanction.no-end`` (a warning has
    none), ``sanction.end-past`` and ``sanction.end-later``.
    """
    lock_for_sanction(acting_user, sanction.user)
    locked = Sanction.objects.select_for_update(no_key=True).get(pk=sanction.pk)
    must_stand(locked)
    if locked.kind == Sanction.Kind.WARNING:
        sentence = "A warning has no end that could be moved: take it back, or let it stand."
        raise Refusal("sanction.no-end", sentence, field="until")
    _refuse_past(until)
    before = locked.until
    if before is not None and until >= before:
        sentence = "The new end must lie before the present one."
        raise Refusal("sanction.end-later", sentence, field="until")
    locked.until = until
    locked.save(update_fields=["until"])
    audit_record(
        acting_user=acting_user,
        action="sanction.shorten",
        target=locked,
        data={
            "user": locked.user_id,
            "kind": locked.kind,
            "before": None if before is None else before.isoformat(),
            "until": until.isoformat(),
        },
    )
    if locked.kind == Sanction.Kind.MUTE:
        _announce_writing(locked.user)
    return locked


def must_not_be_muted(user: User) -> None:
    """Raise Refusal ``sanction.muted`` for somebody who is."""
    if _binding(user, Sanction.Kind.MUTE):
        raise Refusal("sanction.muted", "This person is muted already. Lift that mute first.")


def must_not_be_suspended(user: User) -> None:
    """Raise Refusal ``account.closed`` or ``sanction.suspended`` where nobody is left to
    suspend."""
    if not user.is_active:
        raise Forbidden("account.closed", "This account is closed: nobody can sign in with it.")
    if _binding(user, Sanction.Kind.SUSPENSION):
        raise Refusal(
            "sanction.suspended", "This person is suspended already. Lift that suspension first."
        )


def must_stand(sanction: Sanction) -> None:
    """Raise Refusal ``sanction.lifted`` or ``sanction.over`` where there is nothing to lift. A
    warning that was read can be taken back: it stays on record."""
    if sanction.standing == "lifted":
        raise Refusal("sanction.lifted", "This sanction was lifted before.")
    if not sanction.stands:
        raise Refusal("sanction.over", "This sanction is over: there is nothing to lift.")


@transaction.atomic
def warning_acknowledge(*, acting_user: User, sanction: Sanction) -> None:
    """Note that somebody has read their warning. Doing so again changes nothing.

    Raises Refusal ``sanction.not-yours`` and ``sanction.no-warning``.
    """
    locked = Sanction.objects.select_for_update(no_key=True).get(pk=sanction.pk)
    if locked.user_id != acting_user.pk:
        raise Forbidden("sanction.not-yours", "This warning is not addressed to you.")
    if locked.kind != Sanction.Kind.WARNING:
        raise Refusal("sanction.no-warning", "Only a warning is acknowledged.")
    if locked.acknowledged_at is not None:
        return
    locked.acknowledged_at = now_utc()
    locked.save(update_fields=["acknowledged_at"])
    audit_record(acting_user=acting_user, action="sanction.acknowledge", target=locked)


def lock_for_sanction(acting_user: User, user: User) -> User:
    """Lock and return the person. Raises Refusal as `must_judge` does."""
    locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    must_judge(acting_user, locked)
    return locked


def must_be_moderator(acting_user: User) -> None:
    """Raises Refusal ``account.not-moderator``, whomever it concerns."""
    if not is_moderator(acting_user):
        raise Forbidden("account.not-moderator", "Only moderators may do this.")


def must_judge(acting_user: User, user: User) -> None:
    """Raises Refusal ``account.not-moderator``, ``account.own-account`` and ``account.protected``
    (only a superuser judges a moderator or a superuser)."""
    must_be_moderator(acting_user)
    if acting_user.pk == user.pk:
        raise Forbidden("account.own-account", "Nobody judges their own account.")
    if is_protected_from(acting_user, user):
        raise Forbidden("account.protected", "Only an administrator may do this to a moderator.")


def must_be_whole(reason: str, until: datetime | None) -> None:
    """What is asked of every sanction, whomever it concerns. Raises Refusal
    ``sanction.reason-missing``, ``sanction.reason-too-long`` and ``sanction.end-past``."""
    if not reason.strip():
        raise Refusal(
            "sanction.reason-missing", "Please give the reason. It is shown.", field="reason"
        )
    _refuse_length(reason.strip(), "reason")
    if until is not None:
        _refuse_past(until)


def why_whole(why: str) -> str:
    """Why a sanction is lifted. Raises Refusal ``sanction.why-missing`` and
    ``sanction.reason-too-long``."""
    why = why.strip()
    if not why:
        raise Refusal("sanction.why-missing", "Please say why it is lifted.", field="why")
    _refuse_length(why, "why")
    return why


def _lay(  # noqa: PLR0917  (private; one caller for each kind)
    acting_user: User,
    user: User,
    kind: Sanction.Kind,
    reason: str,
    note: str,
    until: datetime | None,
    report: Report | None,
) -> Sanction:
    must_be_whole(reason, until)
    reason = reason.strip()
    now = now_utc()
    sanction = Sanction.objects.create(
        user=user,
        kind=kind,
        reason=reason,
        note=note.strip(),
        by=acting_user,
        at=now,
        until=until,
        report=report,
    )
    audit_record(
        acting_user=acting_user,
        action=f"user.{_VERBS[kind]}",
        target=user,
        data={
            "sanction": sanction.pk,
            "reason": reason,
            "until": None if until is None else until.isoformat(),
            "report": None if report is None else report.pk,
        },
    )
    transaction.on_commit(partial(mail.sanction_announce, sanction.pk), robust=True)
    return sanction


def _announce_writing(user: User) -> None:
    announce = partial(send, hooks.writing_changed, User, user_id=user.pk)
    transaction.on_commit(announce, robust=True)


_VERBS = {
    Sanction.Kind.WARNING: "warn",
    Sanction.Kind.MUTE: "mute",
    Sanction.Kind.SUSPENSION: "suspend",
}


def _binding(user: User, kind: Sanction.Kind) -> bool:
    return Sanction.objects.in_force().filter(user=user, kind=kind).exists()


def _refuse_past(until: datetime) -> None:
    if until <= now_utc():
        raise Refusal("sanction.end-past", "The end must lie in the future.", field="until")


def _refuse_length(text: str, field: str) -> None:
    if len(text) > REASON_MAX:
        raise Refusal(
            "sanction.reason-too-long",
            f"At most {REASON_MAX} characters, please.",
            field=field,
        )
