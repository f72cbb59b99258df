"""Who enters, in which order, and who leaves."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import AuditEntry, DiscordLink, Sanction, User
from accounts.services import user_close
from core.refusals import Refusal
from tests.games.support import user_named
from tests.tournaments.support import (
    START,
    account,
    after,
    begun,
    chosen,
    enrolled,
    episode_now,
    fresh,
    kinds,
    leg_of,
    nothing_changes,
    placings,
    played,
    refused,
    running,
    who,
)
from tournaments.formats.elimination.choice import dmo_choose
from tournaments.formats.elimination.final import final_open
from tournaments.formats.elimination.main_match import placements_record
from tournaments.invariants import faults_of
from tournaments.models import Contestant, Season, SeasonEvent
from tournaments.services.contestants.departures import (
    contestant_remove,
    contestant_replace,
    contestant_return,
    contestant_withdraw,
)
from tournaments.services.contestants.enrolment import (
    Enrolment,
    contestant_enrol,
    contestant_join,
    contestants_enrol,
)
from tournaments.services.contestants.merging import contestancies_merge
from tournaments.services.contestants.rosters import (
    FaultyRoster,
    contestants_export,
    contestants_import,
)
from tournaments.services.contestants.seeds import seeds_draw, seeds_set
from tournaments.services.items.gifts import item_give
from tournaments.services.results.corrections import (
    death_match_correct,
    death_match_reopen,
    death_match_void,
    round_reopen,
)
from tournaments.services.seasons import season_cancel, season_create, season_update
from tournaments.services.starts import season_start
from tournaments.views.desk.people import FOUND_MOST


def enrol(orla: User, season: Season, user: User, seed: int | None = None) -> Contestant:
    return contestant_enrol(acting_user=orla, season=season, user=user, seed=seed, at=START)


# -- entering ------------------------------------------------------------------------------------


def test_who_cannot_enter(orla: User, cleo: User, oscar: User) -> None:
    season = enrolled(orla, 2)
    root = User.objects.get(username="root")
    closed, suspended = user_named("closed"), user_named("suspended")
    user_close(acting_user=root, user=closed, reason="left")
    Sanction.objects.create(user=suspended, by=root, kind="suspension", reason="shouting")

    def refuse(code: str, **given: object) -> None:
        refused(code, contestant_enrol, **{"acting_user": orla, "season": season, **given})

    refuse("season.not-organiser", acting_user=oscar, user=cleo)
    refuse("season.not-organiser", acting_user=cleo, user=cleo)
    refuse("contestant.account-closed", user=closed)
    refuse("contestant.suspended", user=User.objects.get(pk=suspended.pk))
    refuse("contestant.twice", user=account(season, 1))
    refuse("contestant.name.too-long", user=cleo, name="x" * 201)
    refuse("seed.taken", user=cleo, seed=2)
    refuse("seed.range", user=cleo, seed=0)
    refuse("seed.range", user=cleo, seed=10_001)
    season_cancel(acting_user=orla, season=season, why="rain", at=START)
    refuse("season.over", user=cleo)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Moderator", "impersonates"),
        ("\N{CYRILLIC CAPITAL LETTER A}dmin", "impersonates"),
        ("Gauntlet Admin", "impersonates"),
        ("Orla", "impersonates"),
        ("The real Orla", "impersonates"),
        ("player1", "impersonates"),
        ("Cle\N{CYRILLIC SMALL LETTER O} Great", "mixed-scripts"),
        ("Cleo\N{ZERO WIDTH SPACE}", "characters"),
    ],
)
def test_nobody_is_enrolled_under_somebody_elses_name(
    orla: User, cleo: User, name: str, code: str
) -> None:
    season = enrolled(orla, 3)
    code = f"contestant.name.{code}"
    about: dict[str, Any] = {"acting_user": orla, "season": season}
    refused(code, contestant_enrol, user=cleo, name=name, **about)
    entries = [Enrolment(user_named("dora"), "Dora D."), Enrolment(cleo, name)]
    assert refused(code, contestants_enrol, entries=entries, **about).row == 1
    sheet = f"cleo,{name},"
    assert (
        "Line 1" in refused("contestants.faults", contestants_import, text=sheet, **about).sentence
    )
    begun = season_start(acting_user=orla, season=season, at=START)
    refused(
        code, contestant_replace, acting_user=orla, contestant=who(begun, 2), user=cleo, why="ill",
        name=name,
    )  # fmt: skip


def test_one_may_be_enrolled_under_a_name_that_is_nobody_elses(orla: User, cleo: User) -> None:
    season = enrolled(orla, 2)
    entry = Enrolment(cleo, "Cleopatra VII")
    (made,) = contestants_enrol(acting_user=orla, season=season, entries=[entry], at=START)
    assert made.name == "Cleopatra VII"
    # An organiser who plays is called what they are called.
    assert enrol(orla, season, orla).name == "Orla"


def test_joining_where_it_is_open(orla: User, cleo: User) -> None:
    season = enrolled(orla, 2)
    refused("enrolment.closed", contestant_join, acting_user=cleo, season=season)
    season_update(acting_user=orla, season=season, changes={"open_enrolment": True})
    (contestant,) = contestant_join(acting_user=cleo, season=season, at=START).contestants
    assert (contestant.name, contestant.seed, contestant.status) == ("Cleo", None, "enrolled")
    refused("contestant.twice", contestant_join, acting_user=cleo, season=season)
    contestant_withdraw(acting_user=cleo, contestant=contestant, at=START)
    again = contestant_join(acting_user=cleo, season=season, at=START)
    assert again.contestants == [contestant]
    Season.objects.filter(pk=season.pk).update(visibility="draft")
    refused("enrolment.closed", contestant_join, acting_user=user_named("zoe"), season=season)


def test_a_late_entry_comes_last_and_from_the_next_round(orla: User, cleo: User) -> None:
    season = running(orla, 4)
    refused("seed.fixed", contestant_enrol, acting_user=orla, season=season, user=cleo, seed=9)
    late = enrol(orla, season, cleo)
    assert (late.status, late.seed, late.since_round) == ("active", 5, 2)


def test_nobody_enters_after_the_final_has_been_opened(orla: User, cleo: User) -> None:
    season = running(orla, 3)
    played(orla, chosen(orla, season, ec=1, dmo=2), winner=0)
    final_open(acting_user=orla, season=season, at=START)
    refused("final.begun", contestant_enrol, acting_user=orla, season=season, user=cleo)


# -- many at once --------------------------------------------------------------------------------


def crowd(*numbers: int) -> list[User]:
    """Accounts called fan-<number>."""
    return User.objects.bulk_create(
        User(username=f"fan-{number}", display_name=f"Fan {number}") for number in numbers
    )


def by_service(orla: User, season: Season, users: list[User]) -> list[Contestant]:
    entries = [Enrolment(user) for user in users]
    return contestants_enrol(acting_user=orla, season=season, entries=entries, at=START)


def by_file(orla: User, season: Season, users: list[User]) -> list[Contestant]:
    text = "\n".join(user.username for user in users)
    return contestants_import(acting_user=orla, season=season, text=text, at=START).contestants


@pytest.mark.parametrize("enter", [by_service, by_file])
@pytest.mark.parametrize(("begin", "kind"), [(enrolled, "swiss"), (running, "elimination")])
def test_fifty_take_no_more_queries_than_five(
    orla: User, django_assert_max_num_queries: Any, enter: Any, begin: Any, kind: str
) -> None:
    season = begin(orla, 3, kind)
    few, many = crowd(*range(5)), crowd(*range(5, 55))
    with CaptureQueriesContext(connection) as queries:
        enter(orla, season, few)
    before = SeasonEvent.objects.count(), AuditEntry.objects.count()
    with django_assert_max_num_queries(len(queries)):
        entered = enter(orla, season, many)
    assert [each.user for each in entered] == many
    assert entered == sorted(entered, key=lambda each: each.pk)
    events = SeasonEvent.objects.filter(contestant__in=entered, kind="contestant.enrolled")
    entries = AuditEntry.objects.filter(
        action="contestant.enrol", target_id__in=[str(each.pk) for each in entered]
    )
    assert (events.count(), entries.count()) == (50, 50)
    imports = int(enter is by_file)
    assert (SeasonEvent.objects.count(), AuditEntry.objects.count()) == (
        before[0] + 50,
        before[1] + 50 + imports,
    )
    assert faults_of(season) == []


def test_several_late_entries_come_last_in_their_order(orla: User) -> None:
    season = running(orla, 4)
    late = contestants_enrol(
        acting_user=orla,
        season=season,
        entries=[Enrolment(user) for user in crowd(1, 2, 3)],
        at=START,
    )
    assert [(each.seed, each.since_round, each.status) for each in late] == [
        (5, 2, "active"),
        (6, 2, "active"),
        (7, 2, "active"),
    ]
    told = season.events.filter(kind="contestant.enrolled").order_by("pk")
    assert [event.words for event in told][-1] == "Fan 3 enters late."


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("contestant.twice", ["fan-1", "", None]),
        ("contestant.twice", ["player1", "", None]),
        ("contestant.account-closed", ["closed", "", None]),
        ("contestant.suspended", ["suspended", "", None]),
        ("contestant.name.too-long", ["fan-2", "x" * 201, None]),
        ("seed.range", ["fan-2", "", 0]),
        ("seed.range", ["fan-2", "", 10_001]),
        ("seed.range", ["fan-2", "", 2**70]),
        ("seed.taken", ["fan-2", "", 1]),
        ("seed.taken", ["fan-2", "", 9]),
    ],
)
def test_one_who_cannot_enter_keeps_all_out(orla: User, code: str, wrong: list[Any]) -> None:
    season = enrolled(orla, 1)
    fans = crowd(1, 2, 3)
    suspended = user_named("suspended")
    user_named("closed", is_active=False)
    Sanction.objects.create(user=suspended, by=orla, kind="suspension", reason="shouting")
    name, shown, seed = wrong
    entries = [
        Enrolment(fans[0], seed=9),
        Enrolment(User.objects.get(username=name), shown, seed),
        Enrolment(fans[2]),
    ]
    refused(code, contestants_enrol, acting_user=orla, season=season, entries=entries)


def test_late_entries_are_refused_line_by_line(orla: User, cleo: User) -> None:
    """Where the format takes nobody any more, each line says what is wrong with it by itself."""
    season = running(orla, 4, "single-elimination")
    crowd(1)
    text = "cleo\nnobody\nfan-1,,3\nplayer1\nfan-1"
    with nothing_changes(), pytest.raises(FaultyRoster) as raised:
        contestants_import(acting_user=orla, season=season, text=text)
    closed = "Nobody can enter late here; somebody can be replaced instead."
    assert raised.value.faults == [
        (1, closed),
        (2, "Nobody here is called 'nobody'."),
        (3, "The seeds are fixed; a late entry comes after all others."),
        (4, "Player 1 is in this season already."),
        (5, closed),
    ]


def test_who_was_struck_off_comes_back_among_others(orla: User) -> None:
    season = enrolled(orla, 2)
    gone = who(season, 2)
    contestant_remove(acting_user=orla, contestant=gone, at=START)
    text = "fan-1,,2\nplayer2,Second,3"
    crowd(1)
    contestants_import(acting_user=orla, season=season, text=text, at=START)
    found = season.contestants.order_by("seed").values_list("name", "seed", "status", "left_at")
    assert list(found) == [
        ("Player 1", 1, "enrolled", None),
        ("Fan 1", 2, "enrolled", None),
        ("Second", 3, "enrolled", None),
    ]
    assert season.contestants.get(seed=3).pk == gone.pk


# -- CSV -----------------------------------------------------------------------------------------


@pytest.fixture
def people(db: None) -> list[User]:
    return [user_named(name, display_name=name.upper()) for name in ("ann", "bob", "cat")]


@pytest.mark.parametrize(
    "text",
    [
        "ann,,1\nbob,Bobby,\ncat,,3\n",
        "username,name,seed\r\nann,,1\r\n\r\n@Bob,Bobby,\r\ncat,,3\r\n",
        "Seed;Username;Name\n1;ann;\n;bob;Bobby\n3;cat;",
        '\ufeffusername,seed,name\n"ann",1\nbob,,"Bobby"\ncat,3',
    ],
)
def test_a_file_of_contestants(orla: User, people: list[User], text: str) -> None:
    season = enrolled(orla, 0)
    contestants_import(acting_user=orla, season=season, text=text, at=START)
    found = season.contestants.order_by("pk").values_list("user__username", "name", "seed")
    assert list(found) == [("ann", "ANN", 1), ("bob", "Bobby", None), ("cat", "CAT", 3)]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [1]),
        ("\n\n", [1]),
        ("username,name\n", [1]),
        ("username,mail\nann,a@b.c", [1]),
        ("username,username\nann,ann", [1]),
        ("ann\nnobody\nbob,x,first\ncat,,7\nann", [2, 3, 5]),
        ("ann,,7\nbob,,7", [2]),
        ("ann,,0", [1]),
        ("ann,,1,x", [1]),
        (",,3", [1]),
        ('ann\n"bob', [2]),
        ("ann\x00", [1]),
        ("player1", [1]),
        ("ann\n" * 2001, list(range(2, 2002))),
    ],
)
def test_a_file_with_faults_enrols_nobody(
    orla: User, people: list[User], text: str, lines: list[int]
) -> None:
    season = enrolled(orla, 1)
    with nothing_changes(), pytest.raises(FaultyRoster) as raised:
        contestants_import(acting_user=orla, season=season, text=text)
    assert raised.value.code == "contestants.faults"
    assert [fault.line for fault in raised.value.faults] == lines
    assert raised.value.sentence.endswith(".")


def test_what_is_exported_can_be_imported(orla: User, people: list[User]) -> None:
    """By seed; a formula is none any more, and comes back as it was."""
    season = enrolled(orla, 0)
    entries = [
        Enrolment(user, name) for user, name in zip(people, ["=1+1", "'-x", ""], strict=True)
    ]
    entries.append(Enrolment(user_named("-dan"), 'Dan, "the" Élan', 1))
    contestants_enrol(acting_user=orla, season=season, entries=entries, at=START)
    text = contestants_export(season=season)
    assert text.splitlines() == [
        "username,name,seed", """'-dan,"Dan, ""the"" Élan",1""", "ann,'=1+1,", "bob,''-x,",
        "cat,CAT,",
    ]  # fmt: skip
    again = season_create(acting_user=orla, name="Spring", format="elimination")
    contestants_import(acting_user=orla, season=again, text=text, at=START)
    kept = ("user", "name", "seed")
    assert set(again.contestants.values_list(*kept)) == set(season.contestants.values_list(*kept))


def test_who_was_struck_off_or_replaced_is_not_exported(orla: User, cleo: User) -> None:
    season = enrolled(orla, 4)
    contestant_remove(acting_user=orla, contestant=who(season, 4), at=START)
    season_start(acting_user=orla, season=season, at=START)
    contestant_replace(acting_user=orla, contestant=who(season, 1), user=cleo, why="ill", at=START)
    contestant_withdraw(acting_user=orla, contestant=who(season, 3), why="ill", at=START)
    assert contestants_export(season=season).splitlines()[1:] == [
        "cleo,Cleo,1", "player2,Player 2,2", "player3,Player 3,3",
    ]  # fmt: skip


def test_only_organisers_import(orla: User, cleo: User) -> None:
    season = enrolled(orla, 1)
    refused(
        "season.not-organiser", contestants_import, acting_user=cleo, season=season, text="cleo"
    )


# -- seeds ---------------------------------------------------------------------------------------


def test_seeds_are_set_and_exchanged(orla: User, cleo: User) -> None:
    season = enrolled(orla, 3)
    one, two, three = (who(season, number).pk for number in (1, 2, 3))
    seeds_set(acting_user=orla, season=season, seeds={one: 2, two: 1, three: None})
    assert [who(season, number).seed for number in (1, 2, 3)] == [2, 1, None]

    def refuse(code: str, seeds: dict[int, int | None], user: User = orla) -> None:
        refused(code, seeds_set, acting_user=user, season=season, seeds=seeds)

    refuse("seed.taken", {three: 1})
    refuse("seed.taken", {three: 5, one: 5})
    refuse("seed.range", {three: 0})
    refuse("contestant.none", {10**9: 1})
    refuse("season.not-organiser", {one: 1}, cleo)


def test_seeds_are_drawn(orla: User) -> None:
    season = enrolled(orla, 5)
    drawn = seeds_draw(acting_user=orla, season=season, random=lambda: 0.0)
    assert [each.name for each in drawn] == [f"Player {number}" for number in range(1, 6)]
    drawn = seeds_draw(acting_user=orla, season=season, random=lambda: 0.99)
    assert [each.name for each in drawn] == [f"Player {number}" for number in range(5, 0, -1)]
    drawn = seeds_draw(acting_user=orla, season=season)
    assert sorted(each.seed or 0 for each in drawn) == [1, 2, 3, 4, 5]


def test_seeds_are_fixed_once_it_has_begun(orla: User) -> None:
    season = running(orla, 3)
    refused("seed.fixed", seeds_draw, acting_user=orla, season=season)
    refused("seed.fixed", seeds_set, acting_user=orla, season=season, seeds={})


# -- leaving -------------------------------------------------------------------------------------


def test_struck_off_before_the_start(orla: User, cleo: User) -> None:
    season = enrolled(orla, 3)
    first = who(season, 1)
    refused("season.not-organiser", contestant_remove, acting_user=cleo, contestant=first)
    contestant_remove(acting_user=orla, contestant=first, at=START)
    assert (who(season, 1).status, who(season, 1).seed) == ("withdrawn", None)
    refused("lifecycle.step", contestant_remove, acting_user=orla, contestant=first)
    assert first.user is not None
    again = enrol(orla, season, first.user, seed=1)
    assert (again.pk, again.status) == (first.pk, "enrolled")


def test_who_may_withdraw_whom(orla: User, cleo: User) -> None:
    season = running(orla, 4)
    first = who(season, 1)
    refused(
        "season.not-organiser", contestant_withdraw, acting_user=cleo, contestant=first, why="x"
    )
    refused("why.missing", contestant_withdraw, acting_user=orla, contestant=first)
    refused("season.begun", contestant_remove, acting_user=orla, contestant=first)
    contestant_withdraw(acting_user=first.user, contestant=first, at=START)
    assert (who(season, 1).status, who(season, 1).place) == ("withdrawn", 4)
    refused("lifecycle.step", contestant_withdraw, acting_user=first.user, contestant=first)


def test_an_open_death_match_is_a_walkover(orla: User) -> None:
    season = running(orla, 4)
    death_match = chosen(orla, season, ec=1, dmo=2)
    contestant_withdraw(acting_user=orla, contestant=who(season, 1), why="ill", at=START)
    death_match = fresh(death_match)
    assert (death_match.status, death_match.winner, death_match.how) == (
        "decided", who(season, 2), "walkover",
    )  # fmt: skip
    assert death_match.why == "Player 1 has withdrawn."
    assert (who(season, 1).status, who(season, 1).place) == ("withdrawn", 4)
    assert episode_now(season).status == "done"
    assert faults_of(season) == []


@pytest.mark.parametrize("by", ["organiser", "themselves"])
def test_a_match_that_is_on_ends_with_the_withdrawal(orla: User, by: str) -> None:
    season = running(orla, 4)
    leg = begun(orla, chosen(orla, season, ec=1, dmo=2))
    leaves = who(season, 2)
    contestant_withdraw(
        acting_user=orla if by == "organiser" else leaves.user,
        contestant=leaves,
        why="ill",
        at=after(minutes=1),
    )
    leg = leg_of(leg.death_match)
    assert leg.match is not None
    assert (leg.status, leg.winner_seat, leg.how) == ("finished", 0, "walkover")
    assert leg.match.winner == 0
    assert leg.match.reason == ("ruling" if by == "organiser" else "concession")
    assert faults_of(season) == []


def test_nobody_helps_themselves_to_a_walkover(orla: User) -> None:
    season = enrolled(orla, 3)
    own = enrol(orla, season, orla)
    season_start(acting_user=orla, season=season, at=START)
    episode = placements_record(
        acting_user=orla, episode=episode_now(season), placements=placings(season, 1), at=START
    )
    dmo_choose(acting_user=account(season, 1), episode=episode, contestant=own, at=START)
    refused(
        "death-match.own",
        contestant_withdraw,
        acting_user=orla,
        contestant=who(season, 1),
        why="ill",
    )
    strong = user_named("strong")
    for contestant in (own, who(season, 1)):
        refused(
            "death-match.own", contestant_replace, acting_user=orla, contestant=contestant,
            user=strong, why="ill",
        )  # fmt: skip


def test_an_ec_who_leaves_ends_the_episode(orla: User) -> None:
    season = running(orla, 4)
    placements_record(
        acting_user=orla, episode=episode_now(season), placements=placings(season, 3), at=START
    )
    contestant_withdraw(acting_user=orla, contestant=who(season, 3), why="ill", at=START)
    assert (episode_now(season).status, episode_now(season).round.status) == ("skipped", "closed")
    assert faults_of(season) == []


@pytest.mark.parametrize("choosing", [False, True])
def test_the_last_two_meet_in_the_final(orla: User, choosing: bool) -> None:
    season = running(orla, 3)
    if choosing:
        placements_record(
            acting_user=orla, episode=episode_now(season), placements=placings(season, 3), at=START
        )
    contestant_withdraw(acting_user=orla, contestant=who(season, 2), why="ill", at=START)
    assert (episode_now(season).status, episode_now(season).round.status) == ("skipped", "closed")
    final = final_open(acting_user=orla, season=season, at=START)
    assert (final.home, final.away) == (who(season, 1), who(season, 3))
    assert faults_of(season) == []


def test_two_whose_death_match_is_called_off_meet_in_the_final(orla: User) -> None:
    season = running(orla, 3)
    death_match = chosen(orla, season, ec=1, dmo=2)
    contestant_withdraw(acting_user=orla, contestant=who(season, 3), why="ill", at=START)
    death_match_void(acting_user=orla, death_match=death_match, why="a final", at=START)
    assert episode_now(season).status == "skipped"
    assert final_open(acting_user=orla, season=season, at=START).round.number == 2
    assert faults_of(season) == []


def test_who_is_left_has_won(orla: User) -> None:
    season = running(orla, 3)
    for number in (1, 2):
        contestant_withdraw(acting_user=orla, contestant=who(season, number), why="ill", at=START)
    season = Season.objects.get(pk=season.pk)
    assert (season.status, season.winner) == ("finished", who(season, 3))
    assert [who(season, number).place for number in (1, 2, 3)] == [3, 2, 1]
    assert faults_of(season) == []


# -- replacing -----------------------------------------------------------------------------------


def test_a_replacement_takes_everything_over(orla: User, cleo: User) -> None:
    season = running(orla, 5)
    played(orla, chosen(orla, season, ec=5, dmo=4), winner=0)
    death_match = chosen(orla, season, ec=1, dmo=2)
    old = who(season, 2)
    gift = item_give(
        acting_user=orla, season=season, item="domino-repeat", ruleset="domino-wars",
        receiver=old, at=START,
    )  # fmt: skip
    new = contestant_replace(
        acting_user=orla, contestant=old, user=cleo, why="moved away", at=START
    )
    assert (new.seed, new.replaces, who(season, 2).status) == (2, old, "replaced")
    assert fresh(death_match).away == new
    assert episode_now(season).dmo == new
    assert episode_now(season).placements.filter(contestant=new).exists()
    gift.refresh_from_db()
    assert gift.receiver == new
    assert list(gift.history.values_list("kind", flat=True)) == ["given", "given"]
    played(orla, death_match, winner=1)
    new.refresh_from_db()
    assert new.status == "active"
    assert "contestant.replaced" in kinds(season)
    assert faults_of(season) == []


def test_who_cannot_replace_or_be_replaced(orla: User, cleo: User) -> None:
    season = enrolled(orla, 4)
    first = who(season, 1)

    def refuse(code: str, **given: object) -> None:
        arguments = {"acting_user": orla, "contestant": first, "user": cleo, "why": "x", **given}
        refused(code, contestant_replace, **arguments)

    refuse("season.not-running")
    season_start(acting_user=orla, season=season, at=START)
    refuse("season.not-organiser", acting_user=cleo)
    refuse("why.missing", why="")
    refuse("contestant.twice", user=account(season, 2))
    begun(orla, chosen(orla, season, ec=1, dmo=2))
    refuse("contestant.playing")
    contestant_replace(acting_user=orla, contestant=who(season, 3), user=cleo, why="x", at=START)
    refuse("lifecycle.step", contestant=who(season, 3), user=user_named("zoe"))


# -- two accounts of one person ------------------------------------------------------------------


def test_merging_accounts_moves_contestancies(orla: User, oscar: User, cleo: User) -> None:
    season = enrolled(orla, 2)
    own = who(season, 1)
    assert own.user is not None
    assert contestancies_merge(cleo, own.user) == {
        "contestants": 1, "seasons run": 0, "free hours": 0, "seasons followed": 0,
    }  # fmt: skip
    own.refresh_from_db()
    assert own.user == cleo
    assert contestancies_merge(oscar, orla)["seasons run"] == 1
    assert [each.user for each in season.organisers.all()] == [oscar]


def test_two_of_one_season_are_not_merged(orla: User) -> None:
    season = enrolled(orla, 2)
    one, two = account(season, 1), account(season, 2)
    assert one is not None
    assert two is not None
    with nothing_changes(), pytest.raises(Refusal) as raised:
        contestancies_merge(one, two)
    assert raised.value.code == "merge.same-season"


# -- coming back ---------------------------------------------------------------------------------


def test_somebody_who_withdrew_by_mistake_comes_back_and_plays(orla: User, cleo: User) -> None:
    season = running(orla, 4)
    death_match = chosen(orla, season, ec=1, dmo=2)
    contestant_withdraw(acting_user=orla, contestant=who(season, 1), why="ill", at=START)
    right: dict[str, Any] = {
        "acting_user": orla, "contestant": who(season, 1), "why": "well again",
    }  # fmt: skip
    refused(
        "death-match.side-left", death_match_reopen, acting_user=orla, death_match=death_match,
        why="x",
    )  # fmt: skip
    refused("season.not-organiser", contestant_return, **{**right, "acting_user": cleo})
    refused("why.missing", contestant_return, **{**right, "why": ""})
    refused(
        "contestant.not-withdrawn", contestant_return, **{**right, "contestant": who(season, 2)}
    )
    back = contestant_return(**right, at=START)
    assert (back.status, back.place, back.seed) == ("active", None, 1)
    death_match_reopen(acting_user=orla, death_match=death_match, why="well again", at=START)
    played(orla, death_match, winner=0)
    assert who(season, 2).status == "eliminated"
    assert faults_of(season) == []


def test_nobody_comes_back_into_a_final(orla: User) -> None:
    season = running(orla, 4)
    contestant_withdraw(acting_user=orla, contestant=who(season, 4), why="ill", at=START)
    played(orla, chosen(orla, season, ec=1, dmo=2), winner=0)
    final_open(acting_user=orla, season=season, at=START)
    refused(
        "final.begun", contestant_return, acting_user=orla, contestant=who(season, 4), why="well"
    )


# -- places in an elimination season -------------------------------------------------------------


def places(season: Season) -> list[int | None]:
    return [who(season, number).place for number in range(1, 6)]


def test_places_follow_the_order_of_leaving(orla: User, cleo: User) -> None:
    season = running(orla, 5)
    contestant_withdraw(acting_user=orla, contestant=who(season, 5), why="ill", at=START)
    assert places(season) == [None, None, None, None, 5]
    played(orla, chosen(orla, season, ec=1, dmo=2), winner=0)
    assert places(season) == [None, 4, None, None, 5]
    # Who comes back leaves no gap behind.
    contestant_return(
        acting_user=orla, contestant=who(season, 5), why="well again", at=after(hours=1)
    )
    assert places(season) == [None, 5, None, None, None]
    played(orla, chosen(orla, season, ec=5, dmo=3, at=after(hours=2)), winner=1, at=after(hours=2))
    assert places(season) == [None, 5, None, None, 4]
    assert faults_of(season) == []


def test_a_corrected_result_puts_its_loser_among_those_of_its_round(orla: User) -> None:
    season = running(orla, 5)
    first = chosen(orla, season, ec=1, dmo=2)
    played(orla, first, winner=0)
    later = chosen(orla, season, ec=3, dmo=4, at=after(hours=2))
    played(orla, later, winner=0, at=after(hours=2))
    assert places(season) == [None, 5, None, 4, None]
    round_reopen(acting_user=orla, round=first.round, why="an appeal", at=after(hours=3))
    death_match_correct(
        acting_user=orla, death_match=first, winner=who(season, 2), why="an appeal",
        at=after(hours=3),
    )  # fmt: skip
    assert places(season) == [5, None, None, 4, None]
    assert faults_of(season) == []


def test_a_replacement_takes_the_place_as_well(orla: User, cleo: User) -> None:
    season = running(orla, 5)
    contestant_withdraw(acting_user=orla, contestant=who(season, 5), why="ill", at=START)
    contestant_withdraw(acting_user=orla, contestant=who(season, 4), why="ill", at=after(hours=1))
    assert places(season) == [None, None, None, 4, 5]
    contestant_replace(
        acting_user=orla, contestant=who(season, 5), user=cleo, why="a reserve", at=after(hours=2)
    )
    assert places(season) == [None, None, None, 5, None]
    assert faults_of(season) == []


def test_a_place_that_is_given_twice_is_a_fault(orla: User) -> None:
    season = running(orla, 5)
    contestant_withdraw(acting_user=orla, contestant=who(season, 5), why="ill", at=START)
    contestant_withdraw(acting_user=orla, contestant=who(season, 4), why="ill", at=after(hours=1))
    Contestant.objects.filter(season=season, place=4).update(place=5)
    assert faults_of(season) == ["place 5 is given twice"]
    Contestant.objects.filter(pk=who(season, 4).pk).update(place=4)
    Contestant.objects.filter(pk=who(season, 1).pk).update(place=1)
    assert faults_of(season) == ["Player 1 is active and has place 1"]


# -- by the name at Discord ----------------------------------------------------------------------


def at_discord(user: User, name: str, *, found: bool = True) -> None:
    DiscordLink.objects.create(
        user=user, discord_id=str(1000 + user.pk), name=name, found_by_name=found
    )


def test_a_file_may_name_people_as_they_are_called_at_discord(orla: User, cleo: User) -> None:
    season, shy, plain = enrolled(orla, 0), user_named("shy"), user_named("plain")
    at_discord(cleo, "Cleo.Patra")
    at_discord(shy, "shy.one", found=False)
    text = "discord,name,username\n@cleo.patra,Cleopatra,\n,,plain"
    entered = contestants_import(acting_user=orla, season=season, text=text, at=START)
    assert [(each.user, each.name) for each in entered.contestants] == [
        (cleo, "Cleopatra"), (plain, plain.shown_name),
    ]  # fmt: skip
    sentences = []
    # Whoever has chosen not to be found is answered for as somebody who is not there.
    for name in ("shy.one", "nobody.there"):
        with pytest.raises(FaultyRoster) as refusal:
            contestants_import(acting_user=orla, season=season, text=f"discord,seed\n{name},1")
        (fault,) = refusal.value.faults
        sentences.append(fault.sentence.replace(name, "x"))
    assert len(set(sentences)) == 1


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("discord\n@Cleo.Patra", [("cleo", "Cleo")]),
        ("DISCORD\r\n\r\ncleo.patra\r\n", [("cleo", "Cleo")]),
        ("username\ncleo", [("cleo", "Cleo")]),
        ("name\nBenji\nSally", [(None, "Benji"), (None, "Sally")]),
        # Whoever is called like a column is named under a heading, and nowhere else.
        ("username\ndiscord\nname", [("discord", "discord"), ("name", "name")]),
    ],
)
def test_a_heading_may_stand_alone(
    orla: User, cleo: User, text: str, found: list[tuple[str | None, str]]
) -> None:
    season = enrolled(orla, 0)
    at_discord(cleo, "Cleo.Patra")
    User.objects.filter(pk=cleo.pk).update(display_name="Cleo")
    for name in ("discord", "name"):
        user_named(name, display_name="")
    contestants_import(acting_user=orla, season=season, text=text, at=START)
    rows = season.contestants.order_by("pk").values_list("user__username", "name")
    assert list(rows) == found


@pytest.mark.parametrize("heading", ["seed", "email"])
def test_a_file_of_nothing_but_seeds_names_nobody(orla: User, heading: str) -> None:
    with pytest.raises(FaultyRoster) as refusal:
        contestants_import(acting_user=orla, season=enrolled(orla, 0), text=f"{heading}\n1")
    assert [each.line for each in refusal.value.faults] == [2]


def test_the_desk_finds_people_by_their_whole_name_at_discord(orla: User, cleo: User) -> None:
    season, shy = enrolled(orla, 0), user_named("shy")
    at_discord(cleo, "the.queen")
    at_discord(shy, "the.shy.queen", found=False)
    client = Client()
    client.force_login(orla, backend="accounts.signin.backends.NameBackend")
    address = f"/seasons/{season.slug}/desk/contestants/"
    for query, found in (
        ("the.queen", True), ("@The.Queen", True), ("the.que", False), ("the.shy.queen", False),
    ):  # fmt: skip
        page = client.get(address, {"q": query}).content.decode()
        assert (f'name="user" value="{cleo.pk}"' in page) is found, query
        assert f'name="user" value="{shy.pk}"' not in page


def test_whose_whole_name_at_discord_it_is_comes_first(orla: User) -> None:
    season, zed = enrolled(orla, 0), user_named("zed")
    for number in range(FOUND_MOST):
        user_named(f"queen{number}")
    at_discord(zed, "queen")
    client = Client()
    client.force_login(orla, backend="accounts.signin.backends.NameBackend")
    page = client.get(f"/seasons/{season.slug}/desk/contestants/", {"q": "queen"})
    found = [person for person, _ in page.context["found"]]
    assert (found[0], len(found)) == (zed, FOUND_MOST)
