"""Answers are compressed for those who take them so, unless they may hold a secret."""

from __future__ import annotations

import asyncio
import gzip
import re
import sys
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import brotli
import pytest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.middleware import csrf
from django.test import Client, RequestFactory

from accounts.models import User
from config.compression import CompressionMiddleware
from core.api.renderers import NDJSON
from games.services.challenges import challenge_create
from games.services.chat import chat_post
from games.views.common import FRAGMENT_HEADER
from script.lib.console import ROOT
from tests.games.support import Play
from tests.pages.test_releases import addresses
from tests.tournaments.support import running

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["addresses"]

CODINGS: dict[str, Callable[[bytes], bytes]] = {
    "zstd": zstd.decompress,
    "br": brotli.decompress,
    "gzip": gzip.decompress,
}
BROWSER = "gzip, deflate, br, zstd"


def plain(answer: Any) -> bytes:
    """What an answer says, whichever way it was sent."""
    body = b"".join(answer) if answer.streaming else answer.content
    return CODINGS[answer["Content-Encoding"]](body) if "Content-Encoding" in answer else body


def answers(text: bytes = b"Word for word. " * 50, **headers: str) -> Any:
    """A view, behind the middleware."""

    def view(_request: HttpRequest) -> HttpResponse:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return HttpResponse(text, headers=names)

    return CompressionMiddleware(view)


# -- in which coding -----------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("takes", "coding"),
    [
        (BROWSER, "zstd"),
        ("gzip, deflate, br", "br"),
        ("gzip, deflate", "gzip"),
        ("gzip;q=1.0, br;q=0.5", "gzip"),
        ("br;q=0, gzip", "gzip"),
        ("identity", ""),
        ("", ""),
        ("deflate", ""),
    ],
)
@pytest.mark.parametrize("path", ["/rules/", "/api/v1/rulesets/"])
def test_each_reader_gets_what_they_take(
    nobody: Client, takes: str, coding: str, path: str
) -> None:
    whole = nobody.get(path)
    answer = nobody.get(path, headers={"Accept-Encoding": takes})
    assert answer.get("Content-Encoding", "") == coding
    assert plain(answer) == whole.content
    assert answer["Content-Length"] == str(len(answer.content))
    assert (len(answer.content) < len(whole.content) / 2) == bool(coding)
    # A cache between must not hand it to somebody who does not take it.
    assert "accept-encoding" in answer["Vary"].lower()
    assert "accept-encoding" in whole["Vary"].lower()
    head = nobody.head(path, headers={"Accept-Encoding": takes})
    for name in ("Content-Encoding", "Content-Length", "ETag", "Vary", "Cache-Control"):
        assert head.get(name) == answer.get(name), name


def test_pictures_are_sent_as_they_are() -> None:
    request = RequestFactory().get("/", headers={"Accept-Encoding": BROWSER})
    answer = answers(content_type="image/png", ETag='"strong"')(request)
    assert "Content-Encoding" not in answer
    assert "Vary" not in answer
    assert answer["ETag"] == '"strong"'


# -- who has it already --------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("takes", [*CODINGS, "identity"])
def test_whoever_has_an_answer_is_told_so_in_its_own_terms(
    nobody: Client, addresses: dict[str, str], takes: str, subtests: pytest.Subtests
) -> None:
    """Every public address: the tag that came with an answer is known again, and 304 has the tag,
    the policy and the `Vary` of what it stands for (RFC 9110, 15.4.5)."""
    compressed = told = 0
    for name, address in addresses.items():
        with subtests.test(name):
            answer = nobody.get(address, headers={"Accept-Encoding": takes})
            if answer.status_code != 200 or answer.streaming:
                continue
            assert "ETag" in answer or "no-store" in answer["Cache-Control"]
            if "Content-Encoding" in answer:
                compressed += 1
                assert answer["ETag"].startswith("W/")
            headers = {"Accept-Encoding": takes, "If-None-Match": answer.get("ETag", "-")}
            again = nobody.get(address, headers=headers)
            if again.status_code == 200:
                continue  # another version: the page tells the time
            told += 1
            assert (again.status_code, again.content) == (304, b"")
            for each in ("ETag", "Cache-Control"):
                assert again.get(each) == answer.get(each), each
            assert vary(again) >= vary(answer)
    assert told > 20
    assert (compressed > 30) == (takes in CODINGS)


def vary(answer: HttpResponseBase) -> set[str]:
    return {each.strip().lower() for each in answer.get("Vary", "").split(",")} - {""}


@pytest.mark.django_db
def test_pages_of_those_who_are_signed_in_stay_with_them(
    visitor: Callable[..., Client], ada: User, ben: User
) -> None:
    """And are sent again to whoever has another one: their own of before, or somebody else's."""
    one, other, nobody = visitor(ada), visitor(ben), visitor()
    for path in ("/rules/", "/api/", "/watch/", "/seasons/"):
        seen = {who: who.get(path) for who in (one, other, nobody)}
        assert len({answer["ETag"] for answer in seen.values()}) == 3
        for who, answer in seen.items():
            assert "private" in answer["Cache-Control"]
            assert "Cookie" in answer["Vary"]
            for whose, tag in ((each, found["ETag"]) for each, found in seen.items()):
                again = who.get(path, headers={"If-None-Match": tag})
                assert again.status_code == (304 if whose is who else 200)
                assert again["Cache-Control"] == answer["Cache-Control"]
    mine = one.get("/rules/")["ETag"]
    one.logout()
    assert one.get("/rules/", headers={"If-None-Match": mine}).status_code == 200


# -- what may hold a secret ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "policy",
    ["no-store", "private, no-store", "no-transform", "max-age=0, no-cache, no-store, private",
     "Private, No-Store"],
)  # fmt: skip
def test_what_may_not_be_stored_is_not_compressed(policy: str) -> None:
    request = RequestFactory().get("/", headers={"Accept-Encoding": BROWSER})
    assert "Content-Encoding" in answers(Cache_Control="private, no-cache")(request)
    answer = answers(Cache_Control=policy)(request)
    assert "Content-Encoding" not in answer
    assert answer.content == b"Word for word. " * 50


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_no_answer_to_what_writes_is_compressed(method: str) -> None:
    request = RequestFactory().generic(method, "/", headers={"Accept-Encoding": BROWSER})
    assert "Content-Encoding" not in answers()(request)


def shown_once(visitor: Callable[..., Client], orla: User, ada: User) -> Iterator[tuple[str, Any]]:
    """Every secret that a page or the API shows once, with the answer that does."""
    season = running(orla, 4, "round-robin")
    browser, organiser = visitor(ada), visitor(orla)

    def send(client: Client, path: str, fields: dict[str, Any], *, json: bool = False) -> Any:
        more: Any = {"content_type": "application/json"} if json else {}
        return client.post(path, fields, headers={"Accept-Encoding": BROWSER}, **more)

    made = send(browser, "/accounts/settings/tokens/", {"name": "x", "scopes": "read", "lasts": 30})
    yield r'id="new-token"[^>]*value="([\w-]{30,})"', made
    made = send(
        browser,
        "/accounts/settings/applications/",
        {"name": "Mine", "redirect_uris": "https://app.example/back"},
    )
    yield r'id="client-secret"[^>]*value="([\w-]{30,})"', made
    hook = {"flavour": "json", "name": "Mine", "url": "http://127.0.0.1:9/", "kinds": ["ruling"]}
    at = f"/seasons/{season.slug}/webhooks/"
    yield r'value="(gwhs_[\w-]+)"', send(organiser, f"{at}new/", hook)
    pk = season.webhooks.get().pk
    yield r'value="(gwhs_[\w-]+)"', send(organiser, f"{at}{pk}/rotate/", {})
    api = f"/api/v1/seasons/{season.slug}/webhooks/"
    yield r'"(gwhs_[\w-]+)"', send(organiser, api, {**hook, "name": "Another"}, json=True)
    yield r'"(gwhs_[\w-]+)"', send(organiser, f"{api}{pk}/secret/", {}, json=True)
    # Not once only, but a key all the same: to a challenge, for whoever has the link.
    offer = challenge_create(
        acting_user=ada, ruleset_id="tetronogo", variant="standard", by_link=True
    )
    link = rf'id="invite-link"[^>]*value="http://testserver(/invite/{offer.token}/)"'
    for more in ({}, {FRAGMENT_HEADER: "1"}):
        headers = {"Accept-Encoding": BROWSER, **more}
        yield link, browser.get(offer.get_absolute_url(), headers=headers)


# Templates with a field from which something is to be copied; what each shows is asked for above.
SHOW = {
    "accounts/tokens.html", "accounts/applications.html", "tournaments/webhooks/secret.html",
    "games/_challenge_link.html",
}  # fmt: skip


@pytest.mark.django_db
def test_what_is_shown_once_is_not_compressed(
    visitor: Callable[..., Client], orla: User, ada: User
) -> None:
    found = 0
    for pattern, answer in shown_once(visitor, orla, ada):
        assert re.search(pattern, plain(answer).decode()), (pattern, answer.status_code)
        assert "Content-Encoding" not in answer
        assert "no-store" in answer["Cache-Control"]
        found += 1
    assert found == 8


def test_every_template_that_shows_a_secret_is_asked() -> None:
    folder = ROOT / "templates"
    copied = re.compile(r'<input[^>]*(?:value="{{ \w+ }}"[^>]* readonly|readonly value="{{)')
    found = {
        str(path.relative_to(folder))
        for path in folder.rglob("*.html")
        if copied.search(path.read_text())
    }
    assert found == SHOW


@pytest.mark.django_db
def test_what_players_hide_is_not_compressed_beside_what_others_write(
    visitor: Callable[..., Client], play: Play, ada: User, ben: User, cleo: User
) -> None:
    """A view stands beside names and moves; what the opponent or the room writes in the chat, word
    for word as they like, is in answers of its own."""
    said = "colourless green ideas"
    for user, room in ((ben, "players"), (cleo, "spectators")):
        chat_post(acting_user=user, match=play.match, room=room, client_id="it", text=said, at=0)
    client = visitor(ada)
    for path in (f"/matches/{play.pk}/", f"/api/v1/matches/{play.pk}/"):
        answer = client.get(path, headers={"Accept-Encoding": BROWSER})
        assert answer["Content-Encoding"] == "zstd"
        assert said not in plain(answer).decode()
    own = client.get(f"/api/v1/matches/{play.pk}/chat/?room=players")
    assert said in plain(own).decode()


@pytest.mark.django_db
def test_no_compressed_answer_holds_what_signs_somebody_in(
    addresses: dict[str, str], visitor: Callable[..., Client], orla: User, ada: User
) -> None:
    compressed = 0
    for user in (orla, ada):
        client = visitor(user)
        for name, address in addresses.items():
            answer = client.get(address, headers={"Accept-Encoding": BROWSER})
            if "Content-Encoding" not in answer or answer.streaming:
                continue
            compressed += 1
            said = plain(answer).decode()
            assert client.cookies["sessionid"].value not in said, name
            if "csrftoken" in client.cookies:
                assert client.cookies["csrftoken"].value not in said, name
                for token in re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', said):
                    secret = client.cookies["csrftoken"].value
                    assert unmasked(token) == secret, name
    assert compressed > 60


def unmasked(token: str) -> str:
    """What stands behind the token of a form."""
    unmask: Any = getattr(csrf, "_unmask_cipher_token")  # noqa: B009  (the types do not know it)
    return str(unmask(token))


@pytest.mark.django_db
def test_the_token_of_a_form_is_another_text_each_time(nobody: Client) -> None:
    def token() -> str:
        said = plain(nobody.get("/accounts/login/", headers={"Accept-Encoding": BROWSER})).decode()
        found: str
        (found,) = set(re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', said))
        return found

    assert len({token() for _ in range(5)}) == 5


def test_how_long_an_answer_is_does_not_say_how_well_it_was_compressed() -> None:
    request = RequestFactory().get("/", headers={"Accept-Encoding": BROWSER})
    lengths = set()
    for _ in range(50):
        answer = answers()(request)
        lengths.add(len(answer.content) + sum(len(name + value) for name, value in answer.items()))
    assert len(lengths) > 15


# -- streams -------------------------------------------------------------------------------------


@pytest.mark.parametrize("coding", CODINGS)
def test_a_stream_stays_one(coding: str) -> None:
    """Each piece can be read before the next one is made, and they are smaller."""
    lines = [
        f'{{"line": {number}, "is": "like the others"}}\n'.encode() * 20 for number in range(9)
    ]
    made = 0

    async def pieces() -> AsyncIterator[bytes]:
        nonlocal made
        for line in lines:
            made += 1
            yield line

    request = RequestFactory().get("/", headers={"Accept-Encoding": coding})
    middleware = CompressionMiddleware(
        lambda _request: StreamingHttpResponse(pieces(), content_type=NDJSON)
    )
    answer: Any = middleware(request)
    assert answer["Content-Encoding"] == coding
    assert "Content-Length" not in answer
    read = reader(coding)
    sizes = []

    async def follow() -> bytes:
        said = b""
        async for piece in answer:
            sizes.append(len(piece))
            said += read(piece)
            assert said == b"".join(lines[:made])
        return said

    assert asyncio.run(follow()) == b"".join(lines)
    assert sum(sizes) < len(b"".join(lines)) / 2


def reader(coding: str) -> Callable[[bytes], bytes]:
    """What decompresses piece by piece."""
    if coding == "br":
        unpacked: Callable[[bytes], bytes] = brotli.Decompressor().process
        return unpacked
    if coding == "zstd":
        unpacking = zstd.ZstdDecompressor()
        return lambda piece: unpacking.decompress(piece) if piece else b""
    return zlib.decompressobj(wbits=31).decompress


@pytest.mark.django_db
def test_an_export_is_compressed_and_what_bots_listen_to_is_not(
    addresses: dict[str, str], visitor: Callable[..., Client], orla: User, ada: User
) -> None:
    headers = {"Accept-Encoding": BROWSER}
    export = visitor().get(addresses["season_records"], headers=headers)
    assert export["Content-Encoding"] == "zstd"
    assert export.streaming
    ada.is_bot = True
    ada.save()
    stream = visitor(ada).get("/api/v1/me/events/", headers=headers)
    assert (stream.status_code, stream["Content-Type"]) == (200, NDJSON)
    assert "Content-Encoding" not in stream
