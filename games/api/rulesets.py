"""The games that can be played, over HTTP."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from typing import Any

import msgspec
from django.urls import reverse
from django.utils.html import strip_tags
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.views import FieldsView
from games.api.rulestext import page_of, sections_of
from games.engine.capabilities import built_in_of
from games.engine.records import FORMAT
from games.engine.table import AnyRuleset
from games.folders import view_text
from games.options import pace
from games.rulesets import REGISTRY

_NOTATION = re.compile(r'<h2 id="rules-notation">.*?</section>', re.DOTALL)
_ENTRY = re.compile(r"<dt>(.*?)</dt>\s*<dd>(.*?)</dd>", re.DOTALL)
_CODE = re.compile(r"<code>(.*?)</code>", re.DOTALL)


class VariantSerializer(serializers.Serializer[Any]):
    """One way to play a ruleset."""

    id = serializers.CharField()
    name = serializers.CharField()
    summary = serializers.CharField()


class ItemSerializer(serializers.Serializer[Any]):
    """An item that a ruleset knows."""

    id = serializers.CharField()
    name = serializers.CharField()
    text = serializers.CharField(help_text="What it does.")
    copyable = serializers.BooleanField()
    blockable = serializers.BooleanField()
    variants = serializers.ListField(
        child=serializers.CharField(), help_text="Empty: every variant."
    )


class RulesetSerializer(serializers.Serializer[Any]):
    """A game, as lists show it."""

    id = serializers.CharField()
    name = serializers.CharField()
    summary = serializers.CharField()
    variants = VariantSerializer(many=True)
    url = serializers.URLField(help_text="Everything about it.")
    rules = serializers.URLField(help_text="The rules, as a page for people.")


class RulesetListSerializer(serializers.Serializer[Any]):
    """All games; there are few, and one page holds them."""

    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = RulesetSerializer(many=True)


class NotationSerializer(serializers.Serializer[Any]):
    """Something that can be submitted."""

    examples = serializers.ListField(child=serializers.CharField())
    meaning = serializers.CharField()


class TimeSerializer(serializers.Serializer[Any]):
    """A time option, by the book and at other paces; all in seconds."""

    option = serializers.CharField(help_text="The key among the options.")
    name = serializers.CharField()
    seconds = serializers.FloatField(help_text="By the book.")
    paces = serializers.DictField(child=serializers.FloatField(), help_text="By pace.")


class SectionSerializer(serializers.Serializer[Any]):
    """A part of the rules under a heading."""

    title = serializers.CharField()
    text = serializers.CharField(
        help_text="Plain: paragraphs apart by an empty line, points with `- ` before them, cells "
        "of a table's row with ` | ` between them."
    )


class RulesetDetailSerializer(RulesetSerializer):
    """A game, whole."""

    items = ItemSerializer(many=True)
    options = serializers.DictField(help_text="A JSON Schema (2020-12) of the options.")
    defaults = serializers.DictField(help_text="The options' usual values.")
    times = TimeSerializer(many=True)
    rules_text = SectionSerializer(many=True, help_text="The rules, but for their pictures.")
    notation = NotationSerializer(many=True, help_text="How moves are written.")
    view_text = serializers.CharField(
        help_text="What `view.game` of a match holds for each audience, the kinds of decision and "
        "the events, in Markdown."
    )
    built_in = serializers.DictField(
        child=serializers.DictField(),
        help_text="What records only name because it comes with the program, by that name, each as "
        "the option has it that would carry one. Empty for most games.",
    )
    record_format = serializers.CharField(help_text="Of match records; see docs/record.md.")


class RulesetsView(FieldsView):
    """The games that can be played here."""

    serializer_class = RulesetSerializer
    max_age = 300

    @extend_schema(
        operation_id="rulesets",
        tags=["rulesets"],
        summary="Games",
        responses={200: RulesetListSerializer},
    )
    def get(self, request: Request) -> Response:
        """All rulesets with their variants."""
        results = self.only(*(_summary_of(request, ruleset) for ruleset in REGISTRY))
        return Response({"next": None, "previous": None, "results": results})


class RulesetView(FieldsView):
    """One game."""

    serializer_class = RulesetDetailSerializer
    max_age = 300

    @extend_schema(
        operation_id="ruleset",
        tags=["rulesets"],
        summary="A game",
        responses={200: RulesetDetailSerializer},
    )
    def get(self, request: Request, ruleset_id: str) -> Response:
        """Variants, items, options with their schema, times, the rules as text, and notation."""
        ruleset = REGISTRY.get(ruleset_id)
        defaults = ruleset.options_type()  # type: ignore[call-arg]
        (shown,) = self.only(
            {
                **_summary_of(request, ruleset),
                "items": msgspec.to_builtins(ruleset.items),
                "options": options_schema(ruleset),
                "defaults": msgspec.to_builtins(defaults),
                "times": times_of(ruleset),
                "rules_text": [section._asdict() for section in sections_of(ruleset)],
                "notation": notation_of(ruleset),
                "view_text": view_text(ruleset),
                "built_in": built_in_of(ruleset),
                "record_format": FORMAT,
            }
        )
        return Response(shown)


def _summary_of(request: Request, ruleset: AnyRuleset) -> dict[str, Any]:
    absolute = request.build_absolute_uri
    return {
        "id": ruleset.id,
        "name": ruleset.name,
        "summary": ruleset.summary,
        "variants": msgspec.to_builtins(ruleset.variants),
        "url": absolute(reverse("api:ruleset", args=[ruleset.id])),
        "rules": absolute(reverse("games:rules", args=[ruleset.id])),
    }


def options_schema(ruleset: AnyRuleset) -> dict[str, Any]:
    """The JSON Schema of a ruleset's options, in one piece."""
    return msgspec.json.schema(ruleset.options_type)


def times_of(ruleset: AnyRuleset) -> list[dict[str, Any]]:
    """Each time option in seconds, by the book and at the ready-made paces."""
    usual = pace.default_times(ruleset)
    at = {each.id: {**usual, **pace.options_at(ruleset, each)} for each in pace.PACES}
    return [
        {
            "option": key,
            "name": pace.label(key),
            "seconds": seconds,
            "paces": {each.id: at[each.id][key] for each in pace.PACES},
        }
        for key, seconds in usual.items()
    ]


@cache
def notation_of(ruleset: AnyRuleset) -> tuple[dict[str, Any], ...]:
    """How moves are written: what the rules' page says of it, examples apart from words."""
    section = _NOTATION.search(page_of(ruleset))
    if section is None:
        raise LookupError(f"the rules of {ruleset.id} say nothing of notation")
    return tuple(
        {"examples": [_words(code) for code in _CODE.findall(term)], "meaning": _words(meaning)}
        for term, meaning in _ENTRY.findall(section[0])
    )


def _words(html: str) -> str:
    return " ".join(unescape(strip_tags(html)).split())
