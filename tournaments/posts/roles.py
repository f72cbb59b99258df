"""Who has which role in Discord: those who play in a season, those who are out, those who watch.

What should be is worked out from how the season stands (`roles_work_out`), and written down as what
is still to be done; so it may be done as often as one likes, in any order, and nothing is lost with
a worker. Watching is somebody's own wish, by a button.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.expressions import Combinable

from core.clock import now_utc
from core.discord import client
from core.discord.client import DiscordError
from core.refusals import NotFound, Refusal
from tournaments.discord.people import ids_of
from tournaments.lifecycle import ContestantStatus, SeasonStatus, Visibility
from tournaments.models import Contestant
from tournaments.posts.models import DiscordChannel, DiscordRole
from tournaments.posts.outbox import roles_refresh_on_commit
from tournaments.posts.trouble import SENDERS

log = structlog.get_logger("gauntlet.discord")

FIRST_WAIT: Final = timedelta(seconds=10)
WAIT_FACTOR: Final = 3
LONGEST_WAIT: Final = timedelta(hours=1)
#: After so many times it is not tried again until something changes.
ATTEMPTS_MOST: Final = 20
AT_ONCE: Final = 50
#: A season says when it has changed before that is committed: for so long it is looked at again.
UNDER_WAY: Final = timedelta(seconds=30)
#: Nobody to give it to: they have left the server, or never were there.
_NOBODY: Final = frozenset({client.UNKNOWN_MEMBER, 10013})

Why = DiscordRole.Why
_IN: Final = (ContestantStatus.ENROLLED, ContestantStatus.ACTIVE)


@transaction.atomic
def roles_work_out(*, channel_id: int) -> None:
    """Write down who is to get and to lose which role. Idempotent."""
    rows = DiscordChannel.objects.select_for_update(no_key=True, of=("self",))
    channel = rows.select_related("season").filter(pk=channel_id).first()
    if channel is None:
        return
    at, before = now_utc(), channel.roles_at
    is_new = channel.roles_due or before is None or before < channel.season.changed_at
    wanted = _wanted(channel)
    playing = {member for (member, _), why in wanted.items() if why == Why.CONTESTANT}
    for grant in channel.grants.select_for_update(no_key=True).order_by("pk"):
        key = (grant.member_id, grant.role_id)
        why = wanted.pop(key, None)
        is_wanted = why is not None or _still_watches(channel, grant, playing)
        if grant.wanted != is_wanted or (is_new and grant.attempts and not grant.done):
            grant.wanted, grant.done, grant.attempts, grant.fault = is_wanted, False, 0, ""
            grant.next_at = now_utc()
        grant.why = why or grant.why
        grant.save(update_fields=["wanted", "done", "attempts", "fault", "next_at", "why"])
    DiscordRole.objects.bulk_create(
        DiscordRole(channel=channel, member_id=member, role_id=role, why=why, wanted=True)
        for (member, role), why in wanted.items()
    )
    channel.roles_due, channel.roles_at = False, at
    channel.save(update_fields=["roles_due", "roles_at"])


def _wanted(channel: DiscordChannel) -> dict[tuple[str, str], Why]:
    """Who is to have which role, by member and role; nobody of a draft, or of a channel that is
    switched off."""
    season = channel.season
    if not channel.active or season.visibility == Visibility.DRAFT:
        return {}
    if season.status == SeasonStatus.CANCELLED:
        return {}
    contestants = list(Contestant.objects.filter(season=season).order_by("pk"))
    members = ids_of(each.user_id for each in contestants)
    found: dict[tuple[str, str], Why] = {}
    for each in contestants:
        member = members.get(each.user_id or 0)
        role, why = _role_of(channel, each)
        if member is not None and role:
            found[member, role] = why
    return found


def _role_of(channel: DiscordChannel, contestant: Contestant) -> tuple[str, Why]:
    if contestant.status in _IN:
        return channel.contestant_role, Why.CONTESTANT
    return channel.eliminated_role, Why.ELIMINATED


def _still_watches(channel: DiscordChannel, grant: DiscordRole, playing: Container[str]) -> bool:
    """Whether somebody keeps the role of those who watch: until they play, or there is none."""
    if grant.why != Why.SPECTATOR or not grant.wanted or not channel.active:
        return False
    return grant.role_id == channel.spectator_role and grant.member_id not in playing


@transaction.atomic
def spectator_switch(*, season_id: int, member_id: str) -> bool:
    """Give somebody in Discord the role of those who watch a season, or take it where they have
    got it so; returns whether they have it from now on. Raises Refusal ``posts.none``,
    ``posts.no-spectators`` and ``posts.plays``."""
    rows = DiscordChannel.objects.select_for_update(no_key=True, of=("self",))
    channel = rows.select_related("season").filter(season=season_id, active=True).first()
    if channel is None or channel.season.visibility == Visibility.DRAFT:
        raise NotFound("posts.none", "This season is not told of there any more.")
    if not channel.spectator_role:
        raise Refusal("posts.no-spectators", "There is no role for those who watch.")
    grants = channel.grants.filter(member_id=member_id, role_id=channel.spectator_role)
    watches = not grants.filter(wanted=True).exists()
    if watches:
        playing = Contestant.objects.filter(season=season_id, status__in=_IN)
        if member_id in ids_of(playing.values_list("user", flat=True)).values():
            raise Refusal("posts.plays", "You play in this season.")
    DiscordRole.objects.update_or_create(
        channel=channel,
        member_id=member_id,
        role_id=channel.spectator_role,
        defaults={
            "why": Why.SPECTATOR,
            "wanted": watches,
            "done": False,
            "attempts": 0,
            "next_at": now_utc(),
            "fault": "",
        },
    )
    roles_refresh_on_commit(channel)
    return watches


def person_refresh(*, user_id: int, discord_id: str = "") -> None:
    """Work the roles out anew of all seasons in which somebody plays who has linked a Discord
    account, or none any more; and where that one has a role already, whoever plays there now."""
    own = Contestant.objects.filter(season=OuterRef("season"), user=user_id)
    has = DiscordRole.objects.filter(channel=OuterRef("pk"), member_id=discord_id, wanted=True)
    found = DiscordChannel.objects.filter(Exists(own) | Exists(has), active=True)
    for channel in found.order_by("pk"):
        if channel.roles:
            with transaction.atomic():
                roles_refresh_on_commit(channel)


# -- giving and taking ---------------------------------------------------------------------------


def channels_due(*conditions: Combinable, at: datetime) -> list[int]:
    """The channels of which somebody is to get or lose a role; of those, the ones of which the
    conditions hold."""
    due = DiscordRole.objects.filter(
        channel=OuterRef("pk"), done=False, next_at__lte=at, attempts__lt=ATTEMPTS_MOST
    )
    found = DiscordChannel.objects.filter(_to_work_out() | Exists(due))
    found = found.filter(*conditions)
    return list(found.order_by("pk").values_list("pk", flat=True))


def _to_work_out() -> Q:
    """Of which channels it is to be worked out who has which role."""
    changed = Q(roles_at__isnull=True) | Q(roles_at__lt=F("season__changed_at") + UNDER_WAY)
    none = Q(contestant_role="", eliminated_role="", spectator_role="")
    return Q(roles_due=True) | changed & ~none


def roles_give(*, channel_id: int, now: Callable[[], datetime] = now_utc) -> int:
    """Give and take what is due in a channel's server; returns how many calls were made for it. Two
    workers at a time do no harm: each call says what should be. Does nothing while this process
    waits for Discord in too many threads: the sweep comes back."""
    if DiscordChannel.objects.filter(_to_work_out(), pk=channel_id).exists():
        roles_work_out(channel_id=channel_id)
    with SENDERS.one() as free:
        return _give_due(channel_id, now) if free else 0


def _give_due(channel_id: int, now: Callable[[], datetime]) -> int:
    made = 0
    due = DiscordRole.objects.filter(
        channel=channel_id, done=False, next_at__lte=now(), attempts__lt=ATTEMPTS_MOST
    )
    for grant in due.select_related("channel").order_by("pk")[:AT_ONCE]:
        made += 1
        if not _give(grant, now()):
            break
    return made


def _give(grant: DiscordRole, at: datetime) -> bool:
    """Give or take one role; returns whether it is worth going on."""
    call = client.role_give if grant.wanted else client.role_take
    # As it was wanted then: what was changed meanwhile is done anew.
    row = DiscordRole.objects.filter(pk=grant.pk, wanted=grant.wanted)
    try:
        call(grant.channel.guild_id, grant.member_id, grant.role_id)
    except DiscordError as error:
        log.warning("role.refused", grant=grant.pk, status=error.status, code=error.code)
        nothing_to_take = error.code == client.UNKNOWN_ROLE and not grant.wanted
        if error.code in _NOBODY or nothing_to_take:
            row.update(done=True, fault="")
            return True
        wait = min(FIRST_WAIT * WAIT_FACTOR ** min(grant.attempts, 8), LONGEST_WAIT)
        row.update(attempts=F("attempts") + 1, next_at=at + wait, fault=_fault(error))
        return error.permanent
    row.update(done=True, fault="")
    return True


def _fault(error: DiscordError) -> str:
    if error.code == client.UNKNOWN_ROLE:
        return "The server has no such role any more."
    if error.status == 403:
        return "The bot may not give this role: it needs “Manage Roles”, and a higher role itself."
    return "Discord does not answer." if error.status is None else f"Discord: {error.status}."
