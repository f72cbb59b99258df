"""Who has which role: those who play, those who are out, those who watch."""

from __future__ import annotations

from datetime import timedelta

import pytest

from accounts.discord.services import discord_let_go, discord_link, discord_unlink
from accounts.models import DiscordLink, User
from accounts.moderation.merging import user_merge
from accounts.services import user_close, user_reopen
from core.clock import now_utc
from tests.discord.support import labels, said
from tests.games.support import committing
from tests.posts.support import Told, drafted
from tournaments.discord.fake.people import Answer, Person
from tournaments.models import Contestant, DiscordChannel, DiscordRole, Season
from tournaments.posts import roles, services
from tournaments.posts.kinds import NEWS

pytestmark = pytest.mark.django_db


@pytest.fixture
def channel(told: Told) -> DiscordChannel:
    made = told.connect(NEWS, roles=told.roles)
    told.give()
    return made


def out(told: Told) -> None:
    """Ben leaves the season."""
    told.stage.away.status = "eliminated"
    told.stage.away.save()
    told.stage.event("contestant.eliminated", "Ben is out.", contestant=told.stage.away)
    told.give()


def test_contestants_have_theirs(told: Told, channel: DiscordChannel) -> None:
    for person in (told.guild.ada, told.guild.ben):
        assert told.has(person.id) == {told.plays}
    assert told.has(told.guild.eve.id) == set()
    assert told.granted() == 0


def test_whoever_is_out_changes_it(told: Told, channel: DiscordChannel) -> None:
    out(told)
    assert told.has(told.guild.ben.id) == {told.out}
    told.stage.away.status = "active"
    told.stage.away.save()
    told.stage.event("contestant.restored", "Ben is back in.", contestant=told.stage.away)
    told.give()
    assert told.has(told.guild.ben.id) == {told.plays}


def test_only_roles_that_are_set_are_given(told: Told) -> None:
    told.connect(NEWS, roles={"contestant_role": told.plays})
    told.give()
    out(told)
    assert told.has(told.guild.ada.id) == {told.plays}
    assert told.has(told.guild.ben.id) == set()


def test_other_roles_are_left_alone(told: Told, channel: DiscordChannel) -> None:
    told.server.members[told.guild.ben.id].add("77")
    out(told)
    assert told.has(told.guild.ben.id) == {told.out, "77"}


def test_whoever_links_later_gets_theirs_then(
    told: Told, channel: DiscordChannel, cleo: User
) -> None:
    Contestant.objects.create(
        season=told.stage.season, user=cleo, name="Cleo", seed=3, status="active"
    )
    told.give()
    with committing():
        discord_link(acting_user=cleo, discord_id=told.guild.eve.id, discord_name="eve")
    told.give()
    assert told.has(told.guild.eve.id) == {told.plays}


def test_whoever_unlinks_loses_it(told: Told, channel: DiscordChannel) -> None:
    told.stage.ben.set_password("two-enter-one-goes")
    told.stage.ben.save()
    with committing():
        discord_unlink(acting_user=told.stage.ben)
    told.give()
    assert told.has(told.guild.ben.id) == set()


def long_ago() -> None:
    """The season has last changed before its roles were worked out."""
    Season.objects.update(changed_at=now_utc() - timedelta(hours=1))


def test_whose_account_is_closed_loses_it(told: Told, channel: DiscordChannel, root: User) -> None:
    long_ago()
    with committing():
        user_close(acting_user=root, user=told.stage.ben, reason="They asked.")
    told.give()
    assert told.has(told.guild.ben.id) == set()
    assert told.has(told.guild.ada.id) == {told.plays}


def test_of_merged_accounts_the_one_whose_link_is_let_go_loses_it(
    told: Told, channel: DiscordChannel, cleo: User
) -> None:
    """By then somebody else plays in its place."""
    Contestant.objects.filter(user=told.stage.ben).update(user=cleo)
    long_ago()
    with committing():
        discord_let_go(cleo, told.stage.ben)
    told.give()
    assert told.has(told.guild.ben.id) == set()


def test_whose_account_is_opened_again_gets_it_back(
    told: Told, channel: DiscordChannel, root: User
) -> None:
    with committing():
        user_close(acting_user=root, user=told.stage.ben, reason="They asked.")
    told.give()
    told.stage.ben.refresh_from_db()
    long_ago()
    with committing():
        user_reopen(acting_user=root, user=told.stage.ben, reason="They asked again.")
    told.give()
    assert told.has(told.guild.ben.id) == {told.plays}


def test_the_kept_account_of_a_merge_gets_it(
    told: Told, channel: DiscordChannel, root: User, cleo: User
) -> None:
    """Only that one is linked, and the other has played."""
    Contestant.objects.create(
        season=told.stage.season, user=cleo, name="Cleo", seed=3, status="active"
    )
    keep = User.objects.create_user("cleo-too")
    discord_link(acting_user=keep, discord_id=told.guild.eve.id, discord_name="eve")
    told.give()
    assert told.has(told.guild.eve.id) == set()
    long_ago()
    with committing():
        user_merge(acting_user=root, keep=keep, duplicate=cleo, reason="They say so.")
    told.give()
    assert told.has(told.guild.eve.id) == {told.plays}


def test_a_role_that_is_changed_is_exchanged(told: Told, channel: DiscordChannel) -> None:
    other = told.fake.new_id()
    told.server.roles = {other: "Fighter", **told.server.roles}
    with committing():
        services.channel_update(
            acting_user=told.stage.orla, channel=channel, roles={"contestant_role": other}
        )
    told.give()
    assert told.has(told.guild.ada.id) == {other}


def test_off_all_are_taken_back(told: Told, channel: DiscordChannel) -> None:
    with committing():
        services.channel_switch(acting_user=told.stage.orla, channel=channel, active=False)
    told.give()
    assert told.has(told.guild.ada.id) == set()
    with committing():
        services.channel_switch(acting_user=told.stage.orla, channel=channel, active=True)
    told.give()
    assert told.has(told.guild.ada.id) == {told.plays}


def test_of_a_draft_nobody_has_any(told: Told, channel: DiscordChannel) -> None:
    drafted(told)
    roles.roles_work_out(channel_id=channel.pk)
    told.give()
    assert told.has(told.guild.ada.id) == set()


# -- what goes wrong -----------------------------------------------------------------------------


def test_who_is_not_in_the_server_gets_none(told: Told) -> None:
    del told.server.members[told.guild.ben.id]
    told.connect(NEWS, roles=told.roles)
    told.give()
    assert told.granted() == 0
    assert told.has(told.guild.ada.id) == {told.plays}


def test_without_leave_it_is_said_and_tried_again(told: Told, channel: DiscordChannel) -> None:
    told.server.may_manage_roles = False
    out(told)
    grants = DiscordRole.objects.filter(done=False)
    assert {grant.fault for grant in grants} == {
        "The bot may not give this role: it needs “Manage Roles”, and a higher role itself."
    }
    told.give()
    assert {grant.attempts for grant in grants} == {1}
    told.server.may_manage_roles = True
    told.give(after=timedelta(minutes=1))
    assert told.has(told.guild.ben.id) == {told.out}
    assert not DiscordRole.objects.exclude(fault="").exists()


def test_a_role_that_is_gone(told: Told, channel: DiscordChannel) -> None:
    del told.server.roles[told.out]
    out(told)
    (grant,) = DiscordRole.objects.filter(done=False)
    assert grant.fault == "The server has no such role any more."
    assert told.has(told.guild.ben.id) == set()


def test_a_discord_that_is_away_costs_time_only(
    told: Told, channel: DiscordChannel, impatient: None
) -> None:
    told.fake.instead = [503] * 9
    out(told)
    assert told.granted() == 2
    told.fake.instead = []
    told.give(after=timedelta(hours=1))
    assert told.has(told.guild.ben.id) == {told.out}


def test_it_is_not_tried_for_ever(told: Told, channel: DiscordChannel) -> None:
    told.server.may_manage_roles = False
    out(told)
    for _ in range(roles.ATTEMPTS_MOST + 5):
        told.give(after=roles.LONGEST_WAIT)
    assert {each.attempts for each in DiscordRole.objects.filter(done=False)} == {
        roles.ATTEMPTS_MOST
    }
    # Until something changes.
    told.server.may_manage_roles = True
    told.stage.event("season.reopened", "It goes on.")
    told.give()
    assert told.has(told.guild.ben.id) == {told.out}


def test_to_work_it_out_twice_changes_nothing(told: Told, channel: DiscordChannel) -> None:
    rows = list(DiscordRole.objects.order_by("pk").values())
    roles.roles_work_out(channel_id=channel.pk)
    assert list(DiscordRole.objects.order_by("pk").values()) == rows


# -- those who watch -----------------------------------------------------------------------------


def pressed(told: Told, person: str) -> Answer:
    somebody: Person = getattr(told.guild, person)
    return somebody.press(f"watch:{told.stage.season.pk}")


def test_whoever_wants_to_watches(told: Told, channel: DiscordChannel) -> None:
    told.stage.event("season.started", "It begins.")
    told.say()
    (message,) = told.in_channel()
    assert labels(message)[0] == "Watch"
    answer = pressed(told, "eve")
    assert answer.is_private
    assert "You watch this season" in said(answer)
    told.give()
    assert told.has(told.guild.eve.id) == {told.watches}
    assert "no longer" in said(pressed(told, "eve"))
    told.give()
    assert told.has(told.guild.eve.id) == set()


def test_whoever_plays_does_not_watch(told: Told, channel: DiscordChannel) -> None:
    assert said(pressed(told, "ada")) == "You play in this season."
    out(told)
    assert "You watch this season" in said(pressed(told, "ben"))
    told.give()
    assert told.has(told.guild.ben.id) == {told.out, told.watches}
    # And no longer once they play again.
    told.stage.away.status = "active"
    told.stage.away.save()
    told.stage.event("contestant.restored", "Ben is back in.", contestant=told.stage.away)
    told.give()
    assert told.has(told.guild.ben.id) == {told.plays}


def test_there_may_be_no_role_for_it(told: Told) -> None:
    told.connect(NEWS)
    told.stage.event("season.started", "It begins.")
    told.say()
    assert "Watch" not in labels(told.in_channel()[0])
    assert "There is no role" in said(pressed(told, "eve"))


def test_a_season_that_is_told_of_no_longer(told: Told, channel: DiscordChannel) -> None:
    with committing():
        services.channel_disconnect(acting_user=told.stage.orla, channel=channel)
    assert "is not told of there any more" in said(pressed(told, "eve"))
    assert DiscordLink.objects.filter(discord_id=told.guild.ada.id).exists()
