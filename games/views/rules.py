"""The public rules: one page per ruleset, out of its folder."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games.engine.ruleset import Ruleset
from games.folders import rules_template
from games.options import pace
from games.pictures.boards import figure, svg_response
from games.rulesets import REGISTRY
from games.views.common import explains_refusals


@require_safe
def rules_index(request: HttpRequest) -> HttpResponse:
    """All rulesets."""
    in_steps = [ruleset.name for ruleset in REGISTRY if _counts_in_steps(ruleset)]
    context = {"rulesets": list(REGISTRY), "in_steps": in_steps}
    return render(request, "rules/index.html", context)


def _counts_in_steps(ruleset: Ruleset[Any, Any]) -> bool:
    """Whether reserve is spent in whole steps, however little of one is needed."""
    policies = ruleset.policies(ruleset.options_type())  # type: ignore[call-arg]
    return any(policy.interval_ms for policy in policies.values())


@require_safe
@explains_refusals
def rules_page(request: HttpRequest, ruleset_id: str) -> HttpResponse:
    """The rules of one ruleset, with its usual times and at other paces."""
    ruleset = REGISTRY.get(ruleset_id)
    context = {"ruleset": ruleset, "rulesets": list(REGISTRY), "times": _times(ruleset)}
    return render(request, rules_template(ruleset), context)


def _times(ruleset: Ruleset[Any, Any]) -> dict[str, Any]:
    usual = pace.default_times(ruleset)
    at = {each.id: {**usual, **pace.options_at(ruleset, each)} for each in pace.PACES}
    return {
        "paces": pace.PACES,
        "rows": [
            (pace.label(key), [pace.spoken(at[each.id][key]) for each in pace.PACES])
            for key in usual
        ],
    }


@require_safe
@explains_refusals
def rules_figure(request: HttpRequest, ruleset_id: str, name: str) -> HttpResponse:
    """One drawn example as an SVG document."""
    svg, _ = figure(REGISTRY.get(ruleset_id), name)
    response = svg_response(request, lambda: svg, what=svg)
    response["Cache-Control"] = "public, max-age=3600"
    return response
