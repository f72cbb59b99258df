"""The pages on which organisers look after the channel of their season."""

from __future__ import annotations

import html
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import DiscordLink, User
from tests.games.support import committing
from tests.pages.support import words
from tests.posts.support import Told
from tournaments.models import DiscordChannel, DiscordRole
from tournaments.posts import permissions
from tournaments.posts.actions import CHANNEL, CONNECT, AtChannel, AtSeasonsDiscord
from tournaments.posts.forms import ConnectForm
from tournaments.posts.kinds import CHOICES, CLOCKS, KINDS, NEWS

pytestmark = pytest.mark.django_db


def at(name: str) -> str:
    return reverse(f"posts:{name}", args=["autumn"])


@pytest.fixture
def organiser(told: Told) -> Client:
    client = Client()
    client.force_login(told.stage.orla)
    return client


def post(client: Client, name: str, data: dict[str, Any]) -> Any:
    with committing():
        return client.post(at(name), data)


def test_a_channel_is_connected_and_looked_at(told: Told, organiser: Client) -> None:
    steps = words(organiser.get(at("channel")))
    assert "2. Link your own account Done" in steps
    assert "Connect a channel" in steps
    form = words(organiser.get(at("connect")))
    # A round robin has no EC.
    assert [kind for kind, said in KINDS.items() if said not in form] == [CHOICES]
    data = {"channel_id": told.here.id, "kinds": [NEWS, CLOCKS], "mentions": "on", **told.roles}
    answer = post(organiser, "connect", data)
    assert answer.status_code == 302
    assert answer["Location"] == at("channel")
    channel = DiscordChannel.objects.get()
    assert (channel.mentions, channel.eliminated_role) == (True, told.out)
    page = words(organiser.get(at("channel")))
    for said in ("#matches in The community", "Reminders mention who is to move"):
        assert said in page
    assert words(organiser.get(at("connect"))).count("is told of in a channel already") == 1


def test_what_is_refused_stands_beside_its_field(told: Told, organiser: Client) -> None:
    answer = post(organiser, "connect", {"channel_id": "matches", "kinds": [NEWS]})
    assert answer.status_code == 422
    assert "has up to 20 digits" in words(answer)
    answer = post(organiser, "connect", {"channel_id": told.here.id})
    assert "choose at least one thing" in words(answer)
    told.here.may.discard("send")
    answer = post(organiser, "connect", {"channel_id": told.here.id, "kinds": [NEWS]})
    assert "The bot may not write in this channel" in words(answer)
    assert not DiscordChannel.objects.exists()


def test_the_bot_is_invited_with_what_it_needs_and_nothing_more(
    told: Told, organiser: Client
) -> None:
    def invitations(name: str) -> list[dict[str, list[str]]]:
        page = html.unescape(organiser.get(at(name)).content.decode())
        found = re.findall(r'href="(\S+/oauth2/authorize\?[^"]+)"', page)
        assert all(each.startswith(told.fake.api.removesuffix("/api/v10")) for each in found)
        return [parse_qs(urlsplit(each).query) for each in found]

    plain, with_roles = invitations("channel")
    assert plain["client_id"] == [told.fake.application]
    assert plain["scope"] == ["bot applications.commands"]
    wanted = permissions.NEEDED
    for bits in permissions.WANTED.values():
        wanted |= bits
    assert plain["permissions"] == [str(wanted)]
    assert with_roles["permissions"] == [str(wanted | permissions.MANAGE_ROLES)]
    told.here.may.discard("files")
    told.connect(NEWS)
    (again,) = invitations("channel")
    assert again["guild_id"] == [told.server.id]
    assert again["permissions"] == [str(wanted)]


def test_without_a_link_that_comes_first(told: Told, organiser: Client) -> None:
    DiscordLink.objects.filter(user=told.stage.orla).delete()
    page = words(organiser.get(at("channel")))
    assert "2. Link your own account Missing" in page
    assert "Connect a channel" not in page
    answer = post(organiser, "connect", {"channel_id": told.here.id, "kinds": [NEWS]})
    assert reverse("accounts:discord_settings") in answer.content.decode()


def test_what_is_wrong_with_a_role_stands_at_its_field(told: Told, organiser: Client) -> None:
    high = told.fake.new_id()
    told.server.roles[high] = "Owner's friend"
    for number, why in (
        ("Eliminated", "has up to 20 digits"),
        ("99", "has no role 99"),
        (high, "You may not give the role"),
        (told.plays, "a role of its own"),
    ):
        data = {
            "channel_id": told.here.id, "kinds": [NEWS], "contestant_role": told.plays,
            "eliminated_role": number,
        }  # fmt: skip
        answer = post(organiser, "connect", data)
        errors = answer.context["form"].errors
        assert list(errors) == ["eliminated_role"]
        assert why in errors["eliminated_role"][0]
        assert not errors["eliminated_role"][0].startswith("eliminated_role")


def test_only_an_ec_is_a_box_to_tick_where_there_is_one(told: Told) -> None:
    for kind, episodes in (("elimination", True), ("swiss", False)):
        told.stage.season.format = kind
        form = ConnectForm(season=told.stage.season)
        assert (CHOICES in dict(form.fields["kinds"].choices)) is episodes  # type: ignore[attr-defined]
        assert (CHOICES in form.initial["kinds"]) is episodes


def test_a_channel_is_changed(told: Told, organiser: Client) -> None:
    told.connect(NEWS, roles=told.roles)
    assert told.plays in organiser.get(at("edit")).content.decode()
    answer = post(organiser, "edit", {"kinds": [CLOCKS], "contestant_role": told.plays})
    assert answer.status_code == 302
    channel = DiscordChannel.objects.get()
    assert (channel.kinds, channel.eliminated_role) == ([CLOCKS], "")


def test_the_buttons(told: Told, organiser: Client) -> None:
    told.connect(NEWS)

    def press(name: str, **data: str) -> str:
        with committing():
            answer = organiser.post(at(name), data, follow=True)
        assert answer.status_code == 200
        return words(answer)

    assert "The test is on its way" in press("test")
    assert "still on its way" in press("test")
    told.say()
    assert "Said" in words(organiser.get(at("channel")))
    assert "was asked what the bot may do" in press("check")
    assert "says nothing more" in press("switch", active="off")
    assert "The channel is switched off." in press("switch", active="off")
    assert "tells of the season again" in press("switch", active="on")
    assert "is disconnected" in press("disconnect")
    assert not DiscordChannel.objects.exists()


def test_what_is_wrong_is_said(told: Told, organiser: Client) -> None:
    told.here.may.discard("files")
    channel = told.connect(roles=told.roles)
    DiscordRole.objects.create(
        channel=channel, member_id="5", role_id=told.plays, why="contestant", wanted=True,
        fault="The server has no such role any more.",
    )  # fmt: skip
    page = words(organiser.get(at("channel")))
    assert "boards come without pictures" in page
    assert "The role @Contestant: The server has no such role any more." in page
    DiscordChannel.objects.update(
        active=False, disabled_at=told.stage.at, disabled_why="The channel is there no longer."
    )
    page = words(organiser.get(at("channel")))
    assert "Given up" in page
    assert "The channel is there no longer. See to it" in page


def shown_roles(client: Client) -> list[str]:
    """What the channel's page calls the roles, without asking Discord for it."""
    panel = words(client.get(at("channel"))).partition("Roles Contestants: ")[2]
    return re.split(" (?:Those who are out|Those who watch|Switches)(?:: )?", panel)[:3]


def test_roles_are_shown_by_their_names(told: Told, organiser: Client) -> None:
    """As Discord called them when it was last asked, which a page does not do; a number alone is in
    brackets."""
    channel = told.connect(NEWS, roles=told.roles)
    told.server.roles[told.plays] = "Fighter"
    assert shown_roles(organiser) == ["@Contestant", "@Eliminated", "@Spectator"]
    DiscordChannel.objects.update(role_names={told.plays: "Contestant"})
    assert shown_roles(organiser) == ["@Contestant", f"({told.out})", f"({told.watches})"]
    assert channel.role_called("7") == "(7)"


def test_names_of_roles_are_learnt_whenever_discord_is_asked(told: Told, organiser: Client) -> None:
    told.connect(NEWS, roles={"contestant_role": told.plays})
    told.server.roles[told.plays] = "Fighter"
    post(organiser, "check", {})
    assert DiscordChannel.objects.get().role_names == {told.plays: "Fighter"}
    # A change asks for what is new, and forgets nothing of what stays.
    told.server.roles[told.plays] = "Champion"
    data = {"kinds": [NEWS], "contestant_role": told.plays, "eliminated_role": told.out}
    post(organiser, "edit", data)
    names = {told.plays: "Fighter", told.out: "Eliminated"}
    assert DiscordChannel.objects.get().role_names == names
    post(organiser, "edit", {"kinds": [NEWS], "eliminated_role": told.out})
    post(organiser, "check", {})
    assert DiscordChannel.objects.get().role_names == {told.out: "Eliminated"}
    post(organiser, "switch", {"active": "off"})
    told.server.roles[told.out] = "Out <b>"
    post(organiser, "switch", {"active": "on"})
    assert "Those who are out: @Out <b>" in words(organiser.get(at("channel")))


def test_what_is_offered_is_what_the_services_let_pass(told: Told, cleo: User) -> None:
    assert CONNECT.offered(AtSeasonsDiscord(told.stage.orla, told.stage.season))
    assert not CONNECT.offered(AtSeasonsDiscord(cleo, told.stage.season))
    channel = told.connect()
    assert not CONNECT.offered(AtSeasonsDiscord(told.stage.orla, told.stage.season))

    def names(user: User) -> list[str]:
        return [offer.name for offer in CHANNEL.offered(AtChannel(user, channel))]

    assert names(told.stage.orla) == ["change", "test", "check", "switch-off", "disconnect"]
    assert names(cleo) == []


@pytest.mark.parametrize("name", ["channel", "connect", "edit"])
def test_others_see_nothing(told: Told, name: str, cleo: User) -> None:
    told.connect()
    client = Client()
    assert client.get(at(name)).status_code == 302
    client.force_login(cleo)
    assert client.get(at(name)).status_code == 403


@pytest.mark.parametrize("name", ["connect", "edit", "test", "check", "switch", "disconnect"])
def test_others_do_nothing(told: Told, name: str, cleo: User) -> None:
    told.connect()
    client = Client()
    client.force_login(cleo)
    assert client.post(at(name)).status_code == 403
    assert DiscordChannel.objects.get().active


@pytest.mark.parametrize("name", ["edit", "test", "check", "switch", "disconnect"])
def test_there_is_nothing_without_a_channel(told: Told, organiser: Client, name: str) -> None:
    answer = organiser.get(at(name)) if name == "edit" else organiser.post(at(name))
    assert answer.status_code == 404


def test_the_desk_leads_there_where_there_is_a_bot(organiser: Client, settings: Any) -> None:
    desk = reverse("tournaments:desk", args=["autumn"])
    assert at("channel") in organiser.get(desk).content.decode()
    settings.GAUNTLET_DISCORD_CLIENT_SECRET = ""
    assert at("channel") not in organiser.get(desk).content.decode()
    assert "This site has no bot in Discord." in words(organiser.get(at("channel")))
