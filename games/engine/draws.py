"""Draws that anybody can verify: derived from a seed and two nonces by a stated function.

Before the first decision the server publishes what its seed hashes to, and each player's program
what its nonce does; once these are in, the nonces are opened. So nobody who opens theirs chooses
last, and each draw follows from numbers that were fixed before anybody knew them all. A draw's
numbers depend on its label alone and on no other draw: repeated after a take-back it comes out the
same.

The function is HMAC-SHA-256 (RFC 2104, FIPS 180-4); `docs/record.md` describes all of it so that
it can be written again.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Final

import msgspec

from core.refusals import Refusal
from games.engine.chance import Below, RandomSource, evenly
from games.engine.decisions import EVERYONE, Event, Seat

METHOD: Final = "hmac-sha256/1"
SIZE: Final = 32
"""Bytes of a seed, a nonce and a commitment."""
CONSTANT: Final = "00" * SIZE
"""The nonce of whoever gives none."""
ALONE: Final = "What is drawn follows from the server's seed alone: no player added a number."
_WORD: Final = 4


class Nonce(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one seat's program gives, as hexadecimal text: first what its nonce hashes to, later the
    nonce. Empty: not given. Where it stays so, `CONSTANT` counts."""

    commitment: str = ""
    nonce: str = ""


class Draws(msgspec.Struct, frozen=True):
    """What a match's draws are derived from: the server's seed, as hexadecimal text, and the nonces
    by seat. A secret as long as the match is on."""

    seed: str
    nonces: tuple[Nonce, Nonce] = (Nonce(), Nonce())

    @property
    def commitment(self) -> str:
        """What the seed hashes to, which everybody may know from the beginning."""
        return seed_commitment(self.seed)

    @property
    def missing(self) -> tuple[Seat, ...]:
        """The seats that have committed to a nonce and not opened it yet."""
        return tuple([s for s in (0, 1) if self.nonces[s].commitment and not self.nonces[s].nonce])

    def numbers(self, label: str) -> Below:
        """The numbers of the draw with that label."""
        one, two = (bytes.fromhex(each.nonce or CONSTANT) for each in self.nonces)
        return _below(_words(bytes.fromhex(self.seed), one + two + label.encode() + b"\0"))


def seed_of(random: RandomSource) -> str:
    """A new seed, as hexadecimal text; ``random`` must be one that nobody can foresee."""
    below = evenly(random)
    return bytes([below(256) for _ in range(SIZE)]).hex()


def seed_commitment(seed: str) -> str:
    """What a seed hashes to."""
    return _hash(b"gauntlet draws/1 seed", seed)


def nonce_commitment(seat: Seat, nonce: str) -> str:
    """What a nonce of that seat hashes to: of the other one it would be another, so that nobody can
    repeat what the opponent has committed to."""
    return _hash(b"gauntlet draws/1 nonce %d" % seat, nonce)


def committed(draws: Draws, seat: Seat, commitment: str) -> Draws:
    """After a seat's program has committed to a nonce, in place of the one before; the same one
    again changes nothing.

    Raises Refusal ``draws.commitment`` for what is none, and ``draws.committed`` where any nonce
    has been opened: whoever chose after that would choose last.
    """
    if not _is_whole(commitment):
        raise Refusal("draws.commitment", f"A commitment is {2 * SIZE} hexadecimal digits.")
    given = draws.nonces[seat]
    if given.commitment == commitment:
        return draws
    if any(each.nonce for each in draws.nonces):
        raise Refusal("draws.committed", "A nonce has been opened: what is committed to stays.")
    return _with(draws, seat, msgspec.structs.replace(given, commitment=commitment))


def opened(draws: Draws, seat: Seat, nonce: str) -> Draws:
    """After a seat's program has opened its nonce; the same one again changes nothing.

    Raises Refusal ``draws.nonce`` for what is none or does not fit the commitment, and
    ``draws.not-committed`` where there is none.
    """
    given = draws.nonces[seat]
    if not given.commitment:
        raise Refusal("draws.not-committed", "This seat has not committed to a nonce.")
    if not _is_whole(nonce) or nonce_commitment(seat, nonce) != given.commitment:
        raise Refusal("draws.nonce", "This is not the nonce that the seat has committed to.")
    return _with(draws, seat, msgspec.structs.replace(given, nonce=nonce))


def said_of(draws: Draws, without: tuple[bool, bool] = (False, False)) -> Iterator[Event]:
    """What the log says, as a match begins, of what its draws are derived from; ``without``: the
    seats that said that it was to begin without their number."""
    seats: tuple[Seat, Seat] = (0, 1)
    for seat in seats:
        given = draws.nonces[seat]
        if given.nonce:
            text = "added a number to what is drawn"
        elif given.commitment and without[seat]:
            text = "began without their number: a constant stands for it"
        elif given.commitment:
            text = "did not open their number in time: a constant stands for it"
        elif any(each.commitment for each in draws.nonces):
            text = "added no number to what is drawn"
        else:
            continue
        yield Event(kind="service", seat=seat, text=text, seen_by=EVERYONE)
    text = "What is drawn in this match can be verified once it is over."
    if not any(each.nonce for each in draws.nonces):
        text = f"{ALONE} {text}"
    yield Event(kind="service", seat=None, text=text, seen_by=EVERYONE)


def faults(draws: Draws) -> Iterator[str]:
    """What contradicts itself in what a record states, in words."""
    for name, text in (("seed", draws.seed), *_named(draws.nonces)):
        if not _is_whole(text) and (text or name == "seed"):
            yield f"draws: the {name} is not {2 * SIZE} hexadecimal digits."
            return
    for seat, given in enumerate(draws.nonces):
        if given.nonce and nonce_commitment(seat, given.nonce) != given.commitment:
            yield f"draws: the nonce of seat {seat} is not what it has committed to."


def _named(nonces: Sequence[Nonce]) -> Iterator[tuple[str, str]]:
    for seat, given in enumerate(nonces):
        yield f"commitment of seat {seat}", given.commitment
        yield f"nonce of seat {seat}", given.nonce


def _with(draws: Draws, seat: Seat, given: Nonce) -> Draws:
    one, two = draws.nonces
    return msgspec.structs.replace(draws, nonces=(given, two) if seat == 0 else (one, given))


def _is_whole(text: str) -> bool:
    return len(text) == 2 * SIZE and not set(text) - set("0123456789abcdef")


def _hash(purpose: bytes, text: str) -> str:
    return hashlib.sha256(purpose + b"\0" + bytes.fromhex(text)).hexdigest()


def _words(key: bytes, message: bytes) -> Iterator[int]:
    for block in count():
        digest = hmac.digest(key, message + block.to_bytes(4, "big"), "sha256")
        for at in range(0, len(digest), _WORD):
            yield int.from_bytes(digest[at : at + _WORD], "big")


def _below(words: Iterator[int]) -> Below:
    def below(bound: int) -> int:
        # Words beyond the last whole multiple would make the first remainders likelier.
        most = 2 ** (8 * _WORD) // bound * bound
        return next(word for word in words if word < most) % bound

    return below
