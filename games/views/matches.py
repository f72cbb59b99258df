"""The pages of one match. What they show is a view for the reader, never the state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.blocking.services import blocked_names
from accounts.guests import as_stranger, welcomes_guests
from accounts.models import User
from accounts.moderation.standing import Silence, silence_of
from accounts.preferences import hides_results
from core.actions import Offer
from core.replica.reading import from_replica
from games import extras, store
from games.actions import BEST_PLACE, AtMatch
from games.audience import may_feature, may_moderate_chat, seat_of
from games.engine.acts import NO_REASON
from games.engine.capabilities import dispute_of
from games.engine.decisions import Seat
from games.models import Match
from games.phrases import PHRASES, REMATCH
from games.pictures.boards import as_still, board_of, distinct_names, names_of
from games.pictures.keeping import picture_response
from games.pictures.positions import Kind, Picture
from games.reading.clips import Clip, clip_asked
from games.reading.matches import match_for, practice_level
from games.reading.readers import reader_in
from games.reading.records import record_response
from games.reading.replays import replay_of
from games.reading.selectors import match_next, matches_to_move
from games.reasons import READY
from games.services.challenges import must_be_able_to_rematch, rematch_offer, rematch_standing
from games.services.commentary import commentators_of, is_commented
from games.services.missed import end_mark_seen
from games.services.turns import must_organise
from games.views.common import explains_refusals, needs_sign_in
from games.words import LOOKED_IN, game_name, result_text, told_scores


@require_safe
@welcomes_guests
@explains_refusals
def match_page(request: HttpRequest, match_id: int) -> HttpResponse:
    """A match as the reader may see it now; the page's script goes on from `sync`.

    Context: `match`; `sync` (as the socket's frame, presence left out); `you` (0, 1 or None);
    `can_organise`; `best_place`, what the reader can do about the featured match (None: nothing,
    ever); `commentators`, for whoever does not play; `silence`, what keeps the reader from writing
    in the chat; `standing` (how things stand, in a sentence), `picture` and `log` for readers
    without scripts, `log` as of `log_sentences`; `draws` as of `draws_told`, and `draws_words` of
    that name; `rematch`, whether the reader may offer another match of the two players once it is
    over, and `offer`, what is offered; `turns`, the matches that wait for a player who reads, and
    `others`, how many of them are not this one; `practice`, the strength of the bot that it is
    practice against, or an empty text; `title` and `description`.
    """
    match = match_for(match_id, request.user)
    if seat_of(match, request.user) is None:
        as_stranger(request)
    reader = reader_in(match, request.user)
    if reader.over != match.is_over:  # it ended in between
        match = match_for(match_id, request.user)
    sync = reader.sync
    ruleset, _ = store.header_of(match)
    banners = extras.banners(request, match)
    if sync["you"] is not None:
        end_mark_seen(match=match, user=request.user)
    following = _what_is_next(match, request.user, sync["you"], elsewhere=bool(banners))
    context = {
        "match": match,
        "sync": sync,
        "you": sync["you"],
        "can_organise": reader.organise,
        "ready_reasons": {"none": NO_REASON, "by": dict(READY)},
        "best_place": _best_place(match, request.user),
        "commentators": commentators_of(match.pk) if sync["you"] is None else [],
        "moderates": may_moderate_chat(request.user),
        "phrases": [
            phrase._asdict() for phrase in PHRASES if phrase is not REMATCH or following["rematch"]
        ],
        "blocked": blocked_names(request.user) if isinstance(request.user, User) else [],
        "silence": silence_of(request.user) if isinstance(request.user, User) else Silence(),
        "standing": match_standing(match, sync["view"], match_names(sync["header"]), sync["you"]),
        "picture": as_still(board_of(ruleset, sync["view"], match_names(sync["header"]))),
        "log": log_sentences(sync["log"], match_names(sync["header"])),
        "draws": draws_told(sync["view"], match_names(sync["header"])),
        "draws_words": draws_words(sync["view"], sync["you"]),
        "title": match_title(match),
        "description": _description(match),
        "banners": banners,
        "practice": practice_level(match),
        **following,
    }
    as_stranger(request)
    response = render(request, "games/match.html", context)
    response["Cache-Control"] = "private, no-cache"
    return response


@require_safe
@needs_sign_in
def next_match(request: HttpRequest, user: User) -> HttpResponse:
    """To the match that waits for the reader and has the least time left. `?after=` is one that
    they come from: it is the last to be gone to."""
    after = request.GET.get("after", "")
    match = match_next(user, after=int(after) if after.isascii() and after.isdigit() else None)
    if match is None:
        messages.info(request, "No match waits for your move.")
    response = redirect("games:lobby" if match is None else match)
    response["Cache-Control"] = "private, no-store"
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@needs_sign_in
@explains_refusals
def rematch(request: HttpRequest, user: User, match_id: int) -> HttpResponse:
    """How a rematch stands, for the page's script; a POST offers one, or accepts the other's."""
    match = match_for(match_id, user)
    if request.method == "POST":
        offer = rematch_offer(acting_user=user, match=match)
        return redirect(match if offer.match is None else offer.match)
    must_be_able_to_rematch(match, user)
    context = {"match": match, "offer": rematch_standing(match, user)}
    response = render(request, "games/_rematch.html", context)
    response["Cache-Control"] = "private, no-store"
    return response


@require_safe
@welcomes_guests
@from_replica
@explains_refusals
def replay_page(request: HttpRequest, match_id: int) -> HttpResponse:
    """A finished match, step by step. `?move=N` is the link to one of them, `?from=M&to=N` that to
    a stretch, as `clip_asked` has it.

    With `?result=hidden`, or where the device's cookie says so and the address does not say
    `?result=shown`, the page begins with step 0 and knows of no step beyond the one that is asked
    for: nothing on it tells how the match ended before its last step.

    Context: `match`; `replay_data` (see `games.reading.replays`; while the result is hidden, with
    the steps so far alone); `hidden`, whether the reader does not want to know it, and `concealed`,
    whether this page keeps it; `you` (0, 1 or None); `move`, the number of the step that is asked
    for (the last one unless told otherwise), `step`, that step, and `last`, the number of the last
    one or None while it is not to be known; `picture` of its board; `outcome`, whether the page may
    come to how the match ended, and `standing`, that, or an empty text; `commented`, whether there
    is commentary; `log` as of `log_sentences` with `n` the step's number; `ways`, the
    addresses that links for readers without scripts lead to; `title` and `description`.
    """
    match = match_for(match_id, request.user)
    end_mark_seen(match=match, user=request.user)
    replay = replay_of(match)
    you = seat_of(match, request.user)
    steps = replay["steps"]
    last = len(steps) - 1
    hidden = hides_results(request)
    clip = clip_asked(request.GET, steps)
    begin = clip.first if clip else 0 if hidden else last
    move = _number(request.GET.get("move", ""), last, begin)
    # Whoever follows the link to a clip has asked for all of it.
    told = max(move, clip.last) if clip else move
    concealed = hidden and told < last
    # A clip that ends before the match does not say how that ended.
    outcome = clip is None or clip.last == last
    if concealed:
        # That it was too short tells how it ended, too.
        header = {**replay["header"], "terms": ""}
        replay = {"header": header, "steps": steps[: told + 1]}
    ruleset, _ = store.header_of(match)
    context = {
        "match": match,
        "replay_data": replay,
        "hidden": hidden,
        "concealed": concealed,
        "you": you,
        "move": move,
        "step": steps[move],
        "clip": clip,
        "picture": as_still(board_of(ruleset, steps[move]["view"], match_names(replay["header"]))),
        "outcome": outcome,
        "standing": result_text(match_names(replay["header"]), match, you)
        if outcome and not concealed
        else "",
        "commented": is_commented(match),
        "log": log_sentences(replay["steps"][1:], match_names(replay["header"])),
        "last": None if concealed else last,
        "ways": _ways(request, move, last),
        "title": f"{'Clip' if clip else 'Replay'}: {match_title(match)}",
        "description": _of_clip(match, clip) if clip else _about(match, hidden=hidden),
        # What others say of the match tells how it ended: the score of a series, say.
        "banners": extras.banners(request, match) if outcome and not concealed else [],
    }
    as_stranger(request)
    return render(request, "games/replay.html", context)


@require_safe
@welcomes_guests
@from_replica
@explains_refusals
def replay_steps(request: HttpRequest, match_id: int) -> HttpResponse:
    """The whole replay as JSON, see `games.reading.replays`: for the script of a page that was made
    without what it is not to tell yet."""
    response = JsonResponse(replay_of(match_for(match_id, request.user)))
    response["Cache-Control"] = "private, no-cache"
    return response


@require_safe
@welcomes_guests
@from_replica
@explains_refusals
def record(request: HttpRequest, match_id: int) -> HttpResponse:
    """The record of a finished match, as a download."""
    return record_response(match_for(match_id, request.user))


@require_safe
@explains_refusals
def share(request: HttpRequest, match_id: int) -> HttpResponse:
    """The picture that goes with links to the match: the room's view, whoever asks."""
    return picture_response(request, Picture(match_for(match_id, request.user), Kind.SHARE))


@require_safe
@explains_refusals
def dispute(request: HttpRequest, match_id: int) -> HttpResponse:
    """What an organiser is to rule on, as JSON: ``{"words", "picture"}``, the picture being an SVG
    document with the evidence.

    Raises Refusal ``match.none``, ``organiser.not-allowed``, ``organiser.nothing-to-rule``.
    """
    match = match_for(match_id, request.user)
    must_organise(match, request.user)
    held = store.read(match_id)
    table = held.live.table
    state = table.state if table.result is None else None
    found = dispute_of(held.ruleset, state, distinct_names(names_of(match)))
    response = JsonResponse({"words": found.words, "picture": found.picture})
    response["Cache-Control"] = "private, no-store"
    return response


def _best_place(match: Match, user: Any) -> list[Offer] | None:
    return BEST_PLACE.offered(AtMatch(user, match)) if may_feature(match, user) else None


def log_sentences(log: Iterable[dict[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """A log, or the steps of a replay, in sentences: `n`, `seat` (0, 1 or None), `taken_back` and
    `lines`, each the text of one event with its player's name before it. An entry that told nobody
    anything at the time (a sealed choice) is given as it was written, or that there was one."""
    lines = []
    for item in log:
        actor = item["actor"]
        seat = actor if actor in (0, 1) else None
        sentences = [_sentence(event, names) for event in item["events"]]
        if not sentences and actor is not None and "text" in item:
            who = str(actor).capitalize() if seat is None else names[seat]
            sentences = [f"{who}: {item['text']}" if item["text"] else f"{who}, unseen."]
        lines.append(
            {
                "n": item["n"],
                "seat": seat,
                "taken_back": item["taken_back"],
                "lines": sentences,
            }
        )
    return lines


def draws_told(view: dict[str, Any], names: Sequence[str]) -> list[tuple[str, str]]:
    """What is known of what a match's draws are derived from, in words: whose it is, and what it
    hashes to. Empty where nobody can verify them. The page's script says it the same way."""
    draws = view.get("draws")
    if draws is None:
        return []
    told = [("Commitment to the seed", str(draws["commitment"]))]
    for name, nonce in zip(names, draws["nonces"], strict=True):
        said = nonce["commitment"] or "no nonce"
        if nonce["commitment"] and not nonce["opened"] and "waiting" not in view:
            said += " (not opened: a constant stands for it)"
        told.append((f"Commitment to the nonce of {name}", said))
    return told


def draws_words(view: dict[str, Any], you: Seat | None) -> str:
    """What a match's draws follow from, in a line for its reader. The page's script says it the
    same way."""
    draws, can_be = view.get("draws"), "Draws can be verified"
    if draws is None or "waiting" in view:
        return can_be
    if any(each["opened"] for each in draws["nonces"]):
        if you is None or draws["nonces"][you]["opened"]:
            return can_be
        return (
            f"{can_be}, but your own number is not in them: the server and your opponent together "
            "could have chosen"
        )
    return "Draws follow from the server's seed; no player added a number"


def match_standing(
    match: Match, view: dict[str, Any], names: Sequence[str], you: Seat | None
) -> str:
    """How a match stands for the reader of ``view``, in a sentence."""
    if match.is_over:
        return result_text(names, match, you)
    if view["paused"]:
        return "The match is paused."
    if view["phase"] == "waiting":
        if "gathers_until" in view["waiting"]:
            return f"The match begins once both players {LOOKED_IN}. No clock runs before."
        if view["waiting"].get("certain"):
            return "The match begins in a moment, whoever is there."
        return "The match begins once both players are there."
    return " ".join(
        f"{names[each['seat']]}: {_with_full_stop(each['prompt'])}" for each in view["decisions"]
    )


def _what_is_next(match: Match, user: Any, you: Seat | None, *, elsewhere: bool) -> dict[str, Any]:
    """What a player can go on with."""
    if you is None or match.is_practice:
        return {"rematch": False}
    turns = matches_to_move(user)
    opponent = next((each.user for each in match.players.all() if each.seat != you), None)
    # What comes after a match that is part of something else is for that to say.
    rematch = opponent is not None and not elsewhere
    return {
        "turns": turns,
        "others": len({*turns} - {match.pk}),
        "rematch": rematch,
        "offer": rematch_standing(match, user) if rematch and match.is_over else None,
    }


def _sentence(event: dict[str, Any], names: Sequence[str]) -> str:
    seat, text = event["seat"], str(event["text"])
    if seat is None or event["kind"] == "organiser":
        return text
    return f"{names[seat]} {_with_full_stop(text)}"


def _with_full_stop(text: str) -> str:
    """A sentence with its full stop."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def match_names(header: dict[str, Any]) -> list[str]:
    """The names in a match's header, by seat."""
    return [seat["name"] for seat in header["seats"]]


def _number(text: str, last: int, otherwise: int) -> int:
    """The step that an address asks for: the nearest one where there is no such step, and
    ``otherwise`` where it asks for none."""
    if not text.isascii() or not text.isdigit():
        return otherwise
    return min(int(text[:9]), last)


def _ways(request: HttpRequest, move: int, last: int) -> dict[str, str]:
    """The addresses of the replay's other steps: `first`, `back`, `forward` and `last`, each empty
    where there is nothing; and the same step with the result hidden (`hide`) or not (`show`)."""
    said = request.GET.get("result", "")
    kept = {"result": said} if said in ("hidden", "shown") else {}
    kept |= {name: request.GET[name] for name in ("from", "to") if name in request.GET}
    way = {
        name: f"?{urlencode({**kept, 'move': to})}"
        for name, to in (("first", 0), ("back", move - 1), ("forward", move + 1), ("last", last))
    }
    if move == 0:
        way["first"] = way["back"] = ""
    if move == last:
        way["forward"] = way["last"] = ""
    kept.pop("result", None)
    way["show"] = f"?{urlencode({**kept, 'result': 'shown', 'move': move})}"
    return {**way, "hide": f"?{urlencode({**kept, 'result': 'hidden'})}"}


def _about(match: Match, *, hidden: bool) -> str:
    return _untold(match) if hidden else _description(match)


def _of_clip(match: Match, clip: Clip) -> str:
    names = [player.name for player in match.players.all()]
    game = game_name(match.ruleset, match.variant)
    return (
        f"Moves {clip.first} to {clip.last} of {game}, {names[0]} against {names[1]}, at Gauntlet."
    )


def _untold(match: Match) -> str:
    names = [player.name for player in match.players.all()]
    game = game_name(match.ruleset, match.variant)
    return f"Replay {game}, {names[0]} against {names[1]}, without being told how it ends."


def match_title(match: Match) -> str:
    """Who plays what: "Ada vs Ben, " and the name of the game."""
    names = [player.name for player in match.players.all()]
    return f"{' vs '.join(names)}, {game_name(match.ruleset, match.variant)}"


def _description(match: Match) -> str:
    names = [player.name for player in match.players.all()]
    game = game_name(match.ruleset, match.variant)
    if not match.is_over:
        play = "play" if match.waits_until is None else "are about to play"
        return f"{names[0]} and {names[1]} {play} {game} at Gauntlet. Watch it live."
    if match.winner is None:
        return f"{names[0]} and {names[1]} played {game} at Gauntlet. The match is void."
    scores = told_scores(match)
    by = "" if scores is None else f", {scores[0]}:{scores[1]}"
    return f"{names[match.winner]} won this match of {game} at Gauntlet{by}. Replay it."
