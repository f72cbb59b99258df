"""What programs may ask for wherever they ask for a match, by the API and by streams."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter

from games.engine.draws import SIZE

COMMITMENT = OpenApiParameter(
    "commitment",
    {"type": "string", "pattern": f"^[0-9a-f]{{{2 * SIZE}}}$"},
    description="Of a player who comes to a match that waits: what the nonce hashes to that their "
    "program adds to the match's draws.",
)
