"""Personal tokens for the API, and accounts that programs play with.

A token reads `gnt_`, 30 characters of chance, and a checksum of 6, all of them letters and digits:
whoever scans public code for secrets can tell one without asking us.
"""

import hashlib
import secrets
import string
import zlib
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Final, NamedTuple

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from oauth2_provider.models import get_access_token_model

from accounts.backends import NameBackend
from accounts.models import ApiToken, User
from accounts.services import audit_record, rights_announce_change
from core.api.scopes import Credential, scopes_in
from core.refusals import Forbidden, Refusal

PREFIX: Final = "gnt_"
_LETTERS: Final = string.digits + string.ascii_uppercase + string.ascii_lowercase
_CHANCE_LENGTH: Final = 30
_CHECK_LENGTH: Final = 6
_LENGTH: Final = len(PREFIX) + _CHANCE_LENGTH + _CHECK_LENGTH

NAME_MAX: Final = 60
TOKENS_AT_MOST: Final = 20
LASTS_AT_MOST: Final = timedelta(days=366)
_USE_NOTED_EVERY: Final = timedelta(minutes=1)


class Bearer(NamedTuple):
    """Whom a token speaks for, and what it allows."""

    user: User
    credential: Credential


# -- what a token looks like ---------------------------------------------------------------------


def new_token() -> str:
    """A new token."""
    chance = "".join(secrets.choice(_LETTERS) for _number in range(_CHANCE_LENGTH))
    return PREFIX + chance + _checksum(chance)


def is_well_formed(token: str) -> bool:
    """Whether this could be one of our tokens: prefix, length and checksum are right."""
    if len(token) != _LENGTH or not token.startswith(PREFIX) or not token.isascii():
        return False
    rest = token.removeprefix(PREFIX)
    return _checksum(rest[:_CHANCE_LENGTH]) == rest[_CHANCE_LENGTH:]


def _checksum(text: str) -> str:
    number = zlib.crc32(text.encode())
    digits = []
    for _position in range(_CHECK_LENGTH):
        number, digit = divmod(number, len(_LETTERS))
        digits.append(_LETTERS[digit])
    return "".join(reversed(digits))


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


# -- who has come --------------------------------------------------------------------------------


def bearer_of(token: str) -> Bearer | None:
    """Whom a token speaks for, personal or of OAuth: None where it is unknown, expired or revoked,
    or where its owner may not come in (closed and suspended accounts)."""
    if token.startswith(PREFIX):
        return _personal(token)
    return _of_application(token)


def _personal(token: str) -> Bearer | None:
    if not is_well_formed(token):
        return None
    row = ApiToken.objects.good().filter(digest=_digest(token)).first()
    if row is None:
        return None
    user = NameBackend().get_user(row.user_id)
    if user is None:
        return None
    now = timezone.now()
    if row.last_used_at is None or now - row.last_used_at >= _USE_NOTED_EVERY:
        # Of several requests at once, one writes.
        due = Q(last_used_at__isnull=True) | Q(last_used_at__lte=now - _USE_NOTED_EVERY)
        ApiToken.objects.filter(due, pk=row.pk).update(last_used_at=now)
    return Bearer(user, Credential(scopes_in(row.scopes), user.is_bot, row.expires_at))


def _of_application(token: str) -> Bearer | None:
    row = get_access_token_model().objects.filter(token_checksum=_digest(token)).first()
    if row is None or row.is_expired() or row.user_id is None:
        return None
    user = NameBackend().get_user(row.user_id)
    if user is None:
        return None
    return Bearer(user, Credential(scopes_in(row.scope.split()), user.is_bot, row.expires))


# -- services ------------------------------------------------------------------------------------


@transaction.atomic
def token_create(
    *, acting_user: User, name: str, scopes: Iterable[str], lasts: timedelta
) -> tuple[ApiToken, str]:
    """Make a token for oneself and return it with its text, which is nowhere kept.

    Raises Refusal ``token.name``, ``token.scopes``, ``token.lasts`` and ``token.too-many``.
    """
    name = " ".join(name.split())
    if not 0 < len(name) <= NAME_MAX:
        raise Refusal("token.name", "Please give it a name of at most 60 characters.", field="name")
    wanted = sorted(set(scopes))
    if not wanted or len(scopes_in(wanted)) != len(wanted):
        raise Refusal("token.scopes", "Please say what the token may do.", field="scopes")
    if not timedelta(minutes=1) <= lasts <= LASTS_AT_MOST:
        raise Refusal("token.lasts", "A token is good for at most a year.", field="lasts")
    # One lock per owner, so that the limit holds against two requests at once.
    owner = User.objects.select_for_update(no_key=True).get(pk=acting_user.pk)
    if ApiToken.objects.good().filter(user=owner).count() >= TOKENS_AT_MOST:
        raise Refusal("token.too-many", "You have twenty tokens already. Revoke one first.")
    text = new_token()
    now = timezone.now()
    token = ApiToken.objects.create(
        user=owner,
        name=name,
        digest=_digest(text),
        scopes=wanted,
        created_at=now,
        expires_at=now + lasts,
    )
    audit_record(
        acting_user=acting_user, action="token.create", target=token, data={"scopes": wanted}
    )
    return token, text


@transaction.atomic
def token_revoke(*, acting_user: User, token: ApiToken) -> ApiToken:
    """Make one's token worthless, and end what was opened with it.

    Raises Refusal ``token.none`` (it is somebody else's) and ``token.revoked``.
    """
    locked = ApiToken.objects.select_for_update(no_key=True).get(pk=token.pk)
    if locked.user_id != acting_user.pk:
        raise Refusal("token.none", "There is no such token.")
    if locked.revoked_at is not None:
        raise Refusal("token.revoked", "This token is revoked already.")
    locked.revoked_at = timezone.now()
    locked.save(update_fields=["revoked_at"])
    audit_record(acting_user=acting_user, action="token.revoke", target=locked)
    rights_announce_change(locked.user_id)
    return locked


# What other apps have to say about who may become a bot: a refusal, or None.
BotCheck = Callable[[User], Refusal | None]
_bot_checks: list[BotCheck] = []


def register_bot_check(check: BotCheck) -> None:
    """Have ``check`` asked before an account becomes a bot. Again changes nothing."""
    if check not in _bot_checks:
        _bot_checks.append(check)


@transaction.atomic
def user_become_bot(*, acting_user: User) -> User:
    """Make one's own account a bot's, which cannot be undone.

    From then on tokens play with it only with the scope `bot`. Raises Refusal ``bot.already``,
    ``bot.privileged`` (organisers, moderators, staff), and what other apps' checks say, such as
    ``bot.has-played``.
    """
    locked = User.objects.select_for_update(no_key=True).get(pk=acting_user.pk)
    if locked.is_bot:
        raise Refusal("bot.already", "This account is a bot already.")
    if locked.is_staff or locked.is_superuser or locked.groups.exists():
        raise Forbidden("bot.privileged", "An account with a role cannot become a bot.")
    for check in _bot_checks:
        refusal = check(locked)
        if refusal is not None:
            raise refusal
    locked.is_bot = True
    locked.save(update_fields=["is_bot"])
    audit_record(acting_user=acting_user, action="user.become_bot", target=locked)
    rights_announce_change(locked.pk)
    return locked
