"""What players plan for themselves: what is kept, who sees it, who is told, and what is refused."""

from __future__ import annotations

import asyncio
import copy
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any

import httpx
import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client

from accounts.models import AuditEntry, User
from accounts.moderation.merging import merge_preview, user_merge
from accounts.moderation.sanctions import user_suspend
from accounts.services import user_close
from accounts.tokens.services import token_create
from core.refusals import Refusals
from games.models import Match, MatchEntry, MatchPlayer, Plan
from games.models.plans import TEXT_MAX
from games.publishing.publish import encode
from games.reading.records import record_bytes
from games.services.plans import BYTES_MAX, Kept, content_of, plan_of, plan_save
from tests.games.client import Reader
from tests.games.desk import Desk
from tests.games.support import SECOND, Play, Wire, committing, nothing_changes, refused, started
from tests.support.site import Site

EMPTY: dict[str, Any] = {
    "version": 1, "candidates": [], "shown": 0, "note": "", "premove": None,
    "wanted": [],
}  # fmt: skip
RICH: dict[str, Any] = {
    "version": 1,
    "candidates": [
        {
            "name": "Along the edge",
            "items": [
                {"kind": "move", "text": "D4 90", "colour": 0},
                {"kind": "arrow", "board": 0, "from": [0, 10_000], "to": [5, 6], "colour": 1},
                {"kind": "mark", "board": 7, "at": [1, 2], "sign": "question", "colour": 3},
                {"kind": "cut", "board": 1, "points": [[0, 0], [9, 0], [9, 9]], "colour": 2},
                {"kind": "note", "board": 0, "at": [3, 4], "text": "What if?\nThen I lose."},
                {"kind": "line", "board": 0, "points": [[0, 0], [9, 9]], "colour": 0},
            ],
        },
        {"name": "", "items": []},
    ],
    "shown": 1,
    "note": "Ben hides something low: \u2264 3.",
    "premove": {"text": "pick T", "decision": "2.pick.0"},
    "wanted": ["07", "12", "\u00e9"],
}


def save(user: User, play: Play, revision: int = 0, content: Any = RICH) -> Kept:
    with committing():
        return plan_save(
            acting_user=user, match_id=play.pk, revision=revision, content=copy.deepcopy(content)
        )


def seen(user: User, play: Play) -> Kept:
    return plan_of(match_id=play.pk, user=user)


# -- keeping -------------------------------------------------------------------------------------


def test_what_is_kept_comes_back(play: Play, ada: User) -> None:
    assert seen(ada, play) == Kept(0, EMPTY)
    assert save(ada, play) == Kept(1, RICH)
    assert seen(ada, play) == Kept(1, RICH)
    assert save(ada, play, 1, EMPTY) == Kept(2, EMPTY)
    assert seen(ada, play) == Kept(2, EMPTY)


def test_each_of_the_players_has_one_of_their_own_for_each_match(
    play: Play, ada: User, ben: User
) -> None:
    other = started((ben, ada))
    save(ada, play)
    save(ben, play, content={**EMPTY, "note": "Ben's"})
    assert seen(ada, play).content == RICH
    assert seen(ben, play).content["note"] == "Ben's"
    assert seen(ada, other) == seen(ben, other) == Kept(0, EMPTY)


def test_what_was_changed_meanwhile_is_not_written_over(play: Play, ada: User) -> None:
    save(ada, play)
    for revision in (0, 2, 7):
        refused("plan.changed", save, user=ada, play=play, revision=revision, content=EMPTY)
    save(ada, play, 1, EMPTY)
    refused("plan.changed", save, user=ada, play=play, revision=1)
    assert seen(ada, play) == Kept(2, EMPTY)


@pytest.mark.parametrize("name", ["premove", "wanted"])
def test_what_a_save_does_not_name_stays_as_it_is(play: Play, ada: User, name: str) -> None:
    """A page of an earlier release knows nothing of it."""
    plan_save(acting_user=ada, match_id=play.match.pk, revision=0, content=RICH)
    older = {key: value for key, value in RICH.items() if key != name}
    for _ in range(2):  # the second time, since its answer was lost
        kept = plan_save(
            acting_user=ada, match_id=play.match.pk, revision=1, content={**older, "note": "New."}
        )
        assert kept == Kept(2, {**RICH, "note": "New."})
    bare = plan_save(
        acting_user=ada, match_id=play.match.pk, revision=2, content={**RICH, name: EMPTY[name]}
    )
    assert bare.content[name] == EMPTY[name]


def test_the_same_sent_again_counts_once(play: Play, ada: User, wire: Wire) -> None:
    save(ada, play)
    wire.texts()
    with nothing_changes([Plan]):
        assert save(ada, play, 0) == Kept(1, RICH)
    assert wire.texts() == []


@pytest.mark.django_db(transaction=True)
def test_of_two_at_the_same_time_one_is_kept(ada: User, ben: User) -> None:
    play = started((ada, ben))
    both = threading.Barrier(2)

    def try_one(note: str) -> str:
        both.wait(timeout=60)
        try:
            plan_save(
                acting_user=ada, match_id=play.pk, revision=0, content={**EMPTY, "note": note}
            )
        except Exception as error:  # noqa: BLE001  (looked at below)
            return getattr(error, "code", repr(error))
        finally:
            connection.close()
        return note

    with ThreadPoolExecutor(2) as threads:
        answers = list(threads.map(try_one, ("one", "two")))
    kept = seen(ada, play)
    assert kept.revision == 1
    assert sorted(answers) == sorted([kept.content["note"], "plan.changed"])


def test_before_during_and_after_the_match(ada: User, ben: User) -> None:
    play = started((ada, ben), waits=True)
    assert play.match.waits_until is not None
    assert save(ada, play).revision == 1
    play = started((ada, ben))
    save(ada, play)
    play.move(0, "concede", SECOND)
    assert seen(ada, play).content == RICH
    assert save(ada, play, 1, EMPTY).revision == 2


def test_a_turn_knows_nothing_of_it(play: Play, ada: User, ben: User) -> None:
    """Neither the row, by which it is known whether a process remembers the match as it is, nor
    the entries."""
    play.move(0, "pick T", SECOND)
    with connection.cursor() as cursor:

        def row() -> Any:
            cursor.execute("SELECT xmin, * FROM games_match WHERE id = %s", [play.pk])
            return cursor.fetchall()

        before = row()
        with nothing_changes([Match, MatchPlayer, MatchEntry, AuditEntry]):
            for revision in range(5):
                save(ada, play, revision, {**RICH, "note": str(revision)})
            save(ben, play)
        assert row() == before
    play.move(1, "pick L", 2 * SECOND)


def test_nothing_is_written_down_for_moderators(play: Play, ada: User) -> None:
    with nothing_changes([AuditEntry]):
        save(ada, play)


def test_the_record_says_nothing_of_it(play: Play, ada: User) -> None:
    save(ada, play, content={**RICH, "note": "unmistakable"})
    play.move(0, "concede", SECOND)
    record = record_bytes(play.match)
    assert b"unmistakable" not in record
    assert b"plan" not in record


# -- who -----------------------------------------------------------------------------------------


def test_nobody_else_has_one(play: Play, others: list[User]) -> None:
    for user in others:
        refused("seat.none", plan_of, match_id=play.pk, user=user)
        refused("seat.none", save, user=user, play=play)
        refused("match.none", plan_of, match_id=987_654, user=user)


def test_whoever_takes_over_a_seat_finds_no_plan_and_whoever_left_gets_none_back(
    play: Play, ada: User, cleo: User
) -> None:
    save(ada, play)
    MatchPlayer.objects.filter(match=play.pk, user=ada).update(user=cleo)
    assert seen(cleo, play) == Kept(0, EMPTY)
    refused("seat.none", plan_of, match_id=play.pk, user=ada)
    refused("seat.none", save, user=ada, play=play, revision=1)
    assert not Plan.objects.visible_to(ada).exists()
    assert save(cleo, play, content=EMPTY) == Kept(1, EMPTY)
    # Theirs waits for them.
    MatchPlayer.objects.filter(match=play.pk, user=cleo).update(user=ada)
    assert seen(ada, play) == Kept(1, RICH)


def test_a_seat_that_is_lost_at_this_moment(
    play: Play, ada: User, cleo: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the question and the lock."""
    MatchPlayer.objects.filter(match=play.pk, user=ada).update(user=cleo)
    monkeypatch.setattr("games.services.plans.may_plan", lambda *_: True)
    refused("seat.none", save, user=ada, play=play)


def test_other_pages_of_the_same_person_are_told_and_nobody_else(
    play: Play, ada: User, ben: User, wire: Wire
) -> None:
    wire.texts()
    save(ada, play)
    assert wire.frames() == [
        (f"match.{play.pk}.0", {"type": "plan", "match": play.pk, "revision": 1})
    ]
    save(ben, play)
    assert [group for group, _ in wire.frames()] == [f"match.{play.pk}.1"]


def test_nobody_is_told_before_it_is_there(play: Play, ada: User, wire: Wire) -> None:
    wire.texts()
    with committing(), transaction.atomic():
        plan_save(acting_user=ada, match_id=play.pk, revision=0, content=RICH)
        assert wire.texts() == []
        transaction.set_rollback(True)
    assert wire.texts() == []
    assert seen(ada, play).revision == 0


def test_no_question_leads_to_plans(play: Play, ada: User) -> None:
    """By way of matches or people, as lists of the admin site and filters ask."""
    for model in (Match, User):
        assert Plan not in {field.related_model for field in model._meta.get_fields()}


def test_two_accounts_of_one_person(play: Play, ada: User, cleo: User, mona: User) -> None:
    """Theirs come together; nobody is told that there were any."""
    save(ada, play)
    play.move(0, "concede", SECOND)
    with nothing_changes([Plan]):
        preview = merge_preview(acting_user=mona, keep=cleo, duplicate=ada)
    with committing():
        done = user_merge(acting_user=mona, keep=cleo, duplicate=ada, reason="Same address")
    assert seen(cleo, play) == Kept(1, RICH)
    assert done.moved == preview
    assert "plan" not in json.dumps(done.moved)


def test_two_accounts_that_both_planned_one_match(
    play: Play, ada: User, cleo: User, mona: User
) -> None:
    save(ada, play)
    MatchPlayer.objects.filter(match=play.pk, user=ada).update(user=cleo)
    save(cleo, play, content=EMPTY)
    play.move(1, "concede", SECOND)
    with committing():
        user_merge(acting_user=mona, keep=cleo, duplicate=ada, reason="Same address")
    assert seen(cleo, play) == Kept(1, EMPTY)
    assert Plan.objects.count() == 1


# -- what cannot be kept -------------------------------------------------------------------------

MARK = {"kind": "mark", "board": 0, "at": [1, 2], "sign": "dot", "colour": 0}
CUT = {"kind": "cut", "board": 0, "points": [[0, 0], [1, 0], [1, 1]], "colour": 0}
NOTE = {"kind": "note", "board": 0, "at": [1, 2], "text": ""}
LINE = {"kind": "line", "board": 0, "points": [[0, 0], [1, 0]], "colour": 0}
MOVE = {"kind": "move", "text": "x", "colour": 0}
ARROW = {"kind": "arrow", "board": 0, "from": [1, 2], "to": [3, 4], "colour": 0}


def with_items(*items: Any) -> dict[str, Any]:
    return {**EMPTY, "candidates": [{"name": "", "items": list(items)}]}


@pytest.mark.parametrize(
    ("content", "field"),
    [
        (None, ""), ([], ""), (5, ""), ("x", ""), ({}, ""),
        ({**EMPTY, "more": 1}, ""),
        ({**EMPTY, "version": 2}, "version"),
        ({**EMPTY, "version": True}, "version"),
        ({**EMPTY, "shown": 1}, "shown"),
        ({**EMPTY, "shown": -1}, "shown"),
        ({**EMPTY, "shown": 2**80}, "shown"),
        ({**RICH, "shown": 2}, "shown"),
        ({**EMPTY, "note": None}, "note"),
        ({**EMPTY, "note": "x" * 2001}, "note"),
        ({**EMPTY, "note": "\x00"}, "note"),
        ({**EMPTY, "note": "a\ud800"}, "note"),
        ({**EMPTY, "note": "a\n\udfff"}, "note"),
        ({**EMPTY, "premove": "pick T"}, "premove"),
        ({**EMPTY, "premove": {"text": ""}}, "premove.text"),
        ({**EMPTY, "premove": {"text": "x" * 2001}}, "premove.text"),
        ({**EMPTY, "premove": {"text": "x", "more": 1}}, "premove"),
        ({**EMPTY, "wanted": None}, "wanted"),
        ({**EMPTY, "wanted": "07"}, "wanted"),
        ({**EMPTY, "wanted": [7]}, "wanted.0"),
        ({**EMPTY, "wanted": ["07", ""]}, "wanted.1"),
        ({**EMPTY, "wanted": ["x" * 41]}, "wanted.0"),
        ({**EMPTY, "wanted": ["\x00"]}, "wanted.0"),
        ({**EMPTY, "wanted": ["07", "12", "07"]}, "wanted"),
        ({**EMPTY, "wanted": [str(each) for each in range(101)]}, "wanted"),
        ({**EMPTY, "premove": {"text": "x", "decision": ""}}, "premove.decision"),
        ({**EMPTY, "premove": {"text": "x", "decision": "x" * 81}}, "premove.decision"),
        ({**EMPTY, "premove": {"text": "x", "decision": 5}}, "premove.decision"),
        ({**EMPTY, "candidates": {}}, "candidates"),
        ({**EMPTY, "candidates": [5]}, "candidates.0"),
        ({**EMPTY, "candidates": [{"name": "", "items": []}] * 5}, "candidates"),
        ({**EMPTY, "candidates": [{"name": "x" * 41, "items": []}]}, "candidates.0.name"),
        ({**EMPTY, "candidates": [{"name": "", "items": {}}]}, "candidates.0.items"),
        ({**EMPTY, "candidates": [{"name": ""}]}, "candidates.0"),
        (with_items(*[MARK] * 81), "candidates.0.items"),
        (with_items(MARK, {**MARK, "kind": "cross"}), "candidates.0.items.1.kind"),
        (with_items({**MARK, "more": 1}), "candidates.0.items.0"),
        (with_items({**MARK, "sign": "star"}), "candidates.0.items.0.sign"),
        (with_items({**MARK, "board": 8}), "candidates.0.items.0.board"),
        (with_items({**MARK, "board": -1}), "candidates.0.items.0.board"),
        (with_items({**MARK, "colour": 4}), "candidates.0.items.0.colour"),
        (with_items({**MARK, "at": [1]}), "candidates.0.items.0.at"),
        (with_items({**MARK, "at": [1, 2, 3]}), "candidates.0.items.0.at"),
        (with_items({**MARK, "at": [1, 10_001]}), "candidates.0.items.0.at.1"),
        (with_items({**MARK, "at": [-1, 0]}), "candidates.0.items.0.at.0"),
        (with_items({**MARK, "at": [0.5, 0]}), "candidates.0.items.0.at.0"),
        (with_items({**MARK, "at": [True, 0]}), "candidates.0.items.0.at.0"),
        (with_items({**MOVE, "text": ""}), "candidates.0.items.0.text"),
        (with_items({**MOVE, "text": "x" * 2001}), "candidates.0.items.0.text"),
        (with_items({**NOTE, "text": "x" * 201}), "candidates.0.items.0.text"),
        (with_items({**NOTE, "text": "\x00"}), "candidates.0.items.0.text"),
        (with_items({**NOTE, "colour": 0}), "candidates.0.items.0"),
        (with_items({**ARROW, "to": None}), "candidates.0.items.0.to"),
        (with_items({**CUT, "points": [[0, 0], [1, 0]]}), "candidates.0.items.0.points"),
        (with_items({**CUT, "points": [[0, 0]] * 201}), "candidates.0.items.0.points"),
        (with_items({**LINE, "points": [[0, 0]]}), "candidates.0.items.0.points"),
        (with_items({**LINE, "points": [[0, 0], [0, 10_001]]}),
         "candidates.0.items.0.points.1.1"),
    ],
)  # fmt: skip
def test_what_cannot_be_kept(play: Play, ada: User, content: Any, field: str) -> None:
    refusal = refused("plan.content", save, user=ada, play=play, content=content)
    assert refusal.field == field
    assert seen(ada, play) == Kept(0, EMPTY)


def test_the_most_that_can_be_kept(play: Play, ada: User) -> None:
    most = {
        **EMPTY,
        "note": "x" * 2000,
        "wanted": [f"{each:040}" for each in range(100)],
        "candidates": [{"name": "x" * 40, "items": [CUT, LINE, *[MARK] * 78]}] * 4,
        "shown": 3,
    }
    assert save(ada, play, content=most) == Kept(1, most)


def test_every_part_at_fault_is_told() -> None:
    candidates = [
        {"name": "", "items": [{**MARK, "board": 9}, MARK, {**CUT, "points": 5}]},
        {"name": 5, "items": [{"kind": "x"}]},
    ]
    with pytest.raises(Refusals) as caught:
        content_of({**EMPTY, "note": None, "candidates": candidates})
    assert [each.field for each in caught.value.each] == [
        "note",
        "candidates.0.items.0.board",
        "candidates.0.items.2.points",
        "candidates.1.name",
        "candidates.1.items.0.kind",
    ]


def large(size: int) -> dict[str, Any]:
    """A plan of so many bytes."""
    texts = [1900] * 33

    def made() -> dict[str, Any]:
        return with_items(*({**MOVE, "text": "x" * length} for length in texts))

    for number in range(len(texts)):
        texts[number] += max(-1800, min(100, size - len(encode(made()))))
    plan = made()
    assert len(encode(plan)) == size
    return plan


def test_how_large_it_may_be(play: Play, ada: User) -> None:
    assert save(ada, play, content=large(BYTES_MAX)).revision == 1
    refused("plan.too-large", save, user=ada, play=play, revision=1, content=large(BYTES_MAX + 1))


def test_the_database_takes_the_largest(play: Play, ada: User) -> None:
    """As text it has a blank behind every comma and colon."""
    points = [[1, 1]] * 200
    many = [{"name": "", "items": [{**LINE, "points": points} for _ in range(n)]} for n in (40, 10)]
    plan = {**EMPTY, "candidates": many}
    assert BYTES_MAX * 0.9 < len(encode(plan)) <= BYTES_MAX
    assert save(ada, play, content=plan).revision == 1


@pytest.mark.parametrize("wrong", [{"revision": 0}, {"content": ["x" * TEXT_MAX]}])
def test_the_database_refuses_what_is_no_plan(play: Play, ada: User, wrong: Any) -> None:
    row = {"content": EMPTY, "revision": 1, **wrong}
    with pytest.raises(IntegrityError), transaction.atomic():
        Plan.objects.create(match_id=play.pk, user=ada, **row)


def test_the_database_keeps_one_for_each(play: Play, ada: User) -> None:
    save(ada, play)
    with pytest.raises(IntegrityError), transaction.atomic():
        Plan.objects.create(match_id=play.pk, user=ada, content=EMPTY, revision=1)


# -- over HTTP -----------------------------------------------------------------------------------


@pytest.fixture
def ada_client(client: Client, ada: User) -> Client:
    client.force_login(ada)
    return client


def address(play: Play) -> str:
    return f"/api/v1/matches/{play.pk}/plan/"


def put(client: Client, play: Play, revision: Any = 0, content: Any = RICH) -> Any:
    body = {"revision": revision, "content": content}
    return client.put(address(play), body, content_type="application/json")


def test_fetching_and_saving(ada_client: Client, play: Play) -> None:
    nothing = ada_client.get(address(play))
    assert (nothing.status_code, nothing.json()) == (200, {"revision": 0, "content": EMPTY})
    assert nothing["Cache-Control"] == "private, no-store"
    made = put(ada_client, play)
    assert (made.status_code, made.json()) == (200, {"revision": 1, "content": RICH})
    assert ada_client.get(address(play)).json() == made.json()
    late = put(ada_client, play, content=EMPTY)
    assert (late.status_code, late.json()["code"]) == (409, "plan.changed")
    assert "fields" not in late.json()
    wrong = put(ada_client, play, 1, {**RICH, "shown": 9})
    assert (wrong.status_code, wrong.json()["code"]) == (400, "plan.content")
    assert list(wrong.json()["fields"]) == ["content.shown"]
    assert ada_client.get(address(play)).json() == made.json()
    assert ada_client.get(f"{address(play)}?fields=revision").json() == {"revision": 1}


def test_nothing_without_signing_in(client: Client, play: Play, ada: User) -> None:
    save(ada, play)
    assert client.get(address(play)).status_code == 401
    assert put(client, play, 1, EMPTY).status_code == 401
    assert seen(ada, play) == Kept(1, RICH)


@pytest.fixture
def others(cleo: User, orla: User, mona: User, root: User) -> list[User]:
    """Somebody, an organiser, a moderator and a superuser."""
    return [cleo, orla, mona, root]


def test_nothing_for_others(
    client: Client, play: Play, ada: User, ben: User, others: list[User]
) -> None:
    save(ada, play)
    for user in others:
        client.force_login(user)
        for answer in (client.get(address(play)), put(client, play, 1), put(client, play, "x")):
            assert (answer.status_code, answer.json()["code"]) == (403, "seat.none")
        assert client.get("/api/v1/matches/987654/plan/").status_code == 404
    client.force_login(ben)
    assert client.get(address(play)).json()["revision"] == 0
    assert seen(ada, play) == Kept(1, RICH)


@pytest.mark.parametrize("how", ["suspended", "closed"])
def test_an_account_that_is_shut_gets_nothing(
    how: str, ada_client: Client, play: Play, ada: User, mona: User
) -> None:
    _, text = token_create(acting_user=ada, name="t", scopes=("play",), lasts=timedelta(hours=1))
    save(ada, play)
    if how == "closed":
        user_close(acting_user=mona, user=ada, reason="Gone")
    else:
        user_suspend(acting_user=mona, user=ada, reason="Rude", until=None)
    for client in (ada_client, Client(headers={"authorization": f"Bearer {text}"})):
        assert client.get(address(play)).status_code == 401
        assert put(client, play, 1, EMPTY).status_code == 401
    assert Plan.objects.get().content == RICH


def test_saving_has_a_limit_of_its_own(ada_client: Client, play: Play, settings: Any) -> None:
    """What a page saves by itself takes no submission away."""
    settings.GAUNTLET_API_LIMITS = {**settings.GAUNTLET_API_LIMITS, "plan": 2, "play": 1}
    assert [put(ada_client, play, n).status_code for n in (0, 1, 2)] == [200, 200, 429]
    submission = {"id": "a-1", "text": "pick T", "version": play.versions[0]}
    ada_client.post(
        f"/api/v1/matches/{play.pk}/submissions/", submission, content_type="application/json"
    )
    assert play.entries[-1] == ("0", "pick T", False)


def test_a_form_of_another_site_saves_nothing(play: Play, ada: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    assert put(client, play).status_code == 403
    assert not Plan.objects.exists()


# -- over sockets --------------------------------------------------------------------------------


def test_a_second_device_is_told_and_finds_it_after_a_restart(site: Site, desk: Desk) -> None:
    """Of two pages of one player at one match; not one at another match, nor in the lobby, nor the
    opponent, an organiser or a spectator."""
    ada, ben, orla = desk.person(), desk.person(), desk.person(role="organisers")
    match, other = desk.match(ada, ben), desk.match(ada, ben)
    _, token = desk.token(ada, "play")
    at = f"{site.base_url}/api/v1/matches/{match}/plan/"
    headers = {"Authorization": f"Bearer {token}"}

    async def watch() -> tuple[list[Any], list[list[str]]]:
        async with AsyncExitStack() as stack:
            who = ((match, ada), (match, ada), (match, ben), (match, orla), (match, None),
                   (other, ada))  # fmt: skip
            readers = [
                await stack.enter_async_context(await Reader.open(site, number, person))
                for number, person in who
            ]
            for reader in readers:
                await reader.next("sync")
            readers.append(
                await stack.enter_async_context(
                    await Reader.open(site, 0, ada, path="/ws/v1/lobby/")
                )
            )
            body = {"revision": 0, "content": RICH}
            answer = await asyncio.to_thread(httpx.put, at, json=body, headers=headers)
            assert answer.json() == {"revision": 1, "content": RICH}
            told = [await reader.next("plan") for reader in readers[:2]]
            for reader in readers:
                await reader.say("ping", at=1)
                await reader.next("pong")
            return told, [[frame["type"] for frame in reader.frames] for reader in readers]

    told, others = asyncio.run(watch())
    assert told == [{"type": "plan", "match": match, "revision": 1}] * 2
    assert not any("plan" in kinds for kinds in others)
    site.web.kill()
    site.web.start()
    answer = httpx.get(at, headers=headers)
    assert answer.json() == {"revision": 1, "content": RICH}
