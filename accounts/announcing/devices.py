"""The browsers that take announcements, on the devices of whoever has switched them on there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings
from django.core import signing
from django.db import IntegrityError, transaction
from django.db.models import F
from django.http import HttpRequest, HttpResponse

from accounts.announcing import push
from accounts.announcing.push import Result
from accounts.jobs import PUSH_TEST
from accounts.models import PushSubscription, User
from accounts.services import audit_record
from core.clock import now_utc
from core.queueing import enqueue
from core.refusals import NotFound, NotUnderstood, Refusal

#: So often in a row a push service may refuse what is sent before the device is forgotten.
FAILURES_MAX: Final = 5
_AUTH_BYTES: Final = 16
_POINT_BYTES: Final = 65  # uncompressed, as push services have it
# Which device this is, kept by the browser itself: it outlives the session.
_COOKIE: Final = "device"
_KEPT_S: Final = 400 * 24 * 3600

# Nearly all say that they are Chrome and Safari, too, and add who they are: so the first of these
# counts, and Safari is what says nothing else, on a system that has it.
_BROWSERS: Final = (
    (r"\bEdg(e|A|iOS)?/", "Edge"), (r"\bOP(R|T|X|iOS)/", "Opera"),
    (r"\bSamsungBrowser/", "Samsung Internet"), (r"\bVivaldi/", "Vivaldi"),
    (r"\bYaBrowser/", "Yandex Browser"), (r"\b(DuckDuckGo|Ddg)/", "DuckDuckGo"),
    (r"\b(Firefox|FxiOS|Focus|Klar)/", "Firefox"), (r"\bHeadlessChrome/", "Headless Chrome"),
    (r"\bChromium/", "Chromium"), (r"\b(Chrome|CriOS)/", "Chrome"),
    (r"\b(iPhone|iPad|iPod|Macintosh)\b.*\bVersion/[\d.]+ (Mobile/\w+ )?Safari/", "Safari"),
)  # fmt: skip
_SYSTEMS: Final = (
    (r"\bAndroid\b", "Android"), (r"\biPhone\b", "an iPhone"), (r"\biPad\b", "an iPad"),
    (r"\bCrOS\b", "ChromeOS"), (r"\bWindows\b", "Windows"), (r"\bMac OS X\b", "a Mac"),
    (r"\bLinux\b", "Linux"),
)  # fmt: skip


# -- switching on and off ------------------------------------------------------------------------


@transaction.atomic
def push_subscription_set(
    *, acting_user: User, endpoint: str, p256dh: str, auth: str, browser: str
) -> PushSubscription:
    """Have a browser take what somebody is told. One that was switched on before, by whomever, is
    theirs from now on: it is they who sit in front of it.

    Raises Refusal ``push.off`` (the site pushes nothing), ``push.endpoint`` (no address of a push
    service that the site knows), ``push.keys`` (they cannot be read) and ``push.too-many``.
    """
    if not push.is_offered():
        raise Refusal("push.off", "This site sends nothing to devices.")
    if push.address_of(endpoint) is None:
        raise NotUnderstood("push.endpoint", "This browser's push service is not one we know.")
    keys = _keys(p256dh, auth)
    # One after the other, or two at once would be one too many.
    User.objects.select_for_update(no_key=True).get(pk=acting_user.pk)
    own = PushSubscription.objects.filter(user=acting_user).exclude(endpoint=endpoint)
    if own.count() >= settings.GAUNTLET_PUSH_DEVICES:
        raise Refusal(
            "push.too-many",
            f"You have {settings.GAUNTLET_PUSH_DEVICES} devices: please remove one first.",
        )
    device, created = PushSubscription.objects.get_or_create(
        endpoint=endpoint, defaults={"user": acting_user, **keys, "browser": browser[:60]}
    )
    if created or device.user_id != acting_user.pk:
        audit_record(
            acting_user=acting_user,
            action="push.switch_on",
            target=acting_user,
            data={"device": device.pk, "browser": browser[:60]},
        )
    if not created:
        PushSubscription.objects.filter(pk=device.pk).update(
            user=acting_user, **keys, browser=browser[:60], failures=0
        )
        device.refresh_from_db()
    return device


@transaction.atomic
def push_subscription_remove(*, acting_user: User, device_id: int) -> None:
    """Send nothing more to a device of one's own.

    Raises NotFound ``push.no-device``.
    """
    device = _own(acting_user, device_id)
    audit_record(
        acting_user=acting_user,
        action="push.switch_off",
        target=acting_user,
        data={"device": device.pk, "browser": device.browser},
    )
    device.delete()


@transaction.atomic
def push_subscription_renew(
    *, before: str, secret: str, endpoint: str, p256dh: str, auth: str
) -> None:
    """A browser has got another address from its push service, and nobody sits in front of it: it
    is known by the address and the secret that it had, which nobody else has.

    Raises Refusal ``push.endpoint`` and ``push.keys``, and NotFound ``push.no-device``.
    """
    if push.address_of(endpoint) is None:
        raise NotUnderstood("push.endpoint", "This browser's push service is not one we know.")
    keys = _keys(p256dh, auth)
    unknown = NotFound("push.no-device", "There is no such device.")
    if push.address_of(before) is None or not re.fullmatch(r"[\w-]{1,40}=*", secret, re.ASCII):
        raise unknown
    known = PushSubscription.objects.select_for_update(no_key=True)
    device = known.filter(endpoint=before, auth=secret.rstrip("=")).first()
    if device is None:
        raise unknown
    try:
        with transaction.atomic():
            own = PushSubscription.objects.filter(pk=device.pk)
            own.update(endpoint=endpoint, **keys, failures=0)
    except IntegrityError:  # another device has it, or has just been given it
        raise unknown from None


def push_subscription_test(*, acting_user: User, device_id: int) -> None:
    """Have a test sent to a device of one's own.

    Raises Refusal ``push.off``, ``push.not-now`` (no worker could be told), and NotFound
    ``push.no-device``.
    """
    if not push.is_offered():
        raise Refusal("push.off", "This site sends nothing to devices.")
    device = _own(acting_user, device_id)
    if not enqueue(PUSH_TEST, device.pk, expires=60):
        raise Refusal("push.not-now", "This cannot be done just now. Please try again soon.")


def _own(user: User, device_id: int) -> PushSubscription:
    device = PushSubscription.objects.visible_to(user).filter(pk=device_id).first()
    if device is None:
        raise NotFound("push.no-device", "There is no such device.")
    return device


def _keys(p256dh: str, auth: str) -> dict[str, str]:
    """Both keys as they are kept: a point of the curve, and sixteen bytes."""
    wrong = NotUnderstood("push.keys", "This browser's keys cannot be read.")
    try:
        point, secret = push.from_text(p256dh), push.from_text(auth)
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    except ValueError:
        raise wrong from None
    if len(point) != _POINT_BYTES or len(secret) != _AUTH_BYTES:
        raise wrong
    return {"p256dh": push.to_text(point), "auth": push.to_text(secret)}


# -- what becomes of them ------------------------------------------------------------------------


def those_with_devices(user_ids: Iterable[int]) -> set[int]:
    """Who of these has any device that takes announcements."""
    ids = set(user_ids)
    if not ids or not push.is_offered():
        return set()
    rows = PushSubscription.objects.filter(user__in=ids).order_by()
    return set(rows.values_list("user", flat=True).distinct())


def device_note(*, device_id: int, result: Result) -> None:
    """Note what a push service has made of a message: a device that is gone, or that has been
    refused several times in a row, is forgotten."""
    device = PushSubscription.objects.filter(pk=device_id)
    if result is Result.TAKEN:
        device.update(reached_at=now_utc(), failures=0)
    elif result is Result.GONE:
        device.delete()
    elif result is Result.REFUSED:
        device.update(failures=F("failures") + 1)
        device.filter(failures__gte=FAILURES_MAX).delete()


# -- which one this is ---------------------------------------------------------------------------


def device_remember(request: HttpRequest, response: HttpResponse, device: PushSubscription) -> None:
    """Have a browser keep which of the devices it is."""
    response.set_signed_cookie(
        _COOKIE, str(device.pk), max_age=_KEPT_S, secure=request.is_secure(), httponly=True,
        samesite="Lax",
    )  # fmt: skip


def device_here(request: HttpRequest) -> int | None:
    """Which of the devices a browser says that it is."""
    try:
        return int(request.get_signed_cookie(_COOKIE, max_age=_KEPT_S) or "")
    except (KeyError, ValueError, signing.BadSignature):
        return None


def device_leave(request: HttpRequest, *, besides: User | None = None) -> None:
    """Somebody signs out here, or somebody else signs in: what is told to whoever did before must
    not appear here any more. ``besides``: whose it may stay."""
    here = device_here(request)
    if here is not None:
        found = PushSubscription.objects.filter(pk=here)
        (found.exclude(user=besides) if besides is not None else found).delete()


def on_signed_out(*, request: HttpRequest | None, **_more: Any) -> None:
    """Somebody has signed out, of whichever page."""
    if request is not None:
        device_leave(request)


def browser_of(user_agent: str) -> str:
    """A browser in words, for the lists of one's devices and of where one is signed in. One that we
    do not know is "a browser", rather than the one that it is made to look like."""
    browser = _first(_BROWSERS, user_agent) or "A browser"
    system = _first(_SYSTEMS, user_agent)
    return f"{browser} on {system}" if system else browser


def _first(words: tuple[tuple[str, str], ...], text: str) -> str:
    return next((shown for sign, shown in words if re.search(sign, text)), "")
