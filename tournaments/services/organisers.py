"""Who runs a season, and who helps: asked by its organisers, and in by their own word.

Nobody is made a member without saying yes: an organiser asks somebody by name, or makes a link for
one person; whoever is asked accepts or declines. What each role may do, `tournaments.rights` says.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterable
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.urls import reverse

from accounts.announcing.services import Told, announce
from accounts.models import Block, User
from accounts.moderation.standing import suspension_of
from accounts.roles import Role as SiteRole
from accounts.roles import holds_role
from accounts.services import audit_record, rights_announce_change, users_lock
from core.refusals import Forbidden, NotFound, NotUnderstood, Refusal, allowed
from games.services.matches import match_referees_set
from tournaments.lifecycle import LegStatus
from tournaments.models import Leg, OrganiserInvitation, Season, SeasonOrganiser
from tournaments.rights import OF_HELPERS, Right, Role
from tournaments.services.events import season_event
from tournaments.services.guards import (
    instant,
    must_manage,
    must_not_be_archived,
    season_lock,
    season_lock_managed,
)

#: How many are asked at a time, at most, and how long they have to answer.
ASKED_MAX: Final = 20
LASTS: Final = timedelta(days=14)
#: Who has not answered, and is asked no more, is left alone for so long.
LEFT_ALONE: Final = timedelta(days=1)

KIND: Final = "organiser.role"


def referees_of(season: Season, *, playing: Iterable[User | None]) -> list[User]:
    """Who referees a match of the season: whoever may rule matches in it, without the players."""
    players = {user.pk for user in playing if user is not None}
    crew = season.organisers.holding(Right.MATCHES).select_related("user").order_by("pk")
    return [each.user for each in crew if each.user_id not in players]


# -- asking --------------------------------------------------------------------------------------


@transaction.atomic
def organiser_ask(
    *,
    acting_user: User,
    season: Season,
    role: str,
    rights: Collection[str] = (),
    user: User | None = None,
    at: datetime | None = None,
) -> OrganiserInvitation:
    """Ask somebody to run the season too, or to help; without ``user``: whoever opens the link
    first. ``rights``: of a helper, some of `OF_HELPERS`.

    Raises Refusal as `must_be_asking` does, ``organiser.role``, ``organiser.rights``,
    ``organiser.asked-many``, and as `must_be_askable` does.
    """
    at = instant(at)
    locked = season_lock(season.pk, changes=False)
    must_be_asking(locked, acting_user)
    given = _given(role, rights)
    if user is not None:
        user = _lock_crew(locked, user)[user.pk]
        must_be_askable(locked, user, at)
    waiting = locked.organiser_invitations.filter(answer="", expires_at__gt=at)
    if waiting.count() >= ASKED_MAX:
        raise Refusal("organiser.asked-many", f"{ASKED_MAX} are asked already: wait, or withdraw.")
    # Of one that has run out nobody waits for the answer.
    locked.organiser_invitations.filter(answer="", expires_at__lte=at).update(
        answer="withdrawn", answered_at=at
    )
    made = OrganiserInvitation.objects.create(
        season=locked,
        token=secrets.token_urlsafe(16),
        user=user,
        role=role,
        rights=given,
        made_by=acting_user,
        made_at=at,
        expires_at=at + LASTS,
    )
    audit_record(
        acting_user=acting_user,
        action="season.organiser_ask",
        target=locked,
        data={"user": None if user is None else user.pk, "role": role, "rights": given},
    )
    if user is not None and not Block.objects.filter(blocker=user, blocked=acting_user).exists():
        wanted = "to run it too" if role == Role.ORGANISER else "to help"
        _tell(
            user,
            f"asked:{made.pk}",
            f"{locked.name}: you are asked {wanted}",
            f"{acting_user.shown_name} asks you {wanted}. {_what(role, given)} Say yes or no on "
            "its page.",
            made.get_absolute_url(),
        )
    return made


@transaction.atomic
def organiser_ask_withdraw(
    *, acting_user: User, invitation: OrganiserInvitation, at: datetime | None = None
) -> OrganiserInvitation:
    """Ask somebody no more; their link leads nowhere from then on. Raises Refusal as
    `must_be_asking` does, and ``organiser.answered``."""
    locked = season_lock(invitation.season_id, changes=False)
    must_be_asking(locked, acting_user)
    fresh = _fresh(invitation, locked)
    must_be_unanswered(fresh)
    _answer(fresh, "withdrawn", at)
    audit_record(
        acting_user=acting_user,
        action="season.organiser_ask_withdraw",
        target=locked,
        data={"user": fresh.user_id},
    )
    return fresh


@transaction.atomic
def organiser_accept(
    *, acting_user: User, invitation: OrganiserInvitation, at: datetime | None = None
) -> SeasonOrganiser:
    """Say yes to being one of those who run a season, or help. Raises Refusal ``season.none`` and
    as `must_be_acceptable` does."""
    at = instant(at)
    locked = season_lock(invitation.season_id)
    acting_user = _lock_crew(locked, acting_user)[acting_user.pk]
    fresh = _fresh(invitation, locked)
    must_be_acceptable(fresh, acting_user, at)
    row = SeasonOrganiser.objects.create(
        season=locked,
        user=acting_user,
        role=fresh.role,
        rights=fresh.rights,
        since=at,
        admitted_by=fresh.made_by,
    )
    _answer(fresh, "accepted", at)
    # By a link they have come in; what asked them by name is answered with it.
    OrganiserInvitation.objects.filter(season=locked, user=acting_user, answer="").update(
        answer="withdrawn", answered_at=at
    )
    _record(
        row,
        acting_user,
        "season.organiser_add",
        kind="organiser.joined",
        words=f"{acting_user.shown_name} {_does(row)}.",
        at=at,
    )
    _tell(
        acting_user,
        f"in:{row.pk}",
        f"{locked.name}: you {'help' if row.is_helper else 'run it'} from now on",
        f"{_what(row.role, row.rights)} You can leave on the page of organisers and helpers.",
        reverse("tournaments:desk", args=[locked.slug]),
    )
    return row


@transaction.atomic
def organiser_decline(
    *, acting_user: User, invitation: OrganiserInvitation, at: datetime | None = None
) -> OrganiserInvitation:
    """Say no. Who was asked by name is not asked by it again. Raises Refusal as `must_be_good`
    does."""
    at = instant(at)
    locked = season_lock(invitation.season_id, changes=False)
    fresh = _fresh(invitation, locked)
    must_be_declinable(fresh, acting_user, at)
    _answer(fresh, "declined", at)
    audit_record(
        acting_user=acting_user,
        action="season.organiser_decline",
        target=locked,
        data={"user": acting_user.pk},
    )
    return fresh


# -- who is in -----------------------------------------------------------------------------------


@transaction.atomic
def organiser_change(
    *,
    acting_user: User,
    season: Season,
    user: User,
    role: str,
    rights: Collection[str] = (),
    at: datetime | None = None,
) -> SeasonOrganiser:
    """Make a helper of a co-organiser, or the other way, or give a helper other rights. Raises
    Refusal as `guards.season_lock_managed` does, ``organiser.none``, ``organiser.owner``,
    ``organiser.role``, ``organiser.rights``, ``organiser.same`` and ``organiser.last``."""
    at = instant(at)
    locked = season_lock_managed(season, acting_user)
    _lock_crew(locked)
    row = _row(locked, user)
    must_not_be_owner(row)
    given = _given(role, rights)
    if (row.role, sorted(row.rights)) == (role, given):
        raise Refusal("organiser.same", f"That is what {row.user.shown_name} is already.")
    if role == Role.HELPER:
        _must_not_be_last(row, locked.organisers.select_related("user"))
    row.role, row.rights = role, given
    row.save(update_fields=["role", "rights"])
    _record(
        row,
        acting_user,
        "season.organiser_change",
        kind="organiser.changed",
        words=f"{row.user.shown_name} {_does(row)} from now on.",
        at=at,
    )
    if row.user_id != acting_user.pk:
        _tell(
            row.user,
            f"changed:{row.pk}:{at.isoformat()}",
            f"{locked.name}: your part is another",
            f"{acting_user.shown_name} has changed it. {_what(row.role, row.rights)}",
            reverse("tournaments:desk", args=[locked.slug]),
        )
    return row


@transaction.atomic
def organiser_remove(
    *, acting_user: User, season: Season, user: User, at: datetime | None = None
) -> Season:
    """Take the season out of somebody's hands, or leave it oneself. Raises Refusal as
    `must_be_removable` and `must_be_dispensable` do, and ``season.archived``."""
    at = instant(at)
    locked = season_lock(season.pk)
    own = user.pk == acting_user.pk
    if not own:
        must_manage(locked, acting_user)
    must_not_be_archived(locked)
    _lock_crew(locked)
    crew = list(locked.organisers.select_related("user"))
    row = must_be_dispensable(user, crew)
    name, gone = row.user.shown_name, row.pk
    _record(
        row,
        acting_user,
        "season.organiser_remove",
        kind="organiser.left",
        words=f"{name} does not {'help with' if row.is_helper else 'run'} the season any more.",
        at=at,
        then=row.delete,
    )
    if not own:
        _tell(
            row.user,
            f"out:{gone}",
            f"{locked.name}: you are one of those who run it no longer",
            f"{acting_user.shown_name} has taken it out of your hands.",
            locked.get_absolute_url() if locked.visibility != "draft" else "/",
        )
    return locked


@transaction.atomic
def season_hand_over(
    *, acting_user: User, season: Season, user: User, at: datetime | None = None
) -> SeasonOrganiser:
    """Make a co-organiser the owner; who was it before is a co-organiser from then on. Raises
    Refusal as `guards.season_lock_managed` does and as `must_be_able_to_own` does."""
    at = instant(at)
    locked = season_lock_managed(season, acting_user, Right.OWN)
    _lock_crew(locked)
    row = _row(locked, user)
    must_be_able_to_own(row)
    locked.organisers.filter(role=Role.OWNER).update(role=Role.ORGANISER)
    row.role = Role.OWNER
    row.save(update_fields=["role"])
    _record(
        row,
        acting_user,
        "season.hand_over",
        kind="organiser.changed",
        words=f"{row.user.shown_name} owns the season from now on.",
        at=at,
    )
    _tell(
        row.user,
        f"owner:{row.pk}:{at.isoformat()}",
        f"{locked.name} is yours",
        f"{acting_user.shown_name} has handed it over to you: you may call it off, and hand it on.",
        reverse("tournaments:organisers", args=[locked.slug]),
    )
    return row


# -- what is asked first -------------------------------------------------------------------------


def must_be_asking(season: Season, acting_user: User) -> None:
    """Whether somebody can ask others to run the season, or help. Raises Refusal as
    `guards.must_hold` does, and ``season.archived``."""
    must_manage(season, acting_user)
    must_not_be_archived(season)


def must_be_askable(season: Season, user: User, at: datetime) -> None:
    """Whether somebody can be asked by name. Raises Refusal as `_must_be_fit` does,
    ``organiser.twice``, ``organiser.asked`` and ``organiser.declined``."""
    name = user.shown_name
    _must_be_fit(user)
    if season.organisers.filter(user=user).exists():
        raise Refusal(
            "organiser.twice", f"{name} already runs this season, or helps.", field="user"
        )
    asked = season.organiser_invitations.filter(user=user)
    if asked.filter(answer="declined").exists():
        raise Refusal(
            "organiser.declined",
            f"{name} has said no, and is not asked by name again: a link still lets them in.",
            field="user",
        )
    waiting = asked.filter(answer="", expires_at__gt=at).exists()
    if waiting or asked.filter(answer="withdrawn", made_at__gt=at - LEFT_ALONE).exists():
        raise Refusal("organiser.asked", f"{name} has been asked just now.", field="user")


def _must_be_fit(user: User) -> None:
    """Raises Refusal ``organiser.account-closed`` and ``organiser.unfit``."""
    name = user.shown_name
    if not user.is_active:
        raise Refusal("organiser.account-closed", f"The account of {name} is closed.", field="user")
    # Why is nobody else's business.
    if user.is_bot or user.is_guest or suspension_of(user.pk) is not None:
        raise Refusal("organiser.unfit", f"{name} cannot run seasons, nor help.", field="user")


def must_be_good(invitation: OrganiserInvitation, user: User | None, at: datetime) -> None:
    """Whether somebody can still answer (None: who is yet to sign in). Raises Refusal
    ``organiser.not-asked``, ``organiser.answered``, ``organiser.expired``, ``organiser.stale`` and
    ``season.archived``."""
    if user is not None and invitation.user_id not in (None, user.pk):
        raise Forbidden("organiser.not-asked", "Somebody else is asked here.")
    must_be_unanswered(invitation)
    if invitation.expires_at <= at:
        raise Refusal("organiser.expired", "This has run out: ask for another one.")
    must_not_be_archived(invitation.season)
    if not allowed(must_manage, invitation.season, invitation.made_by):
        # Who asked could let nobody in today.
        raise Refusal("organiser.stale", "Who asked you does not run this season any more.")


def must_be_acceptable(invitation: OrganiserInvitation, user: User, at: datetime) -> None:
    """Raises Refusal as `must_be_good` and `_must_be_fit` do, and ``organiser.twice``."""
    must_be_good(invitation, user, at)
    _must_be_fit(user)
    if invitation.season.organisers.filter(user=user).exists():
        raise Refusal("organiser.twice", "You already run this season, or help.")


def must_be_declinable(invitation: OrganiserInvitation, user: User, at: datetime) -> None:
    """Whoever was asked by name can say no; a link is simply left alone. Raises Refusal as
    `must_be_good` does, and ``organiser.not-asked``."""
    if invitation.user_id != user.pk:
        raise Forbidden("organiser.not-asked", "Nobody is asked here by name.")
    must_be_good(invitation, user, at)


def must_be_unanswered(invitation: OrganiserInvitation) -> None:
    """Raises Refusal ``organiser.answered``."""
    if invitation.answer:
        raise Refusal("organiser.answered", "This leads nowhere any more: it is answered.")


def must_not_be_owner(row: SeasonOrganiser) -> None:
    """Raises Refusal ``organiser.owner``."""
    if row.is_owner:
        raise Refusal(
            "organiser.owner", "The season is theirs: it has to be handed over to another first."
        )


def must_be_dispensable(user: User, crew: Collection[SeasonOrganiser]) -> SeasonOrganiser:
    """The place of somebody who can stop running a season, or helping. Raises Refusal
    ``organiser.none``, ``organiser.last`` and ``organiser.owner``."""
    row = next((each for each in crew if each.user_id == user.pk), None)
    if row is None:
        raise Refusal("organiser.none", f"{user.shown_name} does not run this season.")
    _must_not_be_last(row, crew)
    must_not_be_owner(row)
    return row


def _must_not_be_last(row: SeasonOrganiser, crew: Iterable[SeasonOrganiser]) -> None:
    """Somebody else must run the season today: an owner who has lost the site's role does not, nor
    anybody whose account is closed. Raises Refusal ``organiser.last``."""
    running = {each.pk for each in crew if Right.RUN in each.held(each.user)}
    if not running - {row.pk} and (row.pk in running or row.is_owner):
        raise Refusal("organiser.last", "Somebody must run the season: this is its last organiser.")


def must_be_able_to_own(row: SeasonOrganiser) -> None:
    """Whether a season can be handed over to somebody: a co-organiser who is an organiser of this
    site. Raises Refusal ``organiser.owner``, ``organiser.helper``, ``organiser.account-closed`` and
    ``organiser.no-role``."""
    must_not_be_owner(row)
    name = row.user.shown_name
    if row.is_helper:
        raise Refusal("organiser.helper", f"{name} only helps: make them a co-organiser first.")
    if not row.user.is_active:
        raise Refusal("organiser.account-closed", f"The account of {name} is closed.")
    if not holds_role(row.user, SiteRole.ORGANISER):
        raise Refusal(
            "organiser.no-role", f"{name} is not an organiser of this site, who may own seasons."
        )


def must_run_nothing(user: User) -> None:
    """What becomes a bot's account runs no season, and helps with none. Raises Refusal
    ``bot.runs-season``."""
    if SeasonOrganiser.objects.filter(user=user).exists():
        raise Refusal("bot.runs-season", "An account that runs a season, or helps, is no bot.")


def invitation_to_run(slug: str, token: str) -> OrganiserInvitation:
    """What asks somebody, by its season and its token: of a draft, too. Raises Refusal
    ``organiser.no-invitation``."""
    rows = OrganiserInvitation.objects.select_related("season", "made_by", "user")
    found = rows.filter(season__slug=slug, token=token).first()
    if found is None:
        raise NotFound("organiser.no-invitation", "There is no such invitation.")
    return found


# -- within ---------------------------------------------------------------------------------------


def _given(role: str, rights: Collection[str]) -> list[str]:
    """The rights of a role in their order. Raises Refusal ``organiser.role`` and
    ``organiser.rights``."""
    if role not in (Role.ORGANISER, Role.HELPER):
        raise NotUnderstood("organiser.role", "Somebody is asked as a co-organiser or a helper.")
    unknown = set(rights) - set(OF_HELPERS)
    if unknown:
        raise NotUnderstood("organiser.rights", "There is no such right.", field="rights")
    if role == Role.ORGANISER:
        return []
    if not rights:
        raise NotUnderstood(
            "organiser.rights", "Please say what they are to help with.", field="rights"
        )
    return sorted(right.value for right in OF_HELPERS if right in rights)


def _row(season: Season, user: User) -> SeasonOrganiser:
    row = season.organisers.select_related("user").filter(user=user).first()
    if row is None:
        raise Refusal("organiser.none", f"{user.shown_name} does not run this season.")
    return row


def _fresh(invitation: OrganiserInvitation, season: Season) -> OrganiserInvitation:
    rows = OrganiserInvitation.objects.select_related("made_by", "user")
    fresh = rows.get(pk=invitation.pk)
    fresh.season = season
    return fresh


def _answer(invitation: OrganiserInvitation, answer: str, at: datetime | None) -> None:
    invitation.answer, invitation.answered_at = answer, instant(at)
    invitation.save(update_fields=["answer", "answered_at"])


def _does(row: SeasonOrganiser) -> str:
    if row.is_helper:
        return f"helps to run the season: {row.rights_named}"
    return "is a co-organiser of the season"


def _what(role: str, rights: Collection[str]) -> str:
    """What somebody may do in a role, in a sentence."""
    if role == Role.ORGANISER:
        return "A co-organiser may do everything but call the season off and remove its owner."
    return " ".join(OF_HELPERS[Right(each)] for each in rights)


def _lock_crew(season: Season, *others: User) -> dict[int, User]:
    return users_lock([*others, *season.organisers.values_list("user_id", flat=True)])


def _record(
    row: SeasonOrganiser,
    acting_user: User,
    action: str,
    *,
    kind: str,
    words: str,
    at: datetime,
    then: Callable[[], object] | None = None,
) -> None:
    """Write down that somebody's place is another, and have the matches that are on follow."""
    season, user = row.season, row.user
    data = {"role": row.role, "rights": row.rights}
    if then is not None:
        then()
    season_referees_refresh(season=season)
    # What they have open finds out anew what it may do.
    rights_announce_change(user.pk)
    audit_record(
        acting_user=acting_user, action=action, target=season, data={"user": user.pk, **data}
    )
    season_event(
        season=season, kind=kind, words=words, data={"name": user.shown_name, **data}, at=at
    )


def _tell(user: User, key: str, subject: str, words: str, path: str) -> None:
    told = Told(user=user, kind=KIND, key=f"organiser:{key}", subject=subject, words=words,
                path=path)  # fmt: skip
    announce([told])


@transaction.atomic
def season_referees_refresh(*, season: Season) -> None:
    """Have the matches that are on refereed by those who may rule them now: somebody has joined or
    left, may do something else, or has lost the role of an organiser."""
    # A match that is beginning has its referees already, and is not there to be found before.
    _lock_crew(season_lock(season.pk))
    running = Leg.objects.filter(
        death_match__round__season=season, status=LegStatus.RUNNING
    ).select_related("death_match__home__user", "death_match__away__user")
    for leg in running:
        sides = (leg.death_match.home, leg.death_match.away)
        playing = [side.user for side in sides if side is not None]
        if leg.match_id is None:
            continue
        try:
            match_referees_set(
                acting_user=None,
                match_id=leg.match_id,
                users=referees_of(season, playing=playing),
            )
        except Refusal as refusal:
            # It has just ended, and its leg is not settled yet: nobody has to referee it.
            if refusal.code != "match.over":
                raise
