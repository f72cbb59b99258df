"""Records of matches, for whoever asks for one."""

from __future__ import annotations

from django.http import HttpResponse

from core.refusals import Refusal
from games import store
from games.engine import records
from games.models import Match


def record_bytes(match: Match) -> bytes:
    """The match record as JSON text.

    Raises Refusal ``match.not-over`` while the match is on: a record would tell too much.
    """
    if not match.is_over:
        raise Refusal("match.not-over", "There is a record once the match is over.")
    ruleset, header = store.header_of(match)
    held = store.read(match.pk)
    names = [player.name for player in match.players.order_by("seat")]
    return records.write(
        ruleset,
        header,
        seats=(names[0], names[1]),
        entries=store.entries_of(match.pk),
        result=held.live.table.result,
        draws=held.live.draws,
    )


def record_response(match: Match) -> HttpResponse:
    """The match record as a download. Raises as `record_bytes` does."""
    response = HttpResponse(record_bytes(match), content_type=records.MEDIA_TYPE)
    name = f"match-{match.pk}{records.SUFFIX}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
