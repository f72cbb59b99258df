"""Who has no account here is told apart from somebody here who is called the same, wherever people
read a name: on pages, in calendars, pictures, mail, messages of Discord, and files for people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.urls import URLPattern, reverse

from accounts.models import User
from tests.games.support import committing
from tests.tournaments.support import GAME, START, after, enrolled, episode_now
from tests.tournaments.test_documents import elsewhere
from tests.webhooks.test_discord import shown as as_discord_shows
from tournaments import notices, urls
from tournaments.actions.contestants import APPLICATION, CONTESTANT
from tournaments.actions.death_matches import DEATH_MATCH
from tournaments.actions.legs import LEG
from tournaments.actions.rounds import ROUND
from tournaments.actions.seasons import ORGANISER, SEASON
from tournaments.documents.export import season_export, season_records
from tournaments.documents.restore import season_import
from tournaments.formats.elimination.choice import choice_expire
from tournaments.formats.elimination.episodes import episode_open
from tournaments.formats.elimination.main_match import Placing, in_main_match, placements_record
from tournaments.lifecycle import UNDECIDED
from tournaments.models import Contestant, DeathMatch, Leg, Round, Season
from tournaments.models.contestants import NO_ACCOUNT
from tournaments.naming import SIGN, SIGN_EXPLAINED, Naming
from tournaments.pictures.links import death_match_picture, season_picture
from tournaments.reading.sheet import Sheet
from tournaments.services.contestants.departures import contestant_withdraw
from tournaments.services.contestants.rosters import contestants_export, contestants_import
from tournaments.services.results.rulings import death_match_declare
from tournaments.services.rounds import round_pair
from tournaments.services.scheduling.appointments import leg_schedule
from tournaments.services.seasons import season_create
from tournaments.simulation.plan import Plan
from tournaments.simulation.season import season_simulate
from tournaments.webhooks.composing import message_compose
from tournaments.webhooks.models import Delivery, Webhook

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("letters_go_out")]

KINDS = ("elimination", "single-elimination", "round-robin", "swiss", "ladder")
# For programs, or the same for every season.
NOT_FOR_PEOPLE = {"document", "records", "state", "share", "death_match_share", "seasons",
                  "picture",
                  "season_new", "season_restore", "free_hours",
                  "seasons_followed", "feeds"}  # fmt: skip
# Where names must be, in a season that is over.
WITH_NAMES = {"season", "contestants", "results", "history", "round", "death_match", "calendar",
              "feed",
              "contestant_calendar", "roster", "contestants_file", "round_desk",
              "match_desk"}  # fmt: skip


def names_in(text: str, names: Iterable[str], *, markup: bool = False) -> tuple[int, list[str]]:
    """How many such names stand in a text, and where one stands without a mark. In markup the end
    of its element, or the beginning of the mark's, may come between."""
    between = r"(?:\s|</?(?:bdi|span)\b[^<>]*>)*" if markup else r"\s*"
    name = rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})(?![\w-])"
    marked = rf"(?:{between}{re.escape(NO_ACCOUNT)}|(?:</span>)?{re.escape(SIGN)})"
    found = re.findall(name, text)
    bare = [text[max(0, at.start() - 60) : at.end() + 60] for at in
            re.finditer(rf"{name}(?!{marked})", text)]  # fmt: skip
    return len(found), bare


def simulated(orla: User, kind: str, rounds: int | None) -> Season:
    plan = Plan(
        format=kind, contestants=5, seed=4, start=START, quick=True, best_of=3, drop_outs=1,
        no_shows=1, voids=1, corrections=1, rounds=rounds, repertoire=(GAME,),
        options={"rounds": 3} if kind == "swiss" else {},
    )  # fmt: skip
    return season_simulate(plan=plan, organiser=orla)


def restored(orla: User, kind: str, rounds: int | None) -> Season:
    """Such a season, from a document, where nobody of it has an account."""
    archive = season_records(season=simulated(orla, kind, rounds))
    elsewhere()
    season = season_import(acting_user=orla, data=archive)
    assert not season.contestants.exclude(user=None).exists()
    return season


def names_of(season: Season) -> list[str]:
    return [each.name for each in season.contestants.filter(user=None)]


def first_and_last(rows: Any) -> list[Any]:
    found = list(rows)
    return [found[0], found[-1]] if len(found) > 1 else found


# Of rows besides: by a part of the address, those of a season, and what can be done about one.
ROWS: dict[str, tuple[Any, Any]] = {
    "/items/": (lambda season: season.gifts.all(), ()),
    "/applications/": (lambda season: season.applications.all(), APPLICATION),
    "/purses/": (lambda season: season.ledger.all(), ()),
    "/organisers/": (lambda season: season.organisers.all(), ORGANISER),
}


def addresses(season: Season) -> Iterator[tuple[str, str]]:
    """Every page of a season by its route's name: of its rounds, death matches and contestants the
    first and the last."""
    rounds = first_and_last(season.rounds.order_by("number"))
    matches = first_and_last(DeathMatch.objects.filter(round__season=season).order_by("pk"))
    people = first_and_last(season.contestants.order_by("pk"))
    for route in urls.urlpatterns:
        assert isinstance(route, URLPattern)
        name = route.name or ""
        wanted = set(route.pattern.converters)
        if name in NOT_FOR_PEOPLE:
            continue
        given: list[dict[str, Any]] = [{}]
        tables: Any = ()
        if "number" in wanted:
            given, tables = [{"number": each.number} for each in rounds], ROUND
        elif "leg_id" in wanted:
            legs = Leg.objects.filter(death_match__in=matches).order_by("pk")
            tables = LEG
            given = [{"pk": each.death_match_id, "leg_id": each.pk} for each in legs[:2]]
        elif "/matches/" in str(route.pattern):
            given, tables = [{"pk": each.pk} for each in matches], DEATH_MATCH
        elif "/contestants/" in str(route.pattern):
            given, tables = [{"pk": each.pk} for each in people], CONTESTANT
        elif found := next((p for p in ROWS if p in str(route.pattern)), ""):
            rows, tables = ROWS[found]
            given = [{"pk": each.pk} for each in rows(season)[:1]]
        elif "token" in wanted:
            given = [{"token": each.token} for each in season.invitations.all()]
        elif "name" in wanted:
            tables = SEASON
        for more in [{} if wanted == {"slug"} else each for each in given]:
            for action in tables if "name" in wanted else (None,):
                named = {} if action is None else {"name": action.name}
                args = {"slug": season.slug, **(more if wanted - {"slug"} else {}), **named}
                yield name, reverse(f"tournaments:{name}", kwargs=args)


def pages(season: Season, client: Client) -> Iterator[tuple[str, str, str, bool]]:
    """What stands on each page that there is: its route's name, its address, its text, and whether
    that is markup."""
    yield "seasons", "/seasons/", client.get("/seasons/").content.decode(), True
    for name, address in dict.fromkeys(addresses(season)):
        answer = client.get(address)
        assert answer.status_code in {200, 302, 403, 404, 405, 409}, address
        if answer.status_code in {200, 403, 409}:
            # Lines of calendars are folded.
            text = answer.getvalue().decode().replace("\r\n ", "")
            yield name, address, text, "html" in answer["Content-Type"]


def pictures(season: Season) -> Iterator[str]:
    sheet = Sheet(Season.objects.select_related("winner").get(pk=season.pk))
    yield season_picture(sheet)
    for row in sheet.death_matches:
        yield death_match_picture(sheet, row)


def messages(season: Season) -> Iterator[str]:
    """What webhooks say of each event: JSON's words, and Discord's as they are shown."""
    for flavour in Webhook.Flavour.values:
        webhook = Webhook(season=season, name="Wire", flavour=flavour)
        for event in season.events.order_by("pk"):
            delivery = Delivery(webhook=webhook, kind=event.kind, event=event)
            message_compose(delivery)
            told = msgspec.json.decode(delivery.body)
            if flavour == Webhook.Flavour.JSON:
                yield told["words"]
            else:
                (embed,) = told["embeds"]
                parts = (told["content"], embed["title"], embed.get("description", ""))
                yield as_discord_shows("\n".join(parts)).replace("**", "")


def with_account(user: User) -> User:
    EmailAddress.objects.create(
        user=user, email=f"{user.username}@example.org", primary=True, verified=True
    )
    return user


@pytest.mark.parametrize("rounds", [1, None], ids=["running", "over"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_mark_follows_every_name(orla: User, kind: str, rounds: int | None) -> None:
    season = restored(orla, kind, rounds)
    if kind == "elimination" and rounds:
        _have_somebody_choose(orla, season)
    names = names_of(season)
    client = Client()
    client.force_login(orla)
    bare: dict[str, list[str]] = {}
    named: set[str] = set()
    for name, address, text, markup in pages(season, client):
        count, found = names_in(text, names, markup=markup)
        if count:
            named.add(name)
        if found:
            bare[address] = found
    for number, picture in enumerate(pictures(season)):
        count, found = names_in(picture, names, markup=True)
        assert count or number  # who plays a death match of a bracket may not be known yet
        if found:
            bare[f"picture {number}"] = found
    for told in messages(season):
        _, found = names_in(told, names)
        if found:
            bare[f"message: {told}"] = found
    assert bare == {}
    if rounds is None:
        assert named >= WITH_NAMES | {"seasons"}


def _have_somebody_choose(orla: User, season: Season) -> None:
    """Another episode, with an EC who has no account."""
    if not season.rounds.exclude(status="closed").exists():
        episode_open(acting_user=orla, season=season, at=after(days=90))
    episode = episode_now(season)
    active = in_main_match(episode).order_by("pk")
    placed = [Placing(each, place, False) for place, each in enumerate(active, start=1)]
    if episode.ec is None:
        placements_record(acting_user=orla, episode=episode, placements=placed, at=after(days=90))


@pytest.mark.parametrize("kind", KINDS)
def test_seasons_of_accounts_alone_show_no_mark(orla: User, kind: str) -> None:
    season = simulated(orla, kind, None)
    client = Client()
    client.force_login(orla)
    for _, address, text, _ in pages(season, client):
        assert NO_ACCOUNT not in text, address
        assert SIGN_EXPLAINED not in text, address
    for told in (*pictures(season), *messages(season)):
        assert NO_ACCOUNT not in told
        assert SIGN not in told


@pytest.mark.parametrize("kind", ["elimination", "swiss"])
def test_mail_tells_who_has_no_account(orla: User, kind: str) -> None:
    """Those who have one are told of those who have none, by every event that is mailed."""
    season = restored(orla, kind, None)
    matched = season.contestants.order_by("pk")[::2]
    for each in matched:
        each.user = with_account(User.objects.get(display_name=each.name))
        each.save(update_fields=["user"])
    names = names_of(season)
    for event in season.events.order_by("pk"):
        with committing():
            notices.event_announce(event.pk)
    counted = 0
    for letter in mail.outbox:
        count, found = names_in(f"{letter.subject}\n{letter.body}", names)
        counted += count
        assert found == []
        assert not any(f"{each.name} {NO_ACCOUNT}" in letter.body for each in matched)
    assert counted > 3


def test_organisers_are_written_to_of_an_ec_without_an_account(orla: User) -> None:
    season = restored(orla, "elimination", 1)
    _have_somebody_choose(orla, season)
    with_account(orla)
    episode = episode_now(season)
    assert episode.choose_by is not None
    with committing():
        assert choice_expire(episode=episode, at=after(days=200))
    (letter,) = mail.outbox
    assert f"{episode.ec} has not chosen in time" in letter.body
    assert names_in(str(letter.body), names_of(season))[1] == []


def test_what_is_written_down_has_names_alone(orla: User) -> None:
    """The document of a season that goes on here is as good elsewhere, where they may have one."""
    season = restored(orla, "swiss", 1)
    rows = DeathMatch.objects.filter(round__season=season, status__in=UNDECIDED)
    if not rows.exists():
        round_pair(acting_user=orla, season=season, at=after(days=89))
    row = rows.exclude(away=None).latest("pk")
    home = row.home
    assert home is not None
    leg = row.legs.filter(status="planned").latest("number")
    leg_schedule(acting_user=orla, leg=leg, scheduled_at=after(days=100), at=after(days=90))
    death_match_declare(
        acting_user=orla, death_match=row, winner=home, why="seen", at=after(days=91)
    )
    gone = season.contestants.filter(status="active").latest("pk")
    contestant_withdraw(acting_user=orla, contestant=gone, why="ill", at=after(days=92))
    written = [each.words for each in season.events.filter(at__gte=after(days=90))]
    assert any(home.name in words for words in written)
    assert NO_ACCOUNT.encode() not in season_export(season=season)


def test_a_file_of_contestants_has_the_mark_and_takes_it_off_again(orla: User) -> None:
    season = enrolled(orla, 2)
    season.contestants.filter(seed=2).update(user=None)
    text = contestants_export(season=season)
    assert text.splitlines()[1:] == ["player1,Player 1,1", f",Player 2 {NO_ACCOUNT},2"]
    again = season_create(acting_user=orla, name="Spring", format="elimination")
    contestants_import(
        acting_user=orla, season=again, text=text.replace("\r\n,", "\r\nplayer2,"), at=START
    )
    assert {each.name for each in again.contestants.all()} == {"Player 1", "Player 2"}


# -- names in sentences --------------------------------------------------------------------------


def naming(**people: bool) -> Naming:
    """People by name (with an underscore for a space), and whether they have an account."""
    return Naming(
        Contestant(name=name.replace("_", " "), user_id=1 if has else None)
        for name, has in people.items()
    )


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("Ana wins.", "Ana (no account here) wins."),
        ("Ana's Copy", "Ana (no account here)'s Copy"),
        ("Ana Lee meets Ana.", "Ana Lee meets Ana (no account here)."),
        ("Anaïs and Banana", "Anaïs and Banana"),
        ("Ana (no account here) wins.", "Ana (no account here) wins."),
        ("Bo+ against Ana", "Bo+ (no account here) against Ana (no account here)"),
        ("Cy wins.", "Cy wins."),
    ],
)
def test_names_are_marked_in_sentences(text: str, marked: str) -> None:
    found = naming(**{"Ana": False, "Ana_Lee": True, "Bo+": False, "Cy": True})
    assert found.marked(text) == marked
    assert found.marked(marked) == marked
    assert naming(Ana=True).marked(text) == text
    assert naming().marked(text) == text


def test_a_long_name_leaves_room_for_the_mark_in_pictures(orla: User) -> None:
    season = enrolled(orla, 2)
    for each in season.contestants.all():
        each.name, each.user = f"{'Long' * 40} {each.pk}", None
        each.save(update_fields=["name", "user"])
    one, other = season.contestants.all()
    played = Round(season=season, number=1, name="Round 1")
    row = DeathMatch(pk=1, round=played, home=one, away=other, winner=one)
    drawn = death_match_picture(Sheet(season), row)
    assert drawn.count(NO_ACCOUNT) == 3
    picture = season_picture(Sheet(season))
    assert picture.count(f"…{SIGN}<") == 2
    assert SIGN_EXPLAINED in picture
