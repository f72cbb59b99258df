"""Who may do what in a channel in Discord, as its documentation has it."""

from __future__ import annotations

from typing import Any

import pytest

from tournaments.posts.permissions import (
    ADMINISTRATOR,
    ATTACH_FILES,
    EVERYTHING,
    MANAGE_ROLES,
    SEND_MESSAGES,
    VIEW_CHANNEL,
    may_give,
    permissions_in,
)

BASE = VIEW_CHANNEL | SEND_MESSAGES


def role(number: str, permissions: int = 0, position: int = 0, **more: Any) -> dict[str, Any]:
    return {"id": number, "permissions": str(permissions), "position": position, **more}


def guild(*roles: dict[str, Any], owner: str = "9") -> dict[str, Any]:
    return {"id": "1", "owner_id": owner, "roles": [role("1", BASE), *roles]}


def member(*roles: str, number: str = "5") -> dict[str, Any]:
    return {"user": {"id": number}, "roles": list(roles)}


def channel(*exceptions: tuple[str, int, int]) -> dict[str, Any]:
    return {
        "permission_overwrites": [
            {"id": number, "allow": str(allow), "deny": str(deny)}
            for number, allow, deny in exceptions
        ]
    }


def test_what_everybody_may() -> None:
    assert permissions_in(guild(), channel(), member()) == BASE


def test_what_roles_add() -> None:
    roles = guild(role("2", ATTACH_FILES))
    assert permissions_in(roles, channel(), member("2")) == BASE | ATTACH_FILES
    assert permissions_in(roles, channel(), member()) == BASE


def test_the_channel_denies_everybody_what_it_allows_one_role() -> None:
    here = channel(("1", 0, SEND_MESSAGES), ("2", SEND_MESSAGES, 0))
    assert permissions_in(guild(role("2")), here, member("2")) == BASE
    assert permissions_in(guild(role("2")), here, member()) == VIEW_CHANNEL


def test_what_one_role_is_allowed_outdoes_what_another_is_denied() -> None:
    here = channel(("2", SEND_MESSAGES, 0), ("3", 0, SEND_MESSAGES))
    assert permissions_in(guild(role("2"), role("3")), here, member("2", "3")) == BASE


def test_what_is_said_of_somebody_themselves_comes_last() -> None:
    here = channel(("2", ATTACH_FILES, 0), ("5", 0, ATTACH_FILES | SEND_MESSAGES))
    assert permissions_in(guild(role("2")), here, member("2")) == VIEW_CHANNEL


def test_who_does_not_see_a_channel_can_do_nothing_there() -> None:
    assert permissions_in(guild(), channel(("1", 0, VIEW_CHANNEL)), member()) == 0


@pytest.mark.parametrize(
    ("there", "who"),
    [
        (guild(role("2", ADMINISTRATOR)), member("2")),
        (guild(owner="5"), member()),
    ],
)
def test_who_runs_or_owns_it_may_do_everything(there: Any, who: Any) -> None:
    assert permissions_in(there, channel(("5", 0, VIEW_CHANNEL)), who) == EVERYTHING


def test_roles_below_ones_own_can_be_given() -> None:
    low, own, high = role("2", position=1), role("3", MANAGE_ROLES, 2), role("4", position=3)
    there = guild(low, own, high)
    assert may_give(there, member("3"), low)
    assert not may_give(there, member("3"), own)
    assert not may_give(there, member("3"), high)
    assert not may_give(there, member("4"), low)  # who may not manage roles
    assert may_give(guild(low, own, high, owner="5"), member(), high)


@pytest.mark.parametrize("its", [role("1"), role("2", managed=True)])
def test_not_everybodys_nor_an_applications(its: Any) -> None:
    assert not may_give(guild(its, owner="5"), member(), its)
