"""What a season's answers say of their version: another one whenever something has changed."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from tests.seasons_api.conftest import Caller
from tests.seasons_api.test_automation import concede, made
from tournaments.models import DeathMatch, Season

PATHS = ("standings", "bracket", "records")


def asked(slug: str, path: str, **headers: str) -> Any:
    return Client(headers=headers).get(f"/api/v1/seasons/{slug}/{path}/")


@pytest.mark.parametrize("path", PATHS)
def test_nothing_new(path: str, olga: Caller) -> None:
    slug = made(olga, "round-robin")
    concede(DeathMatch.objects.filter(round__season__slug=slug)[0].pk, 1)
    with time_machine.travel(timezone.now() + timedelta(minutes=1), tick=False):
        first = asked(slug, path)
        assert first.status_code == 200
        for header, name in (("If-None-Match", "ETag"), ("If-Modified-Since", "Last-Modified")):
            again = asked(slug, path, **{header: first[name]})
            assert (again.status_code, again.content) == (304, b""), header
            assert again["Cache-Control"] == first["Cache-Control"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("header", ["If-None-Match", "If-Modified-Since"])
def test_what_changes_is_new(path: str, header: str, olga: Caller) -> None:
    slug = made(olga, "round-robin")
    now = timezone.now()

    def settings() -> None:
        choice = {"ruleset_choice": "rotating"}
        assert olga.patch(f"/seasons/{slug}/", choice).status_code == 200

    def result() -> None:
        concede(DeathMatch.objects.filter(round__season__slug=slug)[0].pk, 1)

    for minutes, change in enumerate((settings, result), start=1):
        with time_machine.travel(now + timedelta(minutes=minutes)):
            name = "ETag" if header == "If-None-Match" else "Last-Modified"
            known = asked(slug, path)[name]
            change()
        with time_machine.travel(now + timedelta(minutes=minutes, seconds=30)):
            assert asked(slug, path, **{header: known}).status_code == 200


def test_the_second_of_a_change_has_no_date_yet(olga: Caller) -> None:
    """There may be another change in it."""
    slug = made(olga, "round-robin")
    changed = Season.objects.get(slug=slug).changed_at
    with time_machine.travel(changed, tick=False) as clock:
        assert not asked(slug, "standings").has_header("Last-Modified")
        clock.shift(timedelta(seconds=1))
        assert asked(slug, "standings").has_header("Last-Modified")
