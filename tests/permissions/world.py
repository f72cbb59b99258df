"""The people that the table speaks of, and the situations in which they are asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from functools import cache, partial
from io import BytesIO
from typing import Any

from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from PIL import Image

from accounts.models import ApiToken, User
from accounts.moderation.sanctions import user_mute, user_suspend
from accounts.roles import Role as SiteRole
from accounts.roles import forget_roles
from accounts.services import role_grant
from accounts.tokens.services import token_create, user_become_bot
from core.clock import now_utc
from core.jobs.models import SetAside
from games.engine.draws import nonce_commitment
from games.models import PairRuling, Puzzle, Seek
from games.puzzles.services import puzzles_load
from games.reading.records import record_bytes
from games.services.arrivals import match_attend, nonce_commit
from games.services.challenges import challenge_create
from games.services.chat import chat_post, chat_remove
from games.services.commentary import commentator_name
from games.services.featuring import match_feature
from games.services.hosting import hosted_create
from games.services.preparations import preparation_create
from games.services.saved import saved_move_save
from tests.games.support import SECOND, T0, Play, started, user_named
from tests.games.test_disputes import POOL
from tests.games.test_preparations import PALLETS
from tests.tournaments.support import (
    GAME,
    WARS,
    begun,
    chosen,
    conceded,
    episode_now,
    fresh,
    leg_of,
    placings,
    played,
    who,
)
from tournaments.formats.elimination.episodes import episode_open
from tournaments.formats.elimination.main_match import placements_record
from tournaments.items.catalogue import catalogue
from tournaments.models import (
    Contestant,
    DeathMatch,
    DiscordChannel,
    Picture,
    Season,
    SeasonOrganiser,
)
from tournaments.posts.services import channel_test
from tournaments.services.contestants.applications import (
    application_decline,
    application_make,
)
from tournaments.services.contestants.check_in import check_in_open
from tournaments.services.contestants.departures import contestant_withdraw
from tournaments.services.contestants.enrolment import contestant_enrol
from tournaments.services.contestants.invitations import invitation_make
from tournaments.services.contestants.rosters import contestants_import
from tournaments.services.follows import season_follow
from tournaments.services.free_hours import free_date_add
from tournaments.services.items.declarations import item_declare
from tournaments.services.items.gifts import item_give
from tournaments.services.ledger.acts import ledger_grant
from tournaments.services.legs import ms
from tournaments.services.messages import message_send
from tournaments.services.organisers import organiser_ask
from tournaments.services.pictures import another_of, owner_of, picture_set
from tournaments.services.results.corrections import round_reopen
from tournaments.services.results.rulings import death_match_declare
from tournaments.services.rounds import round_pair
from tournaments.services.scheduling.agreeing import times_propose
from tournaments.services.scheduling.appointments import leg_schedule
from tournaments.services.scheduling.readiness import leg_confirm
from tournaments.services.seasons import (
    season_archive,
    season_cancel,
    season_create,
    season_list,
    season_unlist,
)
from tournaments.services.starts import season_start
from tournaments.webhooks.services import webhook_create, webhook_test, webhook_update

SCOPES = ("read", "play", "organise", "bot")


class Who(StrEnum):
    """Everybody who is asked. Seat 0 is the EC, seat 1 the DMO."""

    NOBODY = "nobody"
    PLAYER = "player"
    SEAT_0 = "contestant on seat 0"
    SEAT_1 = "contestant on seat 1"
    CONTESTANT = "another contestant"
    ELIMINATED = "eliminated contestant"
    ORGANISER = "organiser of the season"
    RIVAL = "organiser of other seasons"
    CO_ORGANISER = "co-organiser of the season without the role"
    FOR_EPISODES = "helper of the season for episodes"
    FOR_MATCHES = "helper of the season for matches"
    FOR_PEOPLE = "helper of the season for people"
    FOR_LEDGER = "helper of the season for the ledger"
    SEATED = "organiser of the season on seat 1"
    MODERATOR = "moderator"
    ADMIN = "administrator"
    MUTED = "muted player"
    MUTED_SEAT = "muted contestant on seat 0"
    SUSPENDED = "suspended player"
    SUSPENDED_SEAT = "suspended contestant on seat 0"
    SUSPENDED_ORGANISER = "suspended organiser of the season"
    BOT = "bot"


# Whose account it is; what they are besides is done to them before they ask.
_ACCOUNTS = {
    Who.PLAYER: "paul", Who.SEAT_0: "player1", Who.SEAT_1: "player2", Who.CONTESTANT: "player3",
    Who.ELIMINATED: "player5", Who.ORGANISER: "orla", Who.RIVAL: "rival", Who.CO_ORGANISER: "fay",
    Who.FOR_EPISODES: "eric", Who.FOR_MATCHES: "mary", Who.FOR_PEOPLE: "pia",
    Who.FOR_LEDGER: "leo",
    Who.SEATED: "player2", Who.MODERATOR: "mona", Who.ADMIN: "root", Who.MUTED: "paul",
    Who.MUTED_SEAT: "player1", Who.SUSPENDED: "paul", Who.SUSPENDED_SEAT: "player1",
    Who.SUSPENDED_ORGANISER: "olin", Who.BOT: "robby",
}  # fmt: skip
# Who helps with every season, and the one right of each.
HELPERS = {"eric": "episodes", "mary": "matches", "pia": "people", "leo": "ledger"}
# To whom something must be done first.
BECOME = {
    Who.MUTED, Who.MUTED_SEAT, Who.SUSPENDED, Who.SUSPENDED_SEAT, Who.SUSPENDED_ORGANISER,
    Who.SEATED,
}  # fmt: skip


@dataclass
class Scene:
    """One situation: what the asks are about. ``me``: the place that an ask about oneself means;
    ``idle``: nobody sits in a match meanwhile, whatever is on in other situations."""

    world: World
    season: Season
    more: dict[str, Any] = field(default_factory=dict)
    me: int = 0
    idle: bool = False

    def __getattr__(self, name: str) -> Any:
        try:
            return self.more[name]
        except KeyError:
            raise AttributeError(name) from None

    def id(self, number: int) -> int:
        """The contestant of that number."""
        return who(self.season, number).pk

    def form(self, name: str, more: dict[str, Any], *args: Any) -> dict[str, Any]:
        """What a browser would send of a page's form, changed by ``more``."""
        page = self.world.clients[Who.ORGANISER].get(reverse(name, args=args))
        found = {
            each.html_name: each.value()
            for each in page.context["form"]
            if not isinstance(each.value(), list) and each.value() not in (None, False)
        }
        return found | more


class World:
    """The people, signed in and with tokens, and the scenes, each made when first asked for."""

    def __init__(self) -> None:
        self.root = User.objects.create_superuser("root")
        self.users = {"root": self.root}
        names = ["paul", "orla", "olin", "rival", "mona", "robby", "eve", "fay", *HELPERS]
        for name in [*names, *(f"player{number}" for number in range(1, 6))]:
            shown = name.replace("player", "Player ").capitalize()
            self.users[name] = user_named(name, display_name=shown)
        for name in ("orla", "olin", "rival"):
            self._granted(name, SiteRole.ORGANISER)
        self._granted("mona", SiteRole.MODERATOR)
        user_become_bot(acting_user=self.users["robby"])
        self.clients = {}
        self.tokens: dict[tuple[str, tuple[str, ...]], str] = {}
        for each in Who:
            self.clients[each] = Client()
            if each is not Who.NOBODY:
                user = self.users[_ACCOUNTS[each]]
                self.clients[each].force_login(user, backend="accounts.signin.backends.NameBackend")
                for scopes in (SCOPES, *((one,) for one in SCOPES)):
                    self._token(user, scopes)
        # Else each first ask of a minute would write when its token was used.
        ApiToken.objects.update(last_used_at=timezone.now() + timedelta(days=1))
        self.api = Client()  # with a token in each request
        self.scenes: dict[str, Scene] = {}
        self.besides: dict[str, Any] = {}  # what the tests of other folders have made

    def _granted(self, name: str, role: SiteRole) -> None:
        role_grant(acting_user=self.root, user=self.users[name], role=role)
        forget_roles(self.users[name])

    def _token(self, user: User, scopes: tuple[str, ...]) -> None:
        if (user.username, scopes) not in self.tokens:
            _, text = token_create(
                acting_user=user, name="test", scopes=scopes, lasts=timedelta(days=1)
            )
            self.tokens[user.username, scopes] = text

    def user(self, each: Who) -> User | None:
        """The account of somebody, as the database has it now."""
        return None if each is Who.NOBODY else User.objects.get(username=_ACCOUNTS[each])

    def token(self, each: Who, scopes: tuple[str, ...] = SCOPES) -> str:
        """A token of theirs; empty for nobody."""
        return "" if each is Who.NOBODY else self.tokens[_ACCOUNTS[each], scopes]

    def become(self, each: Who, scene: Scene) -> None:
        """Do to somebody what makes them what they are called, inside the caller's savepoint, which
        those in `BECOME` need."""
        user = self.user(each)
        if user is None:
            return
        own = Contestant.objects.filter(season=scene.season, user=user).first()
        scene.me = own.pk if own is not None else scene.more.get("somebody", 0)
        if each in (Who.MUTED, Who.MUTED_SEAT):
            user_mute(acting_user=self.root, user=user, reason="Rude", until=None)
        elif each in (Who.SUSPENDED, Who.SUSPENDED_SEAT, Who.SUSPENDED_ORGANISER):
            user_suspend(acting_user=self.root, user=user, reason="Rude", until=None)
        elif each is Who.SEATED:
            role_grant(acting_user=self.root, user=user, role=SiteRole.ORGANISER)
            SeasonOrganiser.objects.create(season=scene.season, user=user)

    def scene(self, name: str) -> Scene:
        """The scene of that name."""
        if name not in self.scenes:
            with transaction.atomic():
                self.scenes[name] = SCENES[name](self)
        return self.scenes[name]

    def season(self, kind: str, count: int, **settings: Any) -> Season:
        """A listed season of Orla's, with so many contestants."""
        orla = self.users["orla"]
        season = self.draft(kind, **settings)
        season = season_list(acting_user=orla, season=season)
        for number in range(1, count + 1):
            user = self.users[f"player{number}"]
            contestant_enrol(acting_user=orla, season=season, user=user, seed=number)
        return season

    def draft(self, kind: str, **settings: Any) -> Season:
        """A draft of Orla's; Olin runs it too, and Fay, who has no role here, and four help."""
        season = season_create(
            acting_user=self.users["orla"],
            name=f"Season {len(self.scenes) + 1}",
            format=kind,
            settings={"repertoire": [GAME], **settings},
        )
        for name in ("olin", "fay"):
            SeasonOrganiser.objects.create(season=season, user=self.users[name])
        for name, right in HELPERS.items():
            SeasonOrganiser.objects.create(
                season=season, user=self.users[name], role="helper", rights=[right]
            )
        return season

    def running(self, kind: str, count: int, **settings: Any) -> Season:
        """The same as `season`, started."""
        made = self.season(kind, count, **settings)
        return season_start(acting_user=self.users["orla"], season=made)


# -- scenes --------------------------------------------------------------------------------------


def _draft(world: World) -> Scene:
    return Scene(world, world.draft("swiss"))


def _enrolling(world: World) -> Scene:
    season = world.season("swiss", 4, open_enrolment=True)
    link = invitation_make(acting_user=world.users["orla"], season=season)
    message_send(
        acting_user=world.users["orla"], season=season, title="Hello", words="We begin on Monday."
    )
    return Scene(world, season, {"somebody": who(season, 4).pk, "invitation": link})


def _asked_to_help(world: World) -> Scene:
    """Paul is asked to help with a draft."""
    season = world.draft("swiss")
    asked = organiser_ask(
        acting_user=world.users["orla"], season=season, user=world.users["paul"], role="helper",
        rights=["matches"],
    )  # fmt: skip
    return Scene(world, season, {"asked": asked})


def _applying(world: World) -> Scene:
    return Scene(world, world.season("swiss", 4, open_enrolment=True, by_application=True))


def _applied(world: World) -> Scene:
    """Paul has applied, and Eve was declined."""
    season = world.season("swiss", 4, open_enrolment=True, by_application=True)
    rows = {
        name: application_make(acting_user=world.users[name], season=season, words="I play.")
        for name in ("paul", "eve")
    }
    application_decline(acting_user=world.users["orla"], application=rows["eve"])
    return Scene(world, season, {"application": rows["paul"], "declined": rows["eve"]})


def _held(world: World) -> Scene:
    """A place is held for somebody who has no account yet, or has one."""
    season = world.season("swiss", 4)
    (place,) = contestants_import(
        acting_user=world.users["orla"], season=season, text=",Benji"
    ).contestants
    return Scene(world, season, {"place": place, "invitation": place.invitation})


def _checking_in(world: World) -> Scene:
    season = world.season("swiss", 4)
    until = now_utc() + timedelta(hours=1)
    season = check_in_open(acting_user=world.users["orla"], season=season, until=until)
    return Scene(world, season)


def _checked_in(world: World) -> Scene:
    """The hour is over."""
    scene = _checking_in(world)
    past = now_utc() - timedelta(minutes=1)
    Season.objects.filter(pk=scene.season.pk).update(check_in_until=past)
    return scene


def _hidden(world: World) -> Scene:
    """A season with contestants that is a draft again."""
    season = world.season("swiss", 3)
    link = invitation_make(acting_user=world.users["orla"], season=season)
    picture = _picture(world, who(season, 1))
    season_unlist(acting_user=world.users["orla"], season=season)
    return Scene(world, season, {"invitation": link, "picture": picture})


def photograph() -> bytes:
    """A picture as somebody uploads one."""
    written = BytesIO()
    Image.new("RGB", (120, 120), (200, 30, 30)).save(written, "JPEG")
    return written.getvalue()


def _picture(world: World, owner: Season | Contestant) -> Picture:
    return picture_set(acting_user=world.users["orla"], owner=owner, content=photograph())


def _pictured(world: World) -> Scene:
    """The season has a picture, and so has whoever sits on seat 0."""
    season = world.season("swiss", 4)
    _picture(world, season)
    return Scene(world, season, {"picture": _picture(world, who(season, 1))})


def _cancelled(world: World) -> Scene:
    season = world.season("swiss", 2)
    orla = world.users["orla"]
    return Scene(world, season_cancel(acting_user=orla, season=season, why="Nobody came."))


def _archived(world: World) -> Scene:
    scene = _cancelled(world)
    season_archive(acting_user=world.users["orla"], season=scene.season)
    return Scene(world, Season.objects.get(pk=scene.season.pk))


def _between(world: World, count: int = 5, game: Any = GAME) -> Scene:
    """An elimination season after its first episode, in which the last one went out."""
    season = world.running("elimination", count, repertoire=[game])
    orla, now = world.users["orla"], timezone.now()
    played(orla, chosen(orla, season, count, count - 1, now), 1, now)
    return Scene(world, season, {"somebody": who(season, 4).pk if count > 3 else 0})


def _left(world: World) -> Scene:
    """The same, and the fourth has withdrawn."""
    scene = _between(world)
    contestant = who(scene.season, 4)
    contestant_withdraw(acting_user=contestant.user, contestant=contestant)
    return scene


def _reopened(world: World) -> Scene:
    scene = _between(world)
    orla = world.users["orla"]
    round_reopen(acting_user=orla, round=scene.season.rounds.get(), why="because")
    return scene


def _main_match(world: World) -> Scene:
    scene = _between(world)
    episode_open(acting_user=world.users["orla"], season=scene.season)
    return scene


def _choosing(world: World) -> Scene:
    scene = _main_match(world)
    placements_record(
        acting_user=world.users["orla"],
        episode=episode_now(scene.season),
        placements=placings(scene.season, 1),
    )
    return scene


def _main_match_pictured(world: World) -> Scene:
    """Its main match is recorded, and has a picture."""
    scene = _choosing(world)
    owner = another_of(episode_now(scene.season))
    picture = picture_set(
        acting_user=world.users["orla"], owner=owner, content=photograph(), alt="The table"
    )
    scene.more |= {"picture": picture, "hung": owner_of(picture)}
    return scene


def _planned(world: World, game: Any = GAME) -> Scene:
    scene = _between(world, game=game)
    orla, now = world.users["orla"], timezone.now()
    row = fresh(chosen(orla, scene.season, 1, 2, now))
    return _about(scene, row)


def _proposed(world: World) -> Scene:
    """Seat 0 proposes times to seat 1, and has named a date."""
    scene = _planned(world)
    player, now = world.users["player1"], timezone.now()
    times = [now + timedelta(days=days) for days in (2, 3)]
    scene.more["proposal"] = times_propose(acting_user=player, leg=scene.leg, times=times)
    scene.more["own_date"] = free_date_add(
        acting_user=player, date=(now + timedelta(days=2)).date(), kind="not"
    )
    return scene


def _followed(world: World) -> Scene:
    """Somebody follows the season."""
    scene = _planned(world)
    season_follow(acting_user=world.users["paul"], season=scene.season)
    return scene


def _about(scene: Scene, row: DeathMatch) -> Scene:
    scene.more |= {"row": row, "leg": leg_of(row)}
    return scene


def _gifted(world: World) -> Scene:
    scene = _planned(world, WARS)
    item = next(each for each in catalogue() if each.ruleset == WARS["ruleset"])
    scene.more["gift"] = item_give(
        acting_user=world.users["orla"],
        season=scene.season,
        item=item.id,
        ruleset=item.ruleset,
        receiver=who(scene.season, 1),
    )
    return scene


TRADE = {
    "currency": True, "start": 5, "payments": "open", "tokens": True, "tokens_given": True,
    "stakes": "wager",
}  # fmt: skip


def _trading(world: World) -> Scene:
    """A season with a currency: its last is out, and a main match is on. Most hold a token."""
    orla, now = world.users["orla"], timezone.now()
    season = world.running("elimination", 5, trade=TRADE)
    played(orla, chosen(orla, season, 5, 4, now), 1, now)
    episode_open(acting_user=orla, season=season)
    grant = partial(ledger_grant, acting_user=orla, season=season, amount=1, why="won")
    grant(contestants=[who(season, number) for number in (1, 2, 3)], unit="token")
    (entry,) = grant(contestants=[who(season, 4)])
    return Scene(world, season, {"entry": entry})


def _wagering(world: World) -> Scene:
    """The same, and a death match has been named."""
    scene = _trading(world)
    return _about(scene, fresh(chosen(world.users["orla"], scene.season, 1, 2, timezone.now())))


def _both_ready(world: World) -> Scene:
    """Both are ready for a match that begins soon, and seat 0 brings an item into it."""
    scene = _gifted(world)
    soon = timezone.now() + timedelta(minutes=10)
    leg_schedule(acting_user=world.users["orla"], leg=scene.leg, scheduled_at=soon)
    for name in ("player1", "player2"):
        leg_confirm(acting_user=world.users[name], leg=scene.leg)
    item_declare(acting_user=world.users["player1"], leg=scene.leg, gift=scene.gift)
    return scene


def _running(world: World) -> Scene:
    scene = _planned(world)
    leg = begun(world.users["orla"], scene.row, at=timezone.now())
    scene.more |= {"leg": leg, "row": fresh(scene.row), "match": leg.match}
    return scene


def _featured(world: World) -> Scene:
    scene = _running(world)
    match_feature(acting_user=world.users["orla"], match=scene.match)
    return scene


def _waiting(world: World) -> Scene:
    """A match of no season, at a live pace, that neither player has come to."""
    scene = Scene(world, world.season("swiss", 3))
    play = started((world.users["player1"], world.users["player2"]), waits=True)
    scene.more["match"] = play.match
    return scene


# What both players have committed to: the same number, which hashes to something else of each.
NONCE = "5a" * 32


def _opening(world: World) -> Scene:
    """The same, to which both have come, so that they open the numbers that they have committed
    to."""
    scene, seats = _waiting(world), (world.users["player1"], world.users["player2"])
    for seat in (0, 1):
        nonce_commit(
            match_id=scene.match.pk,
            acting_user=seats[seat],
            seat=seat,
            commitment=nonce_commitment(seat, NONCE),
            at=T0 + SECOND,
        )
    match_attend(match_id=scene.match.pk, there=(True, True), at=T0 + 2 * SECOND)
    return scene


def _disputed(world: World) -> Scene:
    """A placement of Domain is challenged, and waits for an organiser."""
    scene = _planned(world)
    orla, now = world.users["orla"], timezone.now()
    # A pool of two: no organiser could supply one.
    options = {"review": "organiser", "pool": POOL}
    scene.row.legs.update(ruleset="domain", variant="standard", options=options)
    leg = begun(orla, scene.row, at=now)
    assert leg.match is not None
    play = Play(leg.match, (world.users["player1"], world.users["player2"]))
    begin = ms(now) - T0
    # The DMO, on seat 1, has the advantage.
    for seat, text in (
        (0, "ready"), (1, "ready"), (1, "first"), (1, "take 01"), (0, "take 02"),
        (1, "01 > red 50,180 0"),
    ):  # fmt: skip
        play.move(seat, text, begin + 5 * SECOND)
    play.move(0, "challenge", begin + 65 * SECOND)
    scene.more |= {"leg": leg, "row": fresh(scene.row), "match": leg.match}
    return scene


def _commented(world: World) -> Scene:
    """Somebody comments on a match."""
    scene = _running(world)
    commentator_name(
        acting_user=world.users["orla"], match_id=scene.match.pk, user=world.users["eve"]
    )
    return scene


def _talking(world: World) -> Scene:
    scene = _running(world)
    chat_post(
        acting_user=world.users["paul"],
        match=scene.match,
        room="spectators",
        client_id="said",
        text="Boo",
        at=0,
    )
    scene.more["message"] = scene.match.chat.get()
    puzzles_load()
    scene.more["puzzle"] = Puzzle.objects.earliest("pk")
    return scene


def _removed(world: World) -> Scene:
    """The same, and what was said was taken away."""
    scene = _talking(world)
    chat_remove(acting_user=world.users["mona"], message=scene.message)
    return scene


def _decided(world: World) -> Scene:
    scene = _running(world)
    conceded(scene.leg, 0, timezone.now() + timedelta(seconds=1))
    leg = leg_of(scene.row)
    assert leg.match is not None
    pair = PairRuling.objects.create(
        first=world.users["player3"],
        second=world.users["player4"],
        matches=[leg.match.pk],
        why="because",
        by=world.users["mona"],
    )
    more = {"row": fresh(scene.row), "leg": leg, "record": record_bytes(leg.match), "pair": pair}
    return Scene(world, scene.season, more)


def _ruled(world: World) -> Scene:
    scene = _planned(world)
    death_match_declare(
        acting_user=world.users["orla"],
        death_match=scene.row,
        winner=who(scene.season, 1),
        why="because",
    )
    return Scene(world, scene.season, {"row": fresh(scene.row)})


def _two_left(world: World) -> Scene:
    return _between(world, 3)


def _round_played(world: World, rounds: int = 2) -> Scene:
    season = world.running("swiss", 4, format_options={"rounds": rounds})
    orla = world.users["orla"]
    if not season.rounds.exists():
        round_pair(acting_user=orla, season=season)
    rows = DeathMatch.objects.filter(round__season=season)
    for row in rows.select_related("round__season", "home"):
        assert row.home is not None
        death_match_declare(acting_user=orla, death_match=row, winner=row.home, why="because")
    return Scene(world, season, {"round": season.rounds.latest("number").number})


def _played_out(world: World) -> Scene:
    return _round_played(world, 1)


def _ladder(world: World) -> Scene:
    return Scene(world, world.running("ladder", 3))


def _bracket(world: World) -> Scene:
    season = world.running(
        "single-elimination", 2, ruleset_choice="lower-seed", repertoire=[GAME, WARS]
    )
    row = DeathMatch.objects.filter(round__season=season).latest("pk")
    return _about(Scene(world, season), fresh(row))


def _watched(world: World) -> Scene:
    scene = Scene(world, world.season("swiss", 2))
    orla = world.users["orla"]
    hook = webhook_create(
        acting_user=orla,
        season=scene.season,
        name="Ours",
        url="https://93.184.216.34/hook",
        flavour="json",
        kinds=["season.started"],
    ).webhook
    scene.more["hook"] = hook
    sent = webhook_test(acting_user=orla, webhook=hook)
    type(sent).objects.filter(pk=sent.pk).update(status="abandoned")
    scene.more["delivery"] = sent
    return scene


def _told(world: World) -> Scene:
    """The season is told of in a channel in Discord."""
    scene = Scene(world, world.season("swiss", 2))
    channel = DiscordChannel.objects.create(
        season=scene.season,
        channel_id="11",
        guild_id="22",
        name="matches",
        guild_name="The community",
        kinds=["news"],
        contestant_role="33",
        lacks=["files"],
        created_by=world.users["orla"],
    )
    channel_test(acting_user=world.users["orla"], channel=channel)
    return scene


def _switched_off(world: World) -> Scene:
    scene = _watched(world)
    webhook_update(acting_user=world.users["orla"], webhook=scene.hook, active=False)
    return scene


def _set_aside(world: World) -> Scene:
    """A job has failed at a row."""
    scene = Scene(world, world.season("swiss", 2))
    later = timezone.now() + timedelta(hours=1)
    scene.more["aside"] = SetAside.objects.create(
        job="legs.settle", key="1", reason="ValueError", attempts=1, next_at=later
    )
    return scene


def _challenged(world: World) -> Scene:
    scene = Scene(world, world.season("swiss", 3), idle=True)
    scene.more["challenge"] = challenge_create(
        acting_user=world.users["player3"],
        ruleset_id="tetronogo",
        variant="standard",
        opponent=world.users["player1"],
    )
    scene.more["link"] = challenge_create(
        acting_user=world.users["player3"],
        ruleset_id="tetronogo",
        variant="standard",
        by_link=True,
    )
    now = ms(timezone.now())
    Seek.objects.create(
        user=world.users["player3"],
        ruleset="tetronogo",
        variant="standard",
        pace="normal",
        rating=1500,
        since=now,
        until=now + 3600 * SECOND,
    )
    scene.more["saved"] = saved_move_save(
        acting_user=world.users["player1"], ruleset="tetronogo", name="Mine", text="pick T"
    )
    scene.more["hosted"] = hosted_create(
        acting_user=world.users["orla"],
        ruleset_id="tetronogo",
        variant="standard",
        first=world.users["player1"],
        second=world.users["player3"],
    )
    scene.more["pallets"] = PALLETS
    scene.more["kept"] = preparation_create(
        acting_user=world.users["orla"],
        ruleset_id="peg-domain",
        key="pallets",
        name="Ours",
        data=PALLETS.encode(),
    )
    return scene


SCENES: dict[str, Callable[[World], Scene]] = {
    "draft": _draft, "asked to help": _asked_to_help,
    "enrolling": _enrolling, "applying": _applying, "applied": _applied,
    "held": _held, "checking in": _checking_in, "checked in": _checked_in,
    "cancelled": _cancelled, "archived": _archived,
    "between": _between, "left": _left, "reopened": _reopened, "main match": _main_match,
    "choosing": _choosing, "planned": _planned, "proposed": _proposed,
    "followed": _followed,
    "gifted": _gifted, "both ready": _both_ready, "running": _running, "featured": _featured,
    "waiting": _waiting, "opening": _opening,
    "disputed": _disputed, "set aside": _set_aside,
    "commented": _commented, "talking": _talking, "removed": _removed, "decided": _decided,
    "ruled": _ruled, "two left": _two_left, "round played": _round_played,
    "played out": _played_out, "ladder": _ladder, "bracket": _bracket, "watched": _watched,
    "told": _told, "trading": _trading, "wagering": _wagering,
    "switched off": _switched_off, "challenged": _challenged, "hidden": _hidden,
    "pictured": _pictured, "main match pictured": _main_match_pictured,
}  # fmt: skip


# -- what there is -------------------------------------------------------------------------------

# Read by everybody who comes, or noted for those who came; nobody's rights.
_NOT_COUNTED = {
    "django_session", "accounts_usersession", "django_admin_log", "django_migrations",
}  # fmt: skip


@cache
def _digest(tables: frozenset[str]) -> str:
    """The statement of `digest`."""
    parts = []
    for table in sorted(tables):
        row = "(to_jsonb(t) - 'last_used_at')::text" if _notes_use(table) else "t::text"
        parts.append(f'(SELECT coalesce(sum(hashtextextended({row}, 0)), 0) FROM "{table}" t)')  # noqa: S608
    return "SELECT " + ", ".join(parts)


@cache
def _notes_use(table: str) -> bool:
    with connection.cursor() as cursor:
        found = connection.introspection.get_table_description(cursor, table)
        return "last_used_at" in {column.name for column in found}


def digest(tables: frozenset[str]) -> tuple[int, ...]:
    """A digest of every row of some tables, but for when tokens were last used."""
    with connection.cursor() as cursor:
        cursor.execute(_digest(tables))
        found: tuple[int, ...] = cursor.fetchone()
        return found


@cache
def _counted() -> list[int]:
    """The object identifiers of the tables whose rows count."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relid FROM pg_stat_user_tables WHERE relname <> ALL(%s)",
            [sorted(_NOT_COUNTED)],
        )
        return [relid for (relid,) in cursor.fetchall()]


def writes() -> dict[str, tuple[int, ...]]:
    """How many rows of each table this transaction has inserted, updated and deleted so far, what
    was undone included, but for sessions: while that stays the same, so do the rows."""
    with connection.cursor() as cursor:
        # What the view pg_stat_xact_user_tables is made of, at a fifth of its cost.
        cursor.execute(
            "SELECT relid::regclass::text, inserted, updated, deleted FROM (SELECT relid,"
            " pg_stat_get_xact_tuples_inserted(relid) AS inserted,"
            " pg_stat_get_xact_tuples_updated(relid) AS updated,"
            " pg_stat_get_xact_tuples_deleted(relid) AS deleted"
            " FROM unnest(%s::oid[]) AS relid OFFSET 0) AS counted"
            " WHERE inserted + updated + deleted > 0",
            [_counted()],
        )
        return {table: tuple(counts) for table, *counts in cursor.fetchall()}


# Every row that a public page of a season is made of, but for what is a secret until a match
# begins, and for what stands on its desk alone, or on one's own page: check-in, and links.
_SEASONS = """
SELECT s.id, s.revision, md5(concat_ws('|',
  (to_jsonb(s) - 'revision' - 'check_in_until')::text,
  (SELECT md5(string_agg(
            (to_jsonb(c) - 'checked_in_at' - 'invitation_id')::text,
            '' ORDER BY c.id))
     FROM tournaments_contestant c WHERE c.season_id = s.id),
  (SELECT md5(string_agg(r::text, '' ORDER BY r.id))
     FROM tournaments_round r WHERE r.season_id = s.id),
  (SELECT md5(string_agg(
            (to_jsonb(l) - 'prepared' - 'prepared_by_id')::text,
            '' ORDER BY l.id))
     FROM tournaments_leg l
     JOIN tournaments_deathmatch m ON m.id = l.death_match_id
     JOIN tournaments_round r ON r.id = m.round_id
    WHERE r.season_id = s.id),
  (SELECT md5(string_agg(m::text, '' ORDER BY m.id))
     FROM tournaments_deathmatch m JOIN tournaments_round r ON r.id = m.round_id
    WHERE r.season_id = s.id),
  (SELECT md5(string_agg(e::text, '' ORDER BY e.id))
     FROM tournaments_episode e JOIN tournaments_round r ON r.id = e.round_id
    WHERE r.season_id = s.id),
  (SELECT max(e.id) FROM tournaments_seasonevent e WHERE e.season_id = s.id),
  (SELECT max(i.id) FROM tournaments_itemevent i JOIN tournaments_gift g ON g.id = i.gift_id
    WHERE g.season_id = s.id),
  (SELECT max(l.id) FROM tournaments_ledgerentry l WHERE l.season_id = s.id AND NOT l.secret),
  (SELECT string_agg(o.user_id::text, ',' ORDER BY o.id)
     FROM tournaments_seasonorganiser o WHERE o.season_id = s.id)
))
FROM tournaments_season s
"""


def seasons() -> dict[int, tuple[int, str]]:
    """The revision of every season, and a digest of what everybody may see of it."""
    with connection.cursor() as cursor:
        cursor.execute(_SEASONS)
        return {pk: (revision, state) for pk, revision, state in cursor.fetchall()}


class Savepoint:
    """Whatever happens inside is undone."""

    def __enter__(self) -> None:
        self.sid = transaction.savepoint()

    def __exit__(self, *_: object) -> None:
        transaction.savepoint_rollback(self.sid)
