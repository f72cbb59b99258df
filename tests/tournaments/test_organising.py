"""What organisers and players are told: by whom, in whose words, at which field, and by mail."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib import admin
from django.core import mail
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from accounts.admin.audit import AuditEntryAdmin
from accounts.announcing.tasks import deliver
from accounts.jobs import DELIVER
from accounts.models import AuditEntry, DiscordLink, User
from accounts.moderation.sanctions import user_warn
from core.refusals import Refusal
from games import audience as match_audience
from games import store
from games.engine.live import Waiting
from games.engine.options import OptionsRefused
from games.reading.matches import still_waits
from games.services.turns import match_organise
from games.services.waking import match_wake
from tests.games.support import committing, user_named
from tests.games.test_rulings import confirmed
from tests.support.workers import Workers
from tests.tournaments.support import (
    GAME,
    START,
    WARS,
    account,
    after,
    begun,
    chosen,
    enrolled,
    episode_now,
    fresh,
    leg_of,
    organiser_joins,
    placings,
    played,
    refused,
    ruled,
    running,
    who,
)
from tournaments import notices
from tournaments.events.kinds import KINDS
from tournaments.formats.elimination import choice, episodes, main_match
from tournaments.formats.elimination.final import final_open
from tournaments.formats.registry import FORMATS, option_limits, options_of
from tournaments.forms.episodes import PlacementsForm
from tournaments.forms.rounds import PairingsForm
from tournaments.forms.seasons import SeasonForm
from tournaments.jobs import ANNOUNCE_EVENT
from tournaments.models import Contestant, DeathMatch, Leg, Season, SeasonEvent
from tournaments.pictures.links import standing_text
from tournaments.reading.seasons import seasons_run_by
from tournaments.reading.sheet import Sheet
from tournaments.services import legs
from tournaments.services.contestants.departures import contestant_replace, contestant_withdraw
from tournaments.services.contestants.enrolment import contestant_enrol
from tournaments.services.items.gifts import item_give
from tournaments.services.legs import leg_start, ms
from tournaments.services.preflight import preflight
from tournaments.services.results import corrections, rulings
from tournaments.services.rounds import ManualPairing, round_next
from tournaments.services.scheduling.appointments import leg_schedule
from tournaments.services.scheduling.readiness import leg_confirm
from tournaments.services.scheduling.sweep import legs_sweep
from tournaments.services.starts import season_start
from tournaments.waiting import GIVE_REASON, RULE_HERE, todo


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


# -- what was done without a reason --------------------------------------------------------------


def test_what_was_done_without_a_reason_waits_for_it_as_long_as_the_match_is_on(
    orla: User,
) -> None:
    season = running(orla, 4)
    leg = begun(orla, chosen(orla, season, ec=1, dmo=2))
    assert leg.match is not None
    desk = f'href="{leg.match.get_absolute_url()}{GIVE_REASON}"'
    client = signed_in(orla)
    asked = "something was done without a reason"

    def act(text: str, why: str, seconds: int) -> bool:
        with committing():
            match_organise(
                match_id=leg.match_id or 0, acting_user=orla, client_id=f"a{seconds}", text=text,
                why=why, at=ms(after(seconds=seconds)),
            )  # fmt: skip
        pages = [client.get(page).text for page in (f"/seasons/{season.slug}/desk/", "/")]
        assert len({asked in page for page in pages}) == 1
        assert all(desk in page for page in pages if asked in page)
        return asked in pages[0]

    assert not act("extend 0 60", "A slow click.", 1)
    assert act("extend 0 60", "", 2)
    assert not act("reason", "A slower click.", 3)
    assert act("pause", "", 4)
    # It keeps no match from its end, and then the record is closed.
    assert not act("void", "Both agreed.", 5)


def test_what_leads_to_a_matchs_desk_is_known_there() -> None:
    base = Path(settings.BASE_DIR)
    script = (base / "static/js/match/organiser.js").read_text(encoding="utf-8")
    for name, end in (("RULE_HERE", RULE_HERE), ("GIVE_REASON", GIVE_REASON)):
        assert f'export const {name} = "{end}";' in script
    page = (base / "templates/games/match.html").read_text(encoding="utf-8")
    assert f'id="{RULE_HERE.removeprefix("#")}"' in page


# -- what is under the thumb ---------------------------------------------------------------------


def under_the_thumb(client: Client, path: str) -> tuple[str, str]:
    """What the bar at the bottom of a page of the desk says, and where it leads."""
    found = re.search(
        r'class="desk-bar[^"]*"><a [^>]*href="([^"]*)"[^>]*>([^<]*)', client.get(path).text
    )
    return ("", "") if found is None else (html.unescape(found[2]), html.unescape(found[1]))


@pytest.mark.parametrize(
    ("name", "label", "page"),
    [
        ("elimination", "To Episode 1", "desk/episode/"),
        ("swiss", "To Round 1", "desk/rounds/1/"),
        ("single-elimination", "To Semi-finals", "desk/rounds/1/"),
        ("round-robin", "To Round 1", "desk/rounds/1/"),
    ],
)
def test_while_something_is_played_that_is_under_the_thumb(
    orla: User, name: str, label: str, page: str
) -> None:
    """And not that an organiser has no address, which stands below what is played, too."""
    season = running(orla, 4, name, repertoire=[GAME])
    if name == "elimination":
        chosen(orla, season, ec=1, dmo=2)
    Leg.objects.update(scheduled_at=after(hours=9))
    home = f"/seasons/{season.slug}/"
    client = signed_in(orla)
    assert under_the_thumb(client, f"{home}desk/") == (label, f"{home}{page}")
    assert "See who runs it" in client.get(f"{home}desk/").text
    pressing = {task.action: task.pressing for task in todo(Sheet(season), orla)}
    assert pressing["See who runs it"] == 0


def test_a_rounds_desk_leads_from_one_match_to_the_next_and_on(orla: User) -> None:
    season = running(orla, 4, "swiss", format_options={"rounds": 2})
    home = f"/seasons/{season.slug}/desk/"
    here = f"{home}rounds/1/"
    client = signed_in(orla)
    rows = list(DeathMatch.objects.filter(round__season=season).order_by("number"))
    assert len(rows) == 2
    for row in rows:
        assert under_the_thumb(client, here) == (
            f"Next: {row}", f"{home}matches/{row.pk}/?next={here}",
        )  # fmt: skip
        act = f"{home}matches/{row.pk}/declare/?next={here}"
        for page in (here, f"{home}matches/{row.pk}/?next={here}"):
            assert f'href="{act}"' in client.get(page).text
        assert client.post(act, {"winner": row.home_id, "why": "So."})["Location"] == here
    assert under_the_thumb(client, here) == ("Pair it", f"{home}pair/")
    assert "/declare/" not in client.get(here).text


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "javascript:1"])
def test_an_act_leads_to_no_other_site(orla: User, elsewhere: str) -> None:
    season = running(orla, 4, "swiss")
    row = DeathMatch.objects.filter(round__season=season).order_by("number")[0]
    desk = f"/seasons/{season.slug}/desk/matches/{row.pk}/"
    client = signed_in(orla)
    assert "next=" not in client.get(f"{desk}?next={elsewhere}").text.split('id="actions"')[1]
    act = f"{desk}declare/?next={elsewhere}"
    assert f'href="{elsewhere}' not in client.get(act).text
    assert client.post(act, {"winner": row.home_id, "why": "So."})["Location"] == desk


# -- whom nothing reaches ------------------------------------------------------------------------


def test_whom_nothing_reaches_is_named_before_the_start_and_at_the_desk(
    orla: User, settings: Any
) -> None:
    season = enrolled(orla, 5)
    confirmed(account(season, 1))
    settings.GAUNTLET_DISCORD_BOT_TOKEN = "of the bot"
    DiscordLink.objects.create(user=account(season, 5), discord_id="7" * 18, name="five")
    told = {each.code: each.sentence for each in preflight(season, "start")}
    assert told["preflight.unreached"].endswith("Player 2, Player 3 and Player 4.")
    assert told["preflight.no-mail"] == "4 of 5 have no confirmed email address."
    page = signed_in(orla).get(f"/seasons/{season.slug}/desk/").content.decode()
    assert "nobody is told away from the site" in page
    assert "nothing reaches Player 2, Player 3 and Player 4" in page


def test_organisers_are_named_as_long_as_they_have_confirmed_no_address(
    orla: User, oscar: User, settings: Any
) -> None:
    season = enrolled(orla, 4)

    def told() -> str:
        return next(
            (
                each.sentence
                for each in preflight(season, "start")
                if each.code == "preflight.organiser-no-mail"
            ),
            "",
        )

    def warns(*parts: str) -> bool:
        return all(part in told() for part in ("When something waits for an organiser, ", *parts))

    assert warns("nobody is told away from the site. Nothing reaches Orla:")
    organiser_joins(acting_user=orla, season=season, user=oscar)
    assert warns("nobody is told away from the site. Nothing reaches Orla and Oscar:")
    settings.GAUNTLET_DISCORD_BOT_TOKEN = "of the bot"
    DiscordLink.objects.create(user=oscar, discord_id="7" * 18, name="oscar")
    assert warns("no mail reaches Orla and Oscar.", "Nothing at all reaches Orla away")
    confirmed(oscar)
    assert warns("no mail reaches Orla.", "nothing else reaches them")
    DiscordLink.objects.create(user=orla, discord_id="8" * 18, name="orla")
    assert warns("no mail reaches Orla.", "hear of it on their devices or in Discord.")
    # Discord lets none of the bot's messages through to her.
    DiscordLink.objects.filter(user=orla).update(shut_since=START)
    assert warns("no mail reaches Orla.", "nothing else reaches them")
    confirmed(orla)
    assert told() == ""


# -- options -------------------------------------------------------------------------------------


def test_an_hour_can_be_cut_to_minutes_in_the_form(orla: User) -> None:
    page = signed_in(orla)
    filled = {
        "format": "elimination", "name": "Quick", "pace": "normal", "no_show_minutes": 15,
        "no_show_rule": "organiser", "ruleset_choice": "fixed",
        "elimination_choice_hours": "0.25", "elimination_final_best_of": 3,
        # Not chosen, and not shown.
        "swiss_rounds": "0",
    }  # fmt: skip
    assert page.post(reverse("tournaments:season_new"), filled).status_code == 302
    assert Season.objects.get(name="Quick").format_options["choice_hours"] == 0.25


def test_every_option_out_of_range_is_told_at_its_field_in_words(orla: User) -> None:
    for kind in FORMATS.values():
        for name, limits in option_limits(kind.key).items():
            wrong: Any = "soon" if limits.type is bool else (limits.most or 0) + 1
            with pytest.raises(OptionsRefused) as refused_:
                options_of(kind.key, {name: wrong, "colour": 1})
            assert set(refused_.value.fields) == {name, "colour"}
            assert not {"$", "`", "Expected"} & set(refused_.value.sentence)
            assert "Expected" not in refused_.value.sentence
            form = SeasonForm(data={"format": kind.key})
            form.is_valid()
            form.refuse(OptionsRefused("format.options", {name: limits.sentence}))
            assert form.errors[f"{kind.key}_{name}"] == [limits.sentence]
            even = SeasonForm(data={"format": kind.key, f"{kind.key}_{name}": "1e9"})
            if limits.type is not bool:
                assert even.errors[f"{kind.key}_{name}"][0] == limits.sentence
    with pytest.raises(OptionsRefused, match="An odd number from 1 to 15"):
        options_of("elimination", {"final_best_of": 4})


# -- what is frozen ------------------------------------------------------------------------------


def test_only_what_something_rests_on_must_be_reopened(orla: User) -> None:
    season = running(orla, 4)
    row = played(orla, chosen(orla, season, 4, 3), 0)
    desk = f"/seasons/{season.slug}/desk/matches/{row.pk}/"
    page = signed_in(orla)
    assert row.round.status == "closed"
    assert "reopened" not in page.get(desk).content.decode()
    assert "reopened" not in page.get(f"{desk}correct/").content.decode()
    episodes.episode_open(acting_user=orla, season=season, at=after(hours=1))
    assert "reopened" in page.get(desk).content.decode()
    assert "Reopen the round first" in page.get(f"{desk}correct/").content.decode()
    refused(
        "round.frozen", corrections.death_match_correct, acting_user=orla, death_match=fresh(row),
        winner=row.away, why="x",
    )  # fmt: skip


def test_a_bracket_freezes_what_was_played_on_and_nothing_beside_it(orla: User) -> None:
    season = running(orla, 8, "single-elimination")
    first = list(DeathMatch.objects.filter(round__season=season, round__number=1))
    for row in first:
        played(orla, fresh(row), 0)
    second = DeathMatch.objects.filter(round__season=season, round__number=2).order_by("number")
    semi = played(orla, second[0], 0)
    inside = [row for row in map(fresh, first) if row.winner_id in (semi.home_id, semi.away_id)]
    beside = next(row for row in map(fresh, first) if row not in inside)
    assert beside.round.status == "closed"
    refused(
        "round.frozen", corrections.death_match_correct, acting_user=orla, death_match=inside[0],
        winner=inside[0].away, why="x",
    )  # fmt: skip
    assert beside.away is not None
    corrections.death_match_correct(
        acting_user=orla, death_match=beside, winner=beside.away, why="It was the other one."
    )
    assert fresh(beside).winner_id == beside.away_id


# -- gifts of the final --------------------------------------------------------------------------


def test_the_eliminated_give_for_each_match_of_the_final(orla: User) -> None:
    season = running(orla, 3)
    played(orla, chosen(orla, season, 3, 2), 1)
    final = final_open(acting_user=orla, season=season, best_of=3, games=[])
    giver = who(season, 3)
    final.legs.update(ruleset=WARS["ruleset"], variant=WARS["variant"])
    right: dict[str, Any] = {
        "acting_user": giver.user, "season": season, "receiver": who(season, 1),
        "death_match": fresh(final), "item": "domino-repeat", "ruleset": WARS["ruleset"],
    }  # fmt: skip
    refused("item.leg", item_give, **right)
    for number in (1, 2, 3):
        item_give(**right, leg_number=number)
        assert legs.advantage_of(leg_of(final, number)) == 0
    refused("item.given-already", item_give, **right, leg_number=2)


def test_the_form_offers_what_may_be_given(orla: User) -> None:
    """Who gives in a final says for which match; organisers may grant for any."""
    season = running(orla, 3, repertoire=[WARS])
    row = chosen(orla, season, 3, 2)

    def offered(user: User, page: str, death_match: DeathMatch) -> tuple[list[str], bool]:
        form = signed_in(user).get(f"/seasons/{season.slug}/{page}").context["form"]
        field = form.fields.get("leg_number")
        assert [pk for pk, _ in form.fields["death_match"].choices if pk] == [str(death_match.pk)]
        return ([], False) if field is None else ([n for n, _ in field.choices], field.required)

    assert offered(orla, "desk/items/", row) == ([], False)
    played(orla, row, 1)
    final = final_open(acting_user=orla, season=season, best_of=3, games=[])
    assert offered(account(season, 3), "items/give/", final) == (["1", "2", "3"], True)
    assert offered(orla, "desk/items/", final) == (["", "1", "2", "3"], False)


# -- what happens while a page is read -----------------------------------------------------------


def test_what_has_come_since_a_page_began_to_be_read_is_for_the_next(orla: User) -> None:
    """Its parts are read one after the other: rounds, then what is in them."""
    season = running(orla, 5, repertoire=[WARS])
    played(orla, chosen(orla, season, ec=1, dmo=2), winner=0)
    sheet = Sheet(Season.objects.get(pk=season.pk))
    assert len(sheet.rounds) == len(sheet.contestants) - 4 == 1
    late = contestant_enrol(acting_user=orla, season=season, user=user_named("late"))
    row = chosen(orla, season, ec=3, dmo=4)
    DeathMatch.objects.filter(pk=row.pk).update(away=late)
    assert [each.row.round for each in sheet.episodes] == sheet.rounds
    assert [each.round for each in sheet.death_matches] == sheet.rounds
    assert sheet.gifts_for(orla) == []
    assert late.pk not in sheet.by_id
    again = Sheet(Season.objects.get(pk=season.pk))
    assert [each.round for each in again.death_matches] == again.rounds
    assert again.death_matches[-1].away == late


# -- who is still in -----------------------------------------------------------------------------


def test_who_plays_for_third_place_is_not_still_in(orla: User) -> None:
    season = running(orla, 4, "single-elimination", format_options={"third_place": True})
    for row in DeathMatch.objects.filter(round__season=season, round__number=1):
        played(orla, fresh(row), 0)
    sheet = Sheet(Season.objects.get(pk=season.pk))
    assert standing_text(sheet).endswith("2 still in")
    assert [each.left for each in seasons_run_by(orla) if each.season == season] == [2]
    page = Client().get(f"/seasons/{season.slug}/contestants/").content.decode()
    assert page.count("plays for third place") == 2
    assert page.count("still in") >= 2


# -- the audit log -------------------------------------------------------------------------------


def test_the_audit_log_is_searched_for_actions_to_a_person(orla: User, oscar: User) -> None:
    root = User.objects.get(username="root")
    season = running(orla, 3)
    organiser_joins(acting_user=orla, season=season, user=oscar)
    ada = account(season, 1)
    contestant_withdraw(acting_user=orla, contestant=who(season, 1), why="ill")
    with committing():
        user_warn(acting_user=root, user=ada, reason="Be kind.")
    its = AuditEntryAdmin(AuditEntry, admin.site)
    request = RequestFactory().get("/")
    request.user = root

    def actions(name: str) -> set[str]:
        rows, _ = its.get_search_results(request, AuditEntry.objects.all(), name)
        return set(rows.values_list("action", flat=True))

    assert {"contestant.withdraw"} <= actions(ada.username)
    assert any(action.startswith("sanction.") or "warn" in action for action in actions("player1"))
    assert {"season.organiser_add", "user.role_grant"} & actions("oscar")
    assert "season.start" not in actions("player1")


# -- errors name the players ---------------------------------------------------------------------


def test_errors_of_pairing_by_hand_and_of_ties_name_the_players(orla: User) -> None:
    swiss = running(orla, 4, "swiss")
    for row in DeathMatch.objects.filter(round__season=swiss):
        played(orla, fresh(row), 0)
    people = list(swiss.contestants.order_by("seed"))
    one, two, three, _four = people

    def refusal(*pairs: tuple[Contestant, Contestant]) -> Refusal:
        with pytest.raises(Refusal) as caught:
            round_next(
                acting_user=orla, season=swiss, pairings=[ManualPairing(*pair) for pair in pairs]
            )
        return caught.value

    twice = refusal((one, two), (one, three))
    assert "Player 1" in twice.sentence
    form = PairingsForm(
        {"home_1": one.pk, "away_1": two.pk, "home_2": one.pk, "away_2": three.pk},
        people=people, proposed=[],
    )  # fmt: skip
    assert form.is_valid()
    form.refuse(twice)
    assert "Player 1 is paired twice" in str(form.errors["away_1"])
    assert not form.non_field_errors()


def test_errors_of_the_main_match_and_of_a_ladder_name_the_players(orla: User) -> None:
    season = running(orla, 4)
    places = placings(season, 4)
    for wrong, ec, name in (
        ([*places, places[0]], None, "Player 1"),
        (places, who(season, 1), "Player 4"),
    ):
        with pytest.raises(Refusal) as caught:
            main_match.placements_record(
                acting_user=orla, episode=episode_now(season), placements=wrong, ec=ec
            )
        assert name in caught.value.sentence
    form = PlacementsForm({}, contestants=[each.contestant for each in places])
    assert form.is_valid()
    assert form.row_fields() == []


# -- rulings -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("by_ec", "hours", "told"),
    [
        (True, 1, []),
        (False, 1, ["The organisers name Player 3 to meet Player 4."]),
        (
            False,
            500,
            ["The organisers name Player 3 to meet Player 4, whose time to choose is over."],
        ),
    ],
)
def test_whoever_names_the_dmo_for_an_ec_is_among_the_rulings(
    orla: User, by_ec: bool, hours: int, told: list[str]
) -> None:
    season = running(orla, 4)
    main_match.placements_record(
        acting_user=orla, episode=episode_now(season), placements=placings(season, 4), at=START
    )
    choice.dmo_choose(
        acting_user=account(season, 4) if by_ec else orla, episode=episode_now(season),
        contestant=who(season, 3), at=after(hours=hours),
    )  # fmt: skip
    assert [each.words for each in Sheet(season).events(rulings=True)] == told
    page = Client().get(f"/seasons/{season.slug}/rulings/").content.decode()
    assert ("Decided by Orla." in page) is not by_ec


def test_a_ruling_is_one_entry_and_names_the_organiser(orla: User) -> None:
    season = running(orla, 5)
    row = played(orla, chosen(orla, season, 5, 4), 0)
    sheet = Sheet(season)

    def entries() -> list[SeasonEvent]:
        return list(sheet.events(rulings=True))

    assert entries() == []
    assert row.away is not None
    corrections.death_match_correct(
        acting_user=orla, death_match=row, winner=row.away, why="A slip.", at=after(hours=1)
    )
    assert [each.kind for each in entries()] == ["death-match.corrected"]
    corrections.death_match_void(
        acting_user=orla, death_match=fresh(row), why="The wrong two.", at=after(hours=2)
    )
    assert [each.kind for each in entries()] == ["death-match.void", "death-match.corrected"]
    contestant_withdraw(acting_user=orla, contestant=who(season, 5), why="Gone.", at=after(hours=3))
    episodes.episode_open(acting_user=orla, season=season, at=after(hours=4))
    again = chosen(orla, season, 3, 2, after(hours=5))
    leg = begun(orla, again, at=after(hours=5))
    ruled(orla, leg, "winner 0", after(hours=6))
    legs_sweep(at=after(hours=7))
    kinds = [each.kind for each in entries()]
    assert kinds == [
        "death-match.decided", "contestant.withdrawn", "death-match.void", "death-match.corrected",
    ]  # fmt: skip
    assert {each.data.get("by") for each in entries()} == {"Orla"}
    assert entries()[0].words == "Player 3 is given the win against Player 2: because"
    page = Client().get(f"/seasons/{season.slug}/rulings/").content.decode()
    assert page.count("Orla") == page.count("Decided by Orla.") == 4


def test_what_is_void_at_the_desk_of_its_match_says_why_and_by_whom(
    orla: User, posted: list[int]
) -> None:
    season = running(orla, 5)
    leg = begun(orla, chosen(orla, season, 5, 4))
    confirmed(account(season, 4))
    posted.clear()
    with committing():
        ruled(orla, leg, "void")
    (event,) = Sheet(season).events(rulings=True)
    assert event.words.endswith("is void and will be played again: because")
    assert event.data["by"] == "Orla"
    (letter,) = letters(posted)["player4"]
    assert "because. Decided by Orla." in letter.body


def test_letters_of_a_waiting_match_go_to_those_it_concerns(orla: User, oscar: User) -> None:
    season = running(orla, 3)
    leg = begun(orla, chosen(orla, season, 3, 2))
    assert leg.match is not None
    assert list(match_audience.concerned_with(leg.match)) == [orla]
    leg.match.referees.all().delete()
    assert set(match_audience.organisers_of(leg.match)) == {orla, oscar}
    assert list(match_audience.concerned_with(leg.match)) == []
    ruled(oscar, leg, "pause")
    assert list(match_audience.concerned_with(leg.match)) == [oscar]


# -- mail ----------------------------------------------------------------------------------------


@pytest.fixture
def posted(workers: Workers) -> list[int]:
    """The events that workers were asked to write of."""
    asked: list[int] = []
    workers.at_once |= {ANNOUNCE_EVENT: asked.append, DELIVER: deliver}
    return asked


def letters(posted: list[int]) -> dict[str, list[Any]]:
    """What goes out for them, by address; asked twice, it goes once."""
    mail.outbox.clear()
    for event in posted:
        with committing():
            notices.event_announce(event)
    first = len(mail.outbox)
    for event in posted:
        assert notices.event_announce(event) == 0
    assert len(mail.outbox) == first
    posted.clear()
    found: dict[str, list[Any]] = {}
    for each in mail.outbox:
        (address,) = each.to
        found.setdefault(address.partition("@")[0], []).append(each)
    return found


def test_whom_it_concerns_is_told_away_from_the_site(orla: User, posted: list[int]) -> None:
    season = running(orla, 5)
    for number in (1, 4, 5):
        confirmed(account(season, number))
    confirmed(account(season, 3), verified=False)
    User.objects.filter(username="player5").update(time_zone="Europe/Berlin")
    now = timezone.now()

    with committing():
        row = chosen(orla, season, 5, 4, now, timedelta(seconds=1))
    told = letters(posted)
    assert set(told) == {"player4", "player5"}
    ec = told["player5"][0]
    assert "choose your opponent" in ec.subject
    until = episode_now(season)
    assert "until" in ec.body
    assert ("CET" in ec.body) or ("CEST" in ec.body)
    assert "/choose/" in ec.body
    assert until.choose_by is not None
    (dmo,) = told["player4"]
    assert "Player 5 chooses Player 4. You are the DMO" in dmo.body

    def both(expected: str) -> None:
        found = letters(posted)
        assert set(found) == {"player4", "player5"}, (expected, found)
        for (letter,) in found.values():
            # Whoever is out, or back in, hears of that in the same letter.
            assert expected in letter.body
            assert row.get_absolute_url() in letter.body or "/choose/" in letter.body

    with committing():
        legs.rules_set(
            acting_user=orla, death_match=row, ruleset=GAME["ruleset"], variant=GAME["variant"]
        )
    both("is played in")
    first = now + timedelta(days=2)
    with committing():
        leg_schedule(acting_user=orla, leg=leg_of(row), scheduled_at=first)
    # Said of the time that was fixed then, whatever has been fixed since.
    with committing():
        leg_schedule(acting_user=orla, leg=leg_of(row), scheduled_at=now + timedelta(days=3))
    assert len(posted) == 2
    del posted[1:]
    both(f"{first:%A}" if first.hour < 21 else "is on")
    with committing():
        rulings.death_match_walkover(
            acting_user=orla, death_match=fresh(row), winner=who(season, 5), why="Nobody came."
        )
    both("Nobody came.")
    with committing():
        corrections.death_match_correct(
            acting_user=orla, death_match=fresh(row), winner=who(season, 4), why="A slip."
        )
    both("A slip. Decided by Orla.")
    with committing():
        corrections.death_match_reopen(acting_user=orla, death_match=fresh(row), why="Play it.")
    both("to be played after all")
    with committing():
        corrections.death_match_void(acting_user=orla, death_match=fresh(row), why="Wrong two")
    told = letters(posted)
    found = {name: ["Wrong two. Decided by" in each.body for each in told[name]] for name in told}
    assert found == {"player4": [True], "player5": [True]}
    expected = "You choose your opponent again, until .*/choose/"
    assert re.search(expected, told["player5"][0].body, re.DOTALL)


def test_of_a_leg_that_both_are_ready_for_it_is_said_that_it_begins_in_a_moment(
    orla: User, posted: list[int]
) -> None:
    """Its clocks wait for some seconds, for whatever both pages add to its draws."""
    season = running(orla, 5, pace="normal")
    for number in (4, 5):
        confirmed(account(season, number))
    leg = leg_of(chosen(orla, season, 5, 4))
    posted.clear()
    now = timezone.now()
    with committing():
        for number in (4, 5):
            leg_confirm(acting_user=account(season, number), leg=leg_of(leg.death_match), at=now)
    match = leg_of(leg.death_match).match
    assert match is not None
    assert match.waits_until is not None
    told = letters(posted)
    assert set(told) == {"player4", "player5"}
    for (letter,) in told.values():
        assert "The clocks start in a moment, whoever is there." in letter.body


@pytest.mark.parametrize("ready", [(), (4,), (5,), (4, 5)])
@pytest.mark.parametrize("pace", ["normal", "daily"])
def test_a_leg_that_an_organiser_begins_waits_for_both_or_until_they_have_looked_in(
    orla: User, posted: list[int], pace: str, ready: tuple[int, ...]
) -> None:
    """Whatever they had said: who was ready for a later time may be away."""
    season = running(orla, 5, pace=pace)
    for number in (4, 5):
        confirmed(account(season, number))
    leg = leg_of(chosen(orla, season, 5, 4))
    # Where it is over ends in the middle of a minute.
    now = timezone.now().replace(second=59, microsecond=999_000)
    with committing():
        leg_schedule(acting_user=orla, leg=leg, scheduled_at=now + timedelta(minutes=5), at=now)
        for number in ready:
            leg_confirm(acting_user=account(season, number), leg=leg_of(leg.death_match), at=now)
    posted.clear()
    with committing():
        begun_ = leg_start(acting_user=orla, leg=leg_of(leg.death_match), at=now)
    match = begun_.match
    assert match is not None
    waits = pace == "normal"
    assert match.waits_until is not None
    told = letters(posted)
    assert set(told) == {"player4", "player5"}
    for (letter,) in told.values():
        assert f"/matches/{match.pk}/" in letter.body
        assert ("once both of you are there" in letter.body) == waits
        assert ("once both players have looked in" in letter.body) != waits
        assert ("and once more, on any page of the site" in letter.body) != waits
        assert "clocks are running" not in letter.body
    if not waits:
        half_a_day = now + timedelta(hours=12)
        for (letter,) in told.values():
            assert f" at {half_a_day:%H:%M} (UTC) at the latest. No clock runs" in letter.body
            assert "void" not in letter.body
        with committing():
            match_wake(match_id=match.pk, at=ms(half_a_day) + 60_000)
        assert not still_waits(match.pk)
        return
    for (letter,) in told.values():
        # By the letter there is never more time than there is, and less by less than a minute.
        assert f" at {now + timedelta(minutes=3):%H:%M} (UTC), the match is void" in letter.body
    assert match.waits_until == ms(now + timedelta(minutes=3))
    assert store.read(match.pk).live.waiting == Waiting(match.waits_until)
    with committing():
        match_wake(match_id=match.pk, at=(match.wake_at or 0) + 60_000)
    match.refresh_from_db()
    assert (match.status, match.winner) == ("finished", None)
    again = leg_of(leg.death_match)
    assert (again.attempt, again.status) == (begun_.attempt + 1, "planned")


def test_what_begins_by_itself_begins_whoever_is_there(orla: User) -> None:
    """Some seconds are waited, for what pages add to its draws."""
    leg = leg_of(chosen(orla, running(orla, 5), 5, 4))
    season, now = leg.death_match.round.season, timezone.now()
    with committing():
        for number in (4, 5):
            leg_confirm(acting_user=account(season, number), leg=leg_of(leg.death_match), at=now)
    match = leg_of(leg.death_match).match
    assert match is not None
    until = ms(now) + settings.GAUNTLET_GATHER_MS
    assert match.waits_until == until
    with committing():
        match_wake(match_id=match.pk, at=until + 1)
    begun = leg_of(leg.death_match).match
    assert begun is not None
    assert begun.status == "running"
    assert begun.waits_until is None


def test_players_are_told_in_what_they_meet(orla: User, posted: list[int]) -> None:
    """Where the season says so, in every format, and with the pairing itself."""
    games = [
        {"ruleset": "tetronogo", "variant": "standard", "options": {}},
        {"ruleset": "peg-domain", "variant": "gauntlet", "options": {}},
    ]
    season = running(orla, 5, repertoire=games)
    for number in (4, 5):
        confirmed(account(season, number))
    with committing():
        chosen(orla, season, 5, 4, later=timedelta(seconds=1))
    told = letters(posted)
    assert ["You play Tetronogo." in each.body for each in told["player4"]] == [True]
    assert ["You play Tetronogo." in each.body for each in told["player5"]] == [False, True]
    league = enrolled(orla, 4, "round-robin", repertoire=games)
    confirmed(account(league, 1))
    with committing():
        season_start(acting_user=orla, season=league)
    (letter,) = letters(posted)[account(league, 1).username]
    assert "meets" in letter.body
    assert "You play Tetronogo." in letter.body or "You play Peg Domain: " in letter.body


def test_whoever_takes_over_is_told_what_there_is_to_do(orla: User, posted: list[int]) -> None:
    season = running(orla, 6)
    ec, dmo = user_named("vic"), user_named("wes")
    for user in (ec, dmo, account(season, 6)):
        confirmed(user)
    with committing():
        main_match.placements_record(
            acting_user=orla, episode=episode_now(season), placements=placings(season, 6)
        )
    assert set(letters(posted)) == {"player6"}
    with committing():
        contestant_replace(acting_user=orla, contestant=who(season, 6), user=ec, why="Ill.")
    told = letters(posted)
    assert set(told) == {"vic", "player6"}
    assert "you are replaced" in told["player6"][0].subject
    (choose,) = [each for each in told["vic"] if "choose your opponent" in each.subject]
    assert "is the EC in Player 6's place" in choose.body
    assert "until" in choose.body
    with committing():
        row = choice.dmo_choose(
            acting_user=ec, episode=episode_now(season), contestant=who(season, 5)
        )
        leg_schedule(
            acting_user=orla, leg=leg_of(row), scheduled_at=timezone.now() + timedelta(days=1)
        )
    letters(posted)
    with committing():
        contestant_replace(acting_user=orla, contestant=who(season, 5), user=dmo, why="Ill.")
    told = letters(posted)
    assert set(told) == {"vic", "wes"}
    for mails in told.values():
        (letter,) = [each for each in mails if "meets" in each.body]
        assert "It is on" in letter.body


def test_letters_are_of_kinds_that_there_are() -> None:
    assert set(notices._LETTERS) <= set(KINDS)


def test_what_concerns_nobody_in_particular_is_not_mailed(orla: User, posted: list[int]) -> None:
    with committing():
        season = running(orla, 3)
        row = chosen(orla, season, 3, 2)
        played(orla, row, 0)
    kinds = SeasonEvent.objects.filter(pk__in=posted).values_list("kind", flat=True)
    assert all(map(notices.is_announced, kinds))
    assert letters(posted) == {}
