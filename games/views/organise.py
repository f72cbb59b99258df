"""Pages for organisers: what waits for their ruling, and what they prepare for matches.

Preparations are no actions of a table (`core.actions`): a text is looked at, drawn and mended as
often as one likes before anything is done, on a page of its own; and what is kept is its maker's
alone, at any time."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

import msgspec
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from core.refusals import FORM_REFUSED, Forbidden, NotFound, NotUnderstood, Refusal
from games.actions import BEST_PLACE, AtMatch
from games.audience import may_prepare
from games.engine.capabilities import Supply, SupplyReport, supplier, supplies_of, supply_of
from games.engine.ruleset import Ruleset
from games.folders import supply_editor_name
from games.forms import PreparationForm
from games.pictures import outlines
from games.pictures.boards import as_image
from games.reading import selectors
from games.reading.matches import match_for
from games.rulesets import REGISTRY
from games.services.featuring import must_be_allowed_to_feature
from games.services.preparations import (
    MAX_BYTES,
    must_be_allowed_to_prepare,
    preparation_create,
    preparation_delete,
    preparation_validate,
)
from games.views.common import explains_refusals, needs_sign_in, render_live, signed_in


class SupplyKind(NamedTuple):
    """Something that can be prepared."""

    ruleset: Ruleset[Any, Any]
    supply: Supply

    @property
    def variants(self) -> str:
        """The names of the variants that take it; empty where all do."""
        named = [v.name for v in self.ruleset.variants if v.id in self.supply.variants]
        return " and ".join(named)

    @property
    def game(self) -> str:
        """Ruleset and variant as the form of challenges has them."""
        variant = (*self.supply.variants, self.ruleset.variants[0].id)[0]
        return f"{self.ruleset.id}/{variant}"

    @property
    def files(self) -> list[str]:
        """What there is to begin from."""
        return list(supplier(self.ruleset).supply_files(self.supply.key))

    @property
    def starts(self) -> list[str]:
        """Of those what an editor can begin with."""
        return [name for name in self.files if name in {"example", "blank"}]


AT_MOST = 100


@require_safe
@needs_sign_in
def queue(request: HttpRequest, user: User) -> HttpResponse:
    """What waits for the reader's ruling, and what else they may organise."""
    context: dict[str, object] = {
        "waiting": selectors.matches_to_rule(user)[:AT_MOST],
        "running": selectors.matches_to_organise(user).filter(awaits_ruling=False)[:AT_MOST],
        "may_prepare": may_prepare(user),
    }
    return render_live(request, "games/organise/queue.html", "games/organise/_queue.html", context)


@require_POST
@needs_sign_in
@explains_refusals
def feature(request: HttpRequest, user: User, match_id: int) -> HttpResponse:
    """Show a match in the best place, or no longer (the field ``act``: the name of one of
    `BEST_PLACE`). Raises Refusal as those do."""
    match = match_for(match_id, user)
    must_be_allowed_to_feature(match, user)
    done = BEST_PLACE.named(request.POST.get("act", "")).do(AtMatch(user, match))
    messages.success(request, done.words)
    return redirect(match)


@require_safe
@needs_sign_in
@explains_refusals
def prepared_list(request: HttpRequest, user: User) -> HttpResponse:
    """What the reader has prepared, and what can be."""
    must_be_allowed_to_prepare(user)
    kinds = [SupplyKind(ruleset, supply) for ruleset in REGISTRY for supply in supplies_of(ruleset)]
    kept = selectors.preparations_of(user)
    context = {
        "kinds": kinds,
        "kept": [(_kind(each.ruleset, each.key), each) for each in kept],
    }
    return render(request, "games/organise/prepared.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@needs_sign_in
@explains_refusals
def prepared_new(request: HttpRequest, user: User, ruleset_id: str, key: str) -> HttpResponse:
    """Check a text, and keep it if it is sound and was to be kept."""
    must_be_allowed_to_prepare(user)
    kind = _kind(ruleset_id, key)
    context: dict[str, Any] = {
        "kind": kind,
        "form": PreparationForm(),
        "most": MAX_BYTES // 1024,
        "editor": supply_editor_name(kind.ruleset),
    }
    if request.method != "POST":
        return render(request, "games/organise/prepared_new.html", context)
    form = PreparationForm(request.POST, request.FILES)
    context["form"] = form
    keep = "keep" in request.POST
    data = form.data_given(MAX_BYTES + 1)
    found: SupplyReport | None = None
    refused_as = FORM_REFUSED
    try:
        if form.is_valid():
            found = preparation_validate(ruleset_id=ruleset_id, key=key, data=data)
            # A file need not be chosen again: its text is in the form from now on.
            form = context["form"] = form.holding(data.decode("utf-8-sig"))
            if keep and not found.faults:
                kept = preparation_create(
                    acting_user=user,
                    ruleset_id=ruleset_id,
                    key=key,
                    name=form.data["name"],
                    data=data,
                )
                messages.success(request, f"“{kept.name}” is kept.")
                return redirect("games:prepared", kept.pk)
    except Refusal as refusal:
        form.refuse(refusal)
        refused_as = refusal.form_status
    context |= {"found": found, "picture": as_image(found.picture) if found else ""}
    sound = found is not None and not found.faults and not form.errors
    status = 200 if sound else refused_as
    return render(request, "games/organise/prepared_new.html", context, status=status)


def answers_editor(
    view: Callable[[HttpRequest, SupplyKind], dict[str, Any]],
) -> Callable[..., HttpResponse]:
    """What an organiser's editor asks by POST and is answered in JSON; a refusal as
    ``{"code", "sentence"}``. Nothing is kept."""

    @require_POST
    @wraps(view)
    def wrapped(request: HttpRequest, ruleset_id: str, key: str) -> HttpResponse:
        try:
            user = signed_in(request)
            if user is None:
                raise Forbidden("preparation.not-allowed", "Please sign in again.")
            must_be_allowed_to_prepare(user)
            answer = JsonResponse(view(request, _kind(ruleset_id, key)))
        except Refusal as refusal:
            body = {"code": refusal.code, "sentence": refusal.sentence}
            answer = JsonResponse(body, status=refusal.status)
        answer["Cache-Control"] = "private, no-store"
        return answer

    return wrapped


@answers_editor
def supply_check(request: HttpRequest, kind: SupplyKind) -> dict[str, Any]:
    """What the text ``text`` is worth: everything that is wrong with it, and its parts."""
    # As pages have it (`PreparationForm`): browsers end lines of what they send by two characters.
    text = str(request.POST.get("text", ""))
    data = text.encode("utf-8", "replace")[: MAX_BYTES + 1]
    found = preparation_validate(ruleset_id=kind.ruleset.id, key=kind.supply.key, data=data)
    return {
        "faults": list(found.faults),
        "remarks": list(found.remarks),
        "parts": msgspec.to_builtins(found.parts),
    }


@answers_editor
def supply_outlines(request: HttpRequest, kind: SupplyKind) -> dict[str, Any]:
    """The shapes of a drawing, the SVG file ``drawing``, for editors that take them."""
    if not kind.supply.drawn:
        raise NotFound("svg.not-taken", "No drawings are taken here.")
    upload = request.FILES.get("drawing")
    if upload is None:
        raise NotUnderstood("svg.none", "Choose an SVG file.")
    found = outlines.outlines_of(bytes(upload.read(outlines.MAX_BYTES + 1)))
    return {"outlines": msgspec.to_builtins(found)}


@require_safe
@needs_sign_in
@explains_refusals
def prepared(request: HttpRequest, user: User, preparation_id: int) -> HttpResponse:
    """One thing that the reader keeps, drawn."""
    kept = selectors.preparation_of(user, preparation_id)
    kind = _kind(kept.ruleset, kept.key)
    found = supplier(kind.ruleset).validate_supply(kept.key, kept.value)
    context = {"kept": kept, "kind": kind, "found": found, "picture": as_image(found.picture)}
    response = render(request, "games/organise/prepared_one.html", context)
    response["Cache-Control"] = "private, no-store"
    return response


@require_safe
@needs_sign_in
@explains_refusals
def prepared_file(request: HttpRequest, user: User, preparation_id: int) -> HttpResponse:
    """The text that is kept, as a download."""
    kept = selectors.preparation_of(user, preparation_id)
    name = f"{kept.ruleset}-{kept.key}-{kept.pk}"
    return _download(kept.value, name, _kind(kept.ruleset, kept.key).supply)


@require_POST
@needs_sign_in
@explains_refusals
def prepared_delete(request: HttpRequest, user: User, preparation_id: int) -> HttpResponse:
    """Delete one thing that the reader keeps."""
    preparation_delete(acting_user=user, preparation_id=preparation_id)
    messages.success(request, "It is deleted.")
    return redirect("games:prepared_list")


@require_safe
@explains_refusals
def supply_file(request: HttpRequest, ruleset_id: str, key: str, name: str) -> HttpResponse:
    """A text to begin from."""
    kind = _kind(ruleset_id, key)
    text = supplier(kind.ruleset).supply_files(key).get(name)
    if text is None:
        raise NotFound("preparation.none", "There is no such file.")
    return _download(text, f"{ruleset_id}-{key}-{name}", kind.supply)


def _download(text: str, name: str, supply: Supply) -> HttpResponse:
    media = "application/json" if supply.suffix == ".json" else "text/plain"
    response = HttpResponse(text, content_type=f"{media}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}{supply.suffix}"'
    response["Cache-Control"] = "private, no-store"
    return response


def _kind(ruleset_id: str, key: str) -> SupplyKind:
    ruleset = REGISTRY.get(ruleset_id)
    return SupplyKind(ruleset, supply_of(ruleset, key))
