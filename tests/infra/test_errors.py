"""Whatever goes wrong, people get a page, programs get JSON, and nobody gets a traceback."""

import asyncio
import json
import socket
from typing import Any, ClassVar
from urllib.parse import urlsplit

import httpx
import pytest
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path
from redis.exceptions import ConnectionError as RedisConnectionError
from rest_framework.views import APIView
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from config import urls as real_urls
from games.services import outage
from tests.support.site import Web


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("secret detail")


AWAY = [OperationalError("secret"), InterfaceError("secret"), RedisConnectionError("secret")]


def away(request: HttpRequest, number: int) -> HttpResponse:
    raise AWAY[number]


class AwayView(APIView):
    """An endpoint whose database is away."""

    permission_classes = ()
    authentication_classes = ()

    def get(self, request: Any, number: int) -> Any:
        raise AWAY[number]


class BrokenUrls:
    """The real addresses and some that fail."""

    urlpatterns: ClassVar = [
        path("broken", broken),
        path("api/v1/broken", broken),
        path("away/<int:number>", away),
        path("api/v1/away/<int:number>", away),
        path("api/v1/away/view/<int:number>", AwayView.as_view()),
        *real_urls.urlpatterns,
    ]
    handler400 = real_urls.handler400
    handler403 = real_urls.handler403
    handler404 = real_urls.handler404
    handler500 = real_urls.handler500


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


@pytest.mark.django_db
def test_an_unknown_address(client: Client) -> None:
    answer = client.get("/no/such/page")
    assert answer.status_code == 404
    assert answer["Content-Type"].startswith("text/html")
    assert b"Traceback" not in answer.content


@pytest.mark.django_db
def test_an_unknown_address_of_the_api(client: Client) -> None:
    answer = client.get("/api/v1/no-such-thing")
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
    assert json.loads(answer.content)["code"] == "request.not-found"


@override_settings(ROOT_URLCONF=BrokenUrls)
def test_a_fault_of_ours_is_a_page_that_needs_no_database(client: Client) -> None:
    """There is no `django_db` here: a page that asked the database would fail the test."""
    answer = client.get("/broken")
    assert answer.status_code == 500
    assert b"<h1>Something broke" in answer.content
    assert b"secret detail" not in answer.content


@override_settings(ROOT_URLCONF=BrokenUrls)
def test_a_fault_of_ours_in_the_api(client: Client) -> None:
    answer = client.get("/api/v1/broken")
    assert answer.status_code == 500
    assert json.loads(answer.content)["code"] == "server.error"
    assert b"secret detail" not in answer.content


@override_settings(ROOT_URLCONF=BrokenUrls)
@pytest.mark.parametrize("number", range(len(AWAY)))
def test_what_is_away_is_worth_another_try(client: Client, number: int) -> None:
    """Here, too, nobody asks the database."""
    page = client.get(f"/away/{number}")
    assert page.status_code == 503
    assert b"<h1>Back in a moment" in page.content
    for path_ in (f"/api/v1/away/{number}", f"/api/v1/away/view/{number}"):
        answer = client.get(path_)
        assert answer.status_code == 503
        told = json.loads(answer.content)
        assert (told["code"], told["retry_after"]) == ("service.away", 5)
        assert answer["Content-Type"] == "application/problem+json"
        assert answer["Retry-After"] == page["Retry-After"] == "5"
        assert b"secret" not in answer.content + page.content


def test_before_a_process_knows_what_time_it_is_nobody_is_answered(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is asked, and whether it would ask the database or not."""
    monkeypatch.setattr(outage.known, "is_awaited", True)
    for path_ in ("/", "/accounts/login/", "/rules/", "/api/v1/matches/"):
        for answer in (client.get(path_), client.post(path_, {"x": "y"})):
            assert (path_, answer.status_code) == (path_, 503)
            assert answer["Retry-After"] == "5"
            if path_.startswith("/api/"):
                assert json.loads(answer.content)["code"] == "service.away"


@pytest.mark.django_db
def test_how_a_process_is_can_be_asked_all_the_same(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outage.known, "is_awaited", True)
    for path_ in ("/healthz", "/readyz"):
        assert client.get(path_).json()["database"] is True


@pytest.mark.django_db
def test_a_form_without_its_token() -> None:
    client = Client(enforce_csrf_checks=True)
    answer = client.post("/accounts/login/", {"login": "ana", "password": "x"})
    assert answer.status_code == 403
    assert b"<h1>" in answer.content


@pytest.mark.django_db
def test_a_host_that_is_not_ours(client: Client) -> None:
    answer = client.get("/accounts/login/", headers={"host": "evil.example"})
    assert answer.status_code == 400
    assert b"evil.example" not in answer.content


@pytest.mark.django_db
def test_too_large_a_form(client: Client) -> None:
    answer = client.post("/accounts/login/", {"login": "x" * 2_000_000, "password": "x"})
    assert answer.status_code in {400, 413}
    assert b"Traceback" not in answer.content


@pytest.mark.parametrize("address", ["/ws/nowhere/", "/", "/ws/v1/matches/not-a-number/"])
async def test_sockets_to_nowhere_are_closed_with_a_code(web: Web, address: str) -> None:
    before = len(web.web.log())
    opened = await connect(web.ws_url + address, origin=Origin(web.base_url))
    await asyncio.wait_for(opened.wait_closed(), 30)
    assert opened.close_code == 4404
    assert "Traceback" not in web.web.log()[before:]


async def test_sockets_from_other_sites_are_refused(web: Web) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await connect(f"{web.ws_url}/ws/v1/lobby/", origin=Origin("https://evil.example"))
    assert refused.value.response.status_code == 403


def test_bodies_without_end_are_not_read(web: Web) -> None:
    """The server itself: announced as too large, or in pieces that say no size."""
    address = urlsplit(web.base_url)
    head = f"POST /accounts/login/ HTTP/1.1\r\nHost: {address.netloc}\r\n"
    for size, pieces in (("Content-Length: 104857600", 0), ("Transfer-Encoding: chunked", 8)):
        with socket.create_connection((address.hostname, address.port), timeout=60) as line:
            line.sendall(f"{head}{size}\r\n\r\n".encode())
            for _ in range(pieces):
                line.sendall(b"4000\r\n" + b"x" * 0x4000 + b"\r\n")
            answer = b""
            while not answer.endswith(b"</html>") and (piece := line.recv(65536)):
                answer += piece
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert b"at most 64 KiB" in answer
    assert httpx.get(f"{web.base_url}/accounts/login/").status_code == 200
