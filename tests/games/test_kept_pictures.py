"""Pictures of positions: drawn once for all, kept, and drawn anew when they show another thing.

Here a worker is a call in this process, or there is none; `test_drawn_pictures.py` has real ones.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.conf import settings as configured
from django.core.cache import cache
from django.test import Client
from redis.exceptions import ConnectionError as CacheAwayError

from accounts.models import User
from core.refusals import Refusal
from games import tasks
from games.models import Match, MatchPlayer
from games.pictures import keeping
from games.pictures.boards import SVG
from games.pictures.clips import GIF
from games.pictures.keeping import Kept, picture_at_hand, picture_draw, picture_found
from games.pictures.positions import Kind, Picture, board_now
from tests.games.support import Play, placing, started

ADDRESSES = {
    Kind.NOW_SVG: "board.svg",
    Kind.NOW_PNG: "board.png",
    Kind.AFTER_SVG: "board/1.svg",
    Kind.AFTER_PNG: "board/1.png",
    Kind.SHARE: "share.png",
    Kind.CLIP: "board/0-1.gif",
}
NOW = [kind for kind in Kind if not kind.stays]


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    cache.clear()


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Picture]:
    """Pictures, each time one is drawn."""
    found: list[Picture] = []
    draw = Picture.draw

    def counted(picture: Picture) -> bytes:
        found.append(picture)
        return draw(picture)

    monkeypatch.setattr(Picture, "draw", counted)
    return found


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, settings: Any) -> list[tuple[Any, ...]]:
    """What a worker was asked to draw, where there is none: the broker takes it, and no more."""
    found: list[tuple[Any, ...]] = []

    def taken(_task: str, *arguments: Any, expires: float) -> bool:
        assert expires > 0
        found.append(arguments)
        return True

    monkeypatch.setattr(keeping, "enqueue", taken)
    settings.GAUNTLET_PICTURE_WAIT_MS = 100
    return found


def get(play: Play, kind: Kind, tag: str = "") -> Any:
    headers = {"If-None-Match": tag} if tag else {}
    return Client().get(f"/matches/{play.pk}/{ADDRESSES[kind]}", headers=headers)


def picture(play: Play, kind: Kind = Kind.NOW_SVG, number: int = 0) -> Picture:
    if kind is Kind.CLIP:
        return Picture(play.match, kind, 0, 1)
    return Picture(play.match, kind, number)


def server() -> Any:
    return cache._cache.get_client()  # type: ignore[attr-defined]


def kept() -> dict[str, Kept]:
    """Everything that is kept of pictures, by its name on the server."""
    names = [name.decode() for name in server().keys(f"{cache.key_prefix}:*picture:*")]
    plain = [name.rpartition("picture:")[2] for name in names]
    found = {name: cache.get(f"picture:{name}") for name in plain}
    return {name: each for name, each in found.items() if isinstance(each, Kept)}


def seconds_left(picture: Picture, release: str) -> int:
    left: int = server().ttl(cache.make_key(f"picture:{picture.digest(release)}"))
    return left


# -- once ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", Kind)
def test_a_picture_is_drawn_once_for_all(kind: Kind, play: Play, drawn: list[Picture]) -> None:
    placing(play)
    first = get(play, kind)
    assert first.status_code == 200
    for user in (None, *play.players):
        client = Client()
        if user is not None:
            client.force_login(user, backend="accounts.signin.backends.NameBackend")
        again = client.get(f"/matches/{play.pk}/{ADDRESSES[kind]}")
        assert (again.content, again["ETag"]) == (first.content, first["ETag"])
    assert [each.kind for each in drawn] == [kind]


@pytest.mark.parametrize("kind", Kind)
def test_nothing_is_drawn_for_who_has_it(
    kind: Kind, play: Play, drawn: list[Picture], asked: list[Any]
) -> None:
    placing(play)
    number = 1 if kind.stays else 0
    tag = f'"{picture(play, kind, number).digest(configured.RELEASE)}"'
    known = get(play, kind, tag)
    assert (known.status_code, known.content, known["ETag"]) == (304, b"", tag)
    assert known["Cache-Control"].startswith("public")
    assert (drawn, asked, kept()) == ([], [], {})


@pytest.mark.parametrize("kind", Kind)
def test_how_long_others_may_keep_it(kind: Kind, play: Play) -> None:
    placing(play)
    said = {
        Kind.SHARE: "public, max-age=60",
        Kind.AFTER_SVG: "public, max-age=3600",
        Kind.AFTER_PNG: "public, max-age=3600",
        Kind.CLIP: "public, max-age=3600",
    }
    first = get(play, kind)
    assert first["Cache-Control"] == said.get(kind, "public, no-cache")
    assert first["Content-Disposition"] == "inline"
    media = {SVG: "image/svg+xml", GIF: "image/gif"}
    assert first["Content-Type"].startswith(media.get(kind.media_type, "image/png"))
    assert ("Content-Security-Policy" in first) or kind.media_type != SVG


def test_what_hangs_on_a_webhook_is_drawn_once_too(play: Play, drawn: list[Picture]) -> None:
    placing(play)
    shown = get(play, Kind.AFTER_PNG).content
    assert picture_at_hand(picture(play, Kind.AFTER_PNG, 1)) == shown
    assert len(drawn) == 1
    other = picture(play, Kind.AFTER_PNG, 2)
    assert picture_at_hand(other) == picture_at_hand(other)
    assert len(drawn) == 2


# -- when it shows another thing -----------------------------------------------------------------


def move(play: Play, _orla: User) -> None:
    play.move(0, "D4 90", 9_000)


def take_back(play: Play, orla: User) -> None:
    play.act(orla, "take back", 9_000)


def pause(play: Play, orla: User) -> None:
    play.act(orla, "pause", 9_000)


def void(play: Play, orla: User) -> None:
    play.act(orla, "void", 9_000)


def concede(play: Play, _orla: User) -> None:
    play.move(0, "concede", 9_000)


def rename(play: Play, _orla: User) -> None:
    MatchPlayer.objects.filter(match=play.pk, seat=0).update(name="Somebody else")


def restore(play: Play, _orla: User) -> None:
    """The database comes back from before, and the match is another one under its number."""
    other = started(play.players)
    placing(other).move(1, "concede", 4_000)
    row = Match.objects.filter(pk=other.pk).values("snapshot", "finished_at", "winner", "scores")
    Match.objects.filter(pk=play.pk).update(
        status="finished",
        reason="concession",
        deadline_at=None,
        wake_at=None,
        sweep_at=None,
        **row.get(),
    )


@pytest.mark.parametrize("kind", NOW)
@pytest.mark.parametrize("change", [move, take_back, pause, void, concede, rename, restore])
def test_what_changes_is_drawn_anew(
    change: Callable[[Play, User], None], kind: Kind, play: Play, orla: User, drawn: list[Picture]
) -> None:
    placing(play)
    before = get(play, kind)
    change(play, orla)
    after = get(play, kind, before["ETag"])
    assert after.status_code == 200
    assert after["ETag"] != before["ETag"]
    assert len(drawn) == 2
    assert after.content == picture(play, kind).draw()


@pytest.mark.parametrize("kind", NOW)
def test_a_sealed_choice_asks_for_no_picture(kind: Kind, play: Play, drawn: list[Picture]) -> None:
    before = get(play, kind)
    play.move(0, "pick T", 1000)
    assert get(play, kind, before["ETag"]).status_code == 304
    assert get(play, kind).content == before.content
    assert len(drawn) == 1


def test_what_is_kept_is_what_the_room_sees(ada: User, ben: User) -> None:
    """Whoever asked for it, and byte for byte: the same for every secret."""
    secrets = ("(3,2) DZ:DY hide DY", "(3,4) DZ:DY hide DY")
    shown = [kept_of_dominoes((ada, ben), hidden) for hidden in secrets]
    assert shown[0] == shown[1]


def kept_of_dominoes(players: tuple[User, User], hidden: str) -> set[bytes]:
    cache.clear()
    ada, ben = players
    play = started((ada, ben), "domino-black-white")
    play.move(0, "first", 1000)
    play.move(0, hidden, 2000)
    for user in (ada, ben, None):
        client = Client()
        if user is not None:
            client.force_login(user, backend="accounts.signin.backends.NameBackend")
        for page in ("", *ADDRESSES.values()):
            assert client.get(f"/matches/{play.pk}/{page}").status_code == 200
    room = {picture(play, kind, 1 if kind.stays else 0).draw() for kind in Kind}
    assert {each.content for each in kept().values()} == room
    return room


def test_who_comes_too_late_for_a_position_gets_the_next(
    play: Play, drawn: list[Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under the tag of what it is, and no second time."""
    placing(play)

    def late(_task: str, *arguments: Any, expires: float) -> bool:
        play.move(0, "D4 90", 9_000)
        tasks.draw(*arguments)
        return True

    monkeypatch.setattr(keeping, "enqueue", late)
    got = get(play, Kind.NOW_SVG)
    assert got.content.decode() == board_now(play.match)
    assert get(play, Kind.NOW_SVG, got["ETag"]).status_code == 304
    assert get(play, Kind.NOW_SVG).content == got.content
    assert len(drawn) == 1


# -- how long ------------------------------------------------------------------------------------


def test_the_last_picture_is_kept_longest_and_an_old_one_hardly(play: Play) -> None:
    release = configured.RELEASE
    placing(play)
    old = picture(play)
    get(play, Kind.NOW_SVG)
    assert keeping.SUPERSEDED_S < seconds_left(old, release) <= keeping.KEPT_S
    play.move(0, "D4 90", 9_000)
    get(play, Kind.NOW_PNG)  # another kind, which takes nobody's place
    assert seconds_left(old, release) > keeping.SUPERSEDED_S
    get(play, Kind.NOW_SVG)
    assert 0 < seconds_left(old, release) <= keeping.SUPERSEDED_S
    play.move(1, "concede", 10_000)
    get(play, Kind.NOW_SVG)
    assert keeping.KEPT_S < seconds_left(picture(play), release) <= keeping.KEPT_OVER_S


# -- where something is missing ------------------------------------------------------------------


@pytest.mark.parametrize("kind", Kind)
def test_a_picture_comes_without_a_worker(
    kind: Kind, play: Play, drawn: list[Picture], asked: list[Any]
) -> None:
    """The first waits for one in vain; then nobody waits for a while, whatever they ask for."""
    placing(play)
    assert get(play, kind).status_code == 200
    assert get(play, kind).status_code == 200
    assert (len(drawn), len(asked)) == (1, 1)
    play.move(0, "D4 90", 9_000)
    for each in Kind:
        assert get(play, each).status_code == 200
    assert len(asked) == 1


def test_of_many_who_find_no_worker_one_draws(
    play: Play, drawn: list[Picture], asked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    # However slow the machine: nobody gives up on whoever has begun.
    monkeypatch.setattr(keeping, "DONE_WITHIN", 6_000)
    wanted = picture(placing(play))
    gate = threading.Barrier(12)

    def come(_number: int) -> bytes:
        gate.wait()
        return picture_found(wanted)[1]

    with ThreadPoolExecutor(12) as threads:
        found = set(threads.map(come, range(12)))
    assert len(found) == len(drawn) == len(asked) == 1


def test_a_worker_that_dies_in_the_midst_holds_nobody_up(
    play: Play, drawn: list[Picture], asked: list[Any]
) -> None:
    wanted = picture(placing(play))
    cache.add(keeping._drawing(wanted.digest(configured.RELEASE)), 1, 10)
    assert picture_found(wanted)[1].decode() == board_now(play.match)
    assert get(play, Kind.NOW_SVG).status_code == 200
    assert len(drawn) == 1


def test_a_worker_that_fails_leaves_it_to_whoever_wants_it(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    placing(play)
    faults = [ValueError("no ink"), None]

    def draw(_picture: Picture) -> bytes:
        fault = faults.pop(0)
        if fault is not None:
            raise fault
        return b"<svg/>"

    def worker(_task: str, *arguments: Any, expires: float) -> bool:
        with pytest.raises(ValueError, match="no ink"):
            tasks.draw(*arguments)
        return True

    monkeypatch.setattr(Picture, "draw", draw)
    monkeypatch.setattr(keeping, "enqueue", worker)
    assert get(play, Kind.NOW_SVG).content == b"<svg/>"


def test_a_worker_of_another_release_draws_nothing(
    play: Play, drawn: list[Picture], settings: Any
) -> None:
    settings.RELEASE_IS_NAMED = True
    wanted = picture(placing(play))
    digest = wanted.digest("the next one")
    picture_draw(match_id=play.pk, kind="svg", number=0, digest=digest, release="the next one")
    assert drawn == []
    settings.RELEASE = "the next one"
    assert get(play, Kind.NOW_SVG).status_code == 200
    assert len(drawn) == 1


def test_a_worker_without_a_release_draws_for_all(play: Play, drawn: list[Picture]) -> None:
    placing(play)
    for release in ("one", "another"):
        digest = picture(play).digest(release)
        for _ in range(2):
            picture_draw(match_id=play.pk, kind="svg", number=0, digest=digest, release=release)
    assert len(drawn) == 2


def test_without_a_broker_it_is_drawn_at_once(
    play: Play, drawn: list[Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    placing(play)
    monkeypatch.setattr(keeping, "enqueue", lambda *_a, **_k: False)
    for kind in Kind:
        assert get(play, kind).status_code == 200
        assert get(play, kind).status_code == 200
    assert len(drawn) == len(Kind)


def test_without_a_cache_everybody_draws(
    play: Play, drawn: list[Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Away:
        def __getattr__(self, _name: str) -> Any:
            raise CacheAwayError

    placing(play)
    monkeypatch.setattr(keeping, "cache", Away())
    for kind in Kind:
        assert get(play, kind).status_code == 200
    assert picture_at_hand(picture(play, Kind.AFTER_PNG, 1))
    assert len(drawn) == len(Kind) + 1


@pytest.mark.parametrize(
    "kind", [Kind.NOW_SVG, Kind.NOW_PNG, Kind.AFTER_SVG, Kind.AFTER_PNG, Kind.CLIP]
)
def test_where_there_is_no_board_nothing_is_kept_of_it(kind: Kind, ada: User, ben: User) -> None:
    play = started((ada, ben), waits=True)
    assert get(play, kind).status_code == 409
    with pytest.raises(Refusal, match="no board"):
        picture_found(picture(play, kind, 1 if kind.stays else 0))
    assert [each.content for each in kept().values()] in ([], [b""], [b"", b""])
    assert Client().get("/matches/999999/board.svg").status_code == 404


def test_no_turn_asks_for_a_picture(play: Play, drawn: list[Picture], asked: list[Any]) -> None:
    """Not even where somebody has just been shown one."""
    get(play, Kind.NOW_SVG)
    before = (len(drawn), len(asked), set(kept()))
    placing(play).move(0, "D4 90", 9_000)
    play.move(1, "concede", 10_000)
    assert (len(drawn), len(asked), set(kept())) == before
