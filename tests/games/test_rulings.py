"""Organisers are told of a challenge that waits for them: frames, mail, and their page."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client

from accounts.announcing.kinds import Way, When
from accounts.announcing.services import choices_set
from accounts.announcing.tasks import deliver
from accounts.jobs import DELIVER
from accounts.models import Announcement, User
from accounts.roles import Role
from accounts.services import role_grant
from games.announcements import RULING, STRANGERS
from games.audience import LOBBY_GROUP, user_group_of
from games.reading import selectors
from games.services.announcing import ruling_announce, rulings_sweep
from games.services.turns import Ack
from tests.games.client import Reader
from tests.games.desk import Desk
from tests.games.support import SECOND, Play, Wire, committing, placing, started, user_named
from tests.games.test_disputes import POOL, challenged
from tests.support.site import Site
from tests.support.workers import Workers

BAD = "01 > red 50,180 0"


@pytest.fixture
def olga(root: User) -> User:
    """Another organiser."""
    user = user_named("olga", display_name="Olga")
    role_grant(acting_user=root, user=user, role=Role.ORGANISER)
    return user


@pytest.fixture
def asked(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The matches of which people were to be told, and since which entry they wait."""
    asked: list[tuple[int, int]] = []

    def told(*, match_id: int, seq: int) -> None:
        asked.append((match_id, seq))

    monkeypatch.setattr("games.tasks.ruling_announce", told)
    workers.at_once[DELIVER] = deliver
    return asked


def announced(asked: tuple[int, int]) -> int:
    """How many are told of it for the first time."""
    with committing():
        return ruling_announce(match_id=asked[0], seq=asked[1])


def confirmed(user: User, *, verified: bool = True) -> None:
    EmailAddress.objects.create(
        user=user, email=f"{user.username}@example.org", primary=True, verified=verified
    )


def referee(play: Play, *users: User) -> Play:
    for user in users:
        play.match.referees.create(user=user)
    return play


# -- who is told ---------------------------------------------------------------------------------


def test_every_organiser_is_told_where_none_is_named(  # noqa: PLR0917
    ada: User, ben: User, orla: User, olga: User, cleo: User, wire: Wire, asked: list[Any]
) -> None:
    play = challenged((ada, ben), BAD)
    assert play.match.awaits_ruling
    told = wire.frames("ruling")
    assert {group for group, _ in told} == {user_group_of(orla.pk), user_group_of(olga.pk)}
    for _, frame in told:
        assert frame == {
            "type": "ruling",
            "match": play.pk,
            "url": f"/matches/{play.pk}/",
            "game": "Domain",
            "seats": [{"name": "Ada", "username": "ada"}, {"name": "Ben", "username": "ben"}],
            "waits": True,
            "quiet": False,
        }
    assert [match_id for match_id, _ in asked] == [play.pk]
    for user, waiting in ((orla, [play.pk]), (olga, [play.pk]), (ada, []), (cleo, [])):
        assert [match.pk for match in selectors.matches_to_rule(user)] == waiting


def test_named_referees_alone_are_told(
    ada: User, ben: User, orla: User, cleo: User, wire: Wire, asked: list[Any]
) -> None:
    play = started((ada, ben), "domain", options={"review": "organiser", "pool": POOL})
    referee(play, cleo)
    for seat, text in [(0, "ready"), (1, "ready"), (0, "first"), (0, "take 01"), (1, "take 02"),
                       (0, BAD), (1, "challenge")]:  # fmt: skip
        play.move(seat, text, 5 * SECOND)
    assert [group for group, _ in wire.frames("ruling")] == [user_group_of(cleo.pk)]
    assert [match.pk for match in selectors.matches_to_rule(cleo)] == [play.pk]
    assert not selectors.matches_to_rule(orla).exists()


@pytest.mark.parametrize("act", ["rule valid", "rule invalid", "void", "winner 0", "take back"])
def test_whatever_ends_the_wait_is_told_too(
    ada: User, ben: User, orla: User, wire: Wire, asked: list[Any], act: str
) -> None:
    play = challenged((ada, ben), BAD)
    wire.texts()
    assert isinstance(play.organise(orla, act, 70 * SECOND), Ack)
    assert not play.match.awaits_ruling
    told = wire.frames("ruling")
    assert [(group, frame["waits"]) for group, frame in told] == [(user_group_of(orla.pk), False)]
    assert not selectors.matches_to_rule(orla).exists()
    assert len(asked) == 1


def test_other_turns_tell_nobody(play: Play, orla: User, wire: Wire, asked: list[Any]) -> None:
    placing(play)
    play.act(orla, "pause", 4 * SECOND)
    assert wire.frames("ruling") == []
    assert asked == []


# -- mail ----------------------------------------------------------------------------------------


def test_a_letter_goes_once_to_every_confirmed_address(  # noqa: PLR0917
    ada: User, ben: User, orla: User, olga: User, cleo: User, wire: Wire, asked: list[Any]
) -> None:
    confirmed(orla)
    confirmed(olga, verified=False)
    confirmed(cleo)
    play = challenged((ada, ben), BAD)
    (call,) = asked
    referee(play, orla, olga)
    assert announced(call) == 2
    # Their pages, which have said so, mark that there is something new.
    told = wire.frames("announced")
    assert {group for group, _ in told} == {user_group_of(orla.pk), user_group_of(olga.pk)}
    assert [frame["heard"] for _, frame in told] == [True, True]
    (letter,) = mail.outbox
    assert letter.to == ["orla@example.org"]
    assert letter.subject == "[Gauntlet] Ada and Ben wait for your ruling"
    assert f"/matches/{play.pk}/" in letter.body
    # What the program thinks of it is for the page, where nobody reads over a shoulder.
    assert "valid" not in letter.body
    assert announced(call) == 0
    assert len(mail.outbox) == 1


def test_no_letter_once_it_is_ruled(ada: User, ben: User, orla: User, asked: list[Any]) -> None:
    confirmed(orla)
    play = referee(challenged((ada, ben), BAD), orla)
    play.act(orla, "rule invalid", 70 * SECOND)
    assert announced(asked[0]) == 0
    assert mail.outbox == []


def test_a_broker_that_is_away_costs_the_letter_alone(
    ada: User, ben: User, orla: User, workers: Workers
) -> None:
    workers.fault = OSError("away")
    assert challenged((ada, ben), BAD).match.awaits_ruling


def test_what_no_worker_was_told_of_is_found(
    ada: User,
    ben: User,
    orla: User,
    left_to_workers: Workers,
    set_clock: Callable[[int], None],
) -> None:
    """Nobody is told twice, whatever else is done meanwhile; and of a later ruling anew."""
    play = challenged((ada, ben), BAD)
    set_clock(66 * SECOND)  # it was challenged at 65
    assert rulings_sweep() == 0  # a worker may be at it
    set_clock(120 * SECOND)
    play.act(orla, "pause", 110 * SECOND)
    assert rulings_sweep() == 1
    told = Announcement.objects.get(kind__in=[RULING.key, STRANGERS.key])
    assert told.user == orla
    assert rulings_sweep() == 0
    # The worker that was told after all tells the same.
    play.act(orla, "resume", 130 * SECOND)
    assert ruling_announce(match_id=play.pk, seq=int(told.key.rpartition(":")[2])) == 0
    play.act(orla, "take back", 131 * SECOND)
    play.move(1, "challenge", 132 * SECOND)
    set_clock(160 * SECOND)
    assert rulings_sweep() == 1
    play.act(orla, "rule valid", 170 * SECOND)
    assert rulings_sweep() == 0


def test_the_sweep_and_the_worker_speak_of_the_same_entry(
    ada: User,
    ben: User,
    orla: User,
    asked: list[tuple[int, int]],
    monkeypatch: pytest.MonkeyPatch,
    set_clock: Callable[[int], None],
) -> None:
    challenged((ada, ben), BAD)
    swept: list[tuple[int, int]] = []

    def told(*, match_id: int, seq: int) -> int:
        swept.append((match_id, seq))
        return 1

    monkeypatch.setattr("games.services.announcing.ruling_announce", told)
    set_clock(120 * SECOND)
    assert rulings_sweep() == 1
    assert swept == asked


def test_organisers_choose_whether_rulings_of_strangers_reach_them(
    ada: User, ben: User, orla: User, olga: User, wire: Wire, letters_go_out: None
) -> None:
    """It names no referee, and nobody has had to do with it."""
    for each in (orla, olga):
        confirmed(each)
    mine = {(STRANGERS.key, Way.MAIL): When.NOW, (RULING.key, Way.MAIL): When.OFF}
    choices_set(acting_user=orla, chosen=mine)
    choices_set(acting_user=olga, chosen={(STRANGERS.key, Way.SITE): When.OFF})
    with committing():
        play = challenged((ada, ben), BAD)
    frames = {group: frame["quiet"] for group, frame in wire.frames("ruling")}
    assert frames == {user_group_of(orla.pk): False, user_group_of(olga.pk): True}
    told = Announcement.objects.filter(kind=STRANGERS.key)
    assert {each.user: each.read_at is None for each in told} == {orla: True, olga: False}
    assert [letter.to for letter in mail.outbox] == [["orla@example.org"]]
    for each in (orla, olga):
        assert [match.pk for match in selectors.matches_to_rule(each)] == [play.pk]


# -- the page ------------------------------------------------------------------------------------


def test_the_page_lists_what_waits(
    ada: User, ben: User, orla: User, cleo: User, client: Client, asked: list[Any]
) -> None:
    plain = started((ada, ben))
    play = challenged((ada, ben), BAD)
    assert client.get("/organise/")["Location"] == "/accounts/login/?next=/organise/"
    client.force_login(orla, backend="accounts.signin.backends.NameBackend")
    page = client.get("/organise/")
    assert [match.pk for match in page.context["waiting"]] == [play.pk]
    assert [match.pk for match in page.context["running"]] == [plain.pk]
    html = client.get("/rules/").content.decode()
    assert f'data-rulings="{play.pk}"' in html
    client.force_login(cleo, backend="accounts.signin.backends.NameBackend")
    page = client.get("/organise/")
    assert "Nothing waits for you" in page.content.decode()
    assert list(page.context["running"]) == []
    assert "data-rulings" not in client.get("/rules/").content.decode()
    referee(play, cleo)
    assert f'data-rulings="{play.pk}"' in client.get("/rules/").content.decode()


# -- the end of a match --------------------------------------------------------------------------


def test_the_lobby_and_the_players_hear_that_a_match_has_ended(
    play: Play, ada: User, ben: User, wire: Wire
) -> None:
    play.move(0, "concede", SECOND)
    told = wire.frames("match.ended")
    assert [group for group, _ in told] == [
        LOBBY_GROUP, user_group_of(ada.pk), user_group_of(ben.pk),
    ]  # fmt: skip
    card = told[0][1].pop("card")  # of the lists that everybody sees
    assert f'href="/matches/{play.pk}/replay/"' in card
    assert told[0][1] == {
        "type": "match.ended",
        "match": play.pk,
        "url": f"/matches/{play.pk}/",
        "game": "Tetronogo",
        "seats": [{"name": "Ada", "username": "ada"}, {"name": "Ben", "username": "ben"}],
        "winner": 1,
        "reason": "concession",
    }


# -- on the running site -------------------------------------------------------------------------


async def test_a_real_socket_and_a_real_letter(site: Site, desk: Desk) -> None:
    players = (desk.person(), desk.person())
    address = f"orla-{time.monotonic_ns()}@example.org"
    orla = desk.person(role="organisers", email=address)
    other = desk.person(role="organisers")
    match = desk.match(*players, ruleset="domain", referees=[orla], review="organiser", pool=POOL)
    lobby = "/ws/v1/lobby/"
    async with (
        await Reader.open(site, match, players[0]) as ada,
        await Reader.open(site, match, players[1]) as ben,
        await Reader.open(site, "", orla, path=lobby) as referee,
        await Reader.open(site, "", other, path=lobby) as bystander,
    ):
        for reader in (ada, ben):
            await reader.next("sync")
        said = [(ada, "ready"), (ben, "ready"), (ada, "first"), (ada, "take 01"),
                (ben, "take 02"), (ada, BAD), (ben, "challenge")]  # fmt: skip
        for reader, text in said:
            await reader.say("sync")
            await reader.next("sync")
            assert (await reader.submit(text))["type"] == "ack", text
        assert (await referee.next("ruling"))["match"] == match
        assert [f for f in await bystander.pause(0.5) if f["type"] == "ruling"] == []
        letter = letter_to(site.folder / "mail", address)
        assert f"/matches/{match}/" in letter
        async with await Reader.open(site, match, orla) as at_match:
            assert (await at_match.organise("rule invalid"))["type"] == "ack"
        assert (await referee.next("ruling", waits=False))["match"] == match
        await ada.submit("concede")
        assert (await bystander.next("match.ended", match=match))["winner"] == 1


def letter_to(folder: Path, address: str, wait: Callable[[float], None] = time.sleep) -> str:
    """The letter to an address, once a worker has written it."""
    for _ in range(100):
        for path in folder.glob("*.log") if folder.exists() else ():
            text = path.read_text()
            if address in text:
                return text
        wait(0.1)
    raise AssertionError("no letter came")
