"""Services for those who write programs: making and revoking tokens, and becoming a bot."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Final

from django.db import transaction

from accounts.models import ApiToken, User
from accounts.services import audit_record, audit_records, rights_announce_change
from accounts.signin.notices import owner_tell
from accounts.tokens.text import digest_of, new_token
from core.api.scopes import scopes_in
from core.clock import now_utc
from core.refusals import Forbidden, Refusal

NAME_MAX: Final = 60
TOKENS_AT_MOST: Final = 20
LASTS_AT_MOST: Final = timedelta(days=366)


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
    now = now_utc()
    token = ApiToken.objects.create(
        user=owner,
        name=name,
        digest=digest_of(text),
        scopes=wanted,
        created_at=now,
        expires_at=now + lasts,
    )
    audit_record(
        acting_user=acting_user, action="token.create", target=token, data={"scopes": wanted}
    )
    owner_tell(owner, "token_made", {"name": name, "scopes": ", ".join(wanted)})
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
    locked.revoked_at = now_utc()
    locked.save(update_fields=["revoked_at"])
    audit_record(acting_user=acting_user, action="token.revoke", target=locked)
    rights_announce_change(locked.user_id)
    return locked


def tokens_good(user: User) -> int:
    """How many tokens somebody has that are good."""
    return ApiToken.objects.good().filter(user=user).count()


@transaction.atomic
def tokens_revoke(*, acting_user: User) -> int:
    """Make all of one's tokens worthless, and end what was opened with them; returns how many."""
    good = ApiToken.objects.good().filter(user=acting_user)
    tokens = list(good.select_for_update(no_key=True).order_by("pk"))
    good.filter(pk__in=[token.pk for token in tokens]).update(revoked_at=now_utc())
    audit_records(
        acting_user=acting_user,
        action="token.revoke",
        targets=[(token, None) for token in tokens],
    )
    rights_announce_change(acting_user.pk)
    return len(tokens)


# What other apps have to say about who may become a bot: each raises its refusal.
BotCheck = Callable[[User], object]
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
    must_have_no_role(locked)
    for check in _bot_checks:
        check(locked)
    locked.is_bot = True
    locked.save(update_fields=["is_bot"])
    audit_record(acting_user=acting_user, action="user.become_bot", target=locked)
    owner_tell(locked, "became_bot")
    rights_announce_change(locked.pk)
    return locked


def must_have_no_role(user: User) -> None:
    """Raises Refusal ``bot.privileged``."""
    if user.is_staff or user.is_superuser or user.groups.exists():
        raise Forbidden("bot.privileged", "An account with a role cannot become a bot.")
