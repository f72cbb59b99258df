"""The table is whole: what can write is in it, or is named here with where it is tested."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, get_args

import pytest
from django.contrib import admin
from django.http import HttpResponseNotAllowed
from django.test import RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver

from accounts.models import User
from config.operations import actions as operations
from core.actions import Actions
from games import actions as games
from games.puzzles import actions as puzzles
from games.ratings import actions as ratings
from games.sockets.incoming import Incoming
from tests.permissions.table import PERMISSIONS, Api, Frame, Page
from tests.permissions.world import World
from tournaments import actions as seasons
from tournaments.webhooks import actions as webhooks

SAFE = {"GET", "HEAD", "OPTIONS", "TRACE"}

# Addresses outside of matches and seasons, and such as only compute.
ELSEWHERE = {
    "games:paint_read": "reads a picture and keeps nothing: tests/pages/test_boards.py",
    "games:rematch": "of a match that is no season's: tests/pages/test_front_door.py",
    "games:invite_accept": "whoever has the link: tests/pages/test_front_door.py",
    "games:practice": "anybody, with an account or without: tests/pages/test_practice.py",
    "api:practice": "anybody who has an account: tests/pages/test_practice.py",
    "games:study": "whoever may see the match: tests/pages/test_study.py",
    "api:study": "whoever may see the match: tests/pages/test_study.py",
    "games:puzzle_answer": "anybody, with an account or without: tests/pages/test_puzzles.py",
    "api:puzzle_answers": "anybody who has an account: tests/pages/test_puzzles.py",
    "api:puzzle_solution": "anybody who has an account: tests/pages/test_puzzles.py",
    "api:take_back": "of one's own practice: tests/pages/test_practice.py",
    "api:rematch": "of a match that is no season's: tests/pages/test_front_door.py",
    "api:invite_accept": "whoever has the link: tests/pages/test_front_door.py",
    "accounts:": "one's own account: tests/accounts",
    "api:block": "whom one has blocked oneself: tests/accounts/test_blocks.py",
    "api:become_bot": "one's own account: tests/accounts/test_tokens.py",
    "account_": "the sign-in library",
    "mfa_": "one's own account: tests/security/test_second_factor.py",
    "discord_": "whoever comes from Discord: tests/accounts/test_discord.py",
    "socialaccount_": "whoever comes from Discord: tests/accounts/test_discord.py",
    "oauth2_provider:": "OAuth: tests/accounts/test_oauth.py",
    "admin:": "below, by the registry",
    "games:leaderboards/overall/": "only leads elsewhere",
    "posts:": "asks Discord who may: tests/posts/test_pages.py",
    "discord:interactions": "whoever has linked an account there: tests/discord",
    "healthz": "reads",
    "readyz": "reads",
    "favicon": "reads",
    "service_worker": "reads",
    "offline": "reads",
    "robots_txt": "reads",
    "security_txt": "reads",
    "change_password": "reads",
    "security": "reads",
    "csp_reports": "what anybody's browser tells: tests/security/test_csp_reports.py",
}


# Every table of actions but those about people (tests/accounts/test_permission_matrix.py), and of
# whoever asks Discord first (tests/posts/test_pages.py).
TABLES = (
    *seasons.TABLES, *webhooks.TABLES, *games.TABLES, *puzzles.TABLES,
    *ratings.TABLES, *operations.TABLES,
)  # fmt: skip

# Pages of players, and of those who prepare and import, each with a form and a service of its own;
# nothing leads to them that would have to ask whether it can be done.
WITHOUT_AN_ACTION = {
    "games:challenge_new": "a form with previews: games/views/challenges.py",
    "games:challenge_accept": "a challenge's own page: games/views/challenges.py",
    "games:challenge_decline": "a challenge's own page: games/views/challenges.py",
    "games:challenge_cancel": "a challenge's own page: games/views/challenges.py",
    "games:hosted_new": "a form as that of challenges: games/views/hosting.py",
    "games:hosted_accept": "an invitation's own page: games/views/hosting.py",
    "games:hosted_decline": "an invitation's own page: games/views/hosting.py",
    "games:hosted_cancel": "a hosted match's own page: games/views/hosting.py",
    "games:seek": "the lobby's own form: games/views/seeks.py",
    "games:seek_cancel": "the lobby's own form: games/views/seeks.py",
    "games:import_record": "a file: games/views/imports.py",
    "games:prepared_new": "a form with previews: games/views/organise.py",
    "games:prepared_delete": "a preparation's own page: games/views/organise.py",
}


def _views(
    patterns: list[Any], names: tuple[str, ...] = ()
) -> Iterator[tuple[str, Any, URLPattern]]:
    for each in patterns:
        if isinstance(each, URLResolver):
            inside = (*names, each.namespace) if each.namespace else names
            yield from _views(each.url_patterns, inside)
        else:
            name = ":".join([*names, each.name or str(each.pattern)])
            yield name, each.callback, each


def all_addresses() -> Iterator[tuple[str, set[str]]]:
    """Every address by its name, with what must be known to write it down."""
    for name, _, pattern in _views(get_resolver().url_patterns):
        if pattern.name:
            yield name, set(pattern.pattern.converters) | set(pattern.pattern.regex.groupindex)


def _methods(view: Any) -> set[str]:
    """The methods that write and that a view takes."""
    found = getattr(view, "cls", None) or getattr(view, "view_class", None)
    if found is not None:
        return {
            method.upper()
            for method in ("post", "put", "patch", "delete")
            if hasattr(found, method)
        }
    request = RequestFactory().generic("BREW", "/")
    request.user = User()
    try:
        answer = view(request)
    except Exception:  # noqa: BLE001  (it was let in, whatever it missed then)
        return {"POST"}
    if isinstance(answer, HttpResponseNotAllowed):
        return {each.strip() for each in answer["Allow"].split(",")} - SAFE
    return {"POST"}


def _asked() -> set[tuple[str, str]]:
    return {
        (ask.name, ask.method.upper())
        for permission in PERMISSIONS.values()
        for ask in permission.asks
        if isinstance(ask, Page | Api)
    }


def test_every_address_that_writes_is_in_the_table() -> None:
    writing = {
        (name, method)
        for name, view, _ in _views(get_resolver().url_patterns)
        if not name.startswith(tuple(ELSEWHERE))
        for method in _methods(view)
    }
    assert len(writing) > 60
    assert sorted(writing - _asked()) == []


def _names_in(tables: Iterable[Actions[Any]]) -> set[str]:
    return {f"{table.of}.{action.name}" for table in tables for action in table}


def test_every_action_is_in_the_table_and_nothing_else() -> None:
    asked = {
        ask.action
        for permission in PERMISSIONS.values()
        for ask in permission.asks
        if isinstance(ask, Page)
    }
    assert asked - {""} == _names_in(TABLES)


def test_whatever_writes_is_an_action_of_a_table() -> None:
    """The pages that write, with no action behind them, are those named here, with why."""
    without = {
        ask.name
        for permission in PERMISSIONS.values()
        if not permission.reads
        for ask in permission.asks
        if isinstance(ask, Page) and not ask.action
    }
    assert without == WITHOUT_AN_ACTION.keys()


def test_every_frame_that_writes_is_in_the_table() -> None:
    asked = {
        ask.kind
        for permission in PERMISSIONS.values()
        for ask in permission.asks
        if isinstance(ask, Frame)
    }
    frames = {each.__struct_config__.tag for each in get_args(Incoming)}
    assert frames - {"sync", "ping", "chat.history"} == asked


@pytest.mark.django_db
def test_everything_that_the_admin_site_can_change_is_in_the_table(world: World) -> None:
    asked = {name.removeprefix("admin:") for name, _ in _asked() if name.startswith("admin:")}
    request = RequestFactory().get("/admin/")
    request.user = world.root
    for model, its in admin.site._registry.items():
        meta = model._meta
        if meta.app_label not in ("games", "tournaments"):
            continue
        prefix = f"{meta.app_label}_{meta.model_name}"
        if its.has_add_permission(request):
            assert f"{prefix}_add" in asked
        assert not its.has_change_permission(request), model
        assert not its.has_delete_permission(request), model
        for action in getattr(its, "row_actions", ()):
            assert f"{prefix}_{action.name}" in asked, (model, action.name)
        offered = set(its.get_actions(request)) - {"delete_selected"}
        assert offered == {action.name for action in getattr(its, "list_actions", ())}, model
        if offered:
            assert f"{prefix}_changelist" in asked, model
