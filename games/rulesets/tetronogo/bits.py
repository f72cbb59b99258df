"""Bit sets held in whole numbers: finding and drawing members."""

from __future__ import annotations

from collections.abc import Iterator

from games.engine.chance import RandomSource

WIDEST = 512
_ONLY = tuple(1 << member for member in range(WIDEST))
_BELOW = tuple((1 << width) - 1 for width in range(WIDEST))
_FEW = 8  # so few members are quicker taken off one by one than halved further


def members(bits: int) -> Iterator[int]:
    """The numbers in the set, rising."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def nth_member(bits: int, n: int, width: int) -> int:
    """The member with ``n`` members below it; there must be one. All are below ``width``, which
    is at most `WIDEST`."""
    base = 0
    count = bits.bit_count()
    while count > _FEW:
        width = (width + 1) >> 1
        low = bits & _BELOW[width]
        below = low.bit_count()
        if n < below:
            bits = low
            count = below
        else:
            bits >>= width
            base += width
            n -= below
            count -= below
    while n:
        bits &= bits - 1
        n -= 1
    return base + (bits & -bits).bit_length() - 1


def draw_member(bits: int, width: int, random: RandomSource) -> int:
    """A member of the set, each equally likely; the set is not empty and within ``width``.

    While many are in, throwing darts at the whole width is fastest. Once that would miss too
    often, the n-th member is looked up instead.
    """
    count = bits.bit_count()
    if count * 6 > width:
        while True:
            dart = int(random() * width)
            if bits & _ONLY[dart]:
                return dart
    return nth_member(bits, int(random() * count), width)
