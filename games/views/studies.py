"""The page on which a finished match is studied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.blocking.services import blocked_names
from accounts.guests import as_stranger, welcomes_guests
from accounts.models import User
from accounts.moderation.standing import why_silent
from core.refusals import Refusal
from games import store
from games.audience import may_moderate_chat, seat_of
from games.engine.decisions import Seat
from games.models import Match
from games.phrases import PHRASES
from games.pictures.boards import as_still, board_of
from games.reading.matches import match_for
from games.reading.replays import replay_of, steps_seen
from games.services.studies import study_ask, study_of
from games.views.common import explains_refusals, limited, problem
from games.views.matches import log_sentences
from games.words import game_name


@require_http_methods(["GET", "HEAD", "POST"])
@welcomes_guests
@explains_refusals
def study_page(request: HttpRequest, match_id: int) -> HttpResponse:
    """A finished match to be studied, for whoever may see it; a POST has bots look at it again.

    Context: `match`; `replay_data` (see `games.reading.replays`), the `study` so far (see
    `games.services.studies`); `you` (0, 1 or None); `step`, which is shown, with its `picture`;
    `log` as of `log_sentences`, and `seen_logs`, its sentences as each seat was told of them then;
    `writes`, whether the reader may say something, and `silence`, why
    not just now; `moderates`; `blocked`, `phrases` and `phrases_only`, by which what others say is
    folded away as in a chat; `title`. Raises Refusal ``match.none``, ``match.not-over``.
    """
    match = match_for(match_id, request.user)
    try:
        study = study_of(match)
    except Refusal as refusal:
        return problem(request, refusal, match=match)
    if request.method == "POST":
        return _ask(request, match)
    replay = replay_of(match)
    steps = replay["steps"]
    step = steps[_step(request.GET.get("at", ""), len(steps) - 1)]
    names = [seat["name"] for seat in replay["header"]["seats"]]
    ruleset, _ = store.header_of(match)
    context: dict[str, Any] = {
        "match": match,
        "replay_data": replay,
        "study": study,
        "you": seat_of(match, request.user),
        "step": step,
        "picture": as_still(board_of(ruleset, step["view"], names)),
        "log": log_sentences(steps[1:], names),
        "seen_logs": [_seen_log(match, 0, names), _seen_log(match, 1, names)],
        "title": f"Study: {' vs '.join(names)}, {game_name(match.ruleset, match.variant)}",
    }
    as_stranger(request)
    context |= _of_reader(request, match)
    response = render(request, "games/study.html", context)
    response["Cache-Control"] = "private, no-store"
    return response


@limited("study")
def _ask(request: HttpRequest, match: Match) -> HttpResponse:
    study_ask(match=match)
    # Where in the match one was stays in the address; how far it is stands beside the graph.
    return redirect(f"{request.get_full_path()}#graph-title")


def _of_reader(request: HttpRequest, match: Match) -> dict[str, Any]:
    """What concerns comments."""
    reader = request.user
    if not isinstance(reader, User):
        return {"writes": False}
    return {
        "writes": not match.is_practice,
        "silence": why_silent(reader),
        "moderates": may_moderate_chat(reader),
        "blocked": blocked_names(reader),
        "phrases": [each._asdict() for each in PHRASES],
        "phrases_only": reader.phrases_only,
    }


def _seen_log(match: Match, seat: Seat, names: Sequence[str]) -> list[str]:
    return [" ".join(each["lines"]) for each in log_sentences(steps_seen(match, seat), names)]


def _step(asked: str, last: int) -> int:
    if not asked.isascii() or not asked.isdigit():
        return 0
    return min(int(asked[:9]), last)
