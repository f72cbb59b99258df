"""The example of a client: up to date, and at work on the running site."""

from __future__ import annotations

import importlib.util
from types import ModuleType
from typing import Any

import pytest

from core.api.client import client_text
from core.api.management.commands.api_client import CLIENT
from tests.games.desk import Desk
from tests.support.site import Site


def loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gauntlet_client", CLIENT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_client_is_up_to_date() -> None:
    assert CLIENT.read_text() == client_text(), "run `manage.py api_client`"


def test_a_match_from_offer_to_record(site: Site, desk: Desk) -> None:
    module = loaded()
    people = (desk.person(), desk.person())
    clients: list[Any] = [
        module.Client(site.base_url, token=desk.token(person, "play")[1], timeout=30)
        for person in people
    ]
    first, second = clients
    with first, second, module.Client(site.base_url, timeout=30) as nobody:
        names = [client.me()["username"] for client in clients]
        offer = {"ruleset": "tetronogo", "variant": "standard", "opponent": names[1]}
        made = first.challenge_create(body=offer, idempotency_key="offer")
        assert first.challenge_create(body=offer, idempotency_key="offer") == made
        match = second.challenge_accept(made["id"])
        number = match["id"]
        assert first.match(number)["you"] == 0
        assert [client.ready(number)["begun"] for client in clients] == [False, True]
        for seat, client in enumerate(clients):
            version = client.match(number)["version"]
            ack = client.submit(number, body={"id": "a", "text": "pick T", "version": version})
            assert (ack["type"], ack["match"]) == ("ack", number), seat
        with pytest.raises(module.Problem) as caught:
            nobody.submit(number, body={"id": "b", "text": "concede", "version": 1})
        assert (caught.value.status, caught.value.code) == (401, "request.not-authenticated")
        version = second.match(number)["version"]
        second.submit(number, body={"id": "c", "text": "concede", "version": version})
        assert nobody.match_log(number)["over"]
        found = nobody.pages(nobody.matches(player=names[0], limit=1))
        assert [each["winner"] for each in found] == [0]
        assert nobody.record(number)["ruleset"] == "tetronogo"


def test_pages_are_followed(site: Site, desk: Desk) -> None:
    module = loaded()
    names = {desk.person(name=f"Paged-{number}").name.lower() for number in range(5)}
    with module.Client(site.base_url, timeout=30) as nobody:
        found = [each["username"] for each in nobody.pages(nobody.users(search="Paged", limit=2))]
    assert sorted(found) == sorted(names)
