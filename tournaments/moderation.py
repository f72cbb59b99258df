"""What seasons tell the moderators: that what organisers write to contestants can be reported, and
pictures, who must not read there what was written to others, and that who runs a season becomes no
bot."""

from __future__ import annotations

from django.db.models import Q, QuerySet
from django.urls import reverse

from accounts.models import Report, User
from accounts.moderation.reports import ContextLine, Target, register_target
from accounts.tokens.services import register_bot_check
from core.admin.links import row_address
from core.admin.lists import keys_as_text, register_withheld
from tournaments.models import Picture, Season, SeasonMessage
from tournaments.services.organisers import must_run_nothing
from tournaments.services.pictures import TARGET as PICTURE
from tournaments.services.pictures import owner_of, picture_report_closed

MESSAGE = "tournaments.seasonmessage"


def register() -> None:
    """Make all of this known; called once the models are there."""
    register_target(MESSAGE, message_target, remedies=message_remedies, withheld=_of_own_seasons)
    register_target(
        PICTURE, picture_target, remedies=picture_remedies, closed=picture_report_closed
    )
    register_withheld(MESSAGE, lambda reader: Q(pk__in=_not_for(reader).values("pk")))
    register_bot_check(must_run_nothing)


def message_target(reader: User, target_id: str) -> Target | None:
    """A message, for those to whom it went. To whom else is for the moderators to see."""
    number = int(target_id) if target_id.isascii() and target_id.isdigit() else 0
    to_them = SeasonMessage.objects.visible_to(reader).select_related("by", "season")
    message = to_them.filter(pk=number).first() if number < 2**63 else None
    if message is None:
        return None
    by, season = message.by, message.season
    said = ContextLine(
        who=f"{by.shown_name} (@{by.username})",
        text=message.words,
        at=message.at.isoformat(timespec="seconds"),
        quoted=True,
    )
    return Target(
        title=f"a message of {by.shown_name} to contestants of {season.name}",
        url=reverse("tournaments:messages", args=[season.slug]),
        about=by,
        facts=[("Season", season.name), ("Title", message.title)],
        lines=[said],
    )


def message_remedies(report: Report) -> list[tuple[str, str]]:
    """The way to the message, and to whom it went."""
    message = SeasonMessage.objects.filter(pk=int(report.target_id)).first()
    return [] if message is None else [("The message, and to whom it went", row_address(message))]


def picture_target(reader: User, target_id: str) -> Target | None:
    """A picture, for whoever may see it. The picture itself is for the moderators to look at: it is
    kept as long as a report about it is open."""
    number = int(target_id) if target_id.isascii() and target_id.isdigit() else 0
    seen = Picture.objects.visible_to(reader).select_related("by", "season")
    picture = seen.filter(pk=number, off_at=None).first() if number < 2**63 else None
    owner = None if picture is None else owner_of(picture)
    if picture is None or owner is None:
        return None
    of = "the season" if isinstance(owner, Season) else str(owner)
    return Target(
        title=f"the picture of {of} in {picture.season.name}",
        url=picture.season.get_absolute_url(),
        about=picture.by,
        facts=[
            ("Season", picture.season.name),
            ("Picture of", of),
            ("Put up by", f"{picture.by.shown_name} (@{picture.by.username})"),
            ("What it is said to show", picture.alt or "nothing is said"),
        ],
    )


def picture_remedies(report: Report) -> list[tuple[str, str]]:
    """The way to the picture, and to taking it away."""
    picture = Picture.objects.filter(pk=int(report.target_id)).first()
    return [] if picture is None else [("The picture", row_address(picture))]


def _of_own_seasons(moderator: User) -> Q:
    return Q(target_id__in=keys_as_text(_of_seasons_with(moderator)))


def _of_seasons_with(person: User) -> QuerySet[SeasonMessage]:
    return SeasonMessage.objects.filter(season__contestants__user=person)


def _not_for(reader: User) -> QuerySet[SeasonMessage]:
    """What was written in seasons that somebody is in, and not to them."""
    theirs = SeasonMessage.objects.visible_to(reader).values("pk")
    return _of_seasons_with(reader).exclude(pk__in=theirs)
