"""Where somebody is signed in: noting it, the list, and ending it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.http import HttpRequest

from accounts.models import PushSubscription, User, UserSession
from accounts.services import address_change_drop, audit_record, rights_announce_change
from accounts.signin.recent import confirm
from accounts.signin.whence import Whence, whence
from core.clock import now_utc
from core.jobs.pruning import rows_prune
from core.refusals import NotFound

#: So often at most it is written down that a session was used.
USE_NOTED_EVERY: Final = timedelta(minutes=15)
_KNOWN_AT_MOST: Final = 10_000
_PRUNED_AT_ONCE: Final = 1_000


class _Noted:
    """When this process last looked whether a use is to be noted, by the session's key: so a
    request costs nothing but now and then."""

    at: Final[dict[str, datetime]] = {}


# -- noting --------------------------------------------------------------------------------------


def on_signed_in(*, request: HttpRequest | None, user: User, **_more: Any) -> None:
    """Somebody has signed in: note where, and that it is they."""
    if request is None or user.is_guest:
        return
    confirm(request)
    if not request.session.session_key:
        request.session.save()
    _note(request.session.session_key or "", user, whence(request))


def session_of_signed_out(*, request: HttpRequest | None, **_more: Any) -> None:
    """Somebody has signed out, of whichever page."""
    if request is not None and request.session.session_key:
        UserSession.objects.filter(session_key=request.session.session_key).delete()


def on_confirmed(*, request: HttpRequest, user: Any, **more: Any) -> None:
    """Somebody who is signed in has shown once more that they own the account: note it, under
    another key."""
    if more.get("reauthenticated") and isinstance(user, User):
        request.session.cycle_key()
        confirm(request)


def _note(key: str, user: User, place: Whence) -> None:
    now = now_utc()
    row = UserSession(
        session_key=key, user=user, signed_in_at=now, last_used_at=now, **place._asdict()
    )
    # In one statement, and for a key that is known anew.
    UserSession.objects.bulk_create(
        [row],
        update_conflicts=True,
        unique_fields=["session_key"],
        update_fields=["user", "signed_in_at", "last_used_at", "device", "network"],
    )
    _noted(key, now)


def _noted(key: str, at: datetime) -> None:
    if len(_Noted.at) >= _KNOWN_AT_MOST:
        _Noted.at.clear()
    _Noted.at[key] = at


def session_used(request: HttpRequest, user: User) -> None:
    """Note that somebody has used their session, unless that was done a while ago. Nothing that
    somebody decides, so no audit entry says so."""
    key, now = request.session.session_key or "", now_utc()
    last = _Noted.at.get(key)
    if last is not None and abs(now - last) < USE_NOTED_EVERY:
        return
    _noted(key, now)
    place = whence(request)
    own = UserSession.objects.filter(session_key=key)
    due = own.filter(last_used_at__lte=now - USE_NOTED_EVERY)
    noted = due.update(last_used_at=now, device=place.device, network=place.network)
    if noted or own.exists():
        return
    # One from before there was this list. Ended meanwhile, it is not there any more.
    if Session.objects.filter(session_key=key, expire_date__gt=now).exists():
        _note(key, user, place)


def session_moved(old: str, new: str) -> None:
    """A session goes on under another key."""
    rows = UserSession.objects.filter(session_key=old)
    if UserSession.objects.filter(session_key=new).exists():
        rows.delete()
    else:
        rows.update(session_key=new)


# -- ending --------------------------------------------------------------------------------------


@transaction.atomic
def session_end(*, acting_user: User, session: UserSession) -> None:
    """Sign oneself out in one browser, wherever that is; what it has open closes.

    Raises Refusal ``session.none`` (it is somebody else's, or has ended).
    """
    rows = UserSession.objects.visible_to(acting_user).filter(pk=session.pk)
    if not rows.end():
        raise NotFound("session.none", "That session has ended.")
    audit_record(
        acting_user=acting_user,
        action="session.end",
        target=acting_user,
        data={"device": session.device},
    )
    rights_announce_change(acting_user.pk)


@transaction.atomic
def sessions_end(*, acting_user: User, besides: str = "", device_id: int | None = None) -> int:
    """Sign oneself out everywhere, ``besides`` the session of this key; returns of how many
    browsers that is known. It holds for sessions that no list knows, too: none from before is good
    any more, but the one that stays, whose request calls `session_keep` afterwards. A change of the
    address that waits to be confirmed is dropped, and no device is told of announcements any more
    but ``device_id``: whoever is shut out may have asked for either.
    """
    locked = User.objects.select_for_update(no_key=True).get(pk=acting_user.pk)
    locked.sign_outs += 1
    locked.save(update_fields=["sign_outs"])
    acting_user.sign_outs = locked.sign_outs
    ended = UserSession.objects.filter(user=locked).exclude(session_key=besides).end()
    devices = PushSubscription.objects.filter(user=locked)
    (devices if device_id is None else devices.exclude(pk=device_id)).delete()
    audit_record(
        acting_user=acting_user,
        action="session.end_all",
        target=locked,
        data={"ended": ended, "here": not besides},
    )
    address_change_drop(acting_user=acting_user, user=locked)
    rights_announce_change(locked.pk)
    return ended


def session_keep(request: HttpRequest, user: User) -> None:
    """Have the session of a request go on after all others were ended, under another key."""
    request.session.cycle_key()
    request.session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    # What else this request reads of it, sockets that open now included, is the new one.
    request.session.save()


def sessions_prune() -> int:
    """Forget the sessions that have run out, and what is known of those that are gone; returns
    how much."""
    old = Session.objects.filter(expire_date__lt=now_utc())
    gone = rows_prune(old, at_once=_PRUNED_AT_ONCE)
    there = Session.objects.filter(session_key=OuterRef("session_key"))
    ended = UserSession.objects.filter(~Exists(there))
    return gone + rows_prune(ended, at_once=_PRUNED_AT_ONCE)


def sessions_let_go(keep: User, duplicate: User) -> Mapping[str, int]:
    """A part of merges (`accounts.moderation.merging`): the account that is closed is signed in
    nowhere any more. Nothing of it is the kept account's."""
    UserSession.objects.filter(user=duplicate).end()
    return {}
