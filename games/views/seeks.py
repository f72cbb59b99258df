"""Quick pairing: its form in the lobby, and what the lobby's page asks while its reader waits.

No action of a table (`core.actions`): it is everybody's own, and the lobby shows it to readers
without an account, too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import User
from core.clock import now_ms
from core.refusals import NotUnderstood
from games.forms import Card, Cards, Segments, games_offered
from games.models import Seek
from games.options import pace
from games.rulesets import REGISTRY
from games.services.seeks import (
    quick_paces,
    seek_cancel,
    seek_create,
    seek_leave,
    seek_look,
    seek_pair,
)
from games.views.common import explains_refusals, needs_sign_in

ANY = "any"


def _games() -> list[tuple[str, Card]]:
    named = [(value, Card(card.title)) for value, card in games_offered()]
    return [(ANY, Card("Any game")), *named]


class SeekForm(forms.Form):
    """What to play at once."""

    game = forms.ChoiceField(label="Game", choices=_games, widget=Cards, initial=ANY)
    pace = forms.ChoiceField(
        label="Pace",
        choices=lambda: [(each.id, each.name) for each in quick_paces()],
        widget=Segments,
        initial=pace.NORMAL,
    )
    rated = forms.ChoiceField(
        label="Does it count?",
        choices=[("rated", "Rated"), ("casual", "Casual")],
        widget=Segments,
        initial="rated",
    )

    @classmethod
    def initial_of(cls, query: Mapping[str, str]) -> dict[str, str]:
        """What a link to the lobby fills in (`?game=`); what makes no sense is left out."""
        game = query.get("game", "")
        return {"game": game} if game in dict(games_offered()) else {}

    def wanted(self) -> dict[str, Any]:
        """What the service wants to know, of a valid form."""
        data = self.cleaned_data
        game = "" if data["game"] == ANY else data["game"]
        ruleset, _, variant = game.partition("/")
        return {
            "ruleset_id": ruleset,
            "variant": variant,
            "pace_id": data["pace"],
            "rated": data["rated"] == "rated",
        }


def seek_words(seek: Seek) -> str:
    """What somebody waits for, in words."""
    game = "any game"
    if seek.ruleset:
        ruleset = REGISTRY.get(seek.ruleset)
        single = len(ruleset.variants) == 1
        game = ruleset.name if single else f"{ruleset.name}: {ruleset.variant(seek.variant).name}"
    chosen = next((each.name for each in pace.PACES if each.id == seek.pace), seek.pace)
    return f"{game}, {chosen.lower()}, {'rated' if seek.rated else 'casual'}"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@needs_sign_in
@explains_refusals
def seek(request: HttpRequest, user: User) -> HttpResponse:
    """Wait for an opponent; or, for the page's script that waits, how it stands: `waiting` in ms,
    null where nobody waits, and the address of the `match`, once there is one."""
    if request.method != "POST":
        found = seek_look(acting_user=user)
        waits = found is not None and found.match is None
        return JsonResponse(
            {
                "waiting": now_ms() - found.since if found is not None and waits else None,
                "match": None if found is None or found.match is None
                else found.match.get_absolute_url(),
            }
        )  # fmt: skip
    form = SeekForm(request.POST)
    if not form.is_valid():
        raise NotUnderstood("seek.form", "Please choose a game, a pace, and whether it counts.")
    seek_create(acting_user=user, **form.wanted())
    seek_pair(now=now_ms())
    found = seek_look(acting_user=user)
    return redirect("games:lobby" if found is None or found.match is None else found.match)


@require_POST
@needs_sign_in
@explains_refusals
def seek_cancel_view(request: HttpRequest, user: User) -> HttpResponse:
    """Wait no longer. Whose page is being left (`leaving`) waits a few seconds more, in case it is
    only loaded again."""
    if request.POST.get("leaving"):
        seek_leave(acting_user=user)
        return HttpResponse(status=204)
    found = seek_look(acting_user=user)
    if found is None:
        return redirect("games:lobby")
    if found.match is not None:
        return redirect(found.match)
    seek_cancel(acting_user=user)
    return redirect("games:lobby")
