"""The rules of a ruleset as plain text, taken from their page: there is one text of them."""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser
from typing import Final, NamedTuple

from django.template.loader import render_to_string

from games.engine.table import AnyRuleset
from games.folders import rules_template

_BLOCKS: Final = {"p", "li", "ol", "ul", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "div"}
_CELLS: Final = {"td", "th"}
# Drawn examples need their pictures; times at other paces are numbers of their own in the API.
_LEFT_OUT_TAG: Final = "figure"
_LEFT_OUT_SECTION: Final = "rules-paces"


class RulesSection(NamedTuple):
    """A part of the rules under a heading."""

    title: str
    text: str


def page_of(ruleset: AnyRuleset) -> str:
    """The page of the rules, as HTML."""
    context = {"ruleset": ruleset, "rulesets": [], "times": {}}
    return render_to_string(rules_template(ruleset), context)


@cache
def sections_of(ruleset: AnyRuleset) -> tuple[RulesSection, ...]:
    """The rules in the order of their page, without pictures. Paragraphs are apart by an empty
    line, points begin with `- `, the cells of a table's row have ` | ` between them, and
    `[House ruling]` marks what the page marks."""
    reader = _Reader(ruleset.name)
    reader.feed(page_of(ruleset))
    return tuple(
        RulesSection(title, "\n\n".join(blocks)) for title, blocks in reader.sections if blocks
    )


class _Reader(HTMLParser):
    def __init__(self, title: str) -> None:
        super().__init__()
        self.sections: list[tuple[str, list[str]]] = [(title, [])]
        self.words: list[str] = []
        self.depth = 0  # of `div`s, within the text
        self.skipping = ""  # the tag whose end ends what is left out
        self.in_ruling = False
        self.after_term = False  # its meaning goes into the same paragraph
        self.mark = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if not self.depth:
            self.depth = int(tag == "div" and "rules__text" in (given.get("class") or ""))
            return
        if self.skipping:
            return
        if tag == _LEFT_OUT_TAG or given.get("aria-labelledby") == _LEFT_OUT_SECTION:
            self.skipping = tag
        elif tag == "h2":
            self._end_block()
        elif tag in _CELLS:
            self.words.append(" | " if "".join(self.words).strip() else "")
        elif "tag-ruling" in (given.get("class") or ""):
            self.words.append("[")
            self.in_ruling = True
        elif tag in _BLOCKS:
            self._end_block()
            self.mark = "- " if tag == "li" else self.mark
        self.depth += tag == "div"

    def handle_endtag(self, tag: str) -> None:
        if not self.depth:
            return
        if self.skipping:
            self.skipping = "" if tag == self.skipping else self.skipping
            return
        if tag == "h2":
            self.sections.append((self._take_words(), []))
        elif tag == "span" and self.in_ruling:
            self.words.append("]")
            self.in_ruling = False
        elif tag == "dt":
            self.words.append(":")
            self.after_term = True
        elif tag in _BLOCKS:
            self._end_block()
        self.depth -= tag == "div"

    def handle_data(self, data: str) -> None:
        if self.depth and not self.skipping:
            self.words.append(data)

    def _take_words(self) -> str:
        said = " ".join("".join(self.words).split())
        self.words.clear()
        return said

    def _end_block(self) -> None:
        if self.after_term:
            self.after_term = False
            return
        said = self._take_words()
        if said:
            self.sections[-1][1].append(self.mark + said)
            self.mark = ""
