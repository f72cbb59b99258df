"""Messages of organisers to the contestants of their season."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import Q
from django.urls import reverse

from accounts.announcing.services import Told, announce
from accounts.models import Block, User
from accounts.moderation.standing import why_silent
from accounts.services import audit_record
from core.refusals import NotFound, Refusal
from core.text import one_line
from tournaments.lifecycle import STILL_IN, UNDECIDED, ContestantStatus
from tournaments.models import Contestant, MessageTo, Round, Season, SeasonMessage
from tournaments.models.messages import TITLE_MAX, WORDS_MAX
from tournaments.rights import Right
from tournaments.services.guards import (
    instant,
    line,
    must_manage,
    must_not_be_archived,
    must_not_be_draft,
    season_lock,
)

KIND: Final = "season.message"
A_DAY_MAX: Final = 10
A_DAY: Final = timedelta(days=1)
_GAP: Final = re.compile(r"\n{3,}")


@transaction.atomic
def message_send(
    *,
    acting_user: User,
    season: Season,
    title: str,
    words: str,
    whom: str = MessageTo.EVERYBODY,
    round: Round | None = None,  # noqa: A002  (the field's own word)
    form: str = "",
    at: datetime | None = None,
) -> SeasonMessage:
    """Write to contestants who have an account: to all but those who have left, to those still in,
    or to both sides of what is still open of a ``round``.

    Each is told by the ways that they have chosen; who has blocked the writer is not, and finds it
    on the season's pages only. ``form``: what the form carried by which it was sent (`form_key`);
    sent again as it was, it goes out once. Raises Refusal ``season.none``, as
    `must_be_able_to_write` does, ``message.title.*``, ``message.words.*``, ``message.whom``,
    ``round.none``, ``message.nobody`` and ``message.many``.
    """
    at = instant(at)
    # Nothing of what everybody sees changes.
    locked = season_lock(season.pk, changes=False)
    must_be_able_to_write(locked, acting_user)
    tidy = line(title, code="message.title", what="The title", most=TITLE_MAX)
    body = paragraphs(words)
    said = {"title": tidy, "words": body, "whom": whom, "round": round}
    if before := _sent_before(locked, acting_user, form, said):
        return before
    # Whoever writes and plays knows it.
    to = [each for each in recipients(locked, whom, round) if each.user_id != acting_user.pk]
    if not to:
        raise Refusal("message.nobody", "Nobody with an account is among those just now.")
    if locked.messages.filter(at__gt=at - A_DAY).count() >= A_DAY_MAX:
        raise Refusal(
            "message.many", f"{A_DAY_MAX} messages have gone out within a day: wait a while."
        )
    message = SeasonMessage.objects.create(season=locked, by=acting_user, at=at, **said)
    message.to.set(to)
    audit_record(
        acting_user=acting_user,
        action="message.send",
        target=message,
        data={"season": locked.pk, "whom": whom, "contestants": len(to)},
    )
    _tell(message, to)
    return message


def form_key(season: Season, user: User) -> str:
    """What the form carries: another once they have written something here, and the same until
    then, however often it is shown."""
    return str(season.messages.filter(by=user).count())


def _sent_before(
    season: Season, user: User, form: str, said: dict[str, Any]
) -> SeasonMessage | None:
    """What somebody has written already by the form that they send, with the season locked: of
    what has come since it was shown, that which says the same."""
    if not re.fullmatch(r"[0-9]{1,9}", form):
        return None
    since = season.messages.filter(by=user).order_by("pk")[int(form) :]
    return next((each for each in since if all(getattr(each, k) == said[k] for k in said)), None)


def must_be_able_to_write(season: Season, acting_user: User) -> None:
    """Whether somebody can write to contestants now. Raises Refusal ``season.not-organiser``,
    ``season.archived``, ``season.draft`` (who is in it may not know of it yet) and
    ``message.muted``."""
    must_manage(season, acting_user, Right.PEOPLE)
    must_not_be_archived(season)
    must_not_be_draft(season)
    must_not_be_silenced(acting_user)


def must_not_be_silenced(acting_user: User) -> None:
    """Raises Refusal ``message.muted``."""
    silenced = why_silent(acting_user)
    if silenced:
        raise Refusal("message.muted", silenced)


def recipients(season: Season, whom: str, played: Round | None) -> Iterable[Contestant]:
    """To whom a message goes. Raises Refusal ``message.whom`` and ``round.none``."""
    if whom not in MessageTo.values:
        raise Refusal("message.whom", f"It goes to one of {', '.join(MessageTo.values)}.")
    if (whom == MessageTo.ROUND) != (played is not None):
        raise Refusal("message.whom", "A round is named where it goes to those of a round.")
    rows = season.contestants.select_related("user").filter(user__is_active=True)
    if whom == MessageTo.EVERYBODY:
        gone = (ContestantStatus.WITHDRAWN, ContestantStatus.REPLACED)
        return rows.exclude(status__in=gone)
    if played is None:
        return rows.filter(status__in=STILL_IN)
    if played.season_id != season.pk:
        raise NotFound("round.none", "There is no such round in this season.")
    is_open = Q(round=played, status__in=UNDECIDED)
    sides = [
        side
        for row in played.death_matches.filter(is_open).values_list("home", "away")
        for side in row
        if side is not None
    ]
    return rows.filter(pk__in=sides)


def paragraphs(words: str) -> str:
    """What is written, line by line. Raises Refusal ``message.words.missing`` and
    ``message.words.too-long``."""
    lines = (one_line(each) for each in str(words).replace("\r\n", "\n").split("\n"))
    text = _GAP.sub("\n\n", "\n".join(lines)).strip()
    if not text:
        raise Refusal("message.words.missing", "Please write something.")
    if len(text) > WORDS_MAX:
        raise Refusal("message.words.too-long", f"A message has at most {WORDS_MAX} characters.")
    return text


def _tell(message: SeasonMessage, to: Iterable[Contestant]) -> None:
    by, season = message.by, message.season
    apart = set(Block.objects.filter(blocked=by).values_list("blocker", flat=True))
    path = reverse("tournaments:messages", args=[season.slug])
    announce(
        Told(
            user=each.user,
            kind=KIND,
            key=f"message:{message.pk}",
            subject=f"{season.name}: {message.title}",
            words=f"{message.words}\n\n{by.shown_name}, who runs {season.name}",
            path=path,
        )
        for each in to
        if each.user is not None and each.user_id not in apart
    )
