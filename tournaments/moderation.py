"""What seasons tell the moderators: that what organisers write to contestants can be reported, and
pictures, and what contestants write to each other with what they pay and with items; who must not
read there what was written to others; and that who runs a season becomes no bot."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Q, QuerySet
from django.urls import reverse

from accounts.models import Report, User
from accounts.moderation.reports import ContextLine, Target, register_target
from accounts.tokens.services import register_bot_check
from core.admin.links import row_address
from core.admin.lists import keys_as_text, register_withheld
from tournaments import audience
from tournaments.models import (
    EntryKind,
    Gift,
    LedgerEntry,
    MainMatchPicture,
    Picture,
    Season,
    SeasonMessage,
)
from tournaments.services.organisers import must_run_nothing
from tournaments.services.pictures import TARGET as PICTURE
from tournaments.services.pictures import owner_of, picture_report_closed
from tournaments.trade import trade_of

MESSAGE = "tournaments.seasonmessage"
ENTRY = "tournaments.ledgerentry"
GIFT = "tournaments.gift"


def register() -> None:
    """Make all of this known; called once the models are there."""
    register_target(MESSAGE, message_target, remedies=message_remedies, withheld=_of_own_seasons)
    register_target(
        PICTURE, picture_target, remedies=picture_remedies, closed=picture_report_closed
    )
    register_target(ENTRY, note_target, withheld=_of_own_ledgers)
    register_target(GIFT, gift_target, remedies=gift_remedies, withheld=_of_own_items)
    register_withheld(MESSAGE, lambda reader: Q(pk__in=_not_for(reader).values("pk")))
    register_bot_check(must_run_nothing)


def message_target(reader: User, target_id: str) -> Target | None:
    """A message, for those to whom it went. To whom else is for the moderators to see."""
    to_them = SeasonMessage.objects.visible_to(reader).select_related("by", "season")
    message = to_them.filter(pk=_number(target_id)).first()
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


def note_target(reader: User, target_id: str) -> Target | None:
    """What somebody wrote with a payment, for whoever else may see that entry of the ledger."""
    notes = LedgerEntry.objects.filter(kind=EntryKind.GIVEN, by__isnull=False).exclude(why="")
    named = notes.filter(pk=_number(target_id), season__in=Season.objects.visible_to(reader))
    entry = named.select_related("season", "by", "payer", "payee").first()
    if entry is None or entry.by is None or entry.by == reader:
        return None
    by, season = entry.by, entry.season
    seen = audience.ledger_visible_to(season, reader)
    if not LedgerEntry.objects.filter(seen, pk=entry.pk).exists():
        return None
    much = trade_of(season).said(entry.amount, entry.unit)
    return _note(
        f"a note of {by.shown_name} with a payment in {season.name}",
        reverse("tournaments:purse", args=[season.slug]),
        by=by,
        text=entry.why,
        at=entry.at,
        facts=[
            ("Season", season.name),
            ("Payment", f"{much} to {entry.payee}{', in secret' if entry.secret else ''}"),
        ],
    )


def gift_target(reader: User, target_id: str) -> Target | None:
    """What somebody wrote beside an item that they gave, for whoever else may see that item."""
    notes = Gift.objects.filter(season__in=Season.objects.visible_to(reader)).exclude(note="")
    gift = (
        notes.filter(pk=_number(target_id))
        .select_related("season", "given_by", "giver", "receiver")
        .first()
    )
    if gift is None or gift.given_by == reader or not audience.sees_gift(gift, reader):
        return None
    by, season = gift.given_by, gift.season
    return _note(
        f"a note of {by.shown_name} with an item in {season.name}",
        reverse("tournaments:items", args=[season.slug]),
        by=by,
        text=gift.note,
        at=gift.given_at,
        facts=[("Season", season.name), ("Item", f"{gift.item} for {gift.receiver}")],
    )


def _note(
    title: str, url: str, *, by: User, text: str, at: datetime, facts: Sequence[tuple[str, str]]
) -> Target:
    said = ContextLine(
        who=f"{by.shown_name} (@{by.username})",
        text=text,
        at=at.isoformat(timespec="seconds"),
        quoted=True,
    )
    return Target(title=title, url=url, about=by, facts=facts, lines=[said])


def _number(target_id: str) -> int:
    number = int(target_id) if target_id.isascii() and target_id.isdigit() else 0
    return number if number < 2**63 else 0


def message_remedies(report: Report) -> list[tuple[str, str]]:
    """The way to the message, and to whom it went."""
    message = SeasonMessage.objects.filter(pk=int(report.target_id)).first()
    return [] if message is None else [("The message, and to whom it went", row_address(message))]


def picture_target(reader: User, target_id: str) -> Target | None:
    """A picture, for whoever may see it. The picture itself is for the moderators to look at: it is
    kept as long as a report about it is open."""
    seen = Picture.objects.visible_to(reader).select_related("by", "season")
    picture = seen.filter(pk=_number(target_id), off_at=None).first()
    owner = None if picture is None else owner_of(picture)
    if picture is None or owner is None:
        return None
    of = "the season" if isinstance(owner, Season) else str(owner)
    season = picture.season
    url = season.get_absolute_url()
    if isinstance(owner, MainMatchPicture):
        url = reverse("tournaments:round", args=[season.slug, owner.episode.round.number])
    return Target(
        title=f"the picture of {of} in {season.name}",
        url=url,
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


def _of_own_ledgers(moderator: User) -> Q:
    entries = LedgerEntry.objects.filter(season__contestants__user=moderator)
    return Q(target_id__in=keys_as_text(entries))


def gift_remedies(report: Report) -> list[tuple[str, str]]:
    """The way to the item."""
    gift = Gift.objects.filter(pk=int(report.target_id)).first()
    return [] if gift is None else [("The item", row_address(gift))]


def _of_own_items(moderator: User) -> Q:
    gifts = Gift.objects.filter(season__contestants__user=moderator)
    return Q(target_id__in=keys_as_text(gifts))


def _of_seasons_with(person: User) -> QuerySet[SeasonMessage]:
    return SeasonMessage.objects.filter(season__contestants__user=person)


def _not_for(reader: User) -> QuerySet[SeasonMessage]:
    """What was written in seasons that somebody is in, and not to them."""
    theirs = SeasonMessage.objects.visible_to(reader).values("pk")
    return _of_seasons_with(reader).exclude(pk__in=theirs)
