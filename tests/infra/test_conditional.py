"""Who has an answer already is not sent it again, however they say so."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from core.conditional import answer_to, body_tag, digest_of, strong_tag, weak_tag
from script.lib.console import ROOT
from tests.support.sources import sources

OURS = f'"{digest_of("season", 7)}"'  # none of this process's release: it names cases
KNOWN = [OURS, f"W/{OURS}", "*", f'"another", {OURS}', f'W/"another",W/{OURS}']
UNKNOWN = ['"another"', f'W/"another", "{OURS}x"', OURS.strip('"'), "", '"']


def asked(said: str, tag: str) -> tuple[HttpResponse, int]:
    """The answer to whoever says that they have these, and how often it was made."""
    made = 0

    def make() -> HttpResponse:
        nonlocal made
        made += 1
        return HttpResponse("All of it")

    request = RequestFactory().get("/", headers={"If-None-Match": said})
    return answer_to(request, tag, make), made


@pytest.mark.parametrize("tag", [OURS, f"W/{OURS}"])
@pytest.mark.parametrize("said", KNOWN)
def test_nothing_is_made_for_whoever_has_it(said: str, tag: str) -> None:
    response, made = asked(said, tag)
    assert (response.status_code, response.content, made) == (304, b"", 0)
    # A tag that was made weak on its way to the reader is told as they have it.
    theirs = f"W/{OURS}" if tag == OURS and said.endswith(f"W/{OURS}") else tag
    assert response["ETag"] == theirs


@pytest.mark.parametrize("tag", [OURS, f"W/{OURS}"])
@pytest.mark.parametrize("said", UNKNOWN)
def test_everybody_else_gets_it(said: str, tag: str) -> None:
    response, made = asked(said, tag)
    assert (response.status_code, response.content, made) == (200, b"All of it", 1)
    assert response["ETag"] == tag


def test_a_tag_stands_for_its_parts() -> None:
    assert strong_tag("a", 1) == strong_tag("a", "1") != strong_tag("a1")
    assert weak_tag(b"body") == f"W/{strong_tag('body')}"
    assert len({digest_of("ab"), digest_of("a", "b"), digest_of("", "ab"), digest_of()}) == 4


def test_another_release_has_other_tags(settings: Any) -> None:
    def tags() -> list[str]:
        return [strong_tag("a"), weak_tag("a"), body_tag(b"a")]

    strong, weak, body = tags()
    settings.RELEASE = f"{settings.RELEASE}, mended"
    assert tags()[0] != strong
    assert tags()[1] != weak
    assert tags()[2] == body


def test_tags_are_compared_in_one_place() -> None:
    """Elsewhere nothing of ours reads what a reader says to have."""
    reads = [
        str(path.relative_to(ROOT))
        for path in sources()
        if any(word in path.read_text() for word in ("If-None-Match", "IF_NONE_MATCH"))
    ]
    # The one says which headers other sites may send, the other what the documents say of them.
    assert set(reads) <= {"core/api/cors.py", "core/api/schema.py", "core/conditional.py"}
