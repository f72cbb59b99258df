"""What somebody takes along: a document with what is kept of them, JSON, written as it is read,
model by model; and files beside it, one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, Final

import msgspec
from django.apps import apps
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from accounts.leaving.kept import Given, decisions
from accounts.models import AuditEntry, User
from accounts.services import audit_record, users_lock
from accounts.signin.notices import owner_tell
from core.clock import now_utc
from core.refusals import Refusal

FORMAT: Final = "gauntlet-account/1"
#: How long after one export the next is made.
PAUSE: Final = timedelta(days=1)
_AT_ONCE: Final = 500
_ACTION: Final = "user.export"

#: What is said of the account itself.
PROFILE: Final = (
    "username", "display_name", "email", "time_zone", "device_zone", "sound_muted", "theme",
    "shown_in_lobby", "phrases_only", "is_bot", "date_joined", "last_login",
)  # fmt: skip

Section = Callable[[User], Iterator[dict[str, Any]]]
#: Name and content of each.
Files = Callable[[User], Iterator[tuple[str, bytes]]]
_sections: dict[str, Section] = {}
_files: dict[str, Files] = {}


def register_section(name: str, section: Section) -> None:
    """Have ``section(user)`` written under ``name``: what is more than the fields of rows. Again
    under the same name replaces it."""
    _sections[name] = section


def register_files(folder: str, files: Files) -> None:
    """Have what ``files(user)`` gives put into ``folder`` beside the document. They are asked for
    one after the other, so that memory holds one. Again for the same folder replaces it."""
    _files[folder] = files


def files_of(user: User) -> Iterator[tuple[str, bytes]]:
    """What goes beside the document, each with its path in the zip."""
    for folder, files in sorted(_files.items()):
        for name, content in files(user):
            yield f"{folder}/{name}", content


@transaction.atomic
def export_record(*, acting_user: User) -> None:
    """Note that somebody takes their data along, once it stands there to be taken; a mail says so.
    Raises Refusal ``export.too-soon``."""
    user = users_lock([acting_user])[acting_user.pk]
    must_be_exportable(user)
    audit_record(acting_user=user, action=_ACTION, target=user)
    owner_tell(user, "data_exported")


def must_be_exportable(user: User) -> None:
    """Raises Refusal ``export.too-soon``: it reads much, so it is made once a day."""
    latest = AuditEntry.objects.filter(
        target_type=User._meta.label_lower,
        target_id=str(user.pk),
        action=_ACTION,
        at__gt=now_utc() - PAUSE,
    )
    if latest.exists():
        sentence = "You have had your data within the last day. Please come back tomorrow."
        raise Refusal("export.too-soon", sentence)


def document(user: User) -> Iterator[bytes]:
    """The pieces of the document."""
    head = {
        "format": FORMAT,
        "site": settings.GAUNTLET_ORIGIN,
        "made_at": now_utc(),
        "account": {name: getattr(user, name) for name in PROFILE},
    }
    yield _encoded(head)[:-1]
    for name, section in sorted(_sections.items()):
        yield from _list(name, section(user))
    for (label, path), decision in sorted(decisions().items()):
        # Of apps that are not installed here there are no rows.
        if isinstance(decision, Given) and _is_installed(label):
            yield from _list(f"{label}.{path}", _rows(label, path, decision, user))
    yield b"}\n"


def _is_installed(label: str) -> bool:
    app, _, model = label.partition(".")
    return model in apps.all_models.get(app, {})


def _rows(label: str, path: str, given: Given, user: User) -> Iterator[dict[str, Any]]:
    model = apps.get_model(label)
    rows: QuerySet[Any] = QuerySet(model).filter(given.only, **{path: user}).order_by("pk")
    yield from rows.values(*given.fields).iterator(chunk_size=_AT_ONCE)


def _list(name: str, rows: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    yield b"," + _encoded(name) + b":["
    for number, row in enumerate(rows):
        yield (b"," if number else b"") + _encoded(row)
    yield b"]"


def _encoded(data: Any) -> bytes:
    return msgspec.json.encode(data, enc_hook=str)
