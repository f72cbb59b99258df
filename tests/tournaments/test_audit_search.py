"""A search of the audit log for a person finds every action to them, whatever it was done to: their
death matches, the episodes in which they come up, and whatever names a contestant of theirs. Only a
whole run plays a second elimination season, and with six contestants where four will do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.db import connection
from django.test import Client, RequestFactory

from accounts.models import AuditEntry, User
from accounts.roles import Role
from accounts.services import role_grant
from games.models import Challenge, ChatMessage, Match
from games.ratings.services import rating_exclude
from games.services.challenges import challenge_accept, challenge_create, challenge_decline
from games.services.chat import chat_post, chat_remove
from games.services.matches import match_referees_set
from tests.games.support import T0, committing, user_named
from tests.support import depth
from tests.tournaments.support import (
    GAME,
    START,
    WARS,
    account,
    after,
    begun,
    chosen,
    conceded,
    episode_now,
    fresh,
    leg_of,
    organiser_joins,
    ruled,
    running,
    who,
)
from tournaments.formats.elimination.choice import choice_expire
from tournaments.models import Contestant, DeathMatch, Episode, Gift, Leg, Season
from tournaments.services.contestants.departures import (
    contestant_replace,
    contestant_return,
    contestant_withdraw,
)
from tournaments.services.items.gifts import item_give
from tournaments.services.items.returns import item_take_back
from tournaments.services.organisers import organiser_remove
from tournaments.services.results.corrections import (
    death_match_correct,
    death_match_reopen,
    death_match_void,
)
from tournaments.services.results.rulings import death_match_declare
from tournaments.services.scheduling.appointments import leg_schedule
from tournaments.simulation.plan import Plan
from tournaments.simulation.season import season_simulate

# Where the keys of two tables begin here: a number in the details of an action then says by itself
# that it names a contestant, or an account, however the details call it.
CONTESTANTS, USERS = range(7_000_000, 8_000_000), range(9_000_000, 10_000_000)


@pytest.fixture(autouse=True)
def keys(db: None) -> None:
    for table, names in (("tournaments_contestant", CONTESTANTS), ("accounts_user", USERS)):
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_get_serial_sequence(%s, 'id')", [table])
            [sequence] = cursor.fetchone()
            cursor.execute(
                "SELECT setval(%s, greatest(nextval(%s), %s))", [sequence, sequence, names.start]
            )


@pytest.fixture
def orla(keys: None, orla: User) -> User:
    return orla


@pytest.fixture
def mona(orla: User) -> User:
    """A moderator, who reads the log."""
    user = user_named("mona")
    role_grant(acting_user=User.objects.get(username="root"), user=user, role=Role.MODERATOR)
    return user


def numbers(value: Any) -> Iterator[int]:
    """Every number in the details of an action, wherever it stands."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from numbers(int(name) if name.isdigit() else None)
            yield from numbers(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from numbers(inner)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield value


def of_places(*places: Contestant | None) -> set[int]:
    """The accounts of contestants."""
    return {place.user_id for place in places if place is not None and place.user_id is not None}


PEOPLE_OF: dict[type[Any], Callable[[Any], set[int]]] = {
    User: lambda row: {row.pk},
    Contestant: of_places,
    DeathMatch: lambda row: of_places(row.home, row.away),
    Leg: lambda row: of_places(row.death_match.home, row.death_match.away),
    Episode: lambda row: of_places(
        row.ec, row.dmo, *(each.contestant for each in row.placements.all())
    ),
    Gift: lambda row: of_places(row.giver, row.receiver),
    Match: lambda row: {each.user_id for each in row.players.all()},
    ChatMessage: lambda row: {row.author_id},
    Challenge: lambda row: {row.challenger_id, row.opponent_id} - {None},
}  # what an action to one of these is an action to; others are to nobody in particular


def concerned(entry: AuditEntry) -> set[int]:
    """The accounts of those whom an action concerns, by its target and by each number in it."""
    found = {number for number in numbers(entry.data) if number in USERS}
    for number in numbers(entry.data):
        if number in CONTESTANTS:
            found |= of_places(Contestant.objects.get(pk=number))
    if entry.target_type:
        model = apps.get_model(entry.target_type)
        if model in PEOPLE_OF:
            found |= PEOPLE_OF[model](model._default_manager.get(pk=entry.target_id))
    return found


def found_for(reader: User, user: User) -> set[int]:
    """The entries that a search for a person's username finds: what its page would list, which
    takes ten times as long to write out (`test_the_page_of_a_search_lists_what_was_found`)."""
    request = RequestFactory().get("/admin/accounts/auditentry/", {"q": user.username})
    request.user = reader
    page: Any = admin.site._registry[AuditEntry].changelist_view(request)
    assert page.status_code == 200
    return set(page.context_data["cl"].queryset.values_list("pk", flat=True))


def look_through(reader: User) -> set[str]:
    """Compare the search with the log, for everybody who is in it; the actions that concern
    somebody else than who did them."""
    entries = list(AuditEntry.objects.all())
    by_entry = {entry.pk: concerned(entry) for entry in entries}
    users = list(User.objects.filter(pk__in=set().union(*by_entry.values())))
    assert len(users) > 2
    for user in users:
        due = {entry.pk for entry in entries if user.pk in by_entry[entry.pk]}
        own = {entry.pk for entry in entries if entry.who_id == user.pk}
        found = found_for(reader, user)
        told = {entry.pk: f"{entry.action} {entry.data}" for entry in entries}
        assert [told[pk] for pk in sorted(due - found)] == [], f"not found for {user}"
        assert [told[pk] for pk in sorted(found - due - own)] == [], f"not of {user}"
    return {entry.action for entry in entries if by_entry[entry.pk] - {entry.who_id}}


@pytest.mark.parametrize(
    ("kind", "seed"),
    [
        # Of its four only some seeds come upon a result to correct.
        ("elimination", 4), ("single-elimination", 1), ("round-robin", 1), ("swiss", 1),
        ("ladder", 1), *([("elimination", 2)] if depth.whole else []),
    ],
)  # fmt: skip
def test_whole_seasons(orla: User, mona: User, kind: str, seed: int) -> None:
    # With four, a bracket has no result that can be corrected.
    contestants = 6 if depth.whole or kind == "single-elimination" else 4
    plan = Plan(
        format=kind, contestants=contestants, seed=seed, start=START, quick=True,
        repertoire=(GAME, WARS),
        drop_outs=1, no_shows=1, voids=1, corrections=2, best_of=3,
        options={"rounds": 3} if kind == "swiss" else {},
        rounds=4 if kind == "ladder" else None,
    )  # fmt: skip
    season_simulate(plan=plan, organiser=orla)
    actions = look_through(mona)
    wanted = {"contestant.enrol", "seeds.draw", "death_match.correct"}
    if kind == "elimination":
        wanted |= {"episode.place", "episode.choose", "item.give", "final.open"}
    if kind == "ladder":
        wanted |= {"ladder.challenge"}
    assert wanted - actions == set()


def test_a_season_with_all_that_organisers_do(orla: User, oscar: User, mona: User) -> None:
    season = running(orla, 6, repertoire=[WARS])
    why: dict[str, Any] = {"acting_user": orla, "why": "because"}
    organiser_joins(acting_user=orla, season=season, user=oscar)
    organiser_remove(acting_user=orla, season=season, user=oscar)
    gift = item_give(
        acting_user=orla, season=season, item="domino-repeat", ruleset="domino-wars",
        receiver=who(season, 6), at=START,
    )  # fmt: skip
    item_take_back(**why, gift=gift, at=START)

    death_match = chosen(orla, season, ec=1, dmo=2)
    leg_schedule(acting_user=orla, leg=leg_of(death_match), scheduled_at=after(hours=30), at=START)
    one, two = who(season, 1), who(season, 2)
    death_match_declare(**why, death_match=fresh(death_match), winner=one, at=START)
    death_match_correct(**why, death_match=fresh(death_match), winner=two, at=START)
    death_match_reopen(**why, death_match=fresh(death_match), at=START)
    ruled(orla, begun(orla, death_match), "pause")
    leg = leg_of(death_match)
    conceded(leg, winner=1, at=after(minutes=2))
    assert leg.match is not None
    rating_exclude(acting_user=User.objects.get(username="root"), match_id=leg.match.pk, why="no")

    second = chosen(orla, season, ec=3, dmo=4, at=after(hours=1))
    death_match_void(**why, death_match=second, at=after(hours=1))
    episode = episode_now(season)
    assert choice_expire(episode=episode, at=after(hours=1) + timedelta(days=30))
    contestant_withdraw(**why, contestant=who(season, 5), at=after(hours=2))
    contestant_return(**why, contestant=who(season, 5), at=after(hours=2))

    actions = look_through(mona)
    assert {
        "season.organiser_ask", "season.organiser_remove", "item.give", "item.take_back",
        "episode.place", "episode.choose", "episode.choice_expire", "leg.schedule",
        "death_match.declare", "death_match.correct", "death_match.reopen", "death_match.void",
        "match.start", "match.organise", "rating.exclude", "contestant.withdraw",
        "contestant.return",
    } - actions == set()  # fmt: skip
    # As it was reported: both of a death match, by every action to it.
    for number in (1, 2):
        told = AuditEntry.objects.filter(pk__in=found_for(mona, account(season, number)))
        for action in ("episode.place", "episode.choose", "death_match.declare",
                       "death_match.correct"):  # fmt: skip
            assert told.filter(action=action).exists(), action


def test_whose_place_was_taken_over_is_found_by_what_was_done_before(
    orla: User, cleo: User, mona: User
) -> None:
    season = running(orla, 4)
    death_match = chosen(orla, season, ec=1, dmo=2)
    leg_schedule(acting_user=orla, leg=leg_of(death_match), scheduled_at=after(hours=30), at=START)
    before = AuditEntry.objects.filter(action__in=("leg.schedule", "episode.place"))
    old = account(season, 2)
    contestant_replace(
        acting_user=orla, contestant=who(season, 2), user=cleo, why="because", at=START
    )
    replaced = AuditEntry.objects.get(action="contestant.replace")
    for user in (old, cleo):
        assert {*before.values_list("pk", flat=True), replaced.pk} <= found_for(mona, user)
    # And by nothing that was done to whoever has it now, or to the next.
    dora = user_named("dora")
    contestant_replace(
        acting_user=orla,
        contestant=Contestant.objects.get(season=season, user=cleo),
        user=dora,
        why="because",
        at=START,
    )
    leg_schedule(acting_user=orla, leg=leg_of(death_match), scheduled_at=after(hours=40), at=START)
    item_give(
        acting_user=orla, season=season, item="domino-repeat", ruleset="domino-wars",
        receiver=Contestant.objects.get(season=season, user=dora), at=START,
    )  # fmt: skip
    death_match_declare(
        acting_user=orla, death_match=fresh(death_match), winner=who(season, 1), why="because",
        at=START,
    )  # fmt: skip
    later = AuditEntry.objects.filter(pk__gt=replaced.pk)
    second = later.get(action="contestant.replace")
    actions = {pk: later.get(pk=pk).action for pk in found_for(mona, old) if pk > replaced.pk}
    assert actions == {}
    assert {second.pk} == {pk for pk in found_for(mona, cleo) if pk > replaced.pk}
    told = set(later.filter(pk__in=found_for(mona, dora)).values_list("action", flat=True))
    assert told >= {"contestant.replace", "leg.schedule", "item.give", "death_match.declare"}


def test_what_is_done_beside_seasons(orla: User, cleo: User, mona: User) -> None:
    ada, ben = user_named("ada"), user_named("ben")
    offered = challenge_create(
        acting_user=ada, opponent=ben, ruleset_id="tetronogo", variant="standard"
    )
    challenge_decline(acting_user=ben, challenge=offered)
    again = challenge_create(acting_user=ada, ruleset_id="tetronogo", variant="standard")
    with committing():
        match = challenge_accept(acting_user=ben, challenge=again)
        match_referees_set(acting_user=None, match_id=match.pk, users=[orla])
        match_referees_set(acting_user=None, match_id=match.pk, users=[cleo])
        said = chat_post(
            acting_user=ada, match=match, room="players", client_id="c", text="Hm!", at=T0
        )
        chat_remove(
            acting_user=mona,
            message=ChatMessage.objects.get(pk=said["id"]),
            why="Rude",
        )
    actions = look_through(mona)
    assert {"challenge.decline", "challenge.accept", "match.start", "match.referees",
            "chat.remove"} - actions == set()  # fmt: skip


def test_what_a_reader_may_not_find_stays_away_under_a_name_too(orla: User, mona: User) -> None:
    """The search finds among what its reader's list has, and nothing beside it."""
    season: Season = running(orla, 4)
    leg = begun(orla, chosen(orla, season, ec=1, dmo=2))
    player = account(season, 1)
    role_grant(acting_user=User.objects.get(username="root"), user=player, role=Role.MODERATOR)
    own = User.objects.get(pk=player.pk)
    withheld = AuditEntry.objects.filter(
        target_type__in=("games.match", "tournaments.deathmatch", "tournaments.leg")
    )
    keys = set(withheld.values_list("pk", flat=True))
    assert keys
    for number in (1, 2):
        assert not keys & found_for(own, account(season, number))
        assert keys <= found_for(mona, account(season, number))
    conceded(leg, winner=1)
    assert keys <= found_for(own, account(season, 2))


def test_the_page_of_a_search_lists_what_was_found(orla: User, cleo: User, mona: User) -> None:
    role_grant(acting_user=User.objects.get(username="root"), user=cleo, role=Role.ORGANISER)
    client = Client()
    client.force_login(mona)
    page = client.get("/admin/accounts/auditentry/", {"q": cleo.username})
    assert page.status_code == 200
    [entry] = page.context["cl"].result_list
    assert {entry.pk} == found_for(mona, cleo)
    assert f"/admin/accounts/auditentry/{entry.pk}/" in page.content.decode()
