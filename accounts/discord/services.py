"""Whose a Discord account is here. The rest of the site asks `linked_user`.

A link lets whoever has the Discord account sign in, so services that make one are called only for
somebody who has just shown at Discord that it is theirs.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Mapping
from datetime import timedelta
from functools import partial
from typing import Final

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models.functions import Lower
from django.urls import reverse

from accounts import hooks
from accounts.discord.offers import is_offered
from accounts.models import DiscordLink, DiscordLinkRequest, User
from accounts.models.discord import NAME_MAX
from accounts.moderation.standing import is_suspended
from accounts.services import audit_record, discord_link_end, user_register, users_lock
from accounts.signin.addresses import address_is_taken
from accounts.signin.notices import owner_tell
from core.clock import now_utc
from core.hooks import send
from core.refusals import Forbidden, NotFound, Refusal
from core.text import one_line

REQUEST_LASTS: Final = timedelta(minutes=15)


def link_of(discord_id: str) -> DiscordLink | None:
    """Whose a Discord account is, whether they may come in or not."""
    return DiscordLink.objects.select_related("user").filter(discord_id=discord_id).first()


def linked_user(discord_id: str) -> User | None:
    """Who a Discord account is here; None where nobody is, or who may not sign in at present."""
    link = link_of(discord_id)
    if link is None or not link.user.is_active or is_suspended(link.user):
        return None
    return link.user


@transaction.atomic
def discord_link(
    *, acting_user: User, discord_id: str, discord_name: str, tells: bool = True
) -> DiscordLink:
    """Link a Discord account, which is its owner's who asks, to their account. They are told by
    mail, unless they register with it (not ``tells``).

    Raises Refusal ``account.closed``, ``discord.linked-already`` (they are linked),
    ``discord.other`` (another is linked to the account) and ``discord.of-another`` (it is linked to
    another account).
    """
    locked = users_lock([acting_user])[acting_user.pk]
    if not locked.is_active or locked.is_guest:
        raise Forbidden("account.closed", "This account is closed.")
    must_be_linkable(locked, discord_id)
    try:
        # Of two accounts that link it at once, one is refused here.
        with transaction.atomic():
            link = DiscordLink.objects.create(
                user=locked, discord_id=discord_id, name=_fit(discord_name)
            )
    except IntegrityError as error:
        raise _of_another() from error
    audit_record(
        acting_user=acting_user,
        action="user.link_discord",
        target=locked,
        data={"discord_id": discord_id, "name": link.name},
    )
    linked = partial(
        send, hooks.discord_linked, User, user_id=locked.pk, discord_id=link.discord_id
    )
    transaction.on_commit(linked, robust=True)
    if tells:
        owner_tell(locked, "discord_linked", {"name": link.name})
    return link


def links_of(user: User) -> int:
    """How many Discord accounts can sign in to an account: one or none."""
    return DiscordLink.objects.filter(user=user).count()


def confirm_way(user: User) -> str | None:
    """How those confirm that it is they who sign in by Discord alone (`recent.register_way`)."""
    offered = is_offered() and DiscordLink.objects.filter(user=user).exists()
    return "accounts:discord_confirm" if offered else None


def must_be_linkable(user: User, discord_id: str) -> None:
    """Whether a Discord account can be linked to an account. Raises Refusal as `discord_link`
    does."""
    link = link_of(discord_id)
    if link is not None and link.user_id == user.pk:
        sentence = "This Discord account is linked to your account already."
        raise Refusal("discord.linked-already", sentence)
    if link is not None:
        raise _of_another()
    if DiscordLink.objects.filter(user=user).exists():
        raise Refusal(
            "discord.other",
            "Another Discord account is linked to your account. Unlink that one first.",
        )


def _of_another() -> Refusal:
    sentence = "This Discord account is linked to another account here."
    return Refusal("discord.of-another", sentence)


@transaction.atomic
def discord_mentions_set(*, acting_user: User, mentions: bool) -> DiscordLink:
    """Have the bot's reminders mention one, where the organisers have it mention anybody, or not.

    Raises Refusal ``discord.not-linked``.
    """
    return _choose(acting_user, "user.change_discord_mentions", "mentions", mentions)


@transaction.atomic
def discord_found_set(*, acting_user: User, found_by_name: bool) -> DiscordLink:
    """Let organisers of seasons find one by one's name at Discord, or not.

    Raises Refusal ``discord.not-linked``.
    """
    return _choose(acting_user, "user.change_discord_found", "found_by_name", found_by_name)


def _choose(acting_user: User, action: str, choice: str, chosen: bool) -> DiscordLink:
    """Keep what somebody has chosen of their own link."""
    locked = users_lock([acting_user])[acting_user.pk]
    link = DiscordLink.objects.filter(user=locked).first()
    if link is None:
        raise _not_linked()
    if getattr(link, choice) != chosen:
        setattr(link, choice, chosen)
        link.save(update_fields=[choice])
        audit_record(acting_user=acting_user, action=action, target=locked, data={choice: chosen})
    return link


def users_named_at_discord(names: Iterable[str]) -> dict[str, User]:
    """Who of those that let themselves be found has one of these names at Discord, by the name in
    lower case. Of a name that several had when they last signed in, nobody is told of: it may be
    another's by now."""
    wanted = {name.lower() for name in names if name}
    rows = (
        DiscordLink.objects.filter(found_by_name=True, user__is_active=True)
        .annotate(plain=Lower("name"))
        .filter(plain__in=wanted)
        .select_related("user")
    )
    found: dict[str, list[User]] = {}
    for row in rows:
        found.setdefault(row.name.lower(), []).append(row.user)
    return {name: users[0] for name, users in found.items() if len(users) == 1}


def _not_linked() -> Refusal:
    sentence = "No Discord account is linked to your account."
    return Refusal("discord.not-linked", sentence)


@transaction.atomic
def discord_unlink(*, acting_user: User) -> None:
    """Take the link to Discord off one's account.

    Raises Refusal ``discord.not-linked``, and ``discord.no-password``: nobody could sign in to the
    account any more.
    """
    locked = users_lock([acting_user])[acting_user.pk]
    link = DiscordLink.objects.filter(user=locked).first()
    if link is None:
        raise _not_linked()
    if not locked.has_usable_password():
        raise Refusal(
            "discord.no-password",
            "Your account has no password, so you could not sign in any more. Set one first.",
        )
    name = link.name
    discord_link_end(acting_user=acting_user, link=link)
    owner_tell(locked, "discord_unlinked", {"name": name})


def discord_let_go(keep: User, duplicate: User) -> Mapping[str, int]:
    """A part of merges (`accounts.moderation.merging`): the duplicate's Discord account belongs to
    nobody from now on. It signs its owner in, and who merges has only been told that both accounts
    are one person's; so the kept account's owner may link it, as any other."""
    link = DiscordLink.objects.select_related("user").filter(user=duplicate).first()
    if link is not None:
        discord_link_end(acting_user=None, link=link)
    return {}


@transaction.atomic
def discord_rename(*, discord_id: str, discord_name: str) -> None:
    """Note what a linked Discord account is called now."""
    name = _fit(discord_name)
    DiscordLink.objects.filter(discord_id=discord_id).exclude(name=name).update(name=name)


def _fit(name: str) -> str:
    return one_line(name)[:NAME_MAX].strip() or "?"


# -- registering -----------------------------------------------------------------------------------


@transaction.atomic
def discord_register(
    *,
    discord_id: str,
    discord_name: str,
    username: str,
    email: str,
    confirmed: bool,
    display_name: str = "",
) -> User:
    """Create an account without a password, to which a Discord account is linked.

    ``confirmed``: Discord has had the owner of the address confirm it. Raises Refusal as
    `user_register` does but for ``email.taken``; ``discord.address-taken`` where such an address
    belongs to an account; and as `discord_link` does. Any other address that belongs to an account
    stays there, and whoever types it in must not notice: it is noted and never confirmed.
    """
    taken = address_is_taken(email)
    if confirmed and taken:
        raise address_taken()
    user = _register(username, "" if taken else email, display_name, confirmed=confirmed)
    try:
        with transaction.atomic():
            EmailAddress.objects.create(user=user, email=email, primary=True, verified=confirmed)
    except IntegrityError as error:  # another account has had it confirmed this moment
        raise address_taken() from error
    if confirmed:
        audit_record(acting_user=user, action="user.confirm_email", target=user)
    discord_link(acting_user=user, discord_id=discord_id, discord_name=discord_name, tells=False)
    return user


def _register(username: str, email: str, display_name: str, *, confirmed: bool) -> User:
    register = partial(user_register, username=username, password=None, display_name=display_name)
    try:
        return register(email=email)
    except Refusal as refusal:
        if refusal.code != "email.taken":
            raise
        if confirmed:
            raise address_taken() from refusal
    return register(email="")


def address_taken() -> Refusal:
    """Says that an account has the address. Only to somebody whose address it is."""
    return Refusal(
        "discord.address-taken",
        "An account here has this address already. Sign in to it with its password, and link "
        "Discord in its settings.",
        field="email",
    )


# -- being linked from Discord's side --------------------------------------------------------------


@transaction.atomic
def discord_link_begin(*, discord_id: str, discord_name: str) -> str:
    """An address at which whoever asks in Discord can link their Discord account to the account
    that they are signed in to here. It can be used once, for a quarter of an hour; an earlier one
    of the same Discord account ends.

    Raises Refusal ``discord.linked-already``.
    """
    if DiscordLink.objects.filter(discord_id=discord_id).exists():
        sentence = "This Discord account is linked already."
        raise Refusal("discord.linked-already", sentence)
    now, key = now_utc(), secrets.token_urlsafe(32)
    DiscordLinkRequest.objects.filter(expires_at__lte=now - REQUEST_LASTS).delete()
    DiscordLinkRequest.objects.update_or_create(
        discord_id=discord_id,
        defaults={
            "name": _fit(discord_name),
            "digest": _digest(key),
            "made_at": now,
            "expires_at": now + REQUEST_LASTS,
            "used_at": None,
        },
    )
    return f"{settings.GAUNTLET_ORIGIN}{reverse('accounts:discord_asked', args=[key])}"


def link_asked(*, acting_user: User, key: str) -> DiscordLinkRequest:
    """What an address that `discord_link_begin` gave asks somebody.

    Raises Refusal ``discord.link-unknown``, ``discord.link-used``, ``discord.link-expired``, and as
    `discord_link` does.
    """
    return _asked(acting_user, DiscordLinkRequest.objects.filter(digest=_digest(key)).first())


def _asked(acting_user: User, asked: DiscordLinkRequest | None) -> DiscordLinkRequest:
    if asked is None:
        sentence = "This address is not complete, or you were given a newer one."
        raise NotFound("discord.link-unknown", sentence)
    if asked.used_at is not None:
        raise Refusal("discord.link-used", "This address was used already. Each works once.")
    if asked.expires_at <= now_utc():
        sentence = "This address has expired. Ask for another in Discord."
        raise Refusal("discord.link-expired", sentence)
    must_be_linkable(acting_user, asked.discord_id)
    return asked


@transaction.atomic
def discord_link_finish(
    *, acting_user: User, key: str, discord_id: str, discord_name: str
) -> DiscordLink:
    """Link the Discord account that has asked. ``discord_id``: the one that the person has just
    shown at Discord to be theirs. It must be the same: else whoever sends somebody else an address
    of theirs could sign in as them.

    Raises Refusal as `link_asked` does, and ``discord.not-yours``.
    """
    rows = DiscordLinkRequest.objects.select_for_update(no_key=True)
    asked = _asked(acting_user, rows.filter(digest=_digest(key)).first())
    if asked.discord_id != discord_id:
        raise Forbidden(
            "discord.not-yours",
            f"The address was made for the Discord account {asked.name}, and that is not the one "
            "that you are signed in to at Discord.",
        )
    asked.used_at = now_utc()
    asked.save(update_fields=["used_at"])
    return discord_link(acting_user=acting_user, discord_id=discord_id, discord_name=discord_name)


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()
