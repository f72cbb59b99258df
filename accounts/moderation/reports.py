"""Reports: what may be reported, and the services that file, claim and answer them.

Other apps say what of theirs can be reported, in their `AppConfig.ready`:

    register_target("games.match", match_target)

    def match_target(reader: User, target_id: str) -> Target | None: ...

The function returns what the reader may see of it at that time, or None where there is nothing for
them. It is asked when the form is shown and again when the report is filed: what it captures then
is kept, whatever becomes of the thing itself. So `accounts` takes reports about matches and chat
without knowing what they are.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from math import ceil
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q

from accounts import mail
from accounts.models import Report, ReportQuerySet, User
from accounts.moderation.claims import Claims
from accounts.roles import is_moderator
from accounts.services import audit_record
from core.clock import now_utc
from core.refusals import Forbidden, Refusal, TooOften

WORDS_MAX = 1000
# Enough for anybody who means it.
REPORTS_AT_MOST = 5
REPORTS_PER = timedelta(hours=1)


@dataclass(frozen=True)
class ContextLine:
    """One line of what was said around the thing reported. `at` is ISO 8601, UTC."""

    who: str
    text: str
    at: str
    quoted: bool = False


@dataclass(frozen=True)
class Target:
    """Something that can be reported, as its reporter sees it.

    `title` is a noun phrase ("a message of Ben in match 12"); `about` the person concerned, if it
    is one; `facts` pairs of a label and a text.
    """

    title: str
    url: str
    about: User | None = None
    facts: Sequence[tuple[str, str]] = ()
    lines: Sequence[ContextLine] = field(default=())

    @property
    def context(self) -> dict[str, Any]:
        """What is kept with the report."""
        return {
            "facts": [[label, text] for label, text in self.facts],
            "lines": [
                {"who": line.who, "text": line.text, "at": line.at, "quoted": line.quoted}
                for line in self.lines
            ],
        }


TargetFinder = Callable[[User, str], Target | None]
# What a moderator may do about the thing itself: pairs of words and an address in the admin site.
Remedies = Callable[[Report], Sequence[tuple[str, str]]]


# Which reports a moderator must not see, as one who is concerned: a condition on reports.
Withheld = Callable[[User], Q]
# Which reports somebody, by their id, is in by the name of the thing: a condition on reports.
Concerns = Callable[[int], Q]
# What is done once a report is closed, in the same transaction, about the thing of that id.
Closed = Callable[[str], object]


@dataclass(frozen=True)
class _Kind:
    find: TargetFinder
    remedies: Remedies | None
    withheld: Withheld | None
    concerns: Concerns | None
    closed: Closed | None


_kinds: dict[str, _Kind] = {}


def register_target(
    target_type: str,
    find: TargetFinder,
    *,
    remedies: Remedies | None = None,
    withheld: Withheld | None = None,
    concerns: Concerns | None = None,
    closed: Closed | None = None,
) -> None:
    """Let things of a type be reported. `target_type` is a model's label ("games.chatmessage").

    `remedies(report)` gives links that stand on the report in the moderators' queue.
    `withheld(moderator)` gives the condition (a Q on reports) for those of this type that this
    moderator must not see, because they play in the match concerned. `concerns(user_id)` gives
    that for those that somebody is in by the name of what is reported, whatever else was kept with
    them. `closed(target_id)` is called when a report about one is closed, in its transaction: what
    was kept for that may go.
    """
    _kinds[target_type] = _Kind(find, remedies, withheld, concerns, closed)


def target_of(reader: User, target_type: str, target_id: str) -> Target | None:
    """What somebody wants to report, or None where there is nothing for them."""
    kind = _kinds.get(target_type)
    return None if kind is None else kind.find(reader, target_id)


def remedies_of(report: Report) -> list[tuple[str, str]]:
    """The links to what can be done about the thing reported."""
    kind = _kinds.get(report.target_type)
    return [] if kind is None or kind.remedies is None else list(kind.remedies(report))


def queue_of(moderator: User) -> ReportQuerySet:
    """The reports that a moderator may read; nobody else may read any."""
    if not is_moderator(moderator):
        return Report.objects.none()
    reports = Report.objects.all()
    for target_type, kind in _kinds.items():
        if kind.withheld is not None:
            reports = reports.exclude(Q(target_type=target_type) & kind.withheld(moderator))
    return reports


def concerning(user_id: int) -> Q:
    """Which reports concern somebody: about them, or one of the site's own that they are in."""
    found = Q(about=user_id) | Q(reporter=None, context__people__contains=[user_id])
    for target_type, kind in _kinds.items():
        if kind.concerns is not None:
            found |= Q(target_type=target_type) & kind.concerns(user_id)
    return found


def numbered(number: str, moderator: User, **about: object) -> Report | None:
    """Return the report of that number, as an address names it, if it is about this and the
    moderator may read it."""
    if not (number.isascii() and number.isdigit() and len(number) < 19):
        return None
    return queue_of(moderator).filter(pk=int(number), **about).first()


def user_target(_reader: User, target_id: str) -> Target | None:
    """Report a person: `target_id` is their username."""
    person = User.objects.filter(username=User.normalize_username(target_id)).first()
    if person is None:
        return None
    return Target(
        title=f"{person.shown_name} (@{person.username})",
        url=person.get_absolute_url(),
        about=person,
        facts=[
            ("Username", person.username),
            ("Display name at the time", person.shown_name),
        ],
    )


@transaction.atomic
def report_file(
    *, acting_user: User, target_type: str, target_id: str, reason: str, words: str
) -> Report:
    """Report something to the moderators.

    Raises Refusal ``report.nothing`` (no such thing, or not for this reader's eyes),
    ``report.yourself``, ``report.reason``, ``report.words-missing``, ``report.words-too-long``,
    ``report.already`` (an open report of theirs about the same thing) and ``report.too-many``.
    """
    # One lock per reporter, so that the limit holds against two requests at once.
    User.objects.select_for_update(no_key=True).get(pk=acting_user.pk)
    target = target_of(acting_user, target_type, target_id)
    if target is None:
        raise Refusal("report.nothing", "There is nothing here that you could report.")
    if target.about is not None and target.about.pk == acting_user.pk:
        raise Refusal("report.yourself", "You cannot report yourself.")
    if reason not in Report.Reason.values:
        raise Refusal("report.reason", "Please choose what is wrong.", field="reason")
    words = words.strip()
    if not words:
        raise Refusal("report.words-missing", "Please say what happened.", field="words")
    if len(words) > WORDS_MAX:
        sentence = f"At most {WORDS_MAX} characters, please."
        raise Refusal("report.words-too-long", sentence, field="words")
    now = now_utc()
    recent = Report.objects.filter(reporter=acting_user, at__gt=now - REPORTS_PER)
    if recent.count() >= REPORTS_AT_MOST:
        again = min(report.at for report in recent) + REPORTS_PER
        raise TooOften(
            "report.too-many",
            f"You have filed {REPORTS_AT_MOST} reports within the hour. Please wait before the "
            "next one.",
            retry_after=ceil((again - now).total_seconds()),
        )
    try:
        with transaction.atomic():
            report = Report.objects.create(
                reporter=acting_user,
                about=target.about,
                target_type=target_type,
                target_id=target_id,
                title=target.title[:200],
                url=target.url,
                reason=reason,
                words=words,
                context=target.context,
                at=now,
            )
    except IntegrityError as error:
        sentence = "You have reported this already. The moderators will answer you."
        raise Refusal("report.already", sentence) from error
    audit_record(
        acting_user=acting_user,
        action="report.file",
        target=report,
        data={"about": None if target.about is None else target.about.pk, "reason": reason},
    )
    return report


@transaction.atomic
def report_of_site(
    *,
    target_type: str,
    target_id: str,
    title: str,
    url: str,
    reason: Report.Reason,
    words: str,
    context: Mapping[str, Any],
    about: User | None = None,
) -> Report | None:
    """Report what the site itself has found, ``about`` somebody where it is one person above all.
    There is one open report of its about a thing: it is brought up to date where there
    is ``evidence`` in ``context`` that is not in it, and keeps what it has. None where there is
    not, so that nothing was written."""
    open_now = Report.objects.open().filter(
        reporter=None, target_type=target_type, target_id=target_id
    )
    report = open_now.select_for_update(no_key=True).first()
    kept = _beside(context, {} if report is None else report.context)
    said = {"title": title[:200], "words": words[:WORDS_MAX], "context": kept, "about": about}
    action = "report.file"
    if report is None:
        try:
            with transaction.atomic():
                report = Report.objects.create(
                    reporter=None, target_type=target_type, target_id=target_id, url=url,
                    reason=reason, at=now_utc(), **said,
                )  # fmt: skip
        except IntegrityError:
            return None  # somebody else has found it at the same moment
    elif set(context["evidence"]) <= set(report.context.get("evidence", ())):
        return None
    else:
        action = "report.renew"
        Report.objects.filter(pk=report.pk).update(**said)
        report.refresh_from_db()
    audit_record(
        acting_user=None,
        action=action,
        target=report,
        data={"about": None if about is None else about.pk, "reason": reason},
    )
    return report


def _beside(found: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """What was found, and of what an open report has told already whatever was not found again."""
    lines = {line["who"]: line for line in [*told.get("lines", ()), *found["lines"]]}
    kept = {
        **found,
        "lines": sorted(lines.values(), key=lambda line: line["at"])[-LINES_AT_MOST:],
        "evidence": sorted({*told.get("evidence", ()), *found["evidence"]}),
    }
    if "people" in found:
        kept["people"] = sorted({*told.get("people", ()), *found["people"]})
    if not set(told.get("evidence", ())) <= set(found["evidence"]):
        now = [list(each) for each in found["facts"]]
        before = [
            [f"{label.removesuffix(_BEFORE)}{_BEFORE}", text]
            for label, text in told["facts"]
            if label.removesuffix(_BEFORE) in _KEPT_FACTS
            and [label.removesuffix(_BEFORE), text] not in now
        ]
        kept["facts"] = [*now, *before[:_BEFORE_AT_MOST]]
    return kept


# How many of the things that it is about a report of the site lists, the latest of them.
LINES_AT_MOST = 40
_BEFORE = " before"
_BEFORE_AT_MOST = 10
_KEPT_FACTS = {"Found", "Against"}


def settled_evidence(target_type: str, *target_ids: str) -> set[Any]:
    """What the site's reports about these things that are closed have had for evidence."""
    closed = Report.objects.filter(
        reporter=None, target_type=target_type, target_id__in=target_ids, closed_at__isnull=False
    )
    contexts = closed.values_list("context", flat=True)
    return {each for context in contexts for each in context.get("evidence", ())}


def report_claim(*, acting_user: User, report: Report) -> Report:
    """Take a report on, so that no two moderators work on it. Raises Refusal as `must_be_claimable`
    does."""
    return _CLAIMS.take(acting_user, report)


def report_release(*, acting_user: User, report: Report) -> Report:
    """Give a report back to the queue: one's own, or as an administrator anybody's. Raises Refusal
    as `must_be_releasable` does."""
    return _CLAIMS.give_back(acting_user, report)


@transaction.atomic
def report_resolve(
    *, acting_user: User, report: Report, outcome: str, answer: str = "", note: str = ""
) -> Report:
    """Close a report and tell the reporter, if a person is one. `answer` is told with it, `note` is
    kept inside.

    Raises Refusal as `must_handle` does, ``report.closed``, ``report.claimed``,
    ``report.outcome`` and ``report.answer-too-long``.
    """
    locked = _lock(report)
    must_be_resolvable(acting_user, locked)
    if outcome not in Report.Outcome.values:
        raise Refusal("report.outcome", "Please choose what came of it.", field="outcome")
    answer = answer.strip()
    if len(answer) > WORDS_MAX:
        sentence = f"At most {WORDS_MAX} characters, please."
        raise Refusal("report.answer-too-long", sentence, field="answer")
    locked.outcome = outcome
    locked.answer = answer
    locked.note = note.strip()
    locked.closed_by = acting_user
    locked.closed_at = now_utc()
    locked.save(update_fields=["outcome", "answer", "note", "closed_by", "closed_at"])
    audit_record(
        acting_user=acting_user, action="report.resolve", target=locked, data={"outcome": outcome}
    )
    kind = _kinds.get(locked.target_type)
    if kind is not None and kind.closed is not None:
        kind.closed(locked.target_id)
    if locked.reporter_id is not None:
        transaction.on_commit(partial(mail.report_announce_outcome, locked.pk), robust=True)
    return locked


def must_handle(acting_user: User, report: Report) -> None:
    """Raises Refusal ``report.not-moderator``, ``report.about-you``, ``report.your-own`` and
    ``report.own-match``: nobody judges in their own matter, administrators included."""
    if not is_moderator(acting_user):
        raise Forbidden("report.not-moderator", "Only moderators work on reports.")
    if report.about_id == acting_user.pk:
        raise Forbidden("report.about-you", "This report is about you. Leave it to the others.")
    if report.reporter_id == acting_user.pk:
        raise Forbidden("report.your-own", "You filed this report. Leave it to the others.")
    if not queue_of(acting_user).filter(pk=report.pk).exists():
        raise Forbidden("report.own-match", "You play in this yourself. Leave it to the others.")


def must_be_open(acting_user: User, report: Report) -> None:
    """Raises Refusal as `must_handle` does, and ``report.closed``."""
    must_handle(acting_user, report)
    if report.closed_at is not None:
        raise Refusal("report.closed", "This report is closed.")


def must_be_claimable(acting_user: User, report: Report) -> None:
    """Whether somebody can take a report on. Raises Refusal as `must_be_open` does, and
    ``report.claimed``."""
    _CLAIMS.must_be_claimable(acting_user, report)


def must_be_releasable(acting_user: User, report: Report) -> None:
    """Whether somebody can leave a report to others. Raises Refusal as `must_be_open` does,
    ``report.not-claimed`` and ``report.claimed``."""
    _CLAIMS.must_be_releasable(acting_user, report)


def must_be_resolvable(acting_user: User, report: Report) -> None:
    """Whether somebody can close a report. Raises Refusal as `must_be_open` does, and
    ``report.claimed``: by somebody else."""
    _CLAIMS.must_be_theirs(acting_user, report)


def _lock(report: Report) -> Report:
    return Report.objects.select_for_update(no_key=True).get(pk=report.pk)


_CLAIMS = Claims(
    of="report",
    lock=_lock,
    open=must_be_open,
    taken=lambda: Refusal("report.claimed", "Somebody has taken this report on already."),
    others=lambda: Refusal("report.claimed", "Somebody else has taken this report on."),
    free=lambda: Refusal("report.not-claimed", "Nobody has taken this report on."),
)
