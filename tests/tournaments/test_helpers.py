"""Who runs a season, and who helps: asked by its organisers, in by their own word, out at once."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, connection, transaction

from accounts.models import Announcement, AuditEntry, User
from accounts.moderation.merging import user_merge
from accounts.moderation.sanctions import user_suspend
from accounts.roles import Role as SiteRole
from accounts.roles import forget_roles
from accounts.services import role_revoke
from accounts.tokens.services import user_become_bot
from games.audience import may_organise, user_group_of
from games.models import Match
from tests.games.conftest import wire  # noqa: F401
from tests.games.support import Wire, committing, user_named
from tests.tournaments.support import (
    START,
    account,
    after,
    begun,
    chosen,
    leg_of,
    nothing_changes,
    organiser_joins,
    organiser_named,
    refused,
    running,
)
from tournaments import audience
from tournaments.invariants import faults_of
from tournaments.models import OrganiserInvitation, Season, SeasonEvent, SeasonOrganiser
from tournaments.rights import ALL, NONE, OF_HELPERS, OF_ORGANISERS, Right
from tournaments.services.contestants.applications import application_make
from tournaments.services.organisers import (
    ASKED_MAX,
    LASTS,
    organiser_accept,
    organiser_ask,
    organiser_ask_withdraw,
    organiser_change,
    organiser_decline,
    organiser_remove,
    referees_of,
    season_hand_over,
)
from tournaments.services.results.corrections import leg_void
from tournaments.services.scheduling.appointments import leg_schedule
from tournaments.services.seasons import (
    season_archive,
    season_cancel,
    season_create,
    season_list,
    season_update,
)
from tournaments.waiting import organising_anywhere, todo

HELPER: dict[str, Any] = {"role": "helper", "rights": ["matches"]}
CO: dict[str, Any] = {"role": "organiser"}


@pytest.fixture
def season(orla: User) -> Season:
    return season_create(acting_user=orla, name="Autumn", format="swiss", at=START)


@pytest.fixture
def hal(db: None) -> User:
    """Somebody without any role on the site."""
    return user_named("hal", display_name="Hal")


def ask(orla: User, season: Season, user: User | None, **more: Any) -> OrganiserInvitation:
    return organiser_ask(
        acting_user=orla, season=season, user=user, **{**HELPER, "at": START, **more}
    )


def joined(orla: User, season: Season, user: User, *rights: str, **more: Any) -> SeasonOrganiser:
    role = "helper" if rights else "organiser"
    return organiser_joins(
        acting_user=orla, season=season, user=user, role=role, rights=rights, **more
    )


def told(user: User) -> list[str]:
    rows = Announcement.objects.filter(user=user, kind="organiser.role").order_by("pk")
    return [row.subject for row in rows]


# -- by their own word ---------------------------------------------------------------------------


def test_nobody_is_in_before_they_say_yes(orla: User, hal: User, season: Season) -> None:
    asked = ask(orla, season, hal)
    assert audience.rights_of(season, hal) == NONE
    assert not Season.objects.visible_to(hal).exists()
    assert told(hal) == ["Autumn: you are asked to help"]
    refused("organiser.not-asked", organiser_accept, acting_user=orla, invitation=asked)
    row = organiser_accept(acting_user=hal, invitation=asked, at=after(hours=1))
    assert (row.role, row.rights, row.admitted_by) == ("helper", ["matches"], orla)
    assert audience.rights_of(season, hal) == {Right.MATCHES}
    assert list(Season.objects.visible_to(hal)) == [season]
    event = SeasonEvent.objects.get(kind="organiser.joined")
    assert event.words == "Hal helps to run the season: rules matches."
    assert event.data == {"name": "Hal", "role": "helper", "rights": ["matches"]}
    entry = AuditEntry.objects.get(action="season.organiser_add")
    assert (entry.who, entry.data["user"]) == (hal, hal.pk)
    assert told(hal)[1:] == ["Autumn: you help from now on"]
    refused("organiser.answered", organiser_accept, acting_user=hal, invitation=asked)


def test_who_says_no_is_not_asked_by_name_again(orla: User, hal: User, season: Season) -> None:
    asked = ask(orla, season, hal)
    organiser_decline(acting_user=hal, invitation=asked, at=after(hours=1))
    refused("organiser.declined", ask, orla=orla, season=season, user=hal)
    link = ask(orla, season, None, at=after(days=2))
    assert organiser_accept(acting_user=hal, invitation=link, at=after(days=2)).user == hal


def test_a_link_is_for_the_first_who_says_yes(orla: User, hal: User, season: Season) -> None:
    link = ask(orla, season, None, **CO, rights=[])
    refused("organiser.not-asked", organiser_decline, acting_user=hal, invitation=link)
    refused("organiser.twice", organiser_accept, acting_user=orla, invitation=link, at=START)
    organiser_accept(acting_user=hal, invitation=link, at=START)
    late = user_named("late")
    refused("organiser.answered", organiser_accept, acting_user=late, invitation=link, at=START)


def test_when_it_leads_nowhere_any_more(orla: User, hal: User, season: Season) -> None:
    cleo = joined(orla, season, user_named("cleo"), at=START).user
    link = ask(cleo, season, None)
    for code, at in (("organiser.expired", START + LASTS), ("", START)):
        if code:
            refused(code, organiser_accept, acting_user=hal, invitation=link, at=at)
    organiser_remove(acting_user=orla, season=season, user=cleo, at=after(hours=1))
    refused("organiser.stale", organiser_accept, acting_user=hal, invitation=link, at=START)
    own = ask(orla, season, None)
    organiser_ask_withdraw(acting_user=orla, invitation=own, at=START)
    refused("organiser.answered", organiser_accept, acting_user=hal, invitation=own, at=START)
    refused("organiser.answered", organiser_ask_withdraw, acting_user=orla, invitation=own)


def test_whom_one_cannot_ask(orla: User, hal: User, season: Season) -> None:
    refused("organiser.twice", ask, orla=orla, season=season, user=orla)
    asked = ask(orla, season, hal)
    refused("organiser.asked", ask, orla=orla, season=season, user=hal)
    organiser_ask_withdraw(acting_user=orla, invitation=asked, at=START)
    refused("organiser.asked", ask, orla=orla, season=season, user=hal, at=after(hours=20))
    shut, out, bot = user_named("shut", is_active=False), user_named("out"), user_named("bot")
    user_suspend(
        acting_user=User.objects.create_superuser("root2"), user=out, reason="Rude", until=None
    )
    user_become_bot(acting_user=bot)
    refused("organiser.account-closed", ask, orla=orla, season=season, user=shut)
    for user in (out, User.objects.get(pk=bot.pk)):
        refused("organiser.unfit", ask, orla=orla, season=season, user=user)
    wrong: list[dict[str, Any]] = [{"role": "owner"}, {"rights": ["fly"]}, {"rights": []}]
    for given in wrong:
        code = "organiser.role" if "role" in given else "organiser.rights"
        refused(code, ask, orla=orla, season=season, user=None, **given)
    for number in range(ASKED_MAX):
        ask(orla, season, None, at=after(minutes=number))
    refused("organiser.asked-many", ask, orla=orla, season=season, user=None, at=after(hours=1))


def test_who_asks_and_changes(orla: User, hal: User, season: Season) -> None:
    """Co-organisers do, without any role on the site; helpers do not, nor anybody else."""
    co = joined(orla, season, user_named("cora"), at=START).user
    helper = joined(orla, season, user_named("help"), *OF_HELPERS, at=START).user
    for user, code in ((helper, "season.no-right"), (hal, "season.not-organiser")):
        refused(code, ask, orla=user, season=season, user=None)
        more = {"acting_user": user, "season": season, "user": co}
        refused(code, organiser_change, **more, **HELPER)
        refused(code, organiser_remove, **more)
        refused("season.not-owner" if user == helper else code, season_hand_over, **more)
    refused("season.not-owner", season_hand_over, acting_user=co, season=season, user=co)
    refused("organiser.owner", organiser_change, acting_user=co, season=season, user=orla, **HELPER)
    refused("organiser.same", organiser_change, acting_user=co, season=season, user=co, **CO)
    changed = organiser_change(acting_user=co, season=season, user=helper, **HELPER)
    assert changed.rights == ["matches"]
    assert told(helper)[-1] == "Autumn: your part is another"
    assert SeasonEvent.objects.filter(kind="organiser.changed").count() == 1
    season_list(acting_user=orla, season=season)
    season_archive(acting_user=orla, season=season)
    refused("season.archived", ask, orla=orla, season=season, user=None)
    refused("season.archived", organiser_change, acting_user=co, season=season, user=helper, **CO)
    refused("season.archived", organiser_remove, acting_user=helper, season=season, user=helper)


# -- what each may -------------------------------------------------------------------------------


def test_what_each_role_holds(orla: User, hal: User, season: Season) -> None:
    root = User.objects.create_superuser("root2")
    for user in (None, AnonymousUser(), hal, organiser_named("olga")):
        assert audience.rights_of(season, user) == NONE
    assert audience.rights_of(season, root) == audience.rights_of(season, orla) == ALL
    co = joined(orla, season, user_named("cora"), at=START).user
    assert audience.rights_of(season, co) == OF_ORGANISERS == ALL - {Right.OWN}
    for number, right in enumerate(OF_HELPERS):
        helper = joined(orla, season, user_named(f"hand{number}"), right.value, at=START).user
        assert audience.rights_of(season, helper) == {right}
        refused("season.no-right", season_update, acting_user=helper, season=season, changes={})
    refused("season.not-owner", season_cancel, acting_user=co, season=season, why="rain")
    for user in (co, helper):
        user.is_active = False
        assert audience.rights_of(season, user) == NONE


def test_the_owner_needs_the_role_of_the_site(orla: User, hal: User, season: Season) -> None:
    joined(orla, season, hal, at=START)
    root = User.objects.create_superuser("root2")
    role_revoke(acting_user=root, user=orla, role=SiteRole.ORGANISER)
    forget_roles(orla)
    assert audience.rights_of(season, orla) == NONE
    assert not Season.objects.visible_to(orla).exists()
    assert list(Season.objects.visible_to(hal)) == [season]
    assert season_update(acting_user=hal, season=season, changes={"summary": "On."}).summary


def test_who_helps_and_plays_decides_nothing_of_their_own(orla: User) -> None:
    season = running(orla, 4)
    one, two, three = (account(season, number) for number in (1, 2, 3))
    for user in (one, three):
        joined(orla, season, user, "matches", "episodes", "ledger", at=START)
    row = chosen(orla, season, ec=1, dmo=2)
    assert referees_of(season, playing=[one, two]) == [orla, three]
    refused("death-match.own", leg_schedule, acting_user=one, leg=leg_of(row), scheduled_at=None)
    leg = begun(orla, row)
    assert leg.match is not None
    match = Match.objects.get(pk=leg.match.pk)
    assert [may_organise(match, user) for user in (orla, one, two, three)] == [
        True, False, False, True,
    ]  # fmt: skip
    # Who plays, or has played, sees no more of a ledger than every contestant.
    assert not audience.sees_whole_ledger(season, one)
    helper = joined(orla, season, user_named("hal"), "ledger", at=START).user
    other = joined(orla, season, user_named("hob"), "episodes", "matches", "people", at=START).user
    assert audience.sees_whole_ledger(season, helper)
    assert not audience.sees_whole_ledger(season, other)
    # A result is not a helper's to take back.
    refused("season.no-right", leg_void, acting_user=three, leg=leg, why="because")


# -- out at once ---------------------------------------------------------------------------------


def test_who_is_removed_referees_nothing_any_more(
    orla: User,
    hal: User,
    wire: Wire,  # noqa: F811
) -> None:
    season = running(orla, 4)
    leg = begun(orla, chosen(orla, season, ec=1, dmo=2))
    assert leg.match is not None
    for act, may in (
        (lambda: joined(orla, season, hal, "matches", at=START), True),
        (lambda: organiser_change(acting_user=orla, season=season, user=hal, role="helper",
                                  rights=["people"], at=after(hours=1)), False),
        (lambda: organiser_change(acting_user=orla, season=season, user=hal, role="organiser",
                                  at=after(hours=2)), True),
        (lambda: organiser_remove(acting_user=orla, season=season, user=hal,
                                  at=after(hours=3)), False),
    ):  # fmt: skip
        wire.texts()
        with committing():
            act()
        assert may_organise(Match.objects.get(pk=leg.match.pk), hal) is may
        # Whatever they have open ends, and comes back with what they may now.
        assert user_group_of(hal.pk) in {group for group, _text in wire.texts()}
    assert told(hal)[-1] == "Autumn: you are one of those who run it no longer"


def test_who_leaves_and_who_cannot(orla: User, hal: User, season: Season) -> None:
    joined(orla, season, hal, "people", at=START)
    leave = {"season": season}
    refused("organiser.last", organiser_remove, acting_user=orla, user=orla, **leave)
    co = joined(orla, season, user_named("cora"), at=START).user
    refused("organiser.owner", organiser_remove, acting_user=orla, user=orla, **leave)
    refused("organiser.owner", organiser_remove, acting_user=co, user=orla, **leave)
    organiser_remove(acting_user=hal, user=hal, season=season)
    assert audience.rights_of(season, hal) == NONE
    assert "Hal does not help with the season any more." in {
        event.words for event in SeasonEvent.objects.filter(kind="organiser.left")
    }
    # Nobody is told what they did themselves.
    assert told(hal) == ["Autumn: you are asked to help", "Autumn: you help from now on"]


def unrole(user: User) -> None:
    root = User.objects.get(username="root")
    role_revoke(acting_user=root, user=user, role=SiteRole.ORGANISER)
    forget_roles(user)


@pytest.mark.parametrize("gone", ["role", "closed"])
def test_the_last_who_can_run_it_today_stays(
    orla: User, hal: User, season: Season, gone: str
) -> None:
    """Whoever has lost the role, or closed their account, runs nothing."""
    joined(orla, season, hal, at=START)
    joined(orla, season, user_named("hanna"), "people", at=START)
    if gone == "role":
        unrole(orla)
    else:
        User.objects.filter(pk=orla.pk).update(is_active=False)
    own: dict[str, Any] = {"acting_user": hal, "season": season, "user": hal}
    refused("organiser.last", organiser_remove, **own)
    refused("organiser.last", organiser_change, **own, **HELPER)
    joined(hal, season, user_named("cora"), at=START)
    organiser_change(**own, **HELPER)


def test_who_holds_a_right_now_is_one_question(orla: User, oscar: User, hal: User) -> None:
    """Of every place, for every right: asked of the database, and of the row."""
    closed, root = user_named("closed"), User.objects.create_superuser("root2")
    User.objects.filter(pk=closed.pk).update(is_active=False)
    for number, owner in enumerate((orla, hal, closed, root)):
        season = Season.objects.create(
            slug=f"s{number}", name="S", format="swiss", created_by=orla, created_at=START
        )
        SeasonOrganiser.objects.create(season=season, user=owner, role="owner")
        for role, rights in (("organiser", []), *(("helper", [each]) for each in OF_HELPERS)):
            SeasonOrganiser.objects.filter(season=season).exclude(role="owner").delete()
            for user in {orla, oscar, hal, closed, root} - {owner}:
                SeasonOrganiser.objects.create(season=season, user=user, role=role, rights=rights)
            rows = list(SeasonOrganiser.objects.filter(season=season).select_related("user"))
            for right in Right:
                held = {row.pk for row in rows if right in row.held(row.user)}
                holding = SeasonOrganiser.objects.filter(season=season).holding(right)
                assert set(holding.values_list("pk", flat=True)) == held, (owner, role, right)


def test_a_season_is_handed_over(orla: User, oscar: User, hal: User, season: Season) -> None:
    give: dict[str, Any] = {"acting_user": orla, "season": season}
    refused("organiser.none", season_hand_over, **give, user=oscar)
    refused("organiser.owner", season_hand_over, **give, user=orla)
    joined(orla, season, hal, "people", at=START)
    refused("organiser.helper", season_hand_over, **give, user=hal)
    organiser_change(**give, user=hal, role="organiser")
    refused("organiser.no-role", season_hand_over, **give, user=hal)
    joined(orla, season, oscar, at=START)
    season_hand_over(**give, user=oscar)
    assert audience.rights_of(season, oscar) == ALL
    assert audience.rights_of(season, orla) == OF_ORGANISERS
    assert season.organisers.get(role="owner").user == oscar
    organiser_remove(acting_user=oscar, season=season, user=orla)
    assert told(oscar)[-1] == "Autumn is yours"
    with pytest.raises(IntegrityError, match="season_owner_once"), transaction.atomic():
        SeasonOrganiser.objects.create(season=season, user=orla, role="owner")
    for wrong in ({"role": "helper"}, {"role": "organiser", "rights": ["people"]},
                  {"role": "helper", "rights": ["run"]}):  # fmt: skip
        with pytest.raises(IntegrityError, match="organiser_rights"), transaction.atomic():
            SeasonOrganiser.objects.create(season=season, user=orla, **wrong)


# -- what waits ----------------------------------------------------------------------------------


def test_the_front_door_counts_what_they_may_do(orla: User, hal: User) -> None:
    """An episode waits for its main match; a season of other people for a decision."""
    season = running(orla, 4)
    row = joined(orla, season, hal, "people", at=START)
    open_to = season_create(
        acting_user=orla, name="Winter", format="swiss",
        settings={"open_enrolment": True, "by_application": True},
    )  # fmt: skip
    season_list(acting_user=orla, season=open_to)
    application_make(acting_user=account(season, 1), season=open_to, words="")
    joined(orla, open_to, hal, "episodes", at=START)
    assert organising_anywhere(hal) == []
    assert len(organising_anywhere(orla)) == 2
    SeasonOrganiser.objects.filter(pk=row.pk).update(rights=["episodes"])
    SeasonOrganiser.objects.filter(season=open_to, user=hal).update(rights=["people"])
    found = organising_anywhere(hal)
    assert [task.words.partition(":")[0] for task in found] == ["Winter", "Autumn"]
    assert todo_words(season, hal) < todo_words(season, orla)


def todo_words(season: Season, user: User) -> set[str]:
    from tournaments.reading.sheet import Sheet

    return {task.words for task in todo(Sheet(Season.objects.get(pk=season.pk)), user)}


# -- accounts ------------------------------------------------------------------------------------


def test_two_places_of_one_person_become_one(orla: User, hal: User, season: Season) -> None:
    root = User.objects.create_superuser("root2")
    dupe, other = user_named("dupe"), user_named("other")
    joined(orla, season, hal, "people", at=START)
    joined(orla, season, dupe, "matches", at=START)
    asked = ask(orla, season, other)
    user_merge(acting_user=root, keep=hal, duplicate=dupe, reason="one person")
    row = season.organisers.get(user=hal)
    assert (row.role, row.rights) == ("helper", ["matches", "people"])
    co = joined(orla, season, user_named("cora"), at=START).user
    user_merge(acting_user=root, keep=hal, duplicate=co, reason="one person")
    row.refresh_from_db()
    assert (row.role, row.rights) == ("organiser", [])
    user_merge(acting_user=root, keep=hal, duplicate=other, reason="one person")
    asked.refresh_from_db()
    assert (asked.user, asked.answer) == (hal, "withdrawn")


def test_only_an_organiser_of_the_site_takes_over_what_somebody_owned(
    orla: User, oscar: User, hal: User, season: Season
) -> None:
    root = User.objects.create_superuser("root2")
    other = season_create(acting_user=orla, name="Winter", format="swiss", at=START)
    joined(orla, season, hal, at=START)
    joined(orla, other, oscar, at=START)
    user_merge(acting_user=root, keep=hal, duplicate=orla, reason="one person")
    # What they ran they run, and the season is somebody's where somebody else can own it.
    for each in (season, other):
        assert audience.may_manage(each, hal)
        assert each.organisers.get(user=hal).role == "organiser"
        assert faults_of(each) == []
    assert not season.organisers.filter(role="owner").exists()
    assert other.organisers.get(role="owner").user == oscar


def test_an_owner_takes_over_from_an_owner(orla: User, oscar: User, season: Season) -> None:
    root = User.objects.create_superuser("root2")
    joined(orla, season, oscar, at=START)
    user_merge(acting_user=root, keep=oscar, duplicate=orla, reason="one person")
    assert [(row.user, row.role) for row in season.organisers.all()] == [(oscar, "owner")]


def test_an_owner_without_the_role_keeps_what_the_other_account_ran(
    orla: User, season: Season
) -> None:
    root = User.objects.create_superuser("root2")
    cora = joined(orla, season, user_named("cora"), at=START).user
    unrole(orla)
    user_merge(acting_user=root, keep=orla, duplicate=cora, reason="one person")
    assert audience.may_manage(season, User.objects.get(pk=orla.pk))


def test_who_helps_becomes_no_bot(orla: User, hal: User, season: Season) -> None:
    joined(orla, season, hal, "people", at=START)
    refused("bot.runs-season", user_become_bot, acting_user=hal)


# -- those of before -----------------------------------------------------------------------------

Made = Callable[..., Season]


@pytest.mark.parametrize(
    ("before", "then"),
    [
        (["orla"], {"orla": "owner"}),
        (["orla", "oscar"], {"orla": "owner", "oscar": "organiser"}),
        # Nobody may do what they could not do before: who has lost the role is no member.
        (["hal", "oscar", "orla"], {"oscar": "owner", "orla": "organiser"}),
        (["orla", "hal"], {"orla": "owner"}),
        (["hal"], {"hal": "owner"}),
        ([], {}),
    ],
)
def test_the_first_who_may_owns_it(
    before: list[str], then: dict[str, str], orla: User, oscar: User, hal: User
) -> None:
    users = {"orla": orla, "oscar": oscar, "hal": hal}
    season = Season.objects.create(
        slug="old", name="Old", format="swiss", created_by=orla, created_at=START
    )
    for name in before:
        SeasonOrganiser.objects.create(season=season, user=users[name], since=None)
    settle = import_module("tournaments.migrations.0022_owners").settle
    settle(None, SimpleNamespace(connection=connection))
    assert {row.user.username: row.role for row in season.organisers.all()} == then
    owner = season.organisers.filter(role="owner").first()
    assert owner is None or owner.since == START
    with nothing_changes():
        settle(None, SimpleNamespace(connection=connection))


def test_what_the_release_before_opens_meanwhile_gets_an_owner(orla: User, oscar: User) -> None:
    owned, without = (
        Season.objects.create(
            slug=slug, name="S", format="swiss", created_by=orla, created_at=START
        )
        for slug in ("owned", "without")
    )
    SeasonOrganiser.objects.create(season=owned, user=oscar)
    SeasonOrganiser.objects.create(season=owned, user=orla, role="owner")
    SeasonOrganiser.objects.create(season=without, user=user_named("halley"), role="helper",
                                   rights=["people"])  # fmt: skip
    SeasonOrganiser.objects.create(season=without, user=orla)
    assert faults_of(without) == ["nobody owns the season, which orla could"]
    own = import_module("tournaments.migrations.0023_helpers_valid").Migration.operations[-1].code
    own(None, SimpleNamespace(connection=connection))
    for season in (owned, without):
        assert season.organisers.get(role="owner").user == orla
        assert faults_of(season) == []
