"""What organisers do about the channel in which the bot tells of their season. Each service is one
transaction with its audit entry; Discord is asked before it, under no lock.

What is going on is written, and which matches are followed set right, once that transaction is
over: both take locks on matches, and whoever holds one of those may be waiting for the channel.
Should this process die in between, the repair does the latter, and the former is said when it next
changes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from django.db import IntegrityError, transaction

from accounts.models import User
from accounts.services import UNSET, Unset, audit_record
from core.clock import now_utc
from core.refusals import Forbidden, NotFound, Refusal
from tournaments.audience import may_manage
from tournaments.models import Season
from tournaments.posts import words
from tournaments.posts.checking import Checked, channel_checked, channel_rechecked, is_offered
from tournaments.posts.kinds import KINDS
from tournaments.posts.models import ROLES, DiscordChannel, DiscordPost
from tournaments.posts.outbox import (
    channel_place,
    roles_refresh_on_commit,
    say_on_commit,
    season_write,
)
from tournaments.webhooks.following import following_refresh

ID_MOST: Final = 20


def channel_connect(
    *,
    acting_user: User,
    season: Season,
    channel_id: str,
    kinds: Collection[str],
    mentions: bool = False,
    roles: Mapping[str, str] | None = None,
) -> DiscordChannel:
    """Have the bot tell of a season in a channel. ``roles``: which it gives, by `ROLES`.

    Raises Refusal ``posts.not-allowed``, ``posts.not-offered``, ``posts.connected-already``,
    ``posts.channel``, ``posts.role``, ``posts.roles-alike``, ``posts.kinds``, and as
    `channel_checked` does.
    """
    must_be_connectable(season, acting_user)
    chosen = _kinds(kinds)
    given = _roles(roles or {})
    checked = channel_checked(
        _number(channel_id, "posts.channel", "channel"),
        user=acting_user,
        roles=given,
    )
    try:
        with transaction.atomic():
            Season.objects.select_for_update(no_key=True).get(pk=season.pk)
            channel = DiscordChannel.objects.create(
                season=season,
                kinds=chosen,
                mentions=mentions,
                created_by=acting_user,
                **checked._asdict(),
                **given,
            )
            _audit(
                acting_user, "discord_channel.connect", channel, kinds=chosen, mentions=mentions,
                **given,
            )  # fmt: skip
            roles_refresh_on_commit(channel)
    except IntegrityError as error:
        if "season" not in str(error):
            raise
        raise _connected() from None
    season_write(channel)
    following_refresh(season_id=season.pk)
    return channel


def channel_update(
    *,
    acting_user: User,
    channel: DiscordChannel,
    kinds: Collection[str] | Unset = UNSET,
    mentions: bool | Unset = UNSET,
    roles: Mapping[str, str] | Unset = UNSET,
) -> DiscordChannel:
    """Change what is given. Raises Refusal as `channel_connect` does, and ``posts.none``."""
    must_manage(channel.season, acting_user)
    chosen = None if isinstance(kinds, Unset) else _kinds(kinds)
    given = {} if isinstance(roles, Unset) else _roles(roles)
    given = {name: role for name, role in given.items() if role != getattr(channel, name)}
    checked: Checked | None = None
    if any(given.values()):
        # Who gives others roles by the bot may give them those.
        checked = channel_checked(channel.channel_id, user=acting_user, roles=given)
    with transaction.atomic():
        row = _lock(channel)
        changed: dict[str, object] = {}
        if chosen is not None and chosen != row.kinds:
            row.kinds = changed["kinds"] = chosen
        if not isinstance(mentions, Unset) and mentions != row.mentions:
            row.mentions = changed["mentions"] = mentions
        for name, role in given.items():
            setattr(row, name, role)
            changed[name] = role
        if checked is not None:
            _note(row, checked)
        if changed:
            row.save()
            _audit(acting_user, "discord_channel.update", row, **changed)
            roles_refresh_on_commit(row)
    if changed:
        season_write(row)
        following_refresh(season_id=row.season_id)
    return row


def channel_switch(*, acting_user: User, channel: DiscordChannel, active: bool) -> DiscordChannel:
    """Switch a channel on or off. Off, what had not been said yet is given up, and roles that were
    given are taken back; on, it is asked again what the bot may do there. Raises Refusal
    ``posts.not-allowed``, ``posts.none``, ``posts.switched``, and as `channel_rechecked` does."""
    must_manage(channel.season, acting_user)
    checked = channel_rechecked(channel) if active else None
    with transaction.atomic():
        row = _lock(channel)
        must_be_switched(row, active=not active)
        row.active = active
        if checked is not None:
            _note(row, checked)
            row.disabled_at, row.disabled_why = None, ""
            row.failing_since, row.fault = None, ""
            row.places.update(attempts=0, not_before=None)
        else:
            DiscordPost.objects.waiting().filter(place__channel=row).update(
                status=DiscordPost.Status.ABANDONED, fault="The channel was switched off."
            )
        row.save()
        _audit(acting_user, "discord_channel.update", row, active=active)
        roles_refresh_on_commit(row)
    if active:
        season_write(row)
    following_refresh(season_id=row.season_id)
    return row


def channel_check(*, acting_user: User, channel: DiscordChannel) -> DiscordChannel:
    """Ask anew what the bot may do in a channel. Raises Refusal ``posts.not-allowed``,
    ``posts.none``, and as `channel_rechecked` does."""
    must_manage(channel.season, acting_user)
    checked = channel_rechecked(channel)
    with transaction.atomic():
        row = _lock(channel)
        _note(row, checked)
        row.save()
        _audit(acting_user, "discord_channel.check", row, lacks=row.lacks)
        if "roles" not in row.lacks:
            roles_refresh_on_commit(row)
    return row


@transaction.atomic
def channel_test(*, acting_user: User, channel: DiscordChannel) -> DiscordPost:
    """Post a test, also in a channel that is switched off. Raises Refusal ``posts.not-allowed``,
    ``posts.none`` and ``posts.test-pending``."""
    must_manage(channel.season, acting_user)
    row = _lock(channel)
    must_await_no_test(row)
    now = now_utc()
    post = DiscordPost.objects.create(
        place=channel_place(row),
        kind=DiscordPost.Kind.TEST,
        body=words.encoded(words.test_message(row.season.get_absolute_url())),
        created_at=now,
        next_at=now,
        # Nobody waits three days for a test; and until it is over there is no other.
        give_up_at=now,
    )
    _audit(acting_user, "discord_channel.test", row)
    say_on_commit(row)
    return post


def channel_disconnect(*, acting_user: User, channel: DiscordChannel) -> None:
    """Have the bot tell of a season there no more, and forget what it said. Raises Refusal
    ``posts.not-allowed`` and ``posts.none``."""
    must_manage(channel.season, acting_user)
    with transaction.atomic():
        # With its key: whoever has written something for it commits first, and nobody writes more
        # before it is gone.
        row = _lock(channel, with_key=True)
        _audit(acting_user, "discord_channel.disconnect", row)
        season_id = row.season_id
        row.delete()
    following_refresh(season_id=season_id)


# -- what is taken -------------------------------------------------------------------------------


def must_manage(season: Season, user: User) -> None:
    """Raises Refusal ``posts.not-allowed``."""
    if not may_manage(season, user):
        raise Forbidden("posts.not-allowed", "Only the season's organisers may do this.")


def must_be_connectable(season: Season, user: User) -> None:
    """Raises Refusal ``posts.not-allowed``, ``posts.not-offered`` and
    ``posts.connected-already``."""
    must_manage(season, user)
    if not is_offered():
        raise Refusal("posts.not-offered", "This site has no bot in Discord.")
    if DiscordChannel.objects.filter(season=season).exists():
        raise _connected()


def must_await_no_test(channel: DiscordChannel) -> None:
    """Raises Refusal ``posts.test-pending``."""
    waiting = DiscordPost.objects.waiting().filter(place__channel=channel)
    if waiting.filter(kind=DiscordPost.Kind.TEST).exists():
        raise Refusal("posts.test-pending", "The last test is still on its way.")


def must_be_switched(channel: DiscordChannel, *, active: bool) -> None:
    """Raises Refusal ``posts.switched`` where it is not as it is to be."""
    if channel.active != active:
        sentence = "The channel is switched off." if active else "The channel is switched on."
        raise Refusal("posts.switched", sentence)


def _connected() -> Refusal:
    sentence = "The season is told of in a channel already. Disconnect that one first."
    return Refusal("posts.connected-already", sentence)


def _lock(channel: DiscordChannel, *, with_key: bool = False) -> DiscordChannel:
    rows = DiscordChannel.objects.select_for_update(no_key=not with_key, of=("self",))
    found = rows.select_related("season").filter(pk=channel.pk).first()
    if found is None:
        raise NotFound("posts.none", "This season is not told of there any more.")
    return found


def _note(channel: DiscordChannel, checked: Checked) -> None:
    channel.name, channel.guild_name = checked.name, checked.guild_name
    channel.lacks, channel.checked_at = checked.lacks, now_utc()
    known = channel.role_names | checked.role_names
    channel.role_names = {role: known[role] for role in channel.roles.values() if role in known}


def _kinds(kinds: Collection[str]) -> list[str]:
    unknown = sorted(set(kinds) - KINDS.keys())
    if unknown:
        raise Refusal("posts.kinds", f"Nothing called {unknown[0][:40]!r} is told.")
    if not kinds:
        raise Refusal("posts.kinds", "Please choose at least one thing to be told of.")
    return [kind for kind in KINDS if kind in kinds]


def _roles(roles: Mapping[str, str]) -> dict[str, str]:
    given: dict[str, str] = {}
    for name in [each for each in ROLES if each in roles]:
        number = roles[name].strip()
        role = _number(number, "posts.role", "role", field=name) if number else ""
        if role and role in given.values():
            raise Refusal("posts.roles-alike", "Each of these is a role of its own.", field=name)
        given[name] = role
    return given


def _number(text: str, code: str, what: str, *, field: str = "") -> str:
    tidy = text.strip()
    if not tidy.isascii() or not tidy.isdigit() or len(tidy) > ID_MOST:
        copied = f"“Copy {what.title()} ID” in Discord"
        sentence = f"The number of a {what} has up to {ID_MOST} digits: {copied}."
        raise Refusal(code, sentence, field=field)
    return tidy


def _audit(user: User, action: str, channel: DiscordChannel, **data: object) -> None:
    audit_record(
        acting_user=user,
        action=action,
        target=channel,
        data={
            "season": channel.season_id,
            "guild": channel.guild_id,
            "channel": channel.channel_id,
            **data,
        },
    )
