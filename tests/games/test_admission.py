"""The door: who is seen to first, who is turned away, and for whom nothing is done any more."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from games.sockets import admission as doors
from games.sockets.admission import Door, FullError, GoneError, Rank


class Crowd:
    """Sockets that arrive at a door behind which one call is held up until `open` is set."""

    def __init__(self, door: Door) -> None:
        self.door = door
        self.open = threading.Event()
        self.seen: list[str] = []
        self.left: set[str] = set()
        self.tasks: list[asyncio.Task[str]] = []

    def see(self, name: str) -> None:
        self.open.wait(20)
        self.seen.append(name)

    async def come(self, name: str, *ranks: Rank) -> None:
        """Somebody comes, for as many turns as there are ranks."""
        self.tasks.append(asyncio.create_task(self._come(name, ranks)))
        for _ in range(5):
            await asyncio.sleep(0)

    async def _come(self, name: str, ranks: tuple[Rank, ...]) -> str:
        try:
            with self.door.arrival(ranks[0], lambda: name in self.left) as arrival:
                for rank in ranks:
                    await arrival.turn(rank, self.see, name)
        except (FullError, GoneError) as error:
            return type(error).__name__
        return "in"

    async def outcomes(self) -> list[str]:
        self.open.set()
        return await asyncio.gather(*self.tasks)


@pytest.fixture
def crowd() -> Iterator[Crowd]:
    crowd = Crowd(Door(at_a_time=1, at_most=5))
    yield crowd
    crowd.open.set()
    assert (crowd.door.free, crowd.door.arriving) == (1, 0), "a turn or a place got lost"


async def test_players_are_seen_to_first(crowd: Crowd) -> None:
    await crowd.come("first", Rank.WATCHING)
    await crowd.come("lobby", Rank.PASSING)
    await crowd.come("guest", Rank.WATCHING, Rank.WATCHING)
    await crowd.come("one", Rank.NAMED, Rank.WATCHING)
    await crowd.come("player", Rank.NAMED, Rank.PLAYING)
    assert await crowd.outcomes() == ["in"] * 5
    # Who turns out to play is the next; who does not waits behind those who may yet.
    assert crowd.seen == [
        "first", "one", "player", "guest", "player", "one", "guest", "lobby",
    ]  # fmt: skip


async def test_nothing_is_done_for_those_who_have_gone(crowd: Crowd) -> None:
    for name in ("first", "gone", "killed", "last"):
        await crowd.come(name, Rank.WATCHING)
    crowd.left.add("gone")
    crowd.tasks.pop(2).cancel()
    await crowd.come("late", Rank.WATCHING)
    assert await crowd.outcomes() == ["in", "GoneError", "in", "in"]
    assert crowd.seen == ["first", "last", "late"]


async def test_a_full_house_sends_the_least_away_at_once(
    crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doors, "LOOK_EVERY_S", -1.0)
    for name in ("first", "gone", "a", "b"):
        await crowd.come(name, Rank.WATCHING)
    await crowd.come("lobby", Rank.PASSING)
    await crowd.come("too-many", Rank.PASSING)
    assert crowd.tasks[-1].result() == "FullError"  # not after having waited
    crowd.left.add("gone")
    await crowd.come("player", Rank.NAMED, Rank.PLAYING)
    assert crowd.tasks[4].result() == "FullError"
    await crowd.come("another", Rank.NAMED)  # in the place of the one who has gone
    assert await crowd.outcomes() == [
        "in", "GoneError", "in", "in", "FullError", "FullError", "in", "in",
    ]  # fmt: skip
    assert crowd.seen == ["first", "player", "another", "player", "a", "b"]


async def test_those_who_wait_hear_that_they_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "SAY_EVERY_S", 0.01)
    crowd = Crowd(Door(at_a_time=1, at_most=5))
    heard = asyncio.Event()

    async def still_waits() -> None:
        heard.set()

    await crowd.come("first", Rank.WATCHING)
    with crowd.door.arrival(Rank.WATCHING, still_waits=still_waits) as arrival:
        turn = asyncio.ensure_future(arrival.turn(Rank.WATCHING, crowd.see, "second"))
        await asyncio.wait_for(heard.wait(), 20)
        crowd.open.set()
        await turn
    assert crowd.seen == ["first", "second"]
