"""Seasons through the services, at instants that the test chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from accounts.models import AuditEntry, User
from accounts.roles import Role
from accounts.services import role_grant
from core.refusals import Refusal
from games.models import Match
from games.rulesets import REGISTRY
from games.services.turns import Ack, match_organise, match_submit
from games.store import read
from tests.games import support as games
from tests.games.support import T0, committing, user_named
from tournaments.formats.elimination.choice import dmo_choose
from tournaments.formats.elimination.episodes import episode_open
from tournaments.formats.elimination.main_match import Placing, in_main_match, placements_record
from tournaments.models import (
    Contestant,
    DeathMatch,
    Declaration,
    Episode,
    Gift,
    ItemEvent,
    Leg,
    Placement,
    ReminderSent,
    Round,
    Season,
    SeasonEvent,
    SeasonOrganiser,
)
from tournaments.services.contestants.enrolment import Enrolment, contestants_enrol
from tournaments.services.legs import leg_start, ms
from tournaments.services.organisers import organiser_accept, organiser_ask
from tournaments.services.seasons import season_create, season_list
from tournaments.services.starts import season_start

START = datetime.fromtimestamp(T0 / 1000, UTC)
GAME: dict[str, Any] = {"ruleset": "tetronogo", "variant": "standard", "options": {}}
WARS: dict[str, Any] = {
    "ruleset": "domino-wars",
    "variant": REGISTRY.get("domino-wars").variants[0].id,
    "options": {},
}

TABLES = (
    Season, SeasonOrganiser, Contestant, Round, Episode, Placement, DeathMatch, Leg, Gift,
    Declaration, ItemEvent, SeasonEvent, ReminderSent, Match, AuditEntry,
)  # fmt: skip


def organiser_joins(
    *,
    acting_user: User,
    season: Season,
    user: User,
    role: str = "organiser",
    rights: Sequence[str] = (),
    at: datetime | None = None,
) -> SeasonOrganiser:
    """Somebody is asked to run a season too, or to help, and says yes."""
    asked = organiser_ask(
        acting_user=acting_user, season=season, user=user, role=role, rights=rights, at=at
    )
    return organiser_accept(acting_user=user, invitation=asked, at=at)


def after(**span: float) -> datetime:
    """An instant so long after `START`."""
    return START + timedelta(**span)


@contextmanager
def nothing_changes() -> Iterator[None]:
    """Fail where the body changed a row."""
    with games.nothing_changes(TABLES):
        yield


def refused(code: str, call: Callable[..., Any], /, **arguments: Any) -> Refusal:
    """The refusal that ``call`` raises: this code, a sentence, and no row changed."""
    raised = None
    with nothing_changes():
        try:
            answer = call(**arguments)
        except Refusal as refusal:
            raised = refusal
    assert raised is not None, f"not refused: {answer!r}"
    assert raised.code == code, f"{raised.code}: {raised.sentence}"
    assert raised.sentence.endswith((".", "?", "!")), raised.sentence
    return raised


def organiser_named(name: str) -> User:
    """Somebody who may open seasons."""
    root = User.objects.filter(is_superuser=True).first() or User.objects.create_superuser("root")
    user = user_named(name, display_name=name.capitalize())
    role_grant(acting_user=root, user=user, role=Role.ORGANISER)
    return user


def enrolled(organiser: User, count: int, kind: str = "elimination", **settings: Any) -> Season:
    """A listed season with so many contestants, seeded in order and called Player 1, 2, …"""
    season = season_create(
        acting_user=organiser,
        name="Autumn",
        format=kind,
        settings={"repertoire": [GAME], **settings},
        at=START,
    )
    season = season_list(acting_user=organiser, season=season, at=START)
    # Those that a module's own season has already take part in this one, too.
    known = User.objects.in_bulk([f"player{n}" for n in range(1, count + 1)], field_name="username")
    entries = [
        Enrolment(
            known.get(f"player{number}")
            or user_named(f"player{number}", display_name=f"Player {number}"),
            seed=number,
        )
        for number in range(1, count + 1)
    ]
    contestants_enrol(acting_user=organiser, season=season, entries=entries, at=START)
    return season


def running(organiser: User, count: int, kind: str = "elimination", **settings: Any) -> Season:
    """The same, started."""
    season = enrolled(organiser, count, kind, **settings)
    return season_start(acting_user=organiser, season=season, at=START)


def who(season: Season, number: int) -> Contestant:
    """The contestant with that number, as the database has them now."""
    return Contestant.objects.select_related("user").get(season=season, name=f"Player {number}")


def account(season: Season, number: int) -> User:
    """The account of the contestant with that number."""
    user = who(season, number).user
    assert user is not None
    return user


def episode_now(season: Season) -> Episode:
    """The latest episode."""
    return Episode.objects.select_related("round__season", "ec", "dmo").get(
        round=season.rounds.order_by("-number")[0]
    )


def placings(season: Season, last: int, immune: Sequence[int] = ()) -> list[Placing]:
    """A result of a main match: by number, with ``last`` at the end."""
    active = in_main_match(episode_now(season)).order_by("pk")
    ordered = sorted(active, key=lambda each: each.name == f"Player {last}")
    names = {f"Player {number}" for number in immune}
    return [Placing(each, place, each.name in names) for place, each in enumerate(ordered, start=1)]


def chosen(
    organiser: User,
    season: Season,
    ec: int,
    dmo: int,
    at: datetime = START,
    later: timedelta = timedelta(0),
) -> DeathMatch:
    """The death match of the latest episode (opened, if there is none), as far as named. The EC
    chooses so much ``later``: not in the same act."""
    if not Episode.objects.filter(round__season=season, status="main-match").exists():
        episode_open(acting_user=organiser, season=season, at=at)
    episode = placements_record(
        acting_user=organiser,
        episode=episode_now(season),
        placements=placings(season, ec),
        at=at,
    )
    contestant = who(season, dmo)
    ec_user = who(season, ec).user
    assert ec_user is not None
    return dmo_choose(acting_user=ec_user, episode=episode, contestant=contestant, at=at + later)


def down_to_two(organiser: User) -> Season:
    """An elimination season of three, with Domino Wars, after Player 2 has eliminated Player 3."""
    season = running(organiser, 3, repertoire=[WARS])
    played(organiser, chosen(organiser, season, ec=2, dmo=3), winner=0)
    return season


def leg_of(death_match: DeathMatch, number: int = 1) -> Leg:
    """The attempt of a leg that counts."""
    return (
        Leg.objects.select_related("match", "death_match__round__season")
        .exclude(status="void")
        .get(death_match=death_match, number=number)
    )


def fresh(death_match: DeathMatch) -> DeathMatch:
    """A death match as the database has it now."""
    return DeathMatch.objects.select_related(
        "round__season", "home__user", "away__user", "winner"
    ).get(pk=death_match.pk)


def begun(organiser: User, death_match: DeathMatch, number: int = 1, at: datetime = START) -> Leg:
    """Start a leg at an organiser's word, with both players there."""
    with committing():
        leg_start(acting_user=organiser, leg=leg_of(death_match, number), at=at, waits=False)
    return leg_of(death_match, number)


def conceded(leg: Leg, winner: int, at: datetime | None = None) -> Ack:
    """Have the seat that is not ``winner`` give a running match up."""
    assert leg.match is not None
    seat = 1 - winner
    user = leg.match.players.get(seat=seat).user
    assert user is not None
    with committing():
        return match_submit(
            match_id=leg.match.pk,
            seat=seat,
            acting_user=user,
            client_id="giving-up",
            text="concede",
            version=read(leg.match.pk).readers.versions[seat],
            at=ms(at or after(minutes=1)),
        )


def ruled(organiser: User, leg: Leg, text: str, at: datetime | None = None) -> None:
    """An organiser's act at the desk of a running match."""
    assert leg.match is not None
    with committing():
        match_organise(
            match_id=leg.match.pk,
            acting_user=organiser,
            client_id="at-the-desk",
            text=text,
            why="because",
            at=ms(at or after(minutes=1)),
        )


def played(
    organiser: User, death_match: DeathMatch, winner: int, at: datetime = START
) -> DeathMatch:
    """Begin the first leg that is open and have ``winner`` (a seat) win it by concession."""
    number = death_match.legs.filter(status="planned").order_by("number")[0].number
    conceded(begun(organiser, death_match, number, at), winner, at + timedelta(minutes=1))
    return fresh(death_match)


def kinds(season: Season) -> list[str]:
    """What happened, in order."""
    return list(season.events.order_by("pk").values_list("kind", flat=True))
