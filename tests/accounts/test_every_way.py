"""Every announcement of the table, by every way: it happens, and is there where its reader is.

A kind that is added has to be made to happen here, and a way to be looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, NamedTuple

import pytest
from django.conf import settings as configured
from django.core import mail
from django.test import Client
from django.utils.html import escape

from accounts.announcing import kinds, push
from accounts.announcing.delivering import digest_send
from accounts.announcing.kinds import CHOICES, Way, When
from accounts.announcing.services import OUTSIDE, choices_set
from accounts.announcing.tasks import deliver
from accounts.announcing.tasks import discord as discord_task
from accounts.announcing.tasks import push as push_task
from accounts.discord.services import discord_link
from accounts.jobs import DELIVER, DISCORD, PUSH
from accounts.models import Announcement, AnnouncementDelivery, User
from accounts.roles import Role
from core.clock import now_utc
from games.audience import user_group_of
from games.jobs import TELL_TURN
from games.ratings.pairs import pair_unrate
from games.tasks import tell_turn
from tests.accounts.conftest import made_person, with_confirmed_address
from tests.accounts.test_push import switched_on
from tests.discord.conftest import application, fake  # noqa: F401
from tests.discord.support import plain
from tests.discord.test_client import nothing_counted  # noqa: F401
from tests.games.conftest import wire  # noqa: F401
from tests.games.support import SECOND, Wire, committing, started, user_named
from tests.games.test_aftermath import to_its_end
from tests.games.test_disputes import POOL, challenged
from tests.games.test_rulings import BAD
from tests.permissions.world import photograph
from tests.posts.support import addresses, unhurried
from tests.ratings.support import result_row
from tests.support.push_service import Browser, PushService, pushing
from tests.support.workers import Workers
from tests.tournaments.conftest import orla  # noqa: F401
from tests.tournaments.support import (
    START,
    WARS,
    account,
    after,
    begun,
    chosen,
    down_to_two,
    enrolled,
    episode_now,
    leg_of,
    placings,
    running,
    who,
)
from tournaments import tasks as seasons
from tournaments.discord.fake.server import FakeDiscord
from tournaments.formats.elimination.choice import dmo_choose
from tournaments.formats.elimination.final import final_open
from tournaments.formats.elimination.main_match import placements_record
from tournaments.jobs import ANNOUNCE_EVENT, WEBHOOK_DISABLED
from tournaments.models import DeathMatch, Season
from tournaments.services.contestants.applications import application_make, applications_approve
from tournaments.services.contestants.check_in import check_in_open
from tournaments.services.contestants.departures import contestant_withdraw
from tournaments.services.follows import season_follow
from tournaments.services.items.gifts import item_give
from tournaments.services.ledger.acts import ledger_grant
from tournaments.services.messages import message_send
from tournaments.services.organisers import organiser_ask
from tournaments.services.pictures import picture_set, picture_take_away
from tournaments.services.results.corrections import leg_void
from tournaments.services.results.rulings import death_match_declare
from tournaments.services.scheduling.agreeing import times_propose
from tournaments.services.scheduling.appointments import leg_schedule
from tournaments.services.scheduling.sweep import legs_sweep
from tournaments.services.starts import season_start
from tournaments.webhooks import sending, services
from tournaments.webhooks import tasks as webhooks
from tournaments.webhooks.kinds import CHOICES as TOLD_TO_WEBHOOKS

TOKYO = "Asia/Tokyo"
NOON = after(hours=48)

#: Sets a scene, and returns what then happens in it, with what waits for its commit.
Happening = Callable[[User], Callable[[], object]]


# -- what happens --------------------------------------------------------------------------------


def committed(service: Callable[..., object], *given: Any, **more: Any) -> Callable[[], object]:
    """Asks a service, and does what waits for its commit."""

    def happens() -> None:
        with committing():
            service(*given, **more)

    return happens


def pair() -> tuple[User, User]:
    return user_named("ada", display_name="Ada *A*"), user_named("ben", display_name="Ben")


def a_meeting(organiser: User) -> tuple[Season, DeathMatch]:
    """Between Player 1, the EC, and Player 2, at `NOON`."""
    season = running(organiser, 4)
    meeting = chosen(organiser, season, ec=1, dmo=2)
    leg_schedule(acting_user=organiser, leg=leg_of(meeting), scheduled_at=NOON, at=START)
    return season, meeting


def missed(_organiser: User) -> Callable[[], object]:
    play = started(pair())
    return lambda: to_its_end(play)


def ruling(organiser: User) -> Callable[[], object]:
    options = {"review": "organiser", "pool": POOL}
    play = started(pair(), "domain", options=options, referees=[organiser])
    for seat, text in [(0, "ready"), (1, "ready"), (0, "first"), (0, "take 01"), (1, "take 02"),
                       (0, BAD)]:  # fmt: skip
        play.move(seat, text, 5 * SECOND)
    return lambda: play.move(1, "challenge", 65 * SECOND)


def rating_ruled(_organiser: User) -> Callable[[], object]:
    """One match of two people is to count for nobody."""
    first, second = pair()
    result_row((first, second), finished_at=now_utc() - timedelta(days=1))
    moderator = made_person("mona", Role.MODERATOR)

    def rule() -> None:
        with committing():
            pair_unrate(acting_user=moderator, first=first, second=second, why="Both are *one*.")

    return rule


def ruling_of_strangers(_organiser: User) -> Callable[[], object]:
    players = pair()
    return lambda: challenged(players, BAD)


def turn(_organiser: User) -> Callable[[], object]:
    play = started(pair())
    play.move(0, "pick T", SECOND)
    play.move(1, "pick L", 2 * SECOND)
    return lambda: play.move(0, "second", 3 * SECOND)


def choice(organiser: User) -> Callable[[], object]:
    season = running(organiser, 4)
    episode, placed = episode_now(season), placings(season, 1)
    return committed(
        placements_record, acting_user=organiser, episode=episode, placements=placed, at=START
    )


def place(organiser: User) -> Callable[[], object]:
    season = running(organiser, 4)
    return committed(
        contestant_withdraw,
        acting_user=organiser,
        contestant=who(season, 3),
        why="Moved *away*.",
        at=START,
    )


def items(organiser: User) -> Callable[[], object]:
    season = down_to_two(organiser)
    final = final_open(acting_user=organiser, season=season, best_of=3, games=[WARS], at=START)
    return committed(
        item_give,
        acting_user=organiser, season=season, receiver=who(season, 1), giver=who(season, 3),
        item="domino-repeat", ruleset="domino-wars", death_match=final, leg_number=2, at=START,
    )  # fmt: skip


def news(organiser: User) -> Callable[[], object]:
    season = enrolled(organiser, 4)
    return committed(season_start, acting_user=organiser, season=season, at=START)


def message(organiser: User) -> Callable[[], object]:
    """With all that a channel might take for something else."""
    return committed(
        message_send,
        acting_user=organiser, season=enrolled(organiser, 2), at=START,
        title="Tonight *at* <b>eight</b>",
        words="Be there, @everyone: <i>all</i> of **you**.\n\n# See [here](https://example.org)",
    )  # fmt: skip


def picture(organiser: User) -> Callable[[], object]:
    season = enrolled(organiser, 2)
    up = picture_set(
        acting_user=account(season, 1), owner=who(season, 1), content=photograph(), at=START
    )
    root = User.objects.get(username="root")
    return committed(picture_take_away, acting_user=root, picture=up, why="Not *you*.")


def entry(organiser: User) -> Callable[[], object]:
    season = enrolled(organiser, 2, "swiss", open_enrolment=True, by_application=True)
    row = application_make(acting_user=user_named("ada"), season=season, words="", at=START)
    return committed(
        applications_approve, acting_user=organiser, season=season, applications=[row], at=START
    )


def applies(organiser: User) -> Callable[[], object]:
    """What somebody says of themselves stands nowhere in it."""
    season = enrolled(organiser, 2, "swiss", open_enrolment=True, by_application=True)
    return committed(
        application_make, acting_user=user_named("ada"), season=season, words="I *win*.", at=START
    )


def check_in(organiser: User) -> Callable[[], object]:
    season = enrolled(organiser, 2)
    return committed(
        check_in_open, acting_user=organiser, season=season, until=after(hours=1), at=START
    )


def purse(organiser: User) -> Callable[[], object]:
    season = running(organiser, 4, trade={"currency": True})
    return committed(
        ledger_grant,
        acting_user=organiser, season=season, contestants=[who(season, 1)], amount=2,
        why="The *main* match.", at=START,
    )  # fmt: skip


def paired(organiser: User) -> Callable[[], object]:
    season = running(organiser, 4)
    episode = placements_record(
        acting_user=organiser, episode=episode_now(season), placements=placings(season, 1), at=START
    )
    return committed(
        dmo_choose,
        acting_user=account(season, 1),
        episode=episode,
        contestant=who(season, 2),
        at=START,
    )


def terms(organiser: User) -> Callable[[], object]:
    _season, meeting = a_meeting(organiser)
    return committed(
        leg_schedule,
        acting_user=organiser,
        leg=leg_of(meeting),
        scheduled_at=after(hours=50),
        at=START,
    )


def times(organiser: User) -> Callable[[], object]:
    """They propose one to each other: who is told is Player 1, or 2."""
    season = running(organiser, 4)
    meeting = chosen(organiser, season, ec=1, dmo=2)
    leg = leg_of(meeting)
    propose = [
        committed(times_propose, acting_user=account(season, number), leg=leg, times=[NOON],
                  at=START)
        for number in (1, 2)
    ]  # fmt: skip
    return lambda: [each() for each in propose]


def reminder(organiser: User) -> Callable[[], object]:
    a_meeting(organiser)
    return committed(legs_sweep, at=NOON - timedelta(minutes=10))


def start(organiser: User) -> Callable[[], object]:
    _season, meeting = a_meeting(organiser)
    return lambda: begun(organiser, meeting)


def ruling_of_season(organiser: User) -> Callable[[], object]:
    _season, meeting = a_meeting(organiser)
    leg = begun(organiser, meeting)
    return committed(
        leg_void, acting_user=organiser, leg=leg, why="Power *cut*.", at=after(minutes=1)
    )


def needed(organiser: User) -> Callable[[], object]:
    """Nobody is there in time."""
    a_meeting(organiser)
    return committed(legs_sweep, at=NOON + timedelta(hours=1))


def asked_to_help(organiser: User) -> Callable[[], object]:
    return committed(
        organiser_ask, acting_user=organiser, season=running(organiser, 4), role="helper",
        rights=["matches"], user=user_named("hal"), at=START,
    )  # fmt: skip


def webhook(organiser: User) -> Callable[[], object]:
    """Nobody has listened for days."""
    made = services.webhook_create(
        acting_user=organiser, season=running(organiser, 4), name="a *bot*",
        url="http://127.0.0.1:9/heard", kinds=tuple(TOLD_TO_WEBHOOKS), flavour="json",
    )  # fmt: skip
    why = "It was not there for three days."
    return committed(sending._disable, made.webhook, why, now_utc())


def watched(happening: Happening) -> Happening:
    """What happens in the only season there is, with somebody who follows it."""

    def happens(organiser: User) -> Callable[[], object]:
        what = happening(organiser)
        season_follow(acting_user=user_named("fay"), season=Season.objects.get(), at=START)
        return what

    return happens


def opened(organiser: User) -> Callable[[], object]:
    season = down_to_two(organiser)
    return committed(
        final_open, acting_user=organiser, season=season, best_of=1, games=[WARS], at=after(hours=1)
    )


def decided(organiser: User) -> Callable[[], object]:
    season = running(organiser, 4)
    meeting = chosen(organiser, season, ec=1, dmo=2)
    return committed(
        death_match_declare,
        acting_user=organiser, death_match=meeting, winner=who(season, 2), why="Power *cut*.",
        at=after(hours=1),
    )  # fmt: skip


def won(organiser: User) -> Callable[[], object]:
    season = down_to_two(organiser)
    final = final_open(acting_user=organiser, season=season, best_of=1, games=[WARS], at=START)
    winner = final.home
    return committed(
        death_match_declare,
        acting_user=organiser, death_match=final, winner=winner, why="Nobody *else* is left.",
        at=after(hours=1),
    )  # fmt: skip


HAPPENINGS: dict[str, Happening] = {
    "match.missed": missed,
    "match.ruling": ruling,
    "match.ruling-open": ruling_of_strangers,
    "match.turn": turn,
    "match.rating-ruled": rating_ruled,
    "episode.choice": choice,
    "contestant.place": place,
    "contestant.items": items,
    "contestant.purse": purse,
    "season.news": news,
    "season.entry": entry,
    "season.check-in": check_in,
    "season.message": message,
    "season.picture": picture,
    "death-match.paired": paired,
    "death-match.terms": terms,
    "death-match.times": times,
    "death-match.reminder": reminder,
    "death-match.started": start,
    "death-match.ruling": ruling_of_season,
    "follow.season": watched(news),
    "follow.round": watched(opened),
    "follow.time": watched(terms),
    "follow.live": watched(start),
    "follow.result": watched(decided),
    "follow.winner": watched(won),
    "organiser.needed": needed,
    "organiser.application": applies,
    "organiser.role": asked_to_help,
    "organiser.webhook": webhook,
}
#: What open pages hear by a frame of its own instead.
OWN_FRAME = {
    "match.ruling": "ruling",
    "match.ruling-open": "ruling",
    "death-match.started": "match",
}
#: What tells of a time, and whom it is told in their own.
TIMED = (
    "episode.choice", "season.check-in", "death-match.terms", "death-match.times",
    "death-match.reminder", "follow.time",
)  # fmt: skip


# -- who is told ---------------------------------------------------------------------------------


class Reader(NamedTuple):
    """Somebody with everything by which they can be told."""

    user: User
    browser: Browser
    discord_id: str


class World:
    """A site that sends by every way, with workers who are never late."""

    def __init__(
        self,
        discord: FakeDiscord,
        service: PushService,
        workers: Workers,
        heard: Wire,
    ) -> None:
        self.discord, self.service, self.workers, self.heard = discord, service, workers, heard
        self.server = discord.guild()
        self.readers: dict[int, Reader] = {}

    def happens(self, kind: str, what: Callable[[], object], by_mail: When) -> list[Announcement]:
        """Have everybody want to be told by every way, and have it happen; returns what people were
        told of that kind."""
        for user in User.objects.filter(is_bot=False):
            self.readers[user.pk] = self._reachable(user)
            chosen_ = {(kind, way): When.NOW for way in Way} | {(kind, Way.MAIL): by_mail}
            choices_set(acting_user=user, chosen=chosen_)
        self.heard.texts()
        before = set(Announcement.objects.values_list("pk", flat=True))
        self.workers.at_once.update({
            ANNOUNCE_EVENT: seasons.announce_event, TELL_TURN: tell_turn, DELIVER: deliver,
            PUSH: push_task, DISCORD: discord_task, WEBHOOK_DISABLED: webhooks.tell_disabled,
        })  # fmt: skip
        what()
        return list(Announcement.objects.filter(kind=kind).exclude(pk__in=before))

    def _reachable(self, user: User) -> Reader:
        user.email, user.time_zone = f"{user.username}@example.org", TOKYO
        user.save(update_fields=["email", "time_zone"])
        with_confirmed_address(user)
        browser = self.service.browser(user.username)
        switched_on(user, browser)
        discord_id = self.discord.new_id()
        self.server.members[discord_id] = set()
        discord_link(acting_user=user, discord_id=discord_id, discord_name=user.username)
        return Reader(user, browser, discord_id)


@pytest.fixture
def service() -> Iterator[PushService]:
    with pushing() as there:
        there.site_key = push.public_key()
        yield there


@pytest.fixture
def world(
    application: FakeDiscord,  # noqa: F811
    service: PushService,
    workers: Workers,
    wire: Wire,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> World:
    unhurried(application, monkeypatch)
    return World(application, service, workers, wire)


# -- how it is there -----------------------------------------------------------------------------


def on_the_site(row: Announcement, reader: Reader, frames: list[tuple[str, Any]]) -> None:
    """As something new in the list; and on the pages that are open."""
    client = Client()
    client.force_login(reader.user)
    page = client.get("/accounts/announcements/")
    shown = {each.pk: each.read_at for each in page.context["shown"]}
    assert (row.pk in shown, shown.get(row.pk)) == (True, None)
    for text in (row.subject, row.words, row.path):
        assert escape(text) in page.content.decode()
    own = [frame for group, frame in frames if group == user_group_of(reader.user.pk)]
    if row.kind in OWN_FRAME:
        assert OWN_FRAME[row.kind] in {frame["type"].partition(".")[0] for frame in own}
    else:
        told = [frame for frame in own if frame.get("announcement") == row.pk]
        assert [(each["subject"], each["url"]) for each in told] == [(row.subject, row.path)]


def by_mail(row: Announcement, reader: Reader, _frames: object) -> None:
    """In a letter: of its own, or among others once a day."""
    letters = [letter for letter in mail.outbox if letter.to == [reader.user.email]]
    if row.deliveries.get(way=Way.MAIL).in_digest:
        assert letters == []
        assert digest_send(user_id=reader.user.pk)
        letters = [letter for letter in mail.outbox if letter.to == [reader.user.email]]
    else:
        letters = [letter for letter in letters if letter.subject.endswith(f"] {row.subject}")]
    (letter,) = letters
    assert row.words in letter.body
    assert f"{configured.GAUNTLET_ORIGIN}{row.path}\n" in letter.body


def on_devices(row: Announcement, reader: Reader, _frames: object) -> None:
    """Encrypted for the device alone."""
    told = [each.told for each in reader.browser.messages if each.told["kind"] == row.kind]
    (message,) = [each for each in told if each["subject"] == row.subject]
    assert message["words"] == row.words
    assert message["url"] == f"{configured.GAUNTLET_ORIGIN}{row.path}"


def in_discord(row: Announcement, reader: Reader, _frames: object, there: FakeDiscord) -> None:
    """As it reads everywhere, whatever Discord gives a meaning to."""
    own = there.told_directly(reader.discord_id)
    texts = [plain(each.body["content"]) for each in own]
    subject = " ".join(row.subject.split())
    words = "\n".join(" ".join(line.split()) for line in row.words.splitlines())
    (message,) = [each for each, text in zip(own, texts, strict=True) if subject in text]
    assert plain(message.body["content"]) == f"**{subject}**\n{words}"
    assert addresses(message)[0] == f"{configured.GAUNTLET_ORIGIN}{row.path}"


THERE: dict[Way, Callable[..., None]] = {
    Way.SITE: on_the_site,
    Way.MAIL: by_mail,
    Way.PUSH: on_devices,
    Way.DISCORD: in_discord,
}


def test_the_whole_table_is_looked_at() -> None:
    assert list(HAPPENINGS.keys() ^ kinds.known().keys()) == []
    assert [way for way in Way if way not in THERE] == []
    assert {*OUTSIDE} == {*Way} - {Way.SITE}


@pytest.mark.parametrize("when", [each for each in CHOICES[Way.MAIL] if each is not When.OFF])
@pytest.mark.parametrize("kind", list(kinds.known()))
def test_what_happens_is_told_by_every_way(
    kind: str,
    when: When,
    world: World,
    orla: User,  # noqa: F811
) -> None:
    told = world.happens(kind, HAPPENINGS[kind](orla), when)
    assert told
    frames = world.heard.frames()
    for row in told:
        reader = world.readers[row.user_id]
        assert {each.way for each in row.deliveries.all()} == {*OUTSIDE}
        for way in Way:
            more = (world.discord,) if way is Way.DISCORD else ()
            THERE[way](row, reader, frames, *more)
        if kind in TIMED:
            assert "(JST)" in row.words
    rows = AnnouncementDelivery.objects.filter(announcement__in=told)
    assert {*rows.values_list("outcome", "fault")} == {("sent", "")}
