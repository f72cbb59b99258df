"""A stretch of a match as a moving picture, as the room saw it then."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Final

from PIL import Image

from core.refusals import NotUnderstood
from games.models import Match
from games.pictures.boards import pixels_of
from games.pictures.diagrams import diagrams_of

GIF: Final = "image/gif"
# Whoever draws them does nothing else meanwhile. Nobody else has to know it: of a longer stretch
# positions are left out.
AT_MOST: Final = 30  # positions
WIDTH: Final = 420  # pixels

# How long each picture stays, in ms: as a replay that plays by itself; the last one longer, so that
# it is seen where the clip ends.
EACH_MS: Final = 1200
LAST_MS: Final = 2400

_GROUND: Final = "#141b22"


def must_be_clip(first: int, last: int) -> None:
    """Raises NotUnderstood ``clip.backwards``."""
    if last <= first:
        raise NotUnderstood("clip.backwards", "A clip ends after the move with which it begins.")


def positions_of(first: int, last: int) -> list[int]:
    """Those of a stretch that its moving picture shows: all of them, or every second, every third,
    as far as needed; and always the last one, with which it ends."""
    apart = math.ceil((last - first) / (AT_MOST - 1))
    return [*range(first, last, apart), last]


def clip_of(match: Match, first: int, last: int) -> bytes:
    """The boards after these entries of the room's log, and after those between them that
    `positions_of` names, as a GIF that begins again when it is over. Raises Refusal
    ``match.no-board``."""
    frames = [_frame(svg) for svg in diagrams_of(match, positions_of(first, last))]
    return _animated(_of_one_size(frames))


def _frame(svg: str) -> Image.Image:
    image = Image.open(io.BytesIO(pixels_of(svg, width=WIDTH)))
    return image.convert("RGB")


def _of_one_size(frames: Sequence[Image.Image]) -> list[Image.Image]:
    """Each in the middle of what all of them fit into."""
    width, height = (max(sizes) for sizes in zip(*(each.size for each in frames), strict=True))
    return [_amid(each, width, height) for each in frames]


def _amid(frame: Image.Image, width: int, height: int) -> Image.Image:
    if frame.size == (width, height):
        return frame
    whole = Image.new("RGB", (width, height), _GROUND)
    whole.paste(frame, ((width - frame.width) // 2, (height - frame.height) // 2))
    return whole


def _animated(frames: Sequence[Image.Image]) -> bytes:
    drawn = [each.quantize(colors=128, dither=Image.Dither.NONE) for each in frames]
    out = io.BytesIO()
    times = [EACH_MS] * (len(drawn) - 1) + [LAST_MS]
    drawn[0].save(
        out, "GIF", save_all=True, append_images=drawn[1:], duration=times, loop=0, disposal=1
    )
    return out.getvalue()
