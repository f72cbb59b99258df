"""Pictures of a season, its contestants and its main matches: put up, taken off, and taken away by
moderators.

What may have a picture has a field `picture` and stands in `OWNERS`, with one line.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple, TypeAlias

from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse

from accounts.announcing.services import Told, announce
from accounts.models import AuditEntry, Report, User
from accounts.moderation.standing import why_silent
from accounts.roles import is_moderator
from accounts.services import audit_record
from core.api.limits import take_of
from core.clock import now_utc
from core.refusals import Forbidden, NotFound, Refusal
from tournaments import audience
from tournaments.lifecycle import ContestantStatus, Visibility
from tournaments.models import Contestant, Episode, MainMatchPicture, Picture, PictureSize, Season
from tournaments.models.pictures import ALT_MAX, OF_MAIN_MATCH_MAX, main_match_seen_by_all
from tournaments.photographs import LANDSCAPE, SQUARE, WIDE, Shape, sizes_of
from tournaments.rights import Right
from tournaments.services.guards import instant, line, must_not_be_archived, reason, season_lock

KIND: Final = "season.picture"
#: What a report about a picture calls it.
TARGET: Final = Picture._meta.label_lower
#: How many uploads of one account are looked at within a minute, and are taken within a day.
A_MINUTE_MAX: Final = 10
A_DAY_MAX: Final = 60
A_DAY: Final = timedelta(days=1)

_GONE: Final = (ContestantStatus.WITHDRAWN, ContestantStatus.REPLACED)

#: A row with a field `picture`.
Owner: TypeAlias = Any


class Owned(NamedTuple):
    """What may have a picture: how that is cut, which season it is of, with which right those who
    run the season put it up, who else does, and whether it must be said what it shows."""

    shape: Shape
    season_of: Callable[[Owner], Season]
    right: Right
    is_theirs: Callable[[Owner, User], bool]
    described: bool = False


OWNERS: Final[Mapping[type[Any], Owned]] = {
    Season: Owned(WIDE, lambda row: row, Right.RUN, lambda _row, _user: False),
    Contestant: Owned(
        SQUARE, lambda row: row.season, Right.PEOPLE, lambda row, user: row.user_id == user.pk
    ),
    MainMatchPicture: Owned(
        LANDSCAPE,
        lambda row: row.episode.round.season,
        Right.EPISODES,
        lambda _row, _user: False,
        described=True,
    ),
}


def owner_of(picture: Picture) -> Owner | None:
    """Whose picture it is; None of one that was taken off."""
    found = (model.objects.filter(picture=picture).first() for model in OWNERS)
    return next((row for row in found if row is not None), None)


def another_of(episode: Episode) -> MainMatchPicture:
    """A place for one more picture of a main match: `picture_set` keeps it."""
    return MainMatchPicture(episode=episode)


# -- who may -------------------------------------------------------------------------------------


def must_be_able_to_set(owner: Owner, acting_user: User) -> None:
    """Whether somebody can put up a picture now. Raises Refusal ``season.none``,
    ``picture.not-yours``, ``season.archived``, ``picture.left``, ``picture.full`` (a main match has
    as many as it may) and ``picture.muted``."""
    season = _must_be_theirs(owner, acting_user)
    must_not_be_archived(season)
    gone = isinstance(owner, Contestant) and owner.status in _GONE
    if gone and not audience.may(season, acting_user, OWNERS[type(owner)].right):
        raise Refusal("picture.left", "Whoever has left the season puts up no picture in it.")
    another = isinstance(owner, MainMatchPicture) and owner.is_new
    if another and owner.episode.pictures.count() >= OF_MAIN_MATCH_MAX:
        raise Refusal(
            "picture.full", f"A main match has at most {OF_MAIN_MATCH_MAX} pictures: take one off."
        )
    silenced = why_silent(acting_user)
    if silenced:
        raise Refusal("picture.muted", silenced)


def must_be_able_to_remove(owner: Owner, acting_user: User) -> None:
    """Whether somebody can take a picture off: one's own also out of the archive. Raises Refusal
    ``season.none``, ``picture.not-yours``, ``picture.not-there`` and ``season.archived``."""
    season = _must_be_theirs(owner, acting_user)
    if owner.picture_id is None:
        raise NotFound("picture.not-there", "There is no picture.")
    if not OWNERS[type(owner)].is_theirs(owner, acting_user):
        must_not_be_archived(season)


def must_be_able_to_take_away(picture: Picture, acting_user: User) -> None:
    """Whether a moderator can take a picture away. Raises Refusal ``picture.not-moderator`` and
    ``picture.not-there``."""
    if not is_moderator(acting_user):
        raise Forbidden("picture.not-moderator", "Only moderators take pictures away.")
    if not Picture.objects.visible_to(acting_user).filter(pk=picture.pk).exists():
        raise NotFound("picture.not-there", "There is no such picture.")


def _must_be_theirs(owner: Owner, acting_user: User) -> Season:
    owned = OWNERS[type(owner)]
    season = owned.season_of(owner)
    if not Season.objects.visible_to(acting_user).filter(pk=season.pk).exists():
        raise NotFound("season.none", "There is no such season.")
    theirs = owned.is_theirs(owner, acting_user)
    if not theirs and not audience.may(season, acting_user, owned.right):
        sentence = "Only who it is of and those who run the season may do this."
        raise Forbidden("picture.not-yours", sentence)
    return season


# -- put up and taken off ------------------------------------------------------------------------


def picture_set(
    *,
    acting_user: User,
    owner: Owner,
    content: bytes,
    alt: str = "",
    at: datetime | None = None,
) -> Picture:
    """Put up a picture of a season or a contestant, in place of the one before, or, with a row that
    `another_of` made, one more of a main match. ``alt``: what it shows, in words.

    Raises Refusal as `must_be_able_to_set` does, ``picture.too-many``, ``picture.alt.missing`` (of
    a main match), ``picture.alt.too-long``, and as `photographs.sizes_of` does.
    """
    at = instant(at)
    must_be_able_to_set(owner, acting_user)
    empty = not OWNERS[type(owner)].described
    words = line(alt, code="picture.alt", what="What it shows", most=ALT_MAX, empty=empty)
    left = take_of("picture", str(acting_user.pk), allowed=A_MINUTE_MAX).remaining
    if left < 0:
        raise Refusal("picture.too-many", "These are many pictures at once: please wait a minute.")
    _must_not_be_many(acting_user, at)
    # Reading a picture takes a while: nobody waits for it who plays in the season.
    sizes = sizes_of(content, OWNERS[type(owner)].shape)
    return _put_up(acting_user, owner, sizes, words, at)


def _must_not_be_many(acting_user: User, at: datetime) -> None:
    within = AuditEntry.objects.filter(who=acting_user, action="picture.set", at__gt=at - A_DAY)
    if within.count() >= A_DAY_MAX:
        raise Refusal(
            "picture.too-many", f"You have put up {A_DAY_MAX} pictures within a day: wait a while."
        )


@transaction.atomic
def _put_up(
    acting_user: User, owner: Owner, sizes: Mapping[int, bytes], alt: str, at: datetime
) -> Picture:
    _must_not_be_many(acting_user, at)
    locked = _lock(owner)
    must_be_able_to_set(locked, acting_user)
    season = OWNERS[type(locked)].season_of(locked)
    picture = Picture.objects.create(
        season=season,
        digest=hashlib.sha256(sizes[max(sizes)]).hexdigest(),
        alt=alt,
        by=acting_user,
        at=at,
    )
    PictureSize.objects.bulk_create(
        PictureSize(picture=picture, width=width, data=data) for width, data in sizes.items()
    )
    _hang(locked, picture, at)
    audit_record(
        acting_user=acting_user,
        action="picture.set",
        target=picture,
        data={"season": season.pk, **_of(locked)},
    )
    _tell_whom_it_shows(locked, picture, acting_user, up=True)
    return picture


@transaction.atomic
def picture_remove(*, acting_user: User, owner: Owner, at: datetime | None = None) -> None:
    """Take a picture off. Raises Refusal as `must_be_able_to_remove` does."""
    locked = _lock(owner)
    must_be_able_to_remove(locked, acting_user)
    _tell_whom_it_shows(locked, locked.picture, acting_user, up=False)
    audit_record(
        acting_user=acting_user,
        action="picture.remove",
        target=locked.picture,
        data={"season": OWNERS[type(locked)].season_of(locked).pk, **_of(locked)},
    )
    _hang(locked, None, instant(at))


@transaction.atomic
def picture_take_away(*, acting_user: User, picture: Picture, why: str) -> None:
    """A moderator takes a picture away for good; who put it up is told, with the reason. Raises
    Refusal as `must_be_able_to_take_away` does, and ``why.*``."""
    found = Picture.objects.select_related("by", "season").filter(pk=picture.pk).first()
    if found is None:
        raise NotFound("picture.not-there", "There is no such picture.")
    must_be_able_to_take_away(found, acting_user)
    why = reason(why)
    owner = owner_of(found)
    if owner is not None:
        locked = _lock(owner)
        if locked.picture_id == found.pk:
            _change(locked, None)
    audit_record(
        acting_user=acting_user,
        action="picture.take_away",
        target=found,
        data={"season": found.season_id, "why": why, **({} if owner is None else _of(owner))},
    )
    whose = "" if owner is None or isinstance(owner, Season) else f" of {owner}"
    announce(
        [
            Told(
                user=found.by,
                kind=KIND,
                key=f"picture:{found.pk}",
                subject=f"{found.season.name}: your picture{whose} was taken away",
                words=f"A moderator has taken away the picture{whose} that you put up in "
                f"{found.season.name}. The reason: {why}",
                path=found.season.get_absolute_url(),
            )
        ]
    )
    found.delete()


def _tell_whom_it_shows(owner: Owner, picture: Picture, acting_user: User, *, up: bool) -> None:
    """Tell a contestant that somebody else has put up a picture of them, or taken one off. Of what
    is done in a draft nobody hears."""
    if not isinstance(owner, Contestant) or owner.user is None or owner.user == acting_user:
        return
    season = owner.season
    if season.visibility == Visibility.DRAFT:
        return
    name, page = acting_user.shown_name, season.get_absolute_url()
    if up:
        what, words = "put up", f"{name} has put up a picture of you in {season.name}. "
        words += "You can take it off there, or put up another one."
        page = reverse("tournaments:contestant_picture", args=[season.slug, owner.pk])
    else:
        what, words = "taken off", f"{name} has taken off your picture in {season.name}."
    announce(
        [
            Told(
                user=owner.user,
                kind=KIND,
                key=f"picture:{picture.pk}:{'up' if up else 'off'}",
                subject=f"{season.name}: a picture of you was {what}",
                words=words,
                path=page,
            )
        ]
    )


@transaction.atomic
def picture_report_closed(target_id: str) -> None:
    """Delete a picture that was taken off and kept for a report that is closed now, unless another
    one is open."""
    found = Picture.objects.filter(pk=int(target_id)).first()
    if found is None:
        return
    # Whoever takes it off just now has done so, or sees the report closed.
    season_lock(found.season_id, changes=False)
    off = Picture.objects.filter(pk=found.pk, off_at__isnull=False)
    off.exclude(pk__in=_reported(off)).delete()


def pictures_forget(user_id: int, *, at: datetime | None = None) -> int:
    """Take off every picture of somebody whose account is closed, season by season; of how many
    contestants."""
    rows = Contestant.objects.filter(user=user_id, picture__isnull=False).select_related("season")
    found = list(rows.order_by("pk"))
    for each in found:
        _forget(each, instant(at))
    return len(found)


@transaction.atomic
def _forget(contestant: Contestant, at: datetime) -> None:
    locked = _lock(contestant)
    if locked.picture_id is None or locked.user_id != contestant.user_id:
        return
    audit_record(
        acting_user=None,
        action="picture.forget",
        target=locked.picture,
        data={"season": locked.season_id, **_of(locked)},
    )
    _hang(locked, None, at)


def _lock(owner: Owner) -> Owner:
    """The row as it is now, under its season's lock: whoever shows the season is told anew. Raises
    Refusal ``picture.not-there`` of a main match's that is gone."""
    if isinstance(owner, MainMatchPicture):
        return _lock_main_match(owner)
    season = season_lock(OWNERS[type(owner)].season_of(owner).pk)
    if isinstance(owner, Season):
        return season
    fresh = type(owner).objects.select_related("picture").get(pk=owner.pk)
    fresh.season = season
    return fresh


def _lock_main_match(owner: MainMatchPicture) -> MainMatchPicture:
    """The same. What not everybody sees yet changes no revision."""
    season = season_lock(owner.episode.round.season_id, changes=False)
    if _is_seen(owner):
        season = season_lock(season.pk)
    kept = MainMatchPicture.objects.select_related("picture", "episode__round")
    row = another_of(owner.episode) if owner.is_new else kept.filter(pk=owner.pk).first()
    if row is None:
        raise NotFound("picture.not-there", "There is no such picture.")
    row.episode.round.season = season
    return row


def _is_seen(owner: Owner) -> bool:
    """Whether everybody who sees the season sees its picture."""
    if not isinstance(owner, MainMatchPicture):
        return True
    seen = Episode.objects.filter(main_match_seen_by_all("pk"), pk=owner.episode_id)
    return seen.exists()


def _hang(owner: Owner, picture: Picture | None, at: datetime) -> None:
    """Have another picture, or none. The one before is kept while a report about it is open."""
    before = owner.picture_id
    _change(owner, picture)
    season = OWNERS[type(owner)].season_of(owner)
    if before is not None:
        Picture.objects.filter(pk=before).update(off_at=at)
    off = Picture.objects.filter(season=season, off_at__isnull=False)
    off.exclude(pk__in=_reported(off)).delete()


def _change(owner: Owner, picture: Picture | None) -> None:
    if isinstance(owner, MainMatchPicture):
        _change_main_match(owner, picture)
    else:
        owner.picture = picture
        owner.save(update_fields=["picture"])
    if not _is_seen(owner):
        return
    Season.objects.filter(pk=OWNERS[type(owner)].season_of(owner).pk).update(changed_at=now_utc())


def _change_main_match(owner: MainMatchPicture, picture: Picture | None) -> None:
    """Without a picture there is no row, and those behind it move up."""
    rows = MainMatchPicture.objects.filter(episode=owner.episode_id)
    if picture is not None:
        owner.picture = picture
        owner.number = owner.number or rows.count() + 1
        owner.save()
        return
    owner.delete()
    for behind in rows.filter(number__gt=owner.number).order_by("number"):
        behind.number -= 1
        behind.save(update_fields=["number"])


def _reported(pictures: QuerySet[Picture]) -> list[int]:
    keys = [str(pk) for pk in pictures.values_list("pk", flat=True)]
    open_ones = Report.objects.open().filter(target_type=TARGET, target_id__in=keys)
    return [int(key) for key in open_ones.values_list("target_id", flat=True)]


def _of(owner: Owner) -> dict[str, Any]:
    if isinstance(owner, MainMatchPicture):
        return {"episode": owner.episode_id}
    return {owner._meta.model_name: owner.pk}
