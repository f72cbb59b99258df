"""`Idempotency-Key`: a request that may be sent again and counts once.

    @idempotent
    def post(self, request, ...): ...

With the header, the handler and the note of its answer are one transaction. A second request with
the same key waits for the first, and then gets the first one's answer; with another body it is
refused. A request that was refused leaves nothing behind, so that it can be put right and sent
again with its key. (After draft-ietf-httpapi-idempotency-key-header.)
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any, Final, Protocol, cast

from django.db import OperationalError, connection, transaction
from django.http import HttpResponse
from rest_framework.exceptions import NotAuthenticated, ParseError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.errors import ApiProblem
from core.api.models import IdempotencyKey
from core.clock import now_utc

KEPT_FOR: Final = timedelta(hours=24)
_KEY = re.compile(r"[\x21-\x7e]{1,255}")

Handler = Callable[..., HttpResponse]


class IdempotentHandler(Protocol):
    """A handler that honours the header; the schema reads the mark."""

    idempotent: bool

    def __call__(self, view: Any, request: Request, *args: Any, **kwargs: Any) -> HttpResponse: ...


class KeyReused(ApiProblem):
    """The key stands for another request."""

    status_code = 409
    code = "idempotency.reused"


class KeyBusy(ApiProblem):
    """The first request with this key is still being worked on."""

    status_code = 409
    code = "idempotency.busy"


class KeyMalformed(ApiProblem):
    """The key is empty, too long or has spaces or letters beyond ASCII in it."""

    code = "idempotency.malformed"


def idempotent(handler: Handler) -> Handler:
    """Have a handler of an `ApiView` honour the header `Idempotency-Key`."""

    @wraps(handler)
    def wrapped(view: Any, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        key = request.headers.get("Idempotency-Key")
        if key is None:
            return handler(view, request, *args, **kwargs)
        if not _KEY.fullmatch(key):
            raise KeyMalformed("An idempotency key has 1 to 255 visible ASCII characters.")
        if request.user.pk is None:
            raise NotAuthenticated
        with transaction.atomic():
            noted = _get_or_create(request, request.user.pk, key)
            if noted.status is not None:
                return _again(noted)
            response = handler(view, request, *args, **kwargs)
            if 200 <= response.status_code < 300:
                _note(noted, response)
            else:
                noted.delete()
            return response

    marked = cast(IdempotentHandler, wrapped)
    marked.idempotent = True
    return marked


def _get_or_create(request: Request, user_id: int, key: str) -> IdempotencyKey:
    """The row of the key, new or old. Waits for a request that is making it just now."""
    whose = IdempotencyKey.objects.filter(user=user_id)
    old = whose.filter(at__lt=now_utc() - KEPT_FOR)
    # What another request is forgetting just now is none of ours: nobody waits for that.
    free = list(old.select_for_update(no_key=False, skip_locked=True).values_list("pk", flat=True))
    if free:
        whose.filter(pk__in=free).delete()
    row = IdempotencyKey(user_id=user_id, key=key, request_hash=_hash(request))
    try:
        IdempotencyKey.objects.bulk_create([row], ignore_conflicts=True)
    except OperationalError as error:  # the lock's time is over
        if connection.in_atomic_block:
            transaction.set_rollback(True)
        raise KeyBusy("The first request with this key is not done yet.") from error
    noted = whose.get(key=key)
    if noted.request_hash != row.request_hash:
        raise KeyReused("This idempotency key was used for another request.")
    return noted


def _hash(request: Request) -> str:
    digest = hashlib.sha256()
    for part in (request.method or "", request.get_full_path()):
        digest.update(part.encode() + b"\n")
    # Parsed and written again: the order of keys and white space do not make another request. In
    # ASCII, because what was parsed may hold halves of characters that cannot be encoded.
    try:
        digest.update(json.dumps(request.data, sort_keys=True, ensure_ascii=True).encode())
    except RecursionError as error:
        raise ParseError("This is nested too deep.") from error
    return digest.hexdigest()


def _note(noted: IdempotencyKey, response: HttpResponse) -> None:
    noted.status = response.status_code
    data = response.data if isinstance(response, Response) else None
    noted.body = "" if data is None else JSONRenderer().render(data).decode()
    noted.content_type = "" if data is None else "application/json"
    noted.location = response.get("Location", "")
    noted.save(update_fields=["status", "body", "content_type", "location"])


def _again(noted: IdempotencyKey) -> HttpResponse:
    response = HttpResponse(noted.body, status=noted.status)
    if noted.content_type:
        response["Content-Type"] = noted.content_type
    else:
        del response["Content-Type"]
    if noted.location:
        response["Location"] = noted.location
    response["Idempotency-Replayed"] = "true"
    return response
