"""The rules pages: {% load rules %}."""

from __future__ import annotations

import re
from html import unescape

from django import template
from django.template import loader
from django.template.base import NodeList, Parser, Token
from django.urls import reverse
from django.utils.html import format_html, strip_tags
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify

from games.engine.table import AnyRuleset
from games.pictures import boards
from games.reading.lessons import Game, games_of
from games.rulesets import REGISTRY

register = template.Library()

_HEADING = re.compile(r"<h2\b([^>]*)>(.*?)</h2>", re.DOTALL)
_ID = re.compile(r'\sid="([^"]+)"')


@register.simple_tag
def rules_figure(ruleset_id: str, name: str) -> SafeString:
    """A drawn example with its caption. Raises Refusal for one that does not exist: a mistake of
    the template."""
    svg, caption = boards.figure(REGISTRY.get(ruleset_id), name)
    width, height = boards.size_of(svg)
    return format_html(
        '<figure class="rules-figure"><img src="{}" width="{}" height="{}" alt="{}" loading="lazy">'
        "<figcaption>{}</figcaption></figure>",
        reverse("games:rules_figure", args=[ruleset_id, name]),
        width,
        height,
        boards.words_of(svg),
        caption,
    )


@register.simple_tag
def lessons_of(ruleset: AnyRuleset) -> list[Game]:
    """What can be learned of a ruleset, each variant by itself; perhaps nothing."""
    return games_of(ruleset)


@register.simple_tag
def card_figure(ruleset_id: str, name: str) -> SafeString:
    """A drawn example on a card, whose own sentences stand for its caption."""
    svg, _ = boards.figure(REGISTRY.get(ruleset_id), name)
    width, height = boards.size_of(svg)
    return format_html(
        '<img class="rules-card__figure" src="{}" width="{}" height="{}" alt="{}" loading="lazy">',
        reverse("games:rules_figure", args=[ruleset_id, name]),
        width,
        height,
        boards.words_of(svg),
    )


@register.tag
def with_contents(parser: Parser, _token: Token) -> template.Node:
    """{% with_contents %} … {% end_with_contents %}: a text with a list of its second-level
    headings before it. Headings without an id get one."""
    body = parser.parse(("end_with_contents",))
    parser.delete_first_token()
    return _WithContents(body)


class _WithContents(template.Node):
    def __init__(self, body: NodeList) -> None:
        self.body = body

    def render(self, context: template.Context) -> SafeString:
        headings: list[tuple[str, str]] = []

        def noted(match: re.Match[str]) -> str:
            attributes, title = match[1], match[2]
            given = _ID.search(attributes)
            words = unescape(strip_tags(title)).strip()
            anchor = given[1] if given else slugify(words)
            headings.append((anchor, words))
            return match[0] if given else f'<h2 id="{anchor}"{attributes}>{title}</h2>'

        text = _HEADING.sub(noted, self.body.render(context))
        shown = loader.render_to_string("rules/_contents.html", {"headings": headings})
        return mark_safe(shown + text)  # noqa: S308  (both parts come out of templates)
