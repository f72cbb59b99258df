"""What Discord tells of, at the door: who it is that moves by it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from core.clock import now_ms
from core.sizes import KIB
from tournaments.discord import signing
from tournaments.discord.interactions import Kind, decoder

#: Where Discord tells of it.
PATH: Final = "/discord/interactions/"
#: The largest message that Discord sends along with a button is smaller.
BODY_MOST: Final = 64 * KIB
#: The commands by which somebody submits something.
SUBMITTING: Final = frozenset({"move", "pick"})

SIGNATURE: Final = "x-signature-ed25519"
STAMP: Final = "x-signature-timestamp"


def mover_of(body: bytes, headers: Mapping[str, str]) -> str:
    """The number in Discord of whoever submits something by a command that Discord has signed just
    now; empty for all else. ``headers``: by their names in small letters. Asks nobody."""
    if not signing.is_switched_on() or len(body) > BODY_MOST:
        return ""
    signature, stamp = headers.get(SIGNATURE, ""), headers.get(STAMP, "")
    if not signing.is_discords(body, signature=signature, stamp=stamp, at=now_ms()):
        return ""
    try:
        told = decoder.decode(body)
    except msgspec.DecodeError:
        return ""
    moves = told.type == Kind.COMMAND and told.data.name in SUBMITTING
    return told.who.id if moves else ""
