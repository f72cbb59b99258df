"""Items given to contestants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TypeAlias

from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse

from accounts.announcing.services import Told, announce
from accounts.models import User
from accounts.moderation.standing import why_silent
from accounts.services import audit_record
from core.refusals import Forbidden, NotFound, Refusal
from tournaments import audience, lifecycle
from tournaments.formats.registry import format_of
from tournaments.items.catalogue import Item, item_of, items_among, items_for
from tournaments.lifecycle import (
    PLAYABLE,
    ContestantStatus,
    DeathMatchStatus,
    GiftStatus,
    LegStatus,
)
from tournaments.models import (
    Contestant,
    DeathMatch,
    Gift,
    ItemEvent,
    Leg,
    Season,
    SecretGifts,
)
from tournaments.naming import Naming, plain
from tournaments.rights import Right
from tournaments.services.events import season_event
from tournaments.services.guards import (
    instant,
    line,
    must_be_running,
    must_not_be_archived,
    must_not_meet,
    season_lock,
)

NOTE_MAX = 300

#: A death match and its legs.
Meeting: TypeAlias = tuple[DeathMatch, Sequence[Leg]]


@transaction.atomic
def item_give(  # noqa: PLR0913  (a gift has many sides)
    *,
    acting_user: User,
    season: Season,
    item: str,
    receiver: Contestant,
    ruleset: str = "",
    giver: Contestant | None = None,
    death_match: DeathMatch | None = None,
    leg_number: int | None = None,
    note: str = "",
    secret: bool | None = None,
    at: datetime | None = None,
) -> Gift:
    """Give somebody an item: for one match of a death match, for a death match, or (no
    ``death_match``) for any match of the season in its ruleset.

    An eliminated contestant gives one item for a death match themselves, and one for each match of
    the final; organisers enter any gift, or grant an item (no ``giver``). ``ruleset`` is empty for
    Copy and Block. ``secret``: nobody but the giver, the receiver and the organisers knows of it
    until it is used or the season is over, where the season lets givers choose (None: as the season
    has it). Raises Refusal ``season.none``, ``season.archived``, ``season.not-running``,
    ``season.not-organiser``, ``item.no-gifts``, ``item.no-match``, ``item.none-fits``,
    ``item.unknown``,
    ``item.giver``, ``item.giver-in``, ``item.given-already``, ``item.receiver``,
    ``item.receiver-out``, ``item.oneself``, ``death-match.own`` (for one's own opponent),
    ``item.for-which``, ``item.match``, ``item.match-over``, ``item.leg``, ``item.unfit``,
    ``item.note.too-long``, ``item.note.muted``, ``item.not-secret``.
    """
    # Of a secret nothing changes that everybody sees.
    locked = season_lock(season.pk, changes=False)
    must_take_items(locked)
    found = item_of(item, ruleset)
    giver = _giver_of(locked, acting_user, giver, death_match, leg_number)
    to = locked.contestants.filter(pk=receiver.pk).first()
    if to is None:
        raise Refusal("item.receiver", "The receiver is not in this season.")
    if to.status != ContestantStatus.ACTIVE:
        raise Refusal("item.receiver-out", f"{to} is out of the season.")
    must_be_another(to, giver, acting_user)
    must_not_meet(to, acting_user)
    meeting = _meeting_for(locked, found, to, death_match, leg_number)
    note = line(note, code="item.note", what="A note", most=NOTE_MAX, empty=True)
    silenced = why_silent(acting_user) if note else ""
    if silenced:
        raise Refusal("item.note.muted", f"You can give it without a note. {silenced}")
    hidden = is_secret(locked, giver, secret)
    if not hidden:
        locked = season_lock(season.pk)
    gift = Gift.objects.create(
        season=locked,
        item=found.id,
        ruleset=found.ruleset,
        giver=giver,
        receiver=to,
        death_match=meeting,
        leg_number=leg_number,
        note=note,
        secret=hidden,
        given_at=instant(at),
        given_by=acting_user,
    )
    words = plain(_gift_words(gift, found))
    ItemEvent.objects.create(gift=gift, kind="given", words=words, at=gift.given_at)
    if hidden:
        gift_tell(gift, "given", f"{words} {FOR_ITS_HOLDER}")
    else:
        _give_event(gift, found, gift.given_at)
    audit_record(
        acting_user=acting_user,
        action="item.give",
        target=gift,
        data={"season": locked.pk, "item": found.id, "receiver": to.pk},
    )
    return gift


#: What whoever gets an item in secret is told of that.
FOR_ITS_HOLDER: Final = (
    "Besides you only who gave or entered it and organisers who do not play know of it, until you "
    "use it or the season is over."
)


def who_knows(season: Season) -> str:
    """Who knows of what a contestant gives, in a sentence for them."""
    if season.secret_gifts == SecretGifts.NEVER:
        return "It is public from whom it comes."
    if season.secret_gifts == SecretGifts.CHOICE:
        return "It is public from whom it comes, unless you make it a secret."
    return (
        "It is a secret: only you, who gets it and organisers who do not play know of it, until it "
        "is used or the season is over."
    )


def is_secret(season: Season, giver: Contestant | None, secret: bool | None) -> bool:
    """Whether what is given is a secret, as the season or its giver says. Raises Refusal
    ``item.not-secret`` where it cannot be one."""
    rule = season.secret_gifts
    if giver is None or rule == SecretGifts.NEVER:
        if secret:
            raise Refusal("item.not-secret", "Everybody is told of this item: it is no secret.")
        return False
    return rule == SecretGifts.ALWAYS or bool(secret)


def _give_event(gift: Gift, item: Item, at: datetime) -> None:
    """Tell everybody of an item."""
    season_event(
        season=gift.season,
        kind="item.given",
        words=plain(_gift_words(gift, item)),
        data={
            "gift": gift.pk,
            "item": item.id,
            "ruleset": item.ruleset,
            "giver": gift.giver_id,
            "receiver": gift.receiver_id,
            "leg": gift.leg_number,
            "note": gift.note,
        },
        death_match=gift.death_match,
        contestant=gift.receiver,
        at=at,
    )


def gift_tell(gift: Gift, what: str, words: str) -> None:
    """Tell whoever holds an item what nobody else is told of it."""
    season, holder = gift.season, gift.receiver
    if holder.user is None:
        return
    announce(
        [
            Told(
                user=holder.user,
                kind="contestant.items",
                key=f"gift:{gift.pk}:{what}",
                subject=f"{season.name}: your items",
                words=Naming.of(season.pk).marked(words),
                path=reverse("tournaments:items", args=[season.slug]),
            )
        ]
    )


def gifts_reveal(gifts: Iterable[Gift], at: datetime) -> None:
    """Tell everybody of those that were a secret: of what is used, or of all once the season is
    over; under the season's lock."""
    for gift in gifts:
        if gift.is_hidden:
            gift.revealed_at = at
            gift.save(update_fields=["revealed_at"])
            _give_event(gift, item_of(gift.item, gift.ruleset), at)


def season_gifts_reveal(season: Season, at: datetime) -> None:
    """Tell everybody of what was given in secret, now that the season is over."""
    rows = season.gifts.filter(secret=True, revealed_at__isnull=True)
    gifts_reveal(_with_everything(rows).order_by("pk"), at)


def _with_everything(gifts: QuerySet[Gift]) -> QuerySet[Gift]:
    return gifts.select_related(
        "season", "giver", "receiver", "death_match__round", "death_match__home",
        "death_match__away",
    )  # fmt: skip


def gifts_named(pks: Iterable[int]) -> list[Gift]:
    """Items with everything that is told of them, in the order in which they were given."""
    return list(_with_everything(Gift.objects.filter(pk__in=pks)).order_by("pk"))


def must_take_items(season: Season) -> None:
    """Whether items can be given in a season now. Raises Refusal ``season.archived`` and
    ``season.not-running``."""
    must_not_be_archived(season)
    must_be_running(season)


def must_be_another(receiver: Contestant, giver: Contestant | None, acting_user: User) -> None:
    """Raises Refusal ``item.oneself``."""
    if acting_user.pk == receiver.user_id or (giver is not None and giver.pk == receiver.pk):
        raise Refusal("item.oneself", "Nobody gives an item to themselves.")


def must_be_leg_of(death_match: DeathMatch | None, leg_number: int | None) -> None:
    """Raises Refusal ``item.leg`` for a match that there is not."""
    if leg_number is None:
        return
    if death_match is None:
        raise Refusal("item.leg", "Which match of which death match?")
    if not death_match.legs.filter(number=leg_number).exists():
        raise Refusal("item.leg", "There is no such match.")


def must_take_part(season: Season, acting_user: User) -> None:
    """Whoever gives runs the season or is in it. Raises Refusal ``item.giver``."""
    if not audience.may(season, acting_user, Right.EPISODES):
        _own_to_give(audience.contestant_of(season, acting_user))


def _own_to_give(giver: Contestant | None) -> Contestant:
    if giver is None:
        raise Forbidden("item.giver", "You can only give what is yours to give.")
    return giver


def must_be_a_giver(
    season: Season,
    giver: Contestant,
    acting_user: User,
    *,
    meetings: Iterable[Meeting] | None = None,
    given: Iterable[Gift] | None = None,
) -> None:
    """Whether somebody can give items now that come from a contestant: their own, or entered by an
    organiser. ``meetings`` and ``given``: the death matches and the gifts of the season, where they
    are known. Raises Refusal as `must_take_items` does, ``item.giver-in``, ``item.no-gifts``,
    ``item.no-match``, and where there is none but such, ``item.leg-begun``, ``item.none-fits`` and
    ``item.given-already``."""
    must_take_items(season)
    _must_have_left(giver)
    # Where nobody gives, organisers may still enter what is given.
    gives = format_of(season.format).gives_items(season)
    if not gives and not audience.may(season, acting_user, Right.EPISODES):
        raise Refusal("item.no-gifts", "There are no gifts in this season.")
    if not _is_entered(season, giver, acting_user):
        _must_have_a_match(
            giver,
            _meetings_of(season) if meetings is None else meetings,
            giver.gifts_given.all() if given is None else given,
            season.repertoire,
            organises=audience.may(season, acting_user, Right.EPISODES),
        )


def _must_have_a_match(
    giver: Contestant,
    meetings: Iterable[Meeting],
    given: Iterable[Gift],
    games: Sequence[Mapping[str, Any]],
    *,
    organises: bool,
) -> None:
    own = [gift for gift in given if gift.giver_id == giver.pk]
    refused = []
    for death_match, legs in meetings:
        if death_match.status not in PLAYABLE:
            continue
        for number in _numbers_of(death_match, legs):
            try:
                _must_fit_something(legs_open_to_items(death_match, legs, number), games)
                if not organises:
                    _must_not_have_given(death_match, number, own)
            except Refusal as refusal:
                refused.append(refusal)
            else:
                return
    if refused:
        raise refused[0]
    raise Refusal(
        "item.no-match",
        "No death match is to be played at the moment. Items can be given as soon as it is known "
        "who meets whom.",
    )


def _meetings_of(season: Season) -> list[Meeting]:
    rows = DeathMatch.objects.filter(round__season=season, status__in=PLAYABLE)
    found = rows.select_related("round").prefetch_related("legs").order_by("pk")
    return [(row, list(row.legs.all())) for row in found]


def _numbers_of(death_match: DeathMatch, legs: Iterable[Leg]) -> Sequence[int | None]:
    """For which matches of a death match something is given: each of a final's, or (None) all."""
    if not _is_of_several(death_match):
        return [None]
    return sorted({leg.number for leg in legs})


def _is_of_several(death_match: DeathMatch) -> bool:
    return death_match.round.is_final and death_match.best_of > 1


def legs_open_to_items(
    death_match: DeathMatch, legs: Iterable[Leg], leg_number: int | None = None
) -> list[Leg]:
    """Those of the legs that items can still be given for. Raises Refusal ``item.match``,
    ``item.match-over`` and ``item.leg-begun`` where there is none."""
    if death_match.status == DeathMatchStatus.WAITING:
        raise Refusal("item.match", "It is not known yet who meets there.")
    if death_match.status not in PLAYABLE:
        raise Refusal("item.match-over", "That death match is over: it is too late for items.")
    found = [
        leg for leg in legs if leg.status == LegStatus.PLANNED and leg_number in (None, leg.number)
    ]
    if not found:
        raise Refusal("item.leg-begun", "That match has begun: it is too late for items.")
    return found


def items_fitting(leg: Leg, games: Iterable[Mapping[str, Any]]) -> list[Item]:
    """What can be given for a match; while its game is not chosen, what fits one of ``games``, the
    season's list."""
    return items_for(leg.ruleset, leg.variant) if leg.ruleset else items_among(games)


def _must_fit_something(legs: Iterable[Leg], games: Sequence[Mapping[str, Any]]) -> None:
    if not any(items_fitting(leg, games) for leg in legs):
        raise Refusal("item.none-fits", "No item fits what is played there: none can be given.")


def _must_not_have_given(
    death_match: DeathMatch, leg_number: int | None, own: Iterable[Gift]
) -> None:
    of_several = _is_of_several(death_match)
    for gift in own:
        counts = gift.death_match_id == death_match.pk and gift.status != GiftStatus.TAKEN_BACK
        if counts and (not of_several or gift.leg_number == leg_number):
            which = f"match {leg_number} of the final" if of_several else "this death match"
            raise Refusal("item.given-already", f"You have given your item for {which}.")


def _is_entered(season: Season, giver: Contestant, acting_user: User) -> bool:
    """Whether an organiser says what somebody else gives."""
    return giver.user_id != acting_user.pk and audience.may(season, acting_user, Right.EPISODES)


def _must_have_left(giver: Contestant | None) -> None:
    giver = _own_to_give(giver)
    if giver.status != ContestantStatus.ELIMINATED:
        raise Refusal("item.giver-in", f"{giver} has not been eliminated: nothing to give.")


def must_be_for_one(
    season: Season, giver: Contestant | None, acting_user: User, death_match: DeathMatch | None
) -> None:
    """What somebody gives is for one death match, unless an organiser enters it before the final.
    Organisers grant (no ``giver``) for any. Raises Refusal ``item.for-which``."""
    if giver is None or death_match is not None or not format_of(season.format).gifts:
        return
    entered = _is_entered(season, giver, acting_user)
    if not entered or season.rounds.filter(is_final=True).exists():
        raise Refusal("item.for-which", "Please say which death match it is for.")


def must_be_for_one_leg(
    season: Season,
    giver: Contestant | None,
    death_match: DeathMatch | None,
    leg_number: int | None,
) -> None:
    """What somebody gives for a final of several matches is for one of them. Raises Refusal
    ``item.leg``."""
    if giver is None or death_match is None or not format_of(season.format).gifts:
        return
    if _is_of_several(death_match) and leg_number is None:
        raise Refusal("item.leg", "Which match of the final is it for? Each has its own items.")


def _giver_of(
    season: Season,
    acting_user: User,
    giver: Contestant | None,
    death_match: DeathMatch | None,
    leg_number: int | None,
) -> Contestant | None:
    organises = audience.may(season, acting_user, Right.EPISODES)
    if organises and (giver is None or giver.user_id != acting_user.pk):
        if giver is None:
            return None
        found = season.contestants.filter(pk=giver.pk).first()
    else:
        found = audience.contestant_of(season, acting_user)
        if found is None or (giver is not None and giver.pk != found.pk):
            raise Forbidden("item.giver", "You can only give what is yours to give.")
        if giver is None and death_match is None:
            raise Forbidden("item.giver", "Only organisers grant items for any match.")
    if found is None:
        raise NotFound("contestant.none", "The giver is not in this season.")
    must_be_a_giver(season, found, acting_user)
    must_be_for_one(season, found, acting_user, death_match)
    must_be_for_one_leg(season, found, death_match, leg_number)
    if not organises and death_match is not None:
        _must_not_have_given(death_match, leg_number, found.gifts_given.all())
    return found


def _meeting_for(
    season: Season,
    item: Item,
    receiver: Contestant,
    death_match: DeathMatch | None,
    leg_number: int | None,
) -> DeathMatch | None:
    must_be_leg_of(death_match, leg_number)
    if death_match is None:
        return None
    meeting = DeathMatch.objects.filter(round__season=season, pk=death_match.pk).first()
    if meeting is None or receiver.pk not in (meeting.home_id, meeting.away_id):
        raise Refusal("item.match", f"{receiver} does not play in that death match.")
    legs = legs_open_to_items(meeting, meeting.legs.all(), leg_number)
    if not any(not leg.ruleset or item.fits(leg.ruleset, leg.variant) for leg in legs):
        raise Refusal("item.unfit", f"{item.name} cannot be used in what is played there.")
    return meeting


def _gift_words(gift: Gift, item: Item) -> str:
    by = f"{gift.giver.name} gives" if gift.giver else "The organisers give"
    target = ""
    if gift.death_match is not None:
        target = f" for {gift.death_match}"
        if gift.leg_number is not None and gift.death_match.best_of > 1:
            target += f", match {gift.leg_number}"
    return f"{by} {gift.receiver.name} {item.name}{' in secret' if gift.secret else ''}{target}."


def gift_status_after(gift: Gift, status: GiftStatus) -> GiftStatus:
    """The status of an item once it has taken a step. Raises Refusal ``lifecycle.step``."""
    return lifecycle.step(lifecycle.GIFT, gift.status, status, "The item")


def gift_move(gift: Gift, status: GiftStatus) -> None:
    """Take a gift to another state. Raises Refusal ``lifecycle.step``."""
    gift.status = gift_status_after(gift, status)
    gift.save(update_fields=["status"])
