"""Whatever is handed in is either taken or refused with a code: never a fault, and within bounds.

Frames, records, seasons, uploads, bodies of the API, moves: each kind by itself, straight to what
takes it in, so that thousands can be tried (`script/fuzz`). Anything but a Refusal fails a test,
and so does an answer of 5xx.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from http.cookies import SimpleCookie
from itertools import product
from typing import Any, Final, get_args

import pytest
from asgiref.sync import async_to_sync
from channels.routing import URLRouter
from django.core.cache import cache as kept
from django.urls import resolve
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from accounts.models import User
from core.api.index import schema
from core.refusals import Refusal
from games.engine import play, records
from games.engine.capabilities import supplier, supplies_of
from games.engine.draws import seed_commitment
from games.pictures import outlines
from games.rulesets import REGISTRY
from games.services.matches import record_import
from games.sockets.incoming import Incoming, incoming
from games.sockets.limits import Bucket
from games.sockets.routing import websocket_urlpatterns
from tests.api.schema import Operation, operations
from tests.engine.drawn_play import DrawnGame
from tests.engine.playthroughs import playthroughs
from tests.permissions.test_faults import _found
from tests.permissions.world import NONCE, Savepoint, Who, World, photograph
from tests.security.handed_in.fuzzing import (
    bounded,
    broken,
    changed,
    examples,
    is_enough,
    near,
    texts,
    values,
    written,
)
from tests.support.sockets import KnownVisitor, LocalSocket
from tests.tournaments.test_documents import zipped
from tournaments.documents.export import season_records
from tournaments.documents.restore import season_import
from tournaments.photographs import SQUARE, WIDE, sizes_of

RULESETS: Final = list(REGISTRY)
RECORDS: Final = [json.loads(path.read_text()) for path in playthroughs()]
MOVES: Final = sorted(
    {str(move.get("move", "pass")) for record in RECORDS for move in record["moves"]}
)


@pytest.fixture(autouse=True)
def within_bounds() -> Iterator[None]:
    """Whatever of a kind is handed in, the process keeps within its bounds."""
    with bounded():
        yield


def is_taken(call: Any, *args: Any, **more: Any) -> bool:
    """Whether it was taken; anything but that and a refusal is a fault."""
    try:
        call(*args, **more)
    except Refusal as refusal:
        refused = refusal
    else:
        return True
    assert "." in refused.code, refused.code
    assert refused.sentence.strip(), refused.code
    return False


# -- frames ---------------------------------------------------------------------------------------


def frames(match: int, version: int = 3) -> list[dict[str, Any]]:
    """Whole ones, about a match: one of each kind at least."""
    about = {"id": "x", "match": match}
    return [
        {"type": "submit", **about, "text": "pick T", "version": version},
        {"type": "submit", **about, "text": "pick T", "version": 0},
        {"type": "sync", "known": {"version": version}},
        {"type": "chat", "id": "x", "room": "players", "text": "Hello"},
        {"type": "chat", "id": "x", "room": "spectators", "text": "Hello"},
        {"type": "chat.history", "room": "players"},
        {"type": "ping", "at": 1.5, "received": 3, "hidden": True},
        {"type": "nonce", **about, "nonce": "00" * 32},
        {"type": "nonce", **about, "nonce": NONCE},
        {"type": "nonce", **about, "without": True},
        *(
            {"type": "organise", "id": "x", "text": text, "why": "Lights"}
            for text in ("pause", "resume", "extend 0 60", "reserve 1 -5", "take back", "void")
        ),
        {"type": "submit", **about, "text": "concede", "version": version},
    ]


def any_frames(match: int, version: int = 3) -> st.SearchStrategy[bytes]:
    """Frames about a match, whole, damaged, or none at all."""
    whole = frames(match, version)
    return st.one_of(
        st.sampled_from(whole).map(written),
        changed(whole).map(written),
        values.map(written),
        st.binary(max_size=60),
    )


def test_there_is_a_frame_of_every_kind() -> None:
    kinds = {each.__struct_config__.tag for each in get_args(Incoming)}
    assert {frame["type"] for frame in frames(1)} == kinds


@examples(300)
@given(any_frames(1))
def test_frames(frame: bytes) -> None:
    is_taken(incoming, frame.decode("utf-8", "surrogateescape"))


@async_to_sync
async def answers(match: int, user: User | None, sent: list[bytes]) -> list[dict[str, Any]]:
    """What a match's socket answers to somebody, until it has dealt with everything, or closes.
    What is no text comes as bytes: servers let no other text through."""
    socket = LocalSocket(URLRouter(websocket_urlpatterns), f"/ws/v1/matches/{match}/")
    socket.scope["visitor"] = KnownVisitor(user)
    await socket.connect()
    for each in filter(None, (*sent, written({"type": "ping", "at": -7.0}))):
        try:
            await socket.send_to(each.decode())
        except UnicodeDecodeError:
            await socket.send_to(bytes_data=each)
    heard: list[dict[str, Any]] = []
    while not heard or not _ends(heard[-1]):
        heard.append(json.loads(await socket.receive_from()))
    await socket.disconnect()
    return heard


def _ends(frame: dict[str, Any]) -> bool:
    return frame["type"] == "closing" or (frame["type"], frame.get("at")) == ("pong", -7.0)


#: In which situations, and as whom, frames come to a match: both of the seats, and whoever referees
#: or watches.
SITUATIONS: Final = ("running", "waiting", "opening", "disputed")
SENDERS: Final = ("player1", "player2", "orla", "paul", None)
#: What whole ones are answered, among other things: they come further than to the parser.
REACHED: Final = {
    "ack", "seat.none", "version.stale", "draws.not-committed", "draws.nonce", "chat.history",
    "organiser.not-allowed",
}  # fmt: skip


@pytest.mark.django_db
def test_frames_that_come_to_a_match(fuzzed: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past the parser: what does something does it, or is refused, and the socket goes on."""
    # Nobody sends too much here.
    monkeypatch.setattr(Bucket, "take", lambda *_tokens: 0.0)
    matches = {name: fuzzed.scene(name).match for name in SITUATIONS}
    for match in matches.values():
        match.refresh_from_db()
    heard: set[str] = set()

    def send(sender: str | None, match: int, sent: list[bytes]) -> None:
        kept.clear()
        with Savepoint():
            user = None if sender is None else User.objects.get(username=sender)
            for answer in answers(match, user, sent):
                heard.add(answer.get("code", answer["type"]))
                if answer["type"] in ("error", "refused", "closing"):
                    assert "." in answer["code"], answer
                    assert answer["sentence"].strip(), answer

    for sender, match in product(SENDERS, matches.values()):
        send(sender, match.pk, [written(each) for each in frames(match.pk, match.seq)])
    assert heard >= REACHED, REACHED - heard

    @examples(40)
    @given(
        st.sampled_from(SENDERS),
        st.sampled_from([(match.pk, match.seq) for match in matches.values()]).flatmap(
            lambda about: st.tuples(
                st.just(about[0]), st.lists(any_frames(*about), min_size=1, max_size=4)
            )
        ),
    )
    def tried(sender: str | None, about: tuple[int, list[bytes]]) -> None:
        send(sender, *about)

    tried()


# -- moves and records ----------------------------------------------------------------------------


@examples(300)
@given(
    st.sampled_from(RULESETS),
    st.one_of(texts, st.sampled_from(MOVES).flatmap(near)),
)
def test_moves(rules: Any, text: str) -> None:
    with suppress(Refusal):
        move = rules.parse(text)
        assert rules.parse(rules.print(move)) == move
    with suppress(Refusal):
        rules.parse_chance(text)


@cache
def drawn() -> list[Any]:
    """Records of matches whose draws can be verified: of every ruleset one that is over, and one
    that goes on."""
    found = []
    for number, rules in enumerate(RULESETS):
        over, on = (DrawnGame(rules, seed).play(30) for seed in (number, number + len(RULESETS)))
        over.submit(0, "concede")
        found += [over.record, on.record]
    return found


def _with_other_draws(record: Any) -> Any:
    """Strategy: only what the draws are derived from is damaged, which is little of a record; or it
    is exchanged for something that is just as good in form."""
    draws = record["draws"]
    number = st.binary(min_size=32, max_size=32).map(bytes.hex)
    exchanged = st.fixed_dictionaries(
        {},
        optional={"seed": number, "commitment": number, "nonces": st.just(draws["nonces"][::-1])},
    )
    fits = number.map(lambda seed: {"seed": seed, "commitment": seed_commitment(seed)})
    other = st.one_of(
        changed([draws]), st.one_of(exchanged, fits).map(lambda new: {**draws, **new})
    )
    return other.map(lambda new: {**record, "draws": new})


any_records = st.one_of(
    changed(RECORDS),
    st.deferred(lambda: changed(drawn())),
    st.deferred(lambda: st.sampled_from(drawn()).flatmap(_with_other_draws)),
)
#: What is said of records whose draws cannot stand.
SAID_OF_DRAWS: Final = ("the seed is not what was committed to", "nonce", "The seed and the nonces")


def test_records() -> None:
    said: set[str] = set()

    @examples(120)
    @given(any_records)
    def tried(record: Any) -> None:
        verdict = records.check(REGISTRY, written(record), steps=True)
        assert verdict["ok"] in (True, False)
        assert verdict["ok"] or verdict["error"]
        said.add("whole" if verdict["ok"] else str(verdict["error"]))

    tried()
    # Seeds, nonces and commitments were among what was damaged.
    about = {part: any(part in each for each in said) for part in SAID_OF_DRAWS}
    assert not is_enough(120) or all(about.values()), about


@examples(60)
@given(
    st.one_of(
        values.map(written),
        broken([written(each) for each in RECORDS[:4]]),
        st.deferred(lambda: broken([written(each) for each in drawn()[:4]])),
    )
)
def test_files_that_are_hardly_records(data: bytes) -> None:
    assert records.check(REGISTRY, data)["ok"] in (True, False)


@examples(120)
@given(st.data())
def test_what_is_played_in_a_match(data: Any) -> None:
    """Moves of others, and moves that are nearly such, at any point of any match."""
    record = data.draw(st.sampled_from(RECORDS))
    sound = records.read(written(record))
    ruleset, header = records.header_of(REGISTRY, sound)
    table = play.opened(ruleset, header)
    entries = [records.entry_of(move) for move in sound.moves]
    here = data.draw(st.integers(0, min(len(entries), 12)))
    for reckoned in records.replay(ruleset, header, entries[:here]):
        table = reckoned.table
    text = data.draw(st.one_of(texts, st.sampled_from(MOVES).flatmap(near)))
    for seat in (0, 1):
        is_taken(play.submitted, ruleset, table, seat=seat, text=text, reading_ms=0)


# -- files ----------------------------------------------------------------------------------------


def _pictures() -> list[bytes]:
    made = []
    for kind in ("PNG", "WEBP", "GIF", "BMP", "TIFF", "JPEG"):
        for mode in ("RGB", "L") if kind == "JPEG" else ("RGB", "P", "L"):
            file = io.BytesIO()
            Image.new(mode, (90, 120), 3).save(file, kind)
            made.append(file.getvalue())
    return [*made, photograph()]


@examples(120)
@given(broken(_pictures()), st.sampled_from((SQUARE, WIDE)))
def test_pictures(data: bytes, shape: Any) -> None:
    with bounded():
        is_taken(sizes_of, data, shape)


_SVG: Final = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="10cm" height="10cm">'
    b'<g transform="translate(3 4) rotate(30 5 5) scale(2)"><path d="M 1 1 L 5 1 C 6 2 7 3 8 9 A 3'
    b' 4 5 1 0 9 9 Z m 2 2 h 4 v 4 q 1 1 2 2 t 3 3 s 1 1 2 2 z"/><polygon points="1,1 4,4 2,8"/>'
    b'<rect x="1" y="2" width="30%" height="4" rx="1"/><circle cx="5" cy="5" r="2"/></g></svg>'
)
_BOMB: Final = (
    b'<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    b'<svg xmlns="http://www.w3.org/2000/svg"><path d="M 0 0 L 1 1 &b; Z"/></svg>'
)


@examples(200)
@given(
    st.one_of(
        broken([_SVG, _BOMB]),
        near(_SVG.decode()).map(lambda text: text.encode("utf-8", "surrogatepass")),
    )
)
def test_drawings(data: bytes) -> None:
    with bounded():
        is_taken(outlines.outlines_of, data)


SUPPLIES: Final = [
    (ruleset, supply.key, text)
    for ruleset in REGISTRY
    for supply in supplies_of(ruleset)
    for text in supplier(ruleset).supply_files(supply.key).values()
]


@examples(80)
@given(st.sampled_from(SUPPLIES).flatmap(lambda each: st.tuples(st.just(each), near(each[2]))))
def test_supplies(each: Any) -> None:
    (ruleset, key, _text), text = each
    report = supplier(ruleset).validate_supply(key, text)
    assert report.value or report.faults
    for variant in ruleset.variants if report.value else ():
        is_taken(supplier(ruleset).supplied, key, report.value, variant.id)


# -- what is stored -------------------------------------------------------------------------------


@pytest.fixture
def fuzzed(world: World) -> Iterator[World]:
    """The world, in which everything is undone, also the scenes that are first asked for here."""
    scenes, besides = dict(world.scenes), dict(world.besides)
    with Savepoint():
        yield world
    world.scenes, world.besides = scenes, besides


@pytest.mark.django_db
def test_records_that_are_imported(fuzzed: World) -> None:
    orla = fuzzed.users["orla"]

    @examples(60)
    @given(any_records)
    def tried(record: Any) -> None:
        with Savepoint():
            is_taken(record_import, acting_user=orla, data=written(record))

    tried()


def _archives(world: World) -> list[dict[str, bytes]]:
    """The files of whole seasons: such as have not begun, and such as have been played in."""
    found = []
    for name in ("applied", "enrolling", "between", "decided", "round played"):
        archive = zipfile.ZipFile(io.BytesIO(season_records(season=world.scene(name).season)))
        found.append({each: archive.read(each) for each in archive.namelist()})
    return found


@pytest.mark.django_db
def test_seasons_that_are_imported(fuzzed: World) -> None:
    orla: User = fuzzed.users["orla"]
    archives = _archives(fuzzed)
    for archive in archives:
        with Savepoint():
            assert is_taken(season_import, acting_user=orla, data=zipped(archive), beside=True)
    numbers = list(range(len(archives)))
    documents = {number: json.loads(archives[number]["season.json"]) for number in numbers}

    @examples(60)
    @given(
        st.sampled_from(numbers).flatmap(
            lambda n: st.tuples(st.just(archives[n]), changed([documents[n]]))
        )
    )
    def tried(pair: Any) -> None:
        archive, document = pair
        data = zipped({**archive, "season.json": written(document)})
        with Savepoint():
            is_taken(season_import, acting_user=orla, data=data, beside=True)

    tried()

    @examples(60)
    @given(st.one_of(broken([zipped(each) for each in archives]), values.map(written)))
    def torn(data: bytes) -> None:
        with Savepoint(), bounded():
            is_taken(season_import, acting_user=orla, data=data, beside=True)

    torn()


# -- bodies of the API ----------------------------------------------------------------------------


@pytest.mark.django_db
def test_bodies_of_the_api(fuzzed: World, settings: Any) -> None:
    """Every endpoint that takes a body, as the administrator, who gets furthest: with the fields
    that it has, filled in with anything."""
    paths = {place.name: place.path for place in _found(fuzzed)}
    known = [
        (each.method.upper(), paths[resolve(each.address()).view_name], sorted(_fields(each)))
        for each in operations()
        if each.writes
    ]
    assert len(known) > 50
    browser = fuzzed.clients[Who.ADMIN]
    cookies = browser.cookies.output(header="", sep=";")

    @examples(300)
    @given(st.data())
    def tried(data: Any) -> None:
        method, path, fields = data.draw(st.sampled_from(known))
        named = st.one_of(st.sampled_from(fields), texts) if fields else texts
        whole = st.fixed_dictionaries(dict.fromkeys(fields, values))
        body = data.draw(st.one_of(whole, st.dictionaries(named, values, max_size=6), values))
        browser.cookies = SimpleCookie(cookies)
        with Savepoint():
            answer = browser.generic(method, path, written(body), "application/json")
        assert answer.status_code < 500, (method, path)

    tried()


def _fields(operation: Operation) -> set[str]:
    """The fields of the body that an endpoint takes."""
    content = operation.described.get("requestBody", {}).get("content", {})
    told = content.get("application/json", {}).get("schema", {})
    reference = told.get("$ref", "").rpartition("/")[2]
    return set(schema()["components"]["schemas"].get(reference, told).get("properties", {}))
