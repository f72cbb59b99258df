"""The page of a main match's scores: typed or pasted, and on to the EC."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from core.clock import now_utc
from tests.pages.support import words
from tests.tournaments.support import (
    account,
    chosen,
    episode_now,
    nothing_changes,
    organiser_joins,
    organiser_named,
    played,
    running,
    who,
)
from tournaments.formats.elimination.choice import dmo_choose
from tournaments.models import Contestant, ScoreRow, ScoreTable, Season, SeasonOrganiser
from tournaments.services.ledger.acts import ledger_give
from tournaments.services.ledger.book import balance_of

Visitor = Callable[..., Client]
PAGE = "/seasons/autumn/desk/rounds/1/scores/"
EPISODE = "/seasons/autumn/desk/episode/"
PUBLIC = ("/seasons/autumn/", "/seasons/autumn/rounds/1/")
TRADE: dict[str, Any] = {"currency": True, "start": 3}


def fields(answer: Any) -> dict[str, Any]:
    """What a browser would send of the form about scores, or about the main match, as it is."""
    html = answer.content.decode()
    form = re.search(r"<form[^>]*(?:data-scores|data-finish).*?</form>", html, re.DOTALL)
    assert form is not None
    found: dict[str, Any] = {}
    for tag in re.findall(r"<input[^>]*>", form[0]):
        at = dict(re.findall(r'([a-z]+)="([^"]*)"', tag))
        if at.get("type") in ("checkbox", "radio") and " checked" not in tag:
            continue
        if at.get("name") == "immune":
            found.setdefault("immune", []).append(at["value"])
        elif "name" in at:
            found[at["name"]] = at.get("value", "on" if at.get("type") == "checkbox" else "")
    for name, options in re.findall(
        r'<select name="([^"]*)".*?>(.*?)</select>', form[0], re.DOTALL
    ):
        picked = re.search(r'<option value="([^"]*)" selected', options)
        found[name] = picked[1] if picked else ""
    found.pop("csrfmiddlewaretoken", None)
    return found


def cells(season: Season, scores: Mapping[int, Sequence[Any]]) -> dict[str, Any]:
    return {
        f"cell_{who(season, number).pk}_{at}": value
        for number, values in scores.items()
        for at, value in enumerate(values)
    }


def kept(season: Season) -> dict[str, list[str]]:
    rows = ScoreRow.objects.filter(table__episode=episode_now(season)).select_related("contestant")
    return {each.contestant.name: each.cells for each in rows}


FOUR = {1: [9], 2: [7], 3: [5], 4: [2]}


def test_from_typed_scores_to_the_ec_in_three_pages(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    assert PAGE in client.get(EPISODE).content.decode()
    answer = client.post(PAGE, fields(client.get(PAGE)) | cells(season, FOUR) | {"take": "1"})
    assert answer["Location"] == f"{EPISODE}?scores=1"
    page = client.get(answer["Location"])
    assert "The placement is that of the scores" in words(page)
    assert "1 Player 1 (immune)" in words(page)
    assert client.post(EPISODE, fields(page))["Location"] == EPISODE
    episode = episode_now(season)
    assert (episode.ec, ScoreTable.objects.get().recorded_at is not None) == (who(season, 4), True)
    assert [each.immune for each in episode.placements.order_by("place")] == [
        True, False, False, False,
    ]  # fmt: skip


def test_a_table_is_pasted_with_its_columns_and_notes(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    text = (
        "Name\tRound 1\tBonus\tTotal\tNote\nplayer 2\t3,5\t1\t4,5\tQuick\n@player1\t2\t\t2\t\n"
        "Player 4\t1\t0\t1\nPLAYER3\t-1\t5\t4"
    )
    before = fields(client.get(PAGE)) | {"pasted": text}
    with nothing_changes():
        page = client.post(PAGE, before | {"look": "1"})
    assert not ScoreTable.objects.exists()
    assert "1 Player 2" in words(page)
    client.post(PAGE, before)
    assert kept(season) == {
        "Player 1": ["2", ""], "Player 2": ["3.5", "1"], "Player 3": ["-1", "5"],
        "Player 4": ["1", "0"],
    }  # fmt: skip
    table = ScoreTable.objects.get()
    assert [each["name"] for each in table.columns] == ["Round 1", "Bonus"]
    assert table.rows.get(contestant=who(season, 2)).note == "Quick"
    # What is pasted again goes where it was, and a column that is new comes after.
    client.post(PAGE, fields(client.get(PAGE)) | {"pasted": "Name;Bonus;Last\nPlayer 1;7;8"})
    assert kept(season)["Player 1"] == ["2", "7", "8"]
    assert kept(season)["Player 2"] == ["3.5", "1", ""]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Player 1,3\nEve,4", ["Line 2: nobody here is called “Eve”."]),
        ("Player 1,3\nplayer1,4", ["Line 2: “player1” is named twice."]),
        ("Player 1,3\nPlayer 2,x", ["Line 2: “x” is not a number."]),
        ("Eve,3\nPlayer 2,4", ["Line 1: nobody here is called “Eve”."]),
        ("Player 1,1,2,3,4,5,6,7,8,9", ["A table has at most 8 columns."]),
    ],
)
def test_faults_of_a_pasted_table_are_all_said_and_nothing_is_kept(
    visitor: Visitor, orla: User, text: str, sentences: list[str]
) -> None:
    running(orla, 4)
    client = visitor(orla)
    for more in ({}, {"look": "1"}, {"take": "1"}):
        with nothing_changes():
            answer = client.post(PAGE, fields(client.get(PAGE)) | {"pasted": text} | more)
        for each in sentences:
            assert each in words(answer)
    assert not ScoreTable.objects.exists()


def test_columns_are_added_and_removed_without_keeping_anything(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    page = client.post(PAGE, fields(client.get(PAGE)) | cells(season, FOUR) | {"add": "1"})
    sent = fields(page)
    assert (sent["width"], sent["name_0"], sent["name_1"]) == ("2", "Points", "Round 2")
    page = client.post(PAGE, sent | cells(season, {1: [9, 3]}) | {"remove": "0"})
    sent = fields(page)
    assert (sent["width"], sent["name_0"], sent[f"cell_{who(season, 1).pk}_0"]) == (
        "1", "Round 2", "3",
    )  # fmt: skip
    assert not ScoreTable.objects.exists()


def test_equal_scores_are_settled_by_the_organiser_alone(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    tied = cells(season, {1: [9], 2: [7], 3: [7], 4: [2]})
    among = {f"among_{who(season, 2).pk}": "2", f"among_{who(season, 3).pk}": "1"}
    # Said before it was shown who is equal, it may be of others.
    first = client.post(PAGE, fields(client.get(PAGE)) | tied | among | {"take": "1"}, follow=True)
    assert "Equal scores: say who comes first. Player 2 and Player 3." in words(first)
    assert first.request["PATH_INFO"] == PAGE
    page = client.get(f"{EPISODE}?scores=1")
    assert "Equal scores: say who comes first." in words(page)
    assert fields(page)["order"] == ""
    answer = client.post(PAGE, fields(client.get(PAGE)) | among | {"take": "1"})
    page = client.get(answer["Location"])
    assert "1 Player 1 (immune) 2 Player 3 3 Player 2 4 Player 4 (EC)" in words(page)
    # Other equals: what was said is of those no more.
    changed = cells(season, {1: [9], 2: [7], 3: [2], 4: [2]})
    client.post(PAGE, fields(client.get(PAGE)) | changed)
    assert set(ScoreRow.objects.values_list("among", flat=True)) == {None}


def refusals(answer: Any) -> list[tuple[str, str]]:
    """What the summary of a page says, with where each leads."""
    page = answer.content.decode()
    if "data-refused" not in page:
        return []
    assert page.index("data-refused") < page.index("data-scores")
    summary = page.split("data-refused")[1].split("</ul>")[0]
    found = re.findall(r'<li>(?:<a href="#([^"]*)">)?([^<]*)', summary)
    assert all(not at or f'id="{at}"' in page for at, _ in found)
    return [(unescape(sentence), at) for at, sentence in found]


def test_what_the_placement_waits_for_is_said_first_with_where_it_is_filled_in(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    two, three = who(season, 2).pk, who(season, 3).pk

    def taken(**more: Any) -> Any:
        told = fields(client.get(PAGE)) | more | {"take": "1"}
        return client.post(PAGE, told, follow=True)

    page = taken(**cells(season, {1: [9], 2: [7], 4: [2]}))
    assert "The scores are saved." in words(page)
    assert refusals(page) == [("No score places Player 3 yet.", f"id_cell_{three}_0")]
    page = taken(**cells(season, {3: [7]}))
    sentence = "Equal scores: say who comes first. Player 2 and Player 3."
    assert refusals(page) == [(sentence, f"id_among_{two}")]
    # Whoever only looks at the page again is not told that anything went wrong.
    assert refusals(client.get(PAGE)) == []
    among = {f"among_{two}": "2", f"among_{three}": "1"}
    assert taken(**among).request["PATH_INFO"] == EPISODE
    assert refusals(client.get(f"{PAGE}?take=1")) == []


def test_each_fault_of_the_scores_leads_to_its_field(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    two = who(season, 2).pk
    wrong = {f"cell_{two}_0": "x", f"note_{two}": "n" * 201, "pasted": "Eve,4"}
    with nothing_changes():
        page = client.post(PAGE, fields(client.get(PAGE)) | wrong)
    told = refusals(page)
    assert {at for _, at in told} == {f"id_cell_{two}_0", f"id_note_{two}", "id_pasted"}
    assert ("Player 2: “x” is not a number.", f"id_cell_{two}_0") in told
    with nothing_changes():
        stale = client.post(PAGE, fields(client.get(PAGE)) | {"seen": "7"})
    assert [at for _, at in refusals(stale)] == [""]
    assert "Look again" in words(stale)


def test_the_total_stands_beside_the_name(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    two = fields(client.post(PAGE, fields(client.get(PAGE)) | {"add": "1"}))
    scores = cells(season, {1: [9, 5], 2: [7, 2], 3: [5, 1], 4: [2, 0]})
    client.post(PAGE, two | scores | {"shown": "on"})
    for address in PUBLIC:
        page = words(visitor().get(address))
        assert "Contestant Total Points Round 2" in page
        assert "Player 1 14 9 5" in page


def test_a_stale_page_is_refused_on_either_way(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    old = fields(client.get(PAGE))
    client.post(PAGE, old | cells(season, FOUR))
    with nothing_changes():
        answer = client.post(PAGE, old | cells(season, {1: [1]}))
    assert answer.status_code == 422
    assert "Somebody has saved these scores" in words(answer)
    assert kept(season)["Player 1"] == ["9"]
    taken = fields(client.get(f"{EPISODE}?scores=1"))
    client.post(PAGE, fields(client.get(PAGE)) | cells(season, {2: [8]}))
    with nothing_changes():
        answer = client.post(EPISODE, taken)
    assert answer.status_code == 422
    assert episode_now(season).ec is None


def test_a_draft_is_for_organisers_until_it_is_shown(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    secret = cells(season, {1: ["7715533"], 2: ["7725533"]}) | {
        "name": "Hush", "about": "Whispers", "notes": "Sssh", "name_0": "Murmurs",
    }  # fmt: skip
    client.post(PAGE, fields(client.get(PAGE)) | secret)
    readers = (None, account(season, 1), orla)
    for address in PUBLIC:
        for reader in readers:
            page = visitor(*([] if reader is None else [reader])).get(address).content.decode()
            for each in ("7715533", "Hush", "Whispers", "Sssh", "Murmurs"):
                assert each not in page
    client.post(PAGE, fields(client.get(PAGE)) | {"shown": "on"})
    for address in PUBLIC:
        page = words(visitor().get(address))
        assert "As it stands" in page
        assert "7715533" in page
    client.post(PAGE, fields(client.get(PAGE)) | cells(season, FOUR) | {"take": "1"})
    client.post(EPISODE, fields(client.get(f"{EPISODE}?scores=1")))
    for address in PUBLIC:
        page = words(visitor().get(address))
        assert "As it stands" not in page
        assert "Murmurs" in page
    assert "Main match: Hush" in words(visitor().get(PUBLIC[1]))


def test_a_shown_draft_goes_once_the_main_match_is_recorded_without_it(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    sent = cells(season, {1: ["771"], 2: ["772"]}) | {"name_0": "Murmurs", "shown": "on"}
    client.post(PAGE, fields(client.get(PAGE)) | sent)
    rounds = "/api/v1/seasons/autumn/rounds/"
    addresses = (*PUBLIC, rounds)
    for address in addresses:
        assert "Murmurs" in visitor().get(address).content.decode()
    order = {"order": ",".join(str(who(season, each).pk) for each in (4, 3, 2, 1))}
    assert client.post(EPISODE, fields(client.get(EPISODE)) | order).status_code == 302
    assert episode_now(season).ec == who(season, 1)
    for address in addresses:
        assert "Murmurs" not in visitor().get(address).content.decode()
    page = client.get(PAGE)
    assert "Show it while it runs" not in words(page)
    # It can be taken still.
    answer = client.post(PAGE, fields(page) | cells(season, FOUR) | {"take": "1"})
    client.post(EPISODE, fields(client.get(answer["Location"])))
    assert episode_now(season).ec == who(season, 4)


def test_what_was_recorded_by_scores_is_recorded_by_nothing_else(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    client.post(PAGE, fields(client.get(PAGE)) | cells(season, FOUR) | {"take": "1"})
    page = fields(client.get(f"{EPISODE}?scores=1"))
    old = fields(client.get(EPISODE))
    client.post(EPISODE, page)
    by_number = "/seasons/autumn/desk/rounds/1/placements/"
    assert by_number not in client.get("/seasons/autumn/desk/rounds/1/").content.decode()
    assert "changes by a correction" in words(client.get(EPISODE))
    people = {each: who(season, each).pk for each in (1, 2, 3, 4)}
    turned = ",".join(str(people[each]) for each in (4, 3, 2, 1))
    with nothing_changes():
        assert client.post(EPISODE, old | {"order": turned, "seen": ""}).status_code in (409, 422)
        answer = client.post(by_number, {f"place_{pk}": 5 - each for each, pk in people.items()})
        assert answer.status_code in (409, 422)
        answer = client.post(
            "/api/v1/seasons/autumn/rounds/1/placements/",
            {"placements": [{"contestant": pk, "place": 5 - n} for n, pk in people.items()]},
            content_type="application/json",
        )
        assert answer.status_code == 409
        assert answer.json()["code"] == "scores.recorded"
    assert "Correct the scores" in words(client.get("/seasons/autumn/desk/rounds/1/"))


def test_a_helper_takes_the_way_of_the_scores_with_what_they_win(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 4, trade=TRADE)
    helper = organiser_named("hal")
    organiser_joins(
        acting_user=orla, season=season, user=helper, role="helper", rights=["episodes"]
    )
    client = visitor(helper)
    two = fields(client.post(PAGE, fields(client.get(PAGE)) | {"add": "1"}))
    two.pop("counts_1")
    won = {"name_1": "Garnets", "wins_1": "on"}
    scores = cells(season, {1: [9, 5], 2: [7, 2], 3: [5, 1], 4: [2, 0]})
    client.post(PAGE, two | won | scores | {"take": "1"})
    assert client.post(EPISODE, fields(client.get(f"{EPISODE}?scores=1")))["Location"] == EPISODE
    assert [balance_of(who(season, each)) for each in (1, 2, 3, 4)] == [8, 5, 4, 3]


@pytest.mark.parametrize("hidden", [True, False])
def test_what_is_won_is_asked_of_those_alone_who_can_say_it(
    visitor: Visitor, orla: User, *, hidden: bool
) -> None:
    season = running(orla, 4, trade={**TRADE, "hidden": hidden})
    helper, olin = organiser_named("hal"), organiser_named("olin")
    organiser_joins(
        acting_user=orla, season=season, user=helper, role="helper", rights=["episodes"]
    )
    organiser_joins(acting_user=orla, season=season, user=olin)
    Contestant.objects.filter(pk=who(season, 2).pk).update(user=olin)
    for reader, asked in ((orla, True), (helper, not hidden), (olin, False)):
        page = words(visitor(reader).get(PAGE))
        assert ("garnets that are won" in page.casefold()) is asked


def test_the_ec_of_a_correction_can_be_chosen(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    client.post(PAGE, fields(client.get(PAGE)) | cells(season, FOUR) | {"take": "1"})
    client.post(EPISODE, fields(client.get(f"{EPISODE}?scores=1")))
    several = cells(season, {1: [9], 2: [1], 3: [1], 4: [2]}) | {"share": "on", "why": "A slip"}
    told = fields(client.get(PAGE)) | several
    with nothing_changes():
        answer = client.post(PAGE, told)
    assert answer.status_code == 422
    assert "Elimination candidate" in words(answer)
    assert client.post(PAGE, told | {"ec": who(season, 3).pk}).status_code == 302
    assert episode_now(season).ec == who(season, 3)
    # The same places, and the other one of them.
    told = fields(client.get(PAGE)) | {"why": "Again", "ec": who(season, 2).pk}
    assert client.post(PAGE, told).status_code == 302
    assert episode_now(season).ec == who(season, 2)
    dmo_choose(
        acting_user=account(season, 2), episode=episode_now(season), contestant=who(season, 3)
    )
    assert "Elimination candidate" not in words(client.get(PAGE))


@pytest.mark.parametrize(
    "sent",
    [
        {"width": "9" * 5000},
        {"add": "1", "width": "9" * 5000},
        {"remove": "9" * 5000},
        {"tied": "9" * 5000},
        {"tied": "\N{SUPERSCRIPT TWO}=\N{ARABIC-INDIC DIGIT TWO}"},
    ],
)
def test_numbers_of_thousands_of_digits_are_none(
    visitor: Visitor, orla: User, sent: dict[str, str]
) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    told = fields(client.get(PAGE)) | cells(season, FOUR) | sent
    assert client.post(PAGE, told | {"look": "1"}).status_code == 200
    assert client.post(PAGE, told).status_code in (200, 302, 422)
    order = {"order": "9" * 5000, "tap": "9" * 5000}
    assert client.post(EPISODE, fields(client.get(EPISODE)) | order).status_code == 200


@pytest.mark.parametrize("method", ["get", "post"])
def test_nobody_else_reaches_the_page(visitor: Visitor, orla: User, method: str) -> None:
    season = running(orla, 4)
    answer = getattr(visitor(account(season, 1)), method)(PAGE)
    assert answer.status_code == 403
    assert getattr(visitor(), method)(PAGE).status_code == 302
    assert getattr(visitor(organiser_named("oscar")), method)(PAGE).status_code == 403


def test_what_is_won_is_shown_before_and_entered(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4, trade=TRADE)
    client = visitor(orla)
    two = fields(client.post(PAGE, fields(client.get(PAGE)) | {"add": "1"}))
    two.pop("counts_1")
    won = {"name_1": "Garnets", "wins_1": "on"}
    scores = cells(season, {1: [9, 5], 2: [7, 2], 3: [5, 1], 4: [2, 0]})
    client.post(PAGE, two | won | scores | {"take": "1"})
    page = client.get(f"{EPISODE}?scores=1")
    assert "What the scores win Player 1: 5 garnets Player 2: 2 garnets" in words(page)
    client.post(EPISODE, fields(page))
    assert [balance_of(who(season, each)) for each in (1, 2, 3, 4)] == [8, 5, 4, 3]
    assert "Garnets" in words(visitor().get(PUBLIC[1]))


def test_what_is_spent_is_missed_in_words_and_not_by_the_name_of_a_field(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 4, trade={**TRADE, "payments": "open"})
    client = visitor(orla)
    two = fields(client.post(PAGE, fields(client.get(PAGE)) | {"add": "1"}))
    two.pop("counts_1")
    won = {"name_1": "Garnets", "wins_1": "on"}
    scores = cells(season, {1: [9, 5], 2: [7, 2], 3: [5, 1], 4: [2, 0]})
    client.post(PAGE, two | won | scores | {"take": "1"})
    client.post(EPISODE, fields(client.get(f"{EPISODE}?scores=1")))
    ledger_give(
        acting_user=account(season, 1), season=season, payee=who(season, 4), amount=8, at=now_utc()
    )
    slip = fields(client.get(PAGE)) | cells(season, {1: [9, 1]}) | {"why": "A slip"}
    with nothing_changes():
        answer = client.post(PAGE, slip)
    assert refusals(answer) == [("Player 1 does not have so many garnets.", "")]
    assert "amount:" not in words(answer)


def test_hidden_winnings_are_on_no_page_of_others(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4, trade={**TRADE, "hidden": True})
    client = visitor(orla)
    two = fields(client.post(PAGE, fields(client.get(PAGE)) | {"add": "1"}))
    two.pop("counts_1")
    won = {"name_1": "Loot", "wins_1": "on"}
    scores = cells(season, {1: [9, 881_881], 2: [7, 882], 3: [5, 1], 4: [2, 0]})
    client.post(PAGE, two | won | scores | {"take": "1"})
    client.post(EPISODE, fields(client.get(f"{EPISODE}?scores=1")))
    olin = organiser_named("olin")
    SeasonOrganiser.objects.create(season=season, user=olin)
    own = who(season, 2)
    own.user = olin
    own.save(update_fields=["user"])
    addresses = (*PUBLIC, "/api/v1/seasons/autumn/rounds/")
    for reader in ((), (account(season, 1),), (olin,)):
        for address in addresses:
            page = visitor(*reader).get(address).content.decode()
            assert "Loot" not in page
            assert "881881" not in page
    assert visitor(olin).get(PAGE).status_code == 403
    for address in addresses:
        assert "Loot" in client.get(address).content.decode()


def test_recorded_scores_are_corrected_with_a_reason(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    client.post(PAGE, fields(client.get(PAGE)) | cells(season, FOUR) | {"take": "1"})
    client.post(EPISODE, fields(client.get(f"{EPISODE}?scores=1")))
    page = client.get(PAGE)
    assert "Correct them" in words(page)
    assert "Take the placement" not in words(page)
    slip = fields(page) | cells(season, {1: [1]})
    with nothing_changes():
        assert client.post(PAGE, slip).status_code == 422
    assert client.post(PAGE, slip | {"why": "A slip"}).status_code == 302
    assert episode_now(season).ec == who(season, 1)
    assert "The scores of Episode 1 are corrected. A slip" in words(
        visitor().get("/seasons/autumn/rulings/")
    )
    dmo_choose(
        acting_user=account(season, 1), episode=episode_now(season), contestant=who(season, 3)
    )
    turned = fields(client.get(PAGE)) | cells(season, {1: [9]}) | {"why": "Again"}
    with nothing_changes():
        answer = client.post(PAGE, turned)
    assert "what came of them has been acted upon" in words(answer)


def test_the_next_episode_is_opened_on_the_way_to_its_scores(visitor: Visitor, orla: User) -> None:
    season = running(orla, 5)
    played(orla, chosen(orla, season, ec=4, dmo=2), winner=0)
    client = visitor(orla)
    address = "/seasons/autumn/desk/episode/open/?then=scores"
    assert address in client.get(EPISODE).content.decode()
    answer = client.post(address)
    assert answer["Location"] == "/seasons/autumn/desk/rounds/2/scores/"
    assert "Episode 2: scores of the main match" in words(client.get(answer["Location"]))


def test_pages_ask_no_more_of_more_contestants(visitor: Visitor, orla: User) -> None:
    counts = []
    for number in (4, 9):
        season = running(orla, number)
        client = visitor(orla)
        page = f"/seasons/{season.slug}/desk/rounds/1/scores/"
        scores = {n: [20 - n] for n in range(1, number + 1)}
        client.post(page, fields(client.get(page)) | cells(season, scores) | {"shown": "on"})
        for address in (page, f"/seasons/{season.slug}/rounds/1/", f"/seasons/{season.slug}/",
                        f"/seasons/{season.slug}/desk/episode/?scores=1"):  # fmt: skip
            with CaptureQueriesContext(
                connection,
            ) as queries:
                assert client.get(address).status_code == 200
            counts.append(len(queries))
    assert counts[:4] == counts[4:]
    assert max(counts) <= 24


def test_the_api_tells_what_everybody_sees(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    client.post(PAGE, fields(client.get(PAGE)) | cells(season, FOUR) | {"about": "Run"})

    def told() -> Any:
        return visitor().get("/api/v1/seasons/autumn/rounds/").json()["results"][0]["episode"]

    assert told()["scores"] is None
    client.post(PAGE, fields(client.get(PAGE)) | {"shown": "on"})
    scores = told()["scores"]
    assert (scores["about"], scores["recorded_at"]) == ("Run", None)
    assert scores["columns"] == [
        {"name": "Points", "counts": True, "decides": 0, "low": False, "wins": False}
    ]
    assert [(each["contestant"]["name"], each["cells"], each["total"]) for each in scores["rows"]][
        :2
    ] == [("Player 1", ["9"], "9"), ("Player 2", ["7"], "7")]
