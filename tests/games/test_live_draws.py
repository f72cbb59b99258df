"""Draws that anybody can verify, in matches that are played: what is committed to, when, and that
nothing else decides what is drawn."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from html import unescape
from random import Random
from typing import Any

import pytest
from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.test import Client

from accounts.models import User
from accounts.tokens.services import token_create
from core import chance
from games.engine import draws as derived
from games.engine import records
from games.engine.ruleset import HeldItem
from games.engine.views import match_view
from games.models import Match, MatchDraws, MatchEntry, ServiceProcess
from games.options import pace
from games.reading.checking import match_check
from games.reading.records import record_bytes
from games.rulesets import REGISTRY
from games.services.arrivals import (
    match_attend,
    match_ready,
    match_void_waiting,
    nonce_commit,
    nonce_open,
)
from games.services.outage import beat_record
from games.services.turns import match_organise
from games.services.waking import match_wake
from tests.games.support import (
    GAMES,
    SECOND,
    T0,
    Play,
    Wire,
    committing,
    nothing_changes,
    record_holds,
    refused,
    started,
)

BOTH, NOBODY = (True, True), (False, False)
NONCES = ("20" * 32, "a1" * 32)
COMMITMENTS = tuple(derived.nonce_commitment(seat, NONCES[seat]) for seat in (0, 1))
HOUR = timedelta(hours=1)
LATEST = settings.GAUNTLET_NONCE_MS
SLOW = pace.options_at(REGISTRY.get("domain"), next(p for p in pace.PACES if p.id == "daily"))
SOUND = "What is drawn in this match can be verified once it is over."
ALONE = f"What is drawn follows from the server's seed alone: no player added a number. {SOUND}"


@pytest.fixture
def waiting(ada: User, ben: User) -> Play:
    return started((ada, ben), "domain", advantage=None, waits=True)


def view_of(play: Play, audience: Any = "room") -> dict[str, Any]:
    held = play.held
    return match_view(held.ruleset, held.live, audience, at=T0)


def commit(play: Play, seat: int, commitment: str = "", at: int = SECOND) -> None:
    with committing():
        nonce_commit(
            match_id=play.pk,
            acting_user=play.players[seat],
            seat=seat,
            commitment=commitment or COMMITMENTS[seat],
            at=T0 + at,
        )


def opens(play: Play, seat: int, nonce: str = "", at: int = 3 * SECOND) -> int:
    with committing():
        return nonce_open(
            match_id=play.pk,
            acting_user=play.players[seat],
            seat=seat,
            nonce=nonce or NONCES[seat],
            at=T0 + at,
        )


def attend(play: Play, at: int = 2 * SECOND, there: tuple[bool, bool] = BOTH) -> bool:
    with committing():
        return match_attend(match_id=play.pk, there=there, at=T0 + at)


def wake(play: Play, at: int) -> None:
    with committing():
        match_wake(match_id=play.pk, at=T0 + at)


def said(play: Play) -> list[tuple[int | None, str]]:
    """What the log says by itself, by seat."""
    events = MatchEntry.objects.filter(match=play.pk, actor="service").values_list("events")
    return [(each["seat"], each["text"]) for (row,) in events for each in row]


def drawn(play: Play) -> list[str]:
    """What chance gave, as the record has it."""
    return [text for actor, text, _ in play.entries if actor == "chance"]


def conceded(play: Play, at: int = 60 * SECOND) -> dict[str, Any]:
    """The draws of the record once seat 0 has given up, every one of them verified."""
    play.move(0, "concede", at)
    verdict = records.check(REGISTRY, record_bytes(play.match))
    assert verdict["draws"]["unverifiable"] == 0
    found: dict[str, Any] = dict(record_holds(play.match))["draws"]
    return found


# -- the seed ------------------------------------------------------------------------------------


@pytest.mark.parametrize("waits", [False, True])
def test_every_match_has_a_seed_and_says_what_it_hashes_to_before_anything_is_decided(
    ada: User, ben: User, waits: bool
) -> None:
    one, two = (started((ada, ben), waits=waits) for _ in range(2))
    seeds = [MatchDraws.objects.get(match=play.pk).seed for play in (one, two)]
    assert len({*seeds}) == 2
    for play, seed in zip((one, two), seeds, strict=True):
        for audience in (0, 1, "room"):
            assert view_of(play, audience)["draws"] == {
                "method": "hmac-sha256/1",
                "commitment": derived.seed_commitment(seed),
                "nonces": [{"commitment": None, "opened": False}] * 2,
            }
        assert match_check(play.pk).faults == ()


def test_what_is_handed_in_is_drawn_from_as_it_is(ada: User, ben: User) -> None:
    play = started((ada, ben), "domain", advantage=None, random=Random(3).random)
    assert not MatchDraws.objects.filter(match=play.pk).exists()
    assert "draws" not in view_of(play)
    play.move(0, "concede", SECOND)
    assert "draws" not in record_holds(play.match)


@pytest.mark.parametrize("columns", [
    {"seed": "ff" * 32},
    {"commitment": "ff" * 32},
    {"commitment_0": "ff" * 32},
    {"commitment_0": ""},
    {"commitment_0": "", "nonce_0": ""},
    {"nonce_0": "ff" * 32},
    {"nonce_0": ""},
    {"commitment_1": "no digits"},
    {"nonce_1": "ff" * 32},
])  # fmt: skip
def test_the_database_lets_nobody_change_what_was_committed_to(
    waiting: Play, columns: dict[str, str]
) -> None:
    row = MatchDraws.objects.filter(match=waiting.pk)
    row.update(commitment_0=COMMITMENTS[0])
    row.update(nonce_0=NONCES[0])
    with pytest.raises(IntegrityError), transaction.atomic():
        row.update(**columns)
    with pytest.raises(IntegrityError), transaction.atomic():
        row.delete()


@pytest.mark.parametrize("given", [
    {"commitment_1": COMMITMENTS[1]},
    {"commitment_1": COMMITMENTS[1], "nonce_1": NONCES[1]},
])  # fmt: skip
def test_the_database_takes_no_commitment_once_a_number_is_opened(
    waiting: Play, given: dict[str, str]
) -> None:
    row = MatchDraws.objects.filter(match=waiting.pk)
    row.update(commitment_0=COMMITMENTS[0])
    row.update(nonce_0=NONCES[0])
    with pytest.raises(IntegrityError), transaction.atomic():
        row.update(**given)


def test_the_database_takes_no_commitment_together_with_its_number(waiting: Play) -> None:
    row = MatchDraws.objects.filter(match=waiting.pk)
    with pytest.raises(IntegrityError), transaction.atomic():
        row.update(commitment_0=COMMITMENTS[0], nonce_0=NONCES[0])


def test_the_database_takes_another_commitment_until_a_number_is_opened(waiting: Play) -> None:
    row = MatchDraws.objects.filter(match=waiting.pk)
    for given in ("ff" * 32, COMMITMENTS[0]):
        row.update(commitment_0=given)
    for none in ({"commitment_0": ""}, {"commitment_0": "ff" * 32, "nonce_0": NONCES[0]}):
        with pytest.raises(IntegrityError), transaction.atomic():
            row.update(**none)
    assert row.get().commitment_0 == COMMITMENTS[0]


@pytest.mark.parametrize("how", ["begun", "void"])
def test_the_database_takes_nothing_once_a_match_has_begun_or_ended(
    waiting: Play, how: str
) -> None:
    row = MatchDraws.objects.filter(match=waiting.pk)
    row.update(commitment_0=COMMITMENTS[0])
    if how == "begun":
        Match.objects.filter(pk=waiting.pk).update(waits_until=None)
    else:
        match_void_waiting(match_id=waiting.pk, why="Nobody comes.", at=1000)
    for given in ({"commitment_1": COMMITMENTS[1]}, {"nonce_0": NONCES[0]}):
        with pytest.raises(IntegrityError), transaction.atomic():
            row.update(**given)
    # What changes nothing is refused to nobody.
    assert row.update(commitment_0=COMMITMENTS[0]) == 1


def test_the_checker_of_matches_sees_whatever_does_not_fit(waiting: Play) -> None:
    kept = waiting.match.snapshot
    seed = MatchDraws.objects.get(match=waiting.pk).seed
    assert match_check(waiting.pk).faults == ()
    Match.objects.filter(pk=waiting.pk).update(snapshot=kept.replace(seed, "ff" * 32))
    assert any("derived from something else" in each for each in match_check(waiting.pk).faults)
    Match.objects.filter(pk=waiting.pk).update(snapshot=kept)
    MatchDraws.objects.filter(match=waiting.pk).update(commitment_1=COMMITMENTS[1])
    assert any("derived from something else" in each for each in match_check(waiting.pk).faults)


# -- who comes without a number --------------------------------------------------------------------


def test_a_match_of_players_who_add_nothing_begins_at_once(waiting: Play, wire: Wire) -> None:
    assert attend(waiting) is True
    # What the log says of it, and the beginning.
    assert {frame["version"] for _, frame in wire.frames("step")} == {2, 3}
    assert said(waiting) == [(None, ALONE)]
    assert conceded(waiting)["nonces"] == [{}, {}]


@pytest.mark.parametrize(
    ("waits", "committed", "opened"),
    [
        (False, (), ()),  # begins at once, and takes none
        (True, (), ()),
        (True, (0,), ()),
        (True, (0, 1), ()),
        (True, (1,), (1,)),
    ],
)
def test_the_log_says_where_no_player_added_a_number(
    ada: User, ben: User, waits: bool, committed: tuple[int, ...], opened: tuple[int, ...]
) -> None:
    play = started((ada, ben), "domain", advantage=None, waits=waits, options={} if waits else SLOW)
    for seat in committed:
        commit(play, seat)
    if waits:
        attend(play)
    for seat in opened:
        opens(play, seat)
    wake(play, 2 * SECOND + LATEST + settings.GAUNTLET_SETTLE_MS + 1)
    assert view_of(play)["phase"] != "waiting"
    (last,) = [text for seat, text in said(play) if seat is None]
    assert last == (SOUND if opened else ALONE)
    assert match_check(play.pk).faults == ()
    for user in (None, ada):
        client = Client()
        if user is not None:
            client.force_login(user)
        page = client.get(f"/matches/{play.pk}/").content.decode()
        line = unescape(page.split('id="draws"')[1].split("</summary>")[0])
        assert line.endswith(
            "Draws follow from the server's seed; no player added a number" if not opened
            else "Draws can be verified" if user is None
            # Nothing protects her from the server and the other player together.
            else "not in them: the server and your opponent together could have chosen"
        )  # fmt: skip
    # The log that comes with the page counts on from there.
    log = Client().get(f"/api/v1/matches/{play.pk}/").json()["log"]
    assert [item["n"] for item in log] == list(range(1, len(log) + 1))
    play.move(0, "concede", 60 * SECOND)
    assert match_check(play.pk).faults == ()
    record_holds(play.match)


def test_what_draws_are_derived_from_is_told_until_it_changes_no_more(
    waiting: Play, wire: Wire
) -> None:
    for seat in (0, 1):
        commit(waiting, seat)
    attend(waiting)
    for seat in (0, 1):
        opens(waiting, seat)
    waiting.move(0, "concede", 60 * SECOND)
    views = [frame["view"] for _, frame in wire.frames("step")]
    begun = next(n for n, view in enumerate(views) if view["phase"] != "waiting")
    assert all("draws" in view for view in views[: begun + 3])
    assert all(each["opened"] for each in views[begun]["draws"]["nonces"])
    assert not any("draws" in view for view in views[begun + 3 :])
    assert len(views) > begun + 3
    assert "draws" in view_of(waiting)  # whoever comes later is told


# -- who comes with one ----------------------------------------------------------------------------


def test_both_numbers_are_opened_before_anything_is_drawn(waiting: Play, wire: Wire) -> None:
    for seat in (0, 1):
        commit(waiting, seat)
    assert attend(waiting) is False
    view = view_of(waiting)
    assert view["phase"] == "waiting"
    assert view["waiting"]["opens_until"] == T0 + 2 * SECOND + LATEST
    told = [f["view"]["waiting"].get("opens_until") for _, f in wire.frames("step")]
    assert told[-1] == T0 + 2 * SECOND + LATEST
    opens(waiting, 0)
    assert view_of(waiting)["draws"]["nonces"] == [
        {"commitment": COMMITMENTS[0], "opened": True},
        {"commitment": COMMITMENTS[1], "opened": False},
    ]
    assert drawn(waiting) == []
    opens(waiting, 1, at=4 * SECOND)
    assert view_of(waiting)["phase"] == "on"
    assert said(waiting) == [
        (0, "added a number to what is drawn"),
        (1, "added a number to what is drawn"),
        (None, "What is drawn in this match can be verified once it is over."),
    ]
    assert match_check(waiting.pk).faults == ()
    found = conceded(waiting)
    assert found["nonces"] == [
        {"commitment": one, "nonce": two} for one, two in zip(COMMITMENTS, NONCES, strict=True)
    ]
    assert match_check(waiting.pk).faults == ()


def test_the_match_begins_by_the_deadline_without_a_number_that_does_not_come(
    waiting: Play,
) -> None:
    commit(waiting, 0)
    commit(waiting, 1)
    attend(waiting)
    opens(waiting, 1)
    due = 2 * SECOND + LATEST
    with nothing_changes():
        wake(waiting, due)
    wake(waiting, due + settings.GAUNTLET_SETTLE_MS + 1)
    assert view_of(waiting)["phase"] == "on"
    assert said(waiting)[0] == (0, "did not open their number in time: a constant stands for it")
    assert said(waiting)[1] == (1, "added a number to what is drawn")
    found = conceded(waiting)
    assert found["nonces"] == [
        {"commitment": COMMITMENTS[0]},
        {"commitment": COMMITMENTS[1], "nonce": NONCES[1]},
    ]


def test_one_who_adds_a_number_waits_for_no_other(waiting: Play) -> None:
    commit(waiting, 1)
    assert attend(waiting) is False
    opens(waiting, 1)
    assert said(waiting)[0] == (0, "added no number to what is drawn")
    assert conceded(waiting)["nonces"][0] == {}


def test_a_player_who_leaves_while_numbers_are_opened_does_not_stop_it(waiting: Play) -> None:
    commit(waiting, 0)
    attend(waiting)
    assert attend(waiting, at=3 * SECOND, there=NOBODY) is False
    wake(waiting, 2 * SECOND + LATEST + settings.GAUNTLET_SETTLE_MS + 1)
    assert view_of(waiting)["phase"] == "on"


def test_the_wait_for_numbers_lasts_on_after_an_outage(waiting: Play) -> None:
    commit(waiting, 0)
    attend(waiting)
    due = 2 * SECOND + LATEST
    for at in (2 * SECOND, due + 60 * SECOND):
        beat_record(at=T0 + at)
    wake(waiting, due + 60 * SECOND)
    assert view_of(waiting)["phase"] == "waiting"
    opens(waiting, 0, at=due + 61 * SECOND)
    assert view_of(waiting)["phase"] == "on"


# -- what is not taken -----------------------------------------------------------------------------


def refusal(
    play: Play, code: str, call: Callable[..., Any], seat: int, at: int, **more: Any
) -> None:
    user = play.players[seat]
    refused(code, call, match_id=play.pk, acting_user=user, seat=seat, at=T0 + at, **more)


def test_nobody_chooses_once_anybody_may_have_opened(waiting: Play) -> None:
    refusal(waiting, "draws.not-committed", nonce_open, 0, 1, nonce=NONCES[0])
    refusal(waiting, "draws.commitment", nonce_commit, 0, 1, commitment="none")
    commit(waiting, 0)
    with nothing_changes():
        commit(waiting, 0)  # the same again, of another tab
    refusal(waiting, "draws.early", nonce_open, 0, 2, nonce=NONCES[0])
    attend(waiting)
    # The other one has not opened anything yet, and still nothing is taken.
    refusal(waiting, "draws.late", nonce_commit, 1, 2500, commitment=COMMITMENTS[1])
    refusal(waiting, "draws.nonce", nonce_open, 0, 3000, nonce=NONCES[1])
    refusal(waiting, "draws.late", nonce_open, 0, 2001 + LATEST, nonce=NONCES[0])
    opens(waiting, 0)
    with nothing_changes():
        opens(waiting, 0)
        commit(waiting, 0)
        refusal(waiting, "draws.late", nonce_commit, 1, 4500, commitment=COMMITMENTS[1])
        refusal(waiting, "draws.late", nonce_commit, 0, 4500, commitment=COMMITMENTS[1])
    refusal(waiting, "draws.not-committed", nonce_open, 1, 5000, nonce=NONCES[1])


def test_nobody_repeats_what_the_other_has_committed_to(waiting: Play) -> None:
    commit(waiting, 0)
    commit(waiting, 1, COMMITMENTS[0])
    attend(waiting)
    opens(waiting, 0)
    refusal(waiting, "draws.nonce", nonce_open, 1, 3500, nonce=NONCES[0])


# -- programs --------------------------------------------------------------------------------------


def test_a_program_brings_and_opens_its_number_by_saying_that_it_is_ready(waiting: Play) -> None:
    ada = waiting.players[0]

    def ready(at: int, there: tuple[bool, bool] = NOBODY, **more: Any) -> bool:
        with committing():
            return match_ready(
                match_id=waiting.pk, acting_user=ada, seat=0, there=there, at=T0 + at, **more
            )

    assert ready(SECOND, commitment=COMMITMENTS[0]) is False
    assert ready(2 * SECOND, there=(False, True)) is False
    assert view_of(waiting)["waiting"]["ready"] == [True, False]
    assert ready(3 * SECOND, nonce=NONCES[0]) is True
    assert conceded(waiting)["nonces"][0] == {"commitment": COMMITMENTS[0], "nonce": NONCES[0]}


def asked(user: User, path: str, body: dict[str, str] | None = None) -> Any:
    client = Client()
    client.force_login(user)
    with committing():
        if body is None:
            return client.get(path)
        return client.post(path, body, content_type="application/json")


def test_it_does_so_over_http(waiting: Play, ada: User, ben: User) -> None:
    address = f"/api/v1/matches/{waiting.pk}/"
    answer = asked(ada, f"{address}?here=true&commitment={COMMITMENTS[0]}").json()
    assert answer["view"]["draws"]["nonces"][0]["commitment"] == COMMITMENTS[0]
    # What another device brings takes its place, as long as not both are there.
    answer = asked(ada, f"{address}?here=true&commitment={'ff' * 32}").json()
    assert answer["view"]["draws"]["nonces"][0]["commitment"] == "ff" * 32
    asked(ada, f"{address}?here=true&commitment={COMMITMENTS[0]}")
    faulty = asked(ben, f"{address}ready/", {"commitment": "none"})
    assert (faulty.status_code, [*faulty.json()["fields"]]) == (400, ["commitment"])
    assert asked(ben, f"{address}ready/", {"commitment": COMMITMENTS[1]}).json()["begun"] is False
    assert "opens_until" in asked(ada, address).json()["view"]["waiting"]
    assert asked(ben, f"{address}ready/", {"nonce": NONCES[0]}).json()["code"] == "draws.nonce"
    assert asked(ben, f"{address}ready/", {"nonce": NONCES[1]}).json()["begun"] is False
    late = asked(ada, f"{address}ready/", {"commitment": "ff" * 32})
    assert (late.status_code, late.json()["code"]) == (409, "draws.late")
    assert asked(ada, f"{address}ready/", {"nonce": NONCES[0]}).json()["begun"] is True
    # What was taken is said again; nothing else is dropped in silence.
    again = asked(ada, f"{address}ready/", {"commitment": COMMITMENTS[0]})
    assert (again.status_code, again.json()["begun"]) == (200, True)
    late = asked(ada, f"{address}ready/", {"commitment": "ff" * 32})
    assert (late.status_code, late.json()["code"]) == (409, "draws.late")


def test_whoever_commits_once_a_match_has_begun_at_once_is_told_that_it_is_late(
    ada: User, ben: User
) -> None:
    play = started((ada, ben))
    answer = asked(ada, f"/api/v1/matches/{play.pk}/ready/", {"commitment": COMMITMENTS[0]})
    assert (answer.status_code, answer.json()["code"]) == (409, "draws.late")
    assert MatchDraws.objects.get(match=play.pk).commitment_0 == ""


# -- another device --------------------------------------------------------------------------------


def test_another_device_commits_anew_and_opens_what_it_has(waiting: Play) -> None:
    commit(waiting, 0, derived.nonce_commitment(0, "77" * 32))
    commit(waiting, 1)
    commit(waiting, 0)
    assert match_check(waiting.pk).faults == ()
    attend(waiting)
    # From here on it stays, be it that nothing has been opened yet.
    refusal(waiting, "draws.late", nonce_commit, 0, 2500, commitment="ff" * 32)
    refusal(waiting, "draws.nonce", nonce_open, 0, 2500, nonce="77" * 32)
    opens(waiting, 0)
    refusal(waiting, "draws.late", nonce_commit, 1, 3500, commitment="ff" * 32)
    opens(waiting, 1)
    assert [text for seat, text in said(waiting) if seat == 0] == [
        "added a number to what is drawn"
    ]
    found = conceded(waiting)
    assert [each["nonce"] for each in found["nonces"]] == [*NONCES]
    assert match_check(waiting.pk).faults == ()


# -- a match that is certain to begin -------------------------------------------------------------


@pytest.fixture
def certain(ada: User, ben: User) -> Play:
    return started((ada, ben), "domain", advantage=None, waits=True, certain=True)


GATHER = settings.GAUNTLET_GATHER_MS


def test_one_that_is_certain_takes_numbers_like_any_other(certain: Play) -> None:
    assert view_of(certain)["waiting"] == {
        "until": T0 + GATHER, "ready": [False, False], "certain": True,
    }  # fmt: skip
    for seat in (0, 1):
        commit(certain, seat)
    assert attend(certain, there=(True, False)) is False
    assert attend(certain) is False
    for seat in (0, 1):
        opens(certain, seat)
    assert [each["nonce"] for each in conceded(certain)["nonces"]] == [*NONCES]


@pytest.mark.parametrize("seats", [(), (0,), (1,)])
def test_one_that_is_certain_begins_whoever_is_there(certain: Play, seats: tuple[int, ...]) -> None:
    for seat in seats:
        commit(certain, seat)
    with nothing_changes():
        wake(certain, GATHER)
    wake(certain, GATHER + 1)
    for seat in seats:
        opens(certain, seat, at=GATHER + SECOND)
    assert view_of(certain)["phase"] == "on"
    assert certain.match.waits_until is None
    nonces = conceded(certain)["nonces"]
    assert [each.get("nonce") for each in nonces] == [
        NONCES[seat] if seat in seats else None for seat in (0, 1)
    ]


def test_one_without_a_seed_waits_for_nothing(ada: User, ben: User) -> None:
    play = started(
        (ada, ben), "domain", advantage=None, waits=True, certain=True, random=Random(3).random
    )
    assert "waiting" not in view_of(play)


def test_a_stream_brings_a_commitment_with_it(waiting: Play, ada: User) -> None:
    _row, token = token_create(acting_user=ada, name="bot", scopes=("read",), lasts=HOUR)
    client = Client(headers={"Authorization": f"Bearer {token}"})
    address = f"/api/v1/matches/{waiting.pk}/stream/?commitment="
    assert client.get(f"{address}{COMMITMENTS[0]}").status_code == 403
    _row, token = token_create(acting_user=ada, name="two", scopes=("read", "play"), lasts=HOUR)
    client = Client(headers={"Authorization": f"Bearer {token}"})
    assert client.get(f"{address}none").json()["code"] == "draws.commitment"
    assert client.get(f"{address}{COMMITMENTS[0]}").status_code == 200
    assert view_of(waiting)["draws"]["nonces"][0]["commitment"] == COMMITMENTS[0]


# -- what nobody is told ---------------------------------------------------------------------------


def phases(play: Play) -> Iterator[str]:
    """A match that waits, through all that is said of draws before it is played."""
    yield "waits"
    for seat in (0, 1):
        commit(play, seat)
        yield f"committed {seat}"
    attend(play)
    yield "opening"
    opens(play, 0)
    yield "opened"
    opens(play, 1)
    yield "on"


def test_two_matches_that_differ_in_their_seed_alone_look_alike(ada: User, ben: User) -> None:
    """In every phase, to everybody, but for what the seed hashes to."""

    def seen() -> Iterator[tuple[str, str]]:
        play = started((ada, ben), waits=True)
        commitment = MatchDraws.objects.get(match=play.pk).commitment
        for phase in phases(play):
            for audience in (0, 1, "room"):
                text = json.dumps(view_of(play, audience))
                assert text.count(commitment) == 1
                yield phase, text.replace(commitment, "")

    assert list(seen()) == list(seen())


def test_no_page_and_no_answer_tells_a_secret(waiting: Play, ada: User, ben: User) -> None:
    secrets = (MatchDraws.objects.get(match=waiting.pk).seed, *NONCES)
    address = f"/api/v1/matches/{waiting.pk}/"
    pages = (address, f"{address}chat/", f"/matches/{waiting.pk}/", "/api/v1/matches/", "/watch/")
    for _ in phases(waiting):
        for user in (None, ada, ben):
            client = Client()
            if user is not None:
                client.force_login(user)
            for page in pages:
                text = client.get(page).content.decode()
                assert [each for each in secrets if each in text] == [], page


def test_no_seed_leaves_the_server_before_the_end(waiting: Play, wire: Wire) -> None:
    for seat in (0, 1):
        commit(waiting, seat)
    attend(waiting)
    opens(waiting, 0)
    opens(waiting, 1)
    waiting.move(0, "concede", 60 * SECOND)
    secrets = {MatchDraws.objects.get(match=waiting.pk).seed, *NONCES}
    frames = json.dumps([frame for _, frame in wire.frames()])
    assert COMMITMENTS[0] in frames
    assert [each for each in secrets if each in frames] == []


# -- take-backs ------------------------------------------------------------------------------------


def organised(play: Play, text: str, organiser: User, at: int) -> None:
    with committing():
        match_organise(
            match_id=play.pk, acting_user=organiser, client_id=f"o{at}", text=text,
            why="Once more.", at=T0 + at,
        )  # fmt: skip


# What chance draws after submissions, which can be taken back; the lot and pools come before any.
DRAWN_AFTER = {"domino-wars": {"pile"}, "peg-domain": {"pallet"}}


@pytest.mark.parametrize(("ruleset", "variant"), GAMES)
def test_whoever_takes_back_and_has_it_drawn_again_gets_the_same(
    ruleset: str, variant: str, ada: User, ben: User, orla: User
) -> None:
    """Whatever is drawn after a submission, of each game: taken back, and played once more."""
    play = started((ada, ben), ruleset, variant=variant, advantage=None)
    random, at, again = Random(5), 0, set[str]()
    for _ in range(14):
        held = play.held
        if held.is_over:
            break
        at += 4 * SECOND
        table = held.live.table
        seat = next(s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s))
        text, before = play.random_move(seat, random.random), len(play.entries)
        play.move(seat, text, at)
        outcomes = [each for each in play.entries[before:] if each[0] == "chance"]
        if not outcomes or play.held.is_over:
            continue
        organised(play, "take back", orla, at + SECOND)
        seat_now = play.held.live.table.open[seat]
        assert seat_now is not None
        before = len(play.entries)
        play.move(seat, text, at + 2 * SECOND)
        assert [each for each in play.entries[before:] if each[0] == "chance"] == outcomes
        again.update(each[1].split()[0] for each in outcomes)
    assert again == DRAWN_AFTER.get(ruleset, set())


@pytest.mark.parametrize(("ruleset", "kind"), [("tetronogo", "pick"), ("domino-wars", "deck")])
def test_what_is_drawn_for_a_choice_that_never_came_is_the_same_again(
    ruleset: str, kind: str, ada: User, ben: User, orla: User
) -> None:
    """One chooses, the other lets time run out; the choice is taken back, and it goes the same way
    once more."""
    play = started((ada, ben), ruleset)
    text = play.random_move(0, Random(7).random)

    def gone_by(at: int) -> int:
        play.move(0, text, at)
        deadline = (play.match.deadline_at or 0) - T0
        wake(play, deadline + SECOND)
        return deadline + 2 * SECOND

    at = gone_by(SECOND)
    organised(play, "take back", orla, at)
    gone_by(at + SECOND)
    found = [each for each in drawn(play) if each.startswith(f"{kind} 1")]
    assert len(found) == 2
    assert len({*found}) == 1


def test_a_mulligan_is_the_same_again(ada: User, ben: User, orla: User) -> None:
    items = (HeldItem(0, "hand-mulligan"),)
    play = started((ada, ben), "domino-wars", items=items)
    random, at = Random(7), 0
    while not any(text.startswith("pile 1") for text in drawn(play)):
        at += 4 * SECOND
        table = play.held.live.table
        seat = next(s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s))
        play.move(seat, play.random_move(seat, random.random), at)
    for _ in range(2):
        at += 4 * SECOND
        play.move(0, "mulligan", at)
        organised(play, "take back", orla, at + SECOND)
    first, again = (text for text in drawn(play) if text.startswith("mulligan"))
    assert first == again


def test_chance_decides_by_the_seed_alone(ada: User, ben: User) -> None:
    """A source that is handed in later is not drawn from."""
    play = started((ada, ben), "domain", advantage=None)
    assert chance.system is not play.random or drawn(play)
    row = MatchDraws.objects.get(match=play.pk)
    lot = derived.Draws(row.seed).numbers("lot")(2)
    assert drawn(play)[0] == f"lot {lot}"


# -- beside a release that knows no seeds --------------------------------------------------------


def old_process() -> None:
    """The sign of life of a process of the release before, as it writes it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO games_serviceprocess"
            " (id, kind, host, pid, started_at, at, skew_ms, skew_out_by_ms, ahead_ms)"
            " VALUES (gen_random_uuid(), 'web', 'one', 7, %s, %s, 0, 0, 0)",
            (T0, T0),
        )


@pytest.mark.parametrize("waits", [True, False])
def test_a_match_that_an_old_process_may_go_on_with_has_no_seed(
    ada: User, ben: User, waits: bool
) -> None:
    ServiceProcess.objects.create(
        kind="web", host="two", pid=8, started_at=T0, at=T0, derives_draws=True
    )
    old_process()
    play = started((ada, ben), "domain", advantage=None, waits=waits)
    assert "draws" not in view_of(play)
    assert not MatchDraws.objects.exists()
    if waits:
        with nothing_changes():
            commit(play, 0)
        assert attend(play)
    play.move(0, "concede", 60 * SECOND)
    assert "draws" not in record_holds(play.match)
    ServiceProcess.objects.filter(derives_draws=False).delete()
    assert "draws" in view_of(started((ada, ben), "domain", advantage=None, waits=waits))


def test_what_an_old_process_went_on_with_is_said_to_be_without(waiting: Play) -> None:
    """After a release was taken back: its record states no seed that its draws do not follow
    from."""
    row = waiting.match
    snapshot = json.loads(row.snapshot)
    del snapshot["live"]["draws"]
    Match.objects.filter(pk=row.pk).update(snapshot=json.dumps(snapshot))
    assert attend(waiting)
    waiting.move(0, "concede", 60 * SECOND)
    record = record_bytes(waiting.match)
    assert "draws" not in json.loads(record)
    assert records.check(REGISTRY, record)["ok"]
    (fault,) = match_check(waiting.pk).faults
    assert "a process of an earlier release" in fault
