"""Situations in which something cannot be done that could be in those of `world`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from django.utils import timezone

from accounts.moderation.reports import report_file
from accounts.moderation.sanctions import user_mute, user_suspend
from accounts.roles import Role, forget_roles
from accounts.services import role_grant
from games.models import Challenge
from games.services.challenges import challenge_create
from tests.permissions.world import SCENES, Scene, World
from tests.tournaments.support import GAME, WARS, chosen, played
from tournaments.models import DeathMatch, Episode, Season, SeasonOrganiser
from tournaments.services.legs import rules_set
from tournaments.services.seasons import season_archive

Making = Callable[[World], Scene]


def archived(name: str) -> Making:
    """A situation, and the season in the archive."""

    def make(world: World) -> Scene:
        scene = SCENES[name](world)
        season_archive(acting_user=world.users["orla"], season=scene.season)
        return Scene(world, Season.objects.get(pk=scene.season.pk), scene.more, scene.me)

    return make


def choose_by(span: timedelta | None) -> Making:
    """An EC who has so long to choose, or had; None: as long as they like."""

    def make(world: World) -> Scene:
        scene = SCENES["choosing"](world)
        until = None if span is None else timezone.now() + span
        Episode.objects.filter(round__season=scene.season).update(choose_by=until)
        return scene

    return make


def without_items(world: World) -> Scene:
    """Somebody is out of a season in which nobody gives items."""
    season = world.running("elimination", 5, repertoire=[GAME], format_options={"items": False})
    orla, now = world.users["orla"], timezone.now()
    played(orla, chosen(orla, season, 5, 4, now), 1, now)
    return Scene(world, season)


def organised_by_player(making: Making, number: int) -> Making:
    """A situation in which a contestant is an organiser of the season, too."""

    def make(world: World) -> Scene:
        scene = making(world)
        user = world.users[f"player{number}"]
        role_grant(acting_user=world.root, user=user, role=Role.ORGANISER)
        forget_roles(user)
        SeasonOrganiser.objects.create(season=scene.season, user=user)
        return scene

    return make


def bracket_of_three(number: int | None) -> Making:
    """The lower seed is to choose what is played in three matches; it has been said for one of
    that number, or all."""

    def make(world: World) -> Scene:
        season = world.running(
            "single-elimination", 2, ruleset_choice="lower-seed", repertoire=[GAME, WARS],
            format_options={"best_of": 3},
        )  # fmt: skip
        row = DeathMatch.objects.filter(round__season=season).latest("pk")
        rules_set(
            acting_user=world.users["orla"], death_match=row, ruleset=GAME["ruleset"],
            variant=GAME["variant"], leg_number=number,
        )  # fmt: skip
        return Scene(world, season, {"row": row})

    return make


def challenge_to(opponent: str | None, lasts: timedelta) -> Making:
    """A challenge of the third player, to somebody or anybody, that is open so long."""

    def make(world: World) -> Scene:
        scene = Scene(world, world.season("swiss", 3))
        challenge = challenge_create(
            acting_user=world.users["player3"], ruleset_id="tetronogo", variant="standard",
            opponent=None if opponent is None else world.users[opponent],
        )  # fmt: skip
        Challenge.objects.filter(pk=challenge.pk).update(expires_at=timezone.now() + lasts)
        scene.more["challenge"] = Challenge.objects.get(pk=challenge.pk)
        return scene

    return make


def reported(world: World) -> Scene:
    """Reports of people of every kind, and of a message."""
    scene = SCENES["talking"](world)
    for name, lay in (("player3", user_mute), ("player4", user_suspend)):
        lay(acting_user=world.root, user=world.users[name], reason="Rude", until=None)
    about = ["eve", "player3", "player4", "mona", "root"]
    reports = [
        report_file(
            acting_user=world.users[f"player{number % 2 + 1}"], target_type="accounts.user",
            target_id=name, reason="other", words="Look.",
        )
        for number, name in enumerate(about)
    ]  # fmt: skip
    reports.append(
        report_file(
            acting_user=world.users["player3"], target_type="games.chatmessage",
            target_id=str(scene.message.pk), reason="other", words="Look.",
        )
    )  # fmt: skip
    scene.more["reports"] = reports
    return scene


MORE: dict[str, Making] = {
    "choice too late": choose_by(timedelta(hours=-1)),
    "choice without end": choose_by(None),
    "without items": without_items,
    "without items, one organises": organised_by_player(without_items, 5),
    "gifted, one who is out organises": organised_by_player(SCENES["gifted"], 5),
    "choosing, the EC organises": organised_by_player(SCENES["choosing"], 1),
    "choice too late, the EC organises": organised_by_player(
        choose_by(timedelta(hours=-1)), 1
    ),
    "one game of three": bracket_of_three(1),
    "all games of three": bracket_of_three(None),
    "ladder, one organises": organised_by_player(SCENES["ladder"], 2),
    "round played, one organises": organised_by_player(SCENES["round played"], 1),
    "challenge to one": challenge_to("player1", timedelta(hours=1)),
    "challenge to all": challenge_to(None, timedelta(hours=1)),
    "challenge lapsed": challenge_to("player1", timedelta(hours=-1)),
    "reported": reported,
    **{
        f"{name}, archived": archived(name)
        for name in (
            "enrolling", "between", "main match", "choosing", "planned", "gifted", "both ready",
            "running", "decided", "round played", "ladder", "bracket", "two left",
        )
    },
}  # fmt: skip
