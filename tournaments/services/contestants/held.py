"""Places held for people who have no account yet: each has a link of its own, by which whoever has
it takes exactly this place."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final, NamedTuple

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.core.validators import validate_email
from django.db import transaction
from django.template.loader import render_to_string

from accounts.models import User
from accounts.services import audit_record, audit_records
from core.refusals import Refusal, Together
from core.text import name_key
from tournaments.lifecycle import ApplicationStatus, ContestantStatus, SeasonStatus, Visibility
from tournaments.models import Contestant, Season, SeasonEvent, SeasonInvitation
from tournaments.rights import Right
from tournaments.services.contestants.enrolment import (
    able_to_enter,
    must_not_be_in,
)
from tournaments.services.contestants.names import Names, name_of
from tournaments.services.contestants.presence import there_from
from tournaments.services.contestants.seeds import is_seed, seed_out_of_range
from tournaments.services.events import season_event, season_events
from tournaments.services.guards import instant, must_manage, must_not_be_archived, season_lock

#: How many letters with links one organiser has sent in a day, at most.
LETTERS_A_DAY: Final = 100
TOKEN_BYTES: Final = 16


class Hold(NamedTuple):
    """A place to be held: what its holder is called, their seed, and where the link is sent, if by
    mail."""

    name: str
    seed: int | None = None
    email: str = ""


def holds_check(
    season: Season,
    holds: Sequence[Hold],
    acting_user: User,
    at: datetime,
    *,
    beside: Collection[str] = (),
) -> Together:
    """What is wrong with places to be held, each by its row; ``beside``: what those are called who
    are entered at the same time. ``season.begun``, ``contestant.name.*``, ``place.twice``,
    ``seed.range``, ``seed.taken``, ``place.draft``, ``place.email``, ``place.letters``."""
    faults = Together()
    seeds = set(season.contestants.filter(seed__isnull=False).values_list("seed", flat=True))
    left = LETTERS_A_DAY - _letters_of(acting_user, at)
    people = _People(season, beside)
    for number, hold in enumerate(holds):
        with faults.of(number):
            must_take_holds(season)
            people.add(name_of(hold.name), hold.email)
            if hold.seed is not None and not is_seed(hold.seed):
                raise seed_out_of_range()
            if hold.seed is not None and hold.seed in seeds:
                raise Refusal("seed.taken", f"Seed {hold.seed} is somebody else's.")
            if hold.seed is not None:
                seeds.add(hold.seed)
            if hold.email:
                _must_be_sent_links(season)
                _must_be_an_address(hold.email)
                left -= 1
                if left < 0:
                    raise Refusal(
                        "place.letters",
                        f"At most {LETTERS_A_DAY} links a day are sent by mail: hand on the rest.",
                    )
    return faults


class _People:
    """Whom places are held for: one place each, and none for whoever is in. A file that is sent in
    twice holds nothing twice."""

    def __init__(self, season: Season, beside: Collection[str]) -> None:
        self._in: set[str] = set()
        self._held: set[str] = set()
        rows = season.contestants.filter(status=ContestantStatus.ENROLLED)
        # The link of a place keeps whom it was held for, whatever its holder is called.
        about = ("user", "name", "user__username", "invitation__for_place", "invitation__note")
        for user, name, username, for_place, note in rows.values_list(*about):
            names = [name] if user is None else [name, username, note if for_place else ""]
            (self._held if user is None else self._in).update(map(name_key, names))
        self._beside = {name_key(each) for each in beside}
        self._here: set[str] = set()
        self._addresses: set[str] = set()

    def add(self, name: str, email: str) -> None:
        """Raises Refusal ``place.twice``."""
        key, address = name_key(name), email.lower()
        sentence = ""
        if key in self._held:
            sentence = f"A place is held for {name} already."
        elif key in self._in:
            sentence = f"{name} is in this season already."
        elif key in self._here | self._beside:
            sentence = f"{name} stands in this file twice."
        if sentence:
            other = "If this is somebody else, give them another name."
            raise Refusal("place.twice", f"{sentence} {other}")
        if address and address in self._addresses:
            raise Refusal("place.twice", "Another place in this file has the same address.")
        self._here.add(key)
        self._addresses.add(address)


def places_hold_in(
    season: Season, acting_user: User, holds: Sequence[Hold], at: datetime
) -> list[Contestant]:
    """Hold places that `holds_check` has found nothing wrong with, with the season locked: part of
    an action that has asked whether there is room."""
    if not holds:
        return []
    links = SeasonInvitation.objects.bulk_create(
        _link(season, acting_user, hold.name, at, mailed=bool(hold.email)) for hold in holds
    )
    made = Contestant.objects.bulk_create(
        Contestant(
            season=season,
            name=name_of(hold.name),
            seed=hold.seed,
            enrolled_at=at,
            checked_in_at=there_from(season, at, own=False),
            invitation=link,
        )
        for hold, link in zip(holds, links, strict=True)
    )
    season_events(
        season=season,
        events=[
            SeasonEvent(
                season=season,
                kind="contestant.enrolled",
                words=f"{each.name} is enrolled.",
                data={"contestant": each.pk, "name": each.name, "late": False},
                contestant=each,
                at=at,
            )
            for each in made
        ],
    )
    audit_records(
        acting_user=acting_user,
        action="place.hold",
        targets=[(each, {"season": season.pk, "seed": each.seed}) for each in made],
    )
    for hold, link in zip(holds, links, strict=True):
        if hold.email:
            # Of the address nothing is kept: it goes with the letter, and no further.
            transaction.on_commit(partial(_write_to, hold.email, link, acting_user), robust=True)
    return made


@transaction.atomic
def place_link_renew(
    *, acting_user: User, contestant: Contestant, at: datetime | None = None
) -> SeasonInvitation:
    """Make a held place's link anew; an earlier one leads nowhere from then on.

    Raises Refusal ``season.none``, ``season.not-organiser``, and as `must_be_renewable` does.
    """
    at = instant(at)
    locked = _season_lock_quietly(contestant.season_id)
    found = locked.contestants.select_related("invitation").get(pk=contestant.pk)
    found.season = locked
    must_manage(locked, acting_user, Right.PEOPLE)
    must_be_renewable(found)
    old = found.invitation
    if old is not None and old.revoked_at is None:
        old.revoked_at = at
        old.save(update_fields=["revoked_at"])
    link = _link(locked, acting_user, found.name, at)
    link.save()
    found.invitation = link
    found.save(update_fields=["invitation"])
    audit_record(
        acting_user=acting_user,
        action="place.renew",
        target=found,
        data={"season": locked.pk},
    )
    return link


def place_take_in(
    season: Season, invitation: SeasonInvitation, acting_user: User, at: datetime
) -> Contestant:
    """Have somebody take the place that a link is for, with the season locked and the link asked.
    Raises Refusal ``invitation.taken``, ``contestant.twice``, ``place.was-in``,
    ``contestant.account-closed`` and ``contestant.suspended``."""
    user = able_to_enter(acting_user)
    own = season.contestants.filter(user=user).first()
    place = must_be_takable(held_by(invitation), user, own)
    try:
        place.name = Names([(place.name, user)]).of(place.name, user)
    except Refusal:
        # What it was held for may be somebody else's name by now.
        place.name = name_of(user.shown_name)
    place.user = user
    place.checked_in_at = place.checked_in_at or there_from(season, at, own=True)
    place.save(update_fields=["user", "name", "checked_in_at"])
    season.applications.filter(user=user).update(
        status=ApplicationStatus.ADMITTED, turn=None, why=""
    )
    season_event(
        season=season,
        kind="contestant.enrolled",
        words=f"{place.name} takes the place that was held.",
        data={"contestant": place.pk, "name": place.name, "late": False},
        contestant=place,
        at=at,
    )
    audit_record(
        acting_user=user,
        action="place.take",
        target=place,
        data={"season": season.pk, "seed": place.seed},
    )
    return place


# -- what is asked first -------------------------------------------------------------------------


def is_held(contestant: Contestant) -> bool:
    """Whether a place is held that nobody has taken yet."""
    return (
        contestant.user_id is None
        and contestant.invitation_id is not None
        and contestant.status == ContestantStatus.ENROLLED
    )


def held_by(invitation: SeasonInvitation) -> Contestant | None:
    """The place that a link leads to; None where somebody has taken it, or it is held no more."""
    return invitation.contestants.filter(user=None, status=ContestantStatus.ENROLLED).first()


def must_take_holds(season: Season) -> None:
    """Whether places can be held. Raises Refusal ``season.begun``."""
    if season.status != SeasonStatus.ENROLLING:
        raise Refusal("season.begun", "The season has begun: no place is held any more.")


def must_be_renewable(contestant: Contestant) -> None:
    """Whether the link of a place can be made anew. Raises Refusal ``season.archived``,
    ``season.begun`` and ``place.not-held``."""
    must_not_be_archived(contestant.season)
    must_take_holds(contestant.season)
    if not is_held(contestant):
        raise Refusal("place.not-held", "This place is not held for anybody.")


def must_be_takable(place: Contestant | None, user: User, own: Contestant | None) -> Contestant:
    """The held place, if somebody can take it; ``own``: the one that they have or had in there.
    Raises Refusal ``invitation.taken``, ``contestant.twice`` and ``place.was-in``."""
    must_not_be_in(own, user.shown_name, late=False)
    if place is None:
        raise Refusal("invitation.taken", "Somebody has taken this place, or it is held no more.")
    if own is not None:
        raise Refusal(
            "place.was-in", "You were in this season before: ask its organisers to enrol you."
        )
    return place


def _must_be_sent_links(season: Season) -> None:
    if season.visibility == Visibility.DRAFT:
        raise Refusal(
            "place.draft",
            "The season is still a draft, and links lead nowhere: list it first, or leave the "
            "address out and hand the link on later.",
        )


def _must_be_an_address(text: str) -> None:
    try:
        validate_email(text)
    except ValidationError:
        raise Refusal("place.email", "This is not an email address.") from None


def _link(
    season: Season, made_by: User, note: str, at: datetime, *, mailed: bool = False
) -> SeasonInvitation:
    return SeasonInvitation(
        season=season,
        token=secrets.token_urlsafe(TOKEN_BYTES),
        note=name_of(note)[:80],
        limit=1,
        for_place=True,
        made_by=made_by,
        made_at=at,
        mailed_at=at if mailed else None,
    )


def _letters_of(user: User, at: datetime) -> int:
    rows = SeasonInvitation.objects.filter(made_by=user, mailed_at__gt=at - timedelta(days=1))
    return rows.count()


def _write_to(address: str, link: SeasonInvitation, acting_user: User) -> None:
    season = link.season
    context = {
        "season": season,
        "name": link.note,
        "host": acting_user.shown_name,
        "address": f"{settings.GAUNTLET_ORIGIN}{link.get_absolute_url()}",
    }
    send_mail(
        f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}A place is held for you in {season.name}",
        render_to_string("tournaments/mail/place_held.txt", context),
        settings.DEFAULT_FROM_EMAIL,
        [address],
    )


def _season_lock_quietly(season_id: int) -> Season:
    # Links are no part of what everybody sees.
    return season_lock(season_id, changes=False)
