"""Appeals: somebody who is under a sanction asks for it to be looked at again, and another
moderator than the one who laid it answers.

A sanction that has ended takes its open appeal with it: nothing is stored for that, and it may
still be granted, for the record. Granting lifts the sanction, or shortens it, in the same
transaction. Locks are taken in one order: the person, the sanction, the appeal.
"""

from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from django.db import transaction
from django.db.models import Q

from accounts import mail
from accounts.models import Appeal, AppealQuerySet, Sanction, User
from accounts.moderation import sanctions
from accounts.moderation.claims import Claims
from accounts.moderation.standing import kept_account, own_accounts
from accounts.roles import Role, is_moderator
from accounts.services import audit_record
from core.admin.lists import keys_as_text
from core.clock import now_utc
from core.refusals import Forbidden, Refusal, allowed

WORDS_MAX = 1000
# As of reports.
APPEALS_AT_MOST = 5
APPEALS_PER = timedelta(hours=1)


def queue_of(moderator: User) -> AppealQuerySet:
    """The appeals that a moderator may read: all but their own, of which they learn on their own
    page what everybody learns of theirs. Nobody else may read any."""
    if not is_moderator(moderator):
        return Appeal.objects.none()
    return Appeal.objects.exclude(about(moderator))


def about(person: User) -> Q:
    """Which appeals are somebody's own: those of accounts that were merged into theirs, too."""
    return Q(sanction__user__in=own_accounts(person))


def entries_about(person: User) -> Q:
    """What the audit log says of somebody's own appeals: who took them on, for one."""
    own = Appeal.objects.filter(about(person))
    return Q(target_type=Appeal._meta.label_lower, target_id__in=keys_as_text(own))


class Appealed(NamedTuple):
    """A sanction as the person whom it concerns sees it: their latest appeal against it, withdrawn
    or not, and whether they can appeal now."""

    sanction: Sanction
    appeal: Appeal | None
    may: bool


def appealed(reader: User, sanction: Sanction) -> Appealed:
    """How a sanction stands to whom it concerns. Free where `appeals` were fetched with it."""
    latest = next(iter(sanction.appeals.all()), None)
    return Appealed(sanction, latest, allowed(must_be_appealable, reader, sanction))


# -- whoever is under a sanction -----------------------------------------------------------------


@transaction.atomic
def appeal_file(*, acting_user: User, sanction: Sanction, words: str) -> Appeal:
    """Appeal against a sanction of one's own. Somebody who is suspended may, and does so from the
    page that tells them of it.

    Raises Refusal as `must_be_appealable` does, ``appeal.words-missing``,
    ``appeal.words-too-long`` and ``appeal.too-many``.
    """
    # One lock per person, so that the limit holds against two requests at once.
    person = User.objects.select_for_update(no_key=True).get(pk=acting_user.pk)
    locked = Sanction.objects.select_for_update(no_key=True).get(pk=sanction.pk)
    must_be_appealable(person, locked)
    words = words.strip()
    if not words:
        sentence = "Please say why the moderators should look at it again."
        raise Refusal("appeal.words-missing", sentence, field="words")
    if len(words) > WORDS_MAX:
        sentence = f"At most {WORDS_MAX} characters, please."
        raise Refusal("appeal.words-too-long", sentence, field="words")
    now = now_utc()
    recent = Appeal.objects.filter(sanction__user=person, at__gt=now - APPEALS_PER)
    if recent.count() >= APPEALS_AT_MOST:
        raise Refusal(
            "appeal.too-many",
            f"You have appealed {APPEALS_AT_MOST} times within the hour. Please wait before the "
            "next one.",
        )
    appeal = Appeal.objects.create(sanction=locked, words=words, at=now)
    audit_record(
        acting_user=person, action="appeal.file", target=appeal, data={"sanction": locked.pk}
    )
    return appeal


@transaction.atomic
def appeal_withdraw(*, acting_user: User, appeal: Appeal) -> Appeal:
    """Take one's own appeal back, while nobody has answered it.

    Raises Refusal ``appeal.not-yours``, ``appeal.withdrawn`` and ``appeal.answered``.
    """
    locked = _lock(appeal)
    if locked.sanction.user_id != acting_user.pk:
        raise Forbidden("appeal.not-yours", "This is not an appeal of yours.")
    _refuse_settled(locked)
    locked.withdrawn_at = now_utc()
    locked.save(update_fields=["withdrawn_at"])
    audit_record(acting_user=acting_user, action="appeal.withdraw", target=locked)
    return locked


def must_be_appealable(acting_user: User, sanction: Sanction) -> None:
    """Whether somebody can appeal against a sanction. Raises Refusal ``appeal.not-yours``,
    ``appeal.account-closed``, ``appeal.over`` (it was lifted, or its end has come) and
    ``appeal.already``."""
    if sanction.user_id != acting_user.pk:
        raise Forbidden("appeal.not-yours", "This is not a sanction of yours.")
    if not acting_user.is_active:
        raise Forbidden("appeal.account-closed", "This account is closed.")
    if not sanction.stands:
        raise Refusal("appeal.over", "This sanction has ended: nothing is left to be looked at.")
    if any(appeal.withdrawn_at is None for appeal in sanction.appeals.all()):
        sentence = "You have appealed against this. That can be done once."
        raise Refusal("appeal.already", sentence)


# -- moderators ----------------------------------------------------------------------------------


def appeal_claim(*, acting_user: User, appeal: Appeal) -> Appeal:
    """Take an appeal on, so that no two moderators work on it. Raises Refusal as
    `must_be_claimable` does."""
    return _CLAIMS.take(acting_user, appeal)


def appeal_release(*, acting_user: User, appeal: Appeal) -> Appeal:
    """Give an appeal back to the queue: one's own, or as an administrator anybody's. Raises Refusal
    as `must_be_releasable` does."""
    return _CLAIMS.give_back(acting_user, appeal)


@transaction.atomic
def appeal_grant(
    *,
    acting_user: User,
    appeal: Appeal,
    answer: str = "",
    until: datetime | None = None,
    note: str = "",
) -> Appeal:
    """Grant an appeal: lift the sanction, or (``until``) have it end earlier. One that has ended
    stays as it is, and the record says that the appeal was right.

    Raises Refusal as `must_be_answerable` does, ``appeal.answer-too-long``, and as
    `sanctions.sanction_shorten` does.
    """
    sanction, locked = _lock_all(appeal)
    must_be_answerable(acting_user, locked)
    answer = _answer_whole(answer)
    if until is not None:
        sanctions.sanction_shorten(acting_user=acting_user, sanction=sanction, until=until)
    elif sanction.stands:
        why = f"Appeal {locked.pk} was granted."
        sanctions.sanction_lift(acting_user=acting_user, sanction=sanction, why=why, tells=False)
    return _answer(acting_user, locked, Appeal.Outcome.GRANTED, answer, until, note)


@transaction.atomic
def appeal_deny(*, acting_user: User, appeal: Appeal, answer: str, note: str = "") -> Appeal:
    """Deny an appeal: the sanction stays as it is.

    Raises Refusal as `must_be_deniable` does, ``appeal.answer-missing`` and
    ``appeal.answer-too-long``.
    """
    _sanction, locked = _lock_all(appeal)
    must_be_deniable(acting_user, locked)
    answer = _answer_whole(answer)
    if not answer:
        sentence = "Please say why it stands. The person reads it."
        raise Refusal("appeal.answer-missing", sentence, field="answer")
    return _answer(acting_user, locked, Appeal.Outcome.DENIED, answer, None, note)


def must_decide(acting_user: User, appeal: Appeal) -> None:
    """Raises Refusal as `sanctions.must_judge` does, ``appeal.your-own`` (of an account that was
    merged into theirs), and ``appeal.your-sanction``: whoever laid a sanction does not decide about
    the appeal against it, administrators included, unless nobody else is there who could."""
    sanction = appeal.sanction
    sanctions.must_judge(acting_user, sanction.user)
    if kept_account(sanction.user) == acting_user:
        raise Forbidden("appeal.your-own", "This is an appeal of your own. Leave it to the others.")
    theirs = acting_user.pk in {sanction.by_id, kept_account(sanction.by).pk}
    if theirs and _others_could(acting_user, sanction.user):
        raise Forbidden(
            "appeal.your-sanction",
            "You laid this sanction. Leave the appeal to the others: you would decide about it "
            "only if you were the only moderator or administrator there is.",
        )


def must_be_open(acting_user: User, appeal: Appeal) -> None:
    """Raises Refusal as `must_decide` does, ``appeal.withdrawn`` and ``appeal.answered``."""
    must_decide(acting_user, appeal)
    _refuse_settled(appeal)


def must_be_claimable(acting_user: User, appeal: Appeal) -> None:
    """Whether somebody can take an appeal on. Raises Refusal as `must_be_open` does, and
    ``appeal.claimed``."""
    _CLAIMS.must_be_claimable(acting_user, appeal)


def must_be_releasable(acting_user: User, appeal: Appeal) -> None:
    """Whether somebody can leave an appeal to others. Raises Refusal as `must_be_open` does,
    ``appeal.not-claimed`` and ``appeal.claimed``."""
    _CLAIMS.must_be_releasable(acting_user, appeal)


def must_be_answerable(acting_user: User, appeal: Appeal) -> None:
    """Whether somebody can grant an appeal. Raises Refusal as `must_be_open` does, and
    ``appeal.claimed``: by somebody else."""
    _CLAIMS.must_be_theirs(acting_user, appeal)


def must_be_deniable(acting_user: User, appeal: Appeal) -> None:
    """Whether somebody can deny an appeal. Raises Refusal as `must_be_answerable` does, and
    ``appeal.over``: nothing is left to stand."""
    must_be_answerable(acting_user, appeal)
    if not appeal.sanction.stands:
        sentence = "The sanction has ended, and the appeal with it: it can only be granted."
        raise Refusal("appeal.over", sentence)


def _others_could(acting_user: User, user: User) -> bool:
    """Whether anybody else there is could judge this person."""
    may = Q(is_superuser=True)
    if not user.is_superuser and not user.groups.filter(name=Role.MODERATOR.value).exists():
        may |= Q(pk__in=User.objects.filter(groups__name=Role.MODERATOR.value).values("pk"))
    suspended = Sanction.objects.in_force().filter(kind=Sanction.Kind.SUSPENSION).values("user")
    others = User.objects.filter(may, is_active=True).exclude(pk__in=[acting_user.pk, user.pk])
    return others.exclude(pk__in=suspended).exists()


def _lock(appeal: Appeal) -> Appeal:
    locked = Appeal.objects.select_for_update(no_key=True, of=("self",))
    return locked.select_related("sanction__user", "sanction__by").get(pk=appeal.pk)


def _lock_all(appeal: Appeal) -> tuple[Sanction, Appeal]:
    """The sanction and the appeal, as they are now."""
    whose = Sanction.objects.values_list("user", flat=True).get(pk=appeal.sanction_id)
    User.objects.select_for_update(no_key=True).get(pk=whose)
    Sanction.objects.select_for_update(no_key=True).get(pk=appeal.sanction_id)
    locked = _lock(appeal)
    return locked.sanction, locked


def _refuse_settled(appeal: Appeal) -> None:
    if appeal.withdrawn_at is not None:
        raise Refusal("appeal.withdrawn", "This appeal was withdrawn.")
    if appeal.answered_at is not None:
        raise Refusal("appeal.answered", "This appeal was answered before.")


_CLAIMS = Claims(
    of="appeal",
    lock=_lock,
    open=must_be_open,
    taken=lambda: Refusal("appeal.claimed", "Somebody has taken this appeal on already."),
    others=lambda: Refusal("appeal.claimed", "Somebody else has taken this appeal on."),
    free=lambda: Refusal("appeal.not-claimed", "Nobody has taken this appeal on."),
)


def _answer_whole(answer: str) -> str:
    answer = answer.strip()
    if len(answer) > WORDS_MAX:
        sentence = f"At most {WORDS_MAX} characters, please."
        raise Refusal("appeal.answer-too-long", sentence, field="answer")
    return answer


def _answer(
    acting_user: User,
    locked: Appeal,
    outcome: Appeal.Outcome,
    answer: str,
    until: datetime | None,
    note: str,
) -> Appeal:
    locked.outcome = outcome
    locked.answer = answer
    locked.until = until
    locked.note = note.strip()
    locked.answered_by = acting_user
    locked.answered_at = now_utc()
    locked.save(update_fields=["outcome", "answer", "until", "note", "answered_by", "answered_at"])
    audit_record(
        acting_user=acting_user,
        action="appeal.grant" if outcome == Appeal.Outcome.GRANTED else "appeal.deny",
        target=locked,
        data={
            "user": locked.sanction.user_id,
            "sanction": locked.sanction_id,
            "until": None if until is None else until.isoformat(),
        },
    )
    transaction.on_commit(partial(mail.appeal_announce_answer, locked.pk), robust=True)
    return locked
