"""Whoever has their account deleted is a former player, on every surface, and nothing in the
database says who it was but for the audit log and what others were told."""

from __future__ import annotations

import gzip
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from allauth.account.models import EmailAddress
from asgiref.sync import async_to_sync
from django.apps import apps
from django.core import mail
from django.db import Error, connection, transaction
from django.test import Client
from django.urls import reverse

from accounts.leaving import services
from accounts.leaving.names import Names, texts_changed
from accounts.models import (
    AccountDeletion,
    Announcement,
    ApiToken,
    AuditEntry,
    Block,
    DiscordLink,
    User,
)
from accounts.moderation.merging import user_merge
from accounts.names.validators import FORMER_NAME
from accounts.services import user_close, user_register, user_reopen, user_update_profile
from core.clock import now_utc
from core.refusals import Refusal
from games.models import ChatMessage, Match, MatchEntry, MatchPlayer
from tests.games.support import Play, committing, refused, started, user_named
from tests.security.support import later
from tests.tournaments.support import GAME, START, organiser_named
from tournaments.dumps import archive
from tournaments.models import Contestant, Season, SeasonEvent
from tournaments.simulation.plan import Plan
from tournaments.simulation.season import season_simulate

pytestmark = pytest.mark.django_db

#: Nobody else is called so, and no word has it in it.
PLAYER = ("zyxwanda", "Zyxwanda Quill")
ORGANISER = ("quorlinda", "Quorlinda Vexby")
#: What names may stay in, as docs/security.md and the page of the deletion say.
STAYS = {"accounts_auditentry", "accounts_announcement"}


def named(table: str, text: str) -> bool:
    """Whether any column of any row of a table holds a text, in any case."""
    with connection.cursor() as cursor:
        cursor.execute(
            f'SELECT EXISTS (SELECT 1 FROM "{table}" t WHERE t::text ILIKE %s)',  # noqa: S608
            [f"%{text}%"],
        )
        return bool(cursor.fetchone()[0])


def tables_with(*texts: str) -> set[str]:
    tables = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
    return {table for table in tables for text in texts if named(table, text)}


@pytest.fixture
def season(db: None) -> Season:
    """A season that is over, with everything that happens in one."""
    people = [
        user_named(name, display_name=shown, email=f"{name}@example.org")
        for name, shown in (PLAYER, ("ada", "Ada"))
    ]
    organiser = organiser_named(ORGANISER[0])
    User.objects.filter(pk=organiser.pk).update(display_name=ORGANISER[1])
    organiser.refresh_from_db()
    plan = Plan(
        format="elimination", contestants=4, start=START, seed=1, quick=True, repertoire=(GAME,),
        drop_outs=0, voids=1, corrections=1, no_shows=1, best_of=3,
    )  # fmt: skip
    with committing():
        return season_simulate(plan=plan, organiser=organiser, players=people)


@pytest.fixture
def player(season: Season) -> User:
    return User.objects.get(username=PLAYER[0])


@pytest.fixture
def organiser(season: Season) -> User:
    return User.objects.get(username=ORGANISER[0])


def erased(user: User) -> User:
    with committing():
        return services.user_erase(user=user)


def test_no_table_names_a_player_who_is_gone(player: User) -> None:
    seats = MatchPlayer.objects.filter(user=player).count()
    assert seats
    assert tables_with(*PLAYER) >= {"games_matchplayer", "tournaments_seasonevent"}
    erased(player)
    assert tables_with(*PLAYER) <= STAYS
    assert MatchPlayer.objects.filter(user=player, name="Former player").count() == seats


def test_no_table_names_an_organiser_who_is_gone(organiser: User) -> None:
    play = started((user_named("ben"), user_named("cleo")))
    play.act(organiser, "pause", 1000)
    play.act(organiser, "resume", 2000)
    play.move(0, "concede", 5000)
    assert MatchEntry.objects.filter(by=organiser, by_name=ORGANISER[1]).exists()
    assert tables_with(*ORGANISER) >= {"games_matchentry", "tournaments_seasonevent"}
    erased(organiser)
    assert tables_with(*ORGANISER) <= STAYS


def test_what_was_written_reads_on(player: User, season: Season) -> None:
    before = list(SeasonEvent.objects.filter(season=season).order_by("pk").values_list("words"))
    erased(player)
    after = list(SeasonEvent.objects.filter(season=season).order_by("pk").values_list("words"))
    expected = [(words.replace(PLAYER[1], "Former player"),) for (words,) in before]
    assert after == expected


#: Where only those stand who are still there.
LISTS = {"api:users", "tournaments:leaderboard", "api:season_leaderboard"}


def surfaces(season: Season, match: Match) -> Iterator[tuple[str, str]]:
    """Where strangers read of a season and a match in it."""
    slug = season.slug
    for name, arguments in (
        ("games:match", [match.pk]), ("games:record", [match.pk]), ("games:watch", []),
        ("games:board", [match.pk]), ("games:match_embed", [match.pk]),
        ("tournaments:season", [slug]), ("tournaments:contestants", [slug]),
        ("tournaments:leaderboard", [slug]), ("tournaments:feed", [slug]),
        ("tournaments:feeds", []), ("tournaments:calendar", [slug]), ("season_records", [slug]),
        ("embeds:standings", [slug]), ("embeds:bracket", [slug]), ("embeds:matches", [slug]),
        ("api:match", [match.pk]), ("api:matches", []), ("api:users", []), ("api:season", [slug]),
        ("api:season_contestants", [slug]), ("api:season_events", [slug]),
        ("api:season_leaderboard", [slug]),
    ):  # fmt: skip
        yield name, reverse(name, args=arguments)


def body_of(answer: Any) -> str:
    if not answer.streaming:
        return str(answer.content.decode(errors="replace"))
    if not answer.is_async:
        return b"".join(answer.streaming_content).decode(errors="replace")

    async def whole() -> bytes:
        return b"".join([piece async for piece in answer])

    return async_to_sync(whole)().decode(errors="replace")


def test_every_surface_calls_them_a_former_player(
    player: User, season: Season, client: Client
) -> None:
    seat = MatchPlayer.objects.filter(user=player, match__status="finished").first()
    assert seat is not None
    answers = {name: client.get(url) for name, url in surfaces(season, seat.match)}
    known = {name: body_of(answer) for name, answer in answers.items()}
    tags = {name: answer.get("ETag", "") for name, answer in answers.items()}
    erased(player)
    told = {name: body_of(client.get(url)) for name, url in surfaces(season, seat.match)}
    for name, url in surfaces(season, seat.match):
        # Nor does whoever has it go on with what they have.
        if PLAYER[1] in known[name] and tags[name]:
            again = client.get(url, headers={"If-None-Match": tags[name]})
            assert again.status_code == 200, name
    for name, body in told.items():
        assert PLAYER[0] not in body.lower(), name
        assert PLAYER[1].lower() not in body.lower(), name
        if PLAYER[1] in known[name] and name not in LISTS:
            assert "Former player" in body, name
    assert sum(PLAYER[1] in body for body in known.values()) > 8


def test_the_next_dump_does_not_know_them(
    transactional_db: None, tmp_path: Path, settings: Any
) -> None:
    settings.MEDIA_ROOT = tmp_path
    user = user_named(*PLAYER[:1], display_name=PLAYER[1])
    play = started((user, user_named("ada", display_name="Ada")))
    play.move(0, "concede", 5000)
    erased(user)
    dump = archive.dump_write()
    with zipfile.ZipFile(archive.folder() / dump.name) as zipped:
        lines = b"".join(
            gzip.decompress(zipped.read(name)) for name in zipped.namelist() if ".gz" in name
        )
    rows = [json.loads(line) for line in lines.splitlines()]
    assert any("Former player" in json.dumps(row) for row in rows)
    assert PLAYER[0] not in lines.decode().lower()


def test_their_page_says_nothing_of_them(player: User, client: Client) -> None:
    gone = erased(player)
    assert client.get(reverse("profile", args=[PLAYER[0]])).status_code == 404
    page = client.get(gone.get_absolute_url())
    assert page.status_code == 200
    assert "account deleted" in body_of(page)
    assert "section-1" not in body_of(page)
    client.force_login(User.objects.create_superuser("keeper"))
    people = body_of(client.get(reverse("admin:accounts_user_changelist")))
    assert PLAYER[0] not in people
    assert gone.username in people


def test_since_when_they_were_here_is_the_year_alone(ada: User, client: Client) -> None:
    """Whoever has kept an answer of the API would find them by the microsecond."""
    joined = datetime(2026, 7, 14, 15, 9, 26, 535897, tzinfo=UTC)
    User.objects.filter(pk=ada.pk).update(date_joined=joined)
    gone = services.user_erase(user=User.objects.get(pk=ada.pk))
    told = client.get(f"/api/v1/users/{gone.username}/").json()
    assert told["joined_at"] == "2026-01-01T00:00:00Z"
    exact = joined.isoformat(sep=" ")[:19]
    assert not {each for each in tables_with(exact) if each.startswith("accounts_user")}


def test_the_page_says_that_chats_stay_as_they_were_written(ada: User, client: Client) -> None:
    play = started((ada, user_named("zoe")))
    ChatMessage.objects.create(
        match=play.match, room="players", author=ada, client_id="1", text="I am Ada", at=1
    )
    client.force_login(ada)
    page = client.get(reverse("accounts:deletion")).content.decode()
    assert "What you wrote to others, in chats, comments and messages, as you wrote it" in page
    assert "what you wrote to others, without your name" not in page
    play.move(0, "concede", 5000)
    services.user_erase(user=ada)
    assert ChatMessage.objects.get().text == "I am Ada"


def test_what_is_their_own_goes(ada: User, ben: User) -> None:
    EmailAddress.objects.create(user=ada, email="ada@example.org", verified=True, primary=True)
    DiscordLink.objects.create(user=ada, discord_id="77", name="ada.at.discord")
    ApiToken.objects.create(user=ada, name="mine", digest="0" * 64, scopes=["read"],
                            expires_at=now_utc() + timedelta(days=1))  # fmt: skip
    Announcement.objects.create(user=ada, kind="x", key="1", subject="s", words="w", path="/")
    Block.objects.create(blocker=ada, blocked=ben)
    Block.objects.create(blocker=ben, blocked=ada)
    client = Client()
    client.force_login(ada)
    gone = erased(ada)
    for model in (EmailAddress, DiscordLink, ApiToken, Announcement, Block):
        assert not model.objects.exists(), model
    assert tables_with("ada@example.org", "ada.at.discord") == set()
    assert not client.get(reverse("accounts:settings")).wsgi_request.user.is_authenticated
    assert (gone.email, gone.is_active, gone.has_usable_password()) == ("", False, False)
    (sent,) = mail.outbox
    assert sent.to == ["ada@example.org"]
    assert sent.subject.endswith("Your account is deleted")


def test_nobody_takes_the_name(db: None) -> None:
    erased(user_named("zyxwanda"))
    for name in ("zyxwanda", "zyxw4nda", "zyx-wanda"):
        with pytest.raises(Refusal) as raised:
            user_register(username="someone", email="", password="x", display_name=name)
        assert raised.value.code == "display-name.impersonates"
    for name in ("former-player", "former-0a0a0a0a"):
        with pytest.raises(Refusal) as raised:
            user_register(username=name, email="", password="x")
        assert raised.value.code == "username.reserved"
    with pytest.raises(Refusal) as raised:
        user_register(username="someone", email="", password="x", display_name="Former player")
    assert raised.value.code == "display-name.impersonates"
    answer = Client().post(
        reverse("account_signup"),
        {"username": "zyxwanda", "email": "z@example.org", "password1": "long enough 7",
         "password2": "long enough 7"},
    )  # fmt: skip
    assert "pass for somebody else" in body_of(answer)
    assert not User.objects.filter(username="zyxwanda").exists()


def test_a_name_that_was_reserved_by_an_older_key_stays_so(db: None, settings: Any) -> None:
    erased(user_named("zyxwanda"))
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another"
    with pytest.raises(Refusal, match="another player"):
        user_register(username="someone", email="", password="x", display_name="zyxwanda")


def test_an_account_that_was_merged_into_it_goes_with_it(ada: User, ben: User, mona: User) -> None:
    User.objects.filter(pk=ben.pk).update(username="zyxwanda", display_name="Zyxwanda Quill")
    ben.refresh_from_db()
    with committing():
        user_merge(acting_user=mona, keep=ada, duplicate=ben, reason="one person")
    erased(ada)
    assert tables_with("zyxwanda") <= STAYS
    assert Client().get("/u/zyxwanda/").status_code == 404


# -- whose name it is ----------------------------------------------------------------------------


def test_who_is_called_alike_keeps_the_name(orla: User, ada: User, ben: User) -> None:
    season = Season.objects.create(
        slug="s", name="S", format="round-robin", status="finished", visibility="listed",
        created_by=orla, started_at=now_utc(), finished_at=now_utc(),
    )  # fmt: skip
    one, other = (
        Contestant.objects.create(season=season, user=user, name="Ada", seed=seed)
        for seed, user in ((1, ada), (2, ben))
    )
    for contestant in (one, other):
        SeasonEvent.objects.create(
            season=season, kind="contestant.withdrawn", words="Ada withdraws.",
            contestant=contestant,
        )  # fmt: skip
    erased(ada)
    words = dict(SeasonEvent.objects.filter(season=season).values_list("contestant", "words"))
    assert words == {one.pk: "Former player withdraws.", other.pk: "Ada withdraws."}


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("Ann beats Anna.", "Former player beats Anna."),
        ("Ann Lee beats Ann.", "Former player beats Former player."),
        ("ann", "Former player"),
        ("ann withdraws.", "Former player withdraws."),
        ("Joann and Ann's", "Joann and Former player's"),
        ("A.nn", "A.nn"),
    ],
)
def test_whole_names_alone_are_taken_out(text: str, reads: str) -> None:
    names = Names("ann", {"Ann", "Ann Lee", "", "Former player"}, becomes="former-1")
    assert names.out_of(text) == reads
    data = {"ann": [{"why": text}, 3, None, text]}
    told = {"ann": [{"why": reads}, 3, None, text]}
    assert texts_changed(data, ["why"], names.out_of) == told


@pytest.mark.usefixtures("as_owner")
def test_nothing_else_of_what_only_grows_can_be_changed(player: User) -> None:
    """Nor as the owner, who may switch on what the function for it does."""
    event = SeasonEvent.objects.first()
    entry = AuditEntry.objects.first()
    assert event is not None
    assert entry is not None
    for erasing in ("on", "off"):
        for rows, change in (
            (SeasonEvent.objects.filter(pk=event.pk), {"kind": "other"}),
            (SeasonEvent.objects.filter(pk=event.pk), {"words": "x", "kind": "other"}),
            (SeasonEvent.objects.filter(pk=event.pk), {"words": "x"}),
            (MatchEntry.objects.all(), {"text": "concede"}),
            (MatchEntry.objects.all(), {"why": "because"}),
            (MatchEntry.objects.all(), {"by_name": "Somebody else"}),
            (AuditEntry.objects.filter(pk=entry.pk), {"data": {}}),
        ):
            with pytest.raises(Error, match="append-only"), erasing_switched(erasing):
                rows.update(**change)
        with pytest.raises(Error, match="append-only"), erasing_switched(erasing):
            MatchEntry.objects.all().delete()


@contextmanager
def erasing_switched(to: str) -> Iterator[None]:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('gauntlet.erase_names', %s, true)", (to,))
        yield


def test_whose_name_was_taken_out_of_which_rows_is_in_the_audit_log(player: User) -> None:
    erased(player)
    told = AuditEntry.objects.filter(action="user.erase_names")
    assert {(entry.target_type, entry.target_id) for entry in told} == {
        ("accounts.user", str(player.pk))
    }
    rows = {key for entry in told.filter(data__table="tournaments_seasonevent")
            for key in entry.data["rows"]}  # fmt: skip
    assert rows == set(
        SeasonEvent.objects.filter(words__contains=FORMER_NAME).values_list("pk", flat=True)
    )


# -- who can, and when ---------------------------------------------------------------------------


def test_who_plays_or_is_needed_stays(
    play: Play, ada: User, orla: User, root: User, cleo: User
) -> None:
    refused("deletion.playing", services.deletion_ask, acting_user=ada)
    refused("deletion.last-administrator", services.deletion_ask, acting_user=root)
    season = Season.objects.create(
        slug="s", name="S", format="round-robin", status="running", visibility="listed",
        created_by=orla, started_at=now_utc(),
    )  # fmt: skip
    season.organisers.create(user=orla, role="owner")
    refused("deletion.owns-season", services.deletion_ask, acting_user=orla)
    Contestant.objects.create(season=season, user=cleo, name="Cleo", seed=1, status="active")
    refused("deletion.in-season", services.deletion_ask, acting_user=cleo)


@pytest.fixture
def play(ada: User, ben: User) -> Play:
    return started((ada, ben))


def test_one_can_think_again_for_a_week(play: Play, ada: User) -> None:
    play.move(0, "concede", 5000)
    EmailAddress.objects.create(user=ada, email="ada@example.org", verified=True, primary=True)
    with committing():
        asked = services.deletion_ask(acting_user=ada)
    assert asked.due_at - asked.asked_at == services.WAIT
    (sent,) = mail.outbox
    assert reverse("accounts:deletion") in sent.body
    services.deletions_sweep()
    assert not User.objects.get(pk=ada.pk).is_former
    services.deletion_cancel(acting_user=ada)
    refused("deletion.none", services.deletion_cancel, acting_user=ada)
    services.deletion_ask(acting_user=ada)
    with time_machine.travel(now_utc() + timedelta(days=8), tick=True):
        services.deletions_sweep()
    assert User.objects.get(pk=ada.pk).is_former
    assert not AccountDeletion.objects.exists()


def test_what_comes_in_the_way_meanwhile_is_waited_for(play: Play, ada: User, ben: User) -> None:
    play.move(0, "concede", 5000)
    services.deletion_ask(acting_user=ada)
    another = started((ada, ben))
    with time_machine.travel(now_utc() + timedelta(days=8), tick=True):
        services.deletions_sweep()
        assert not User.objects.get(pk=ada.pk).is_former
        another.move(0, "concede", 5000)
        services.deletions_sweep()
    assert User.objects.get(pk=ada.pk).is_former


def test_chat_stays_without_the_name(play: Play, ada: User) -> None:
    ChatMessage.objects.create(
        match=play.match, room="players", author=ada, client_id="1", text="well played", at=1
    )
    play.move(0, "concede", 5000)
    erased(ada)
    message = ChatMessage.objects.get()
    assert (message.text, message.author.shown_name) == ("well played", "Former player")


# -- the page ------------------------------------------------------------------------------------

PASSWORD = "two-enter-one-goes"


@pytest.fixture
def member(db: None) -> User:
    user = user_named("zyxwanda", display_name="Zyxwanda Quill")
    user.set_password(PASSWORD)
    user.save()
    return user


def confirmed(user: User) -> Client:
    """Signed in, with the password given just now."""
    client = Client()
    answer = client.post(reverse("account_login"), {"login": user.username, "password": PASSWORD})
    assert answer.status_code == 302
    answer = client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    assert answer.status_code == 302
    return client


def test_the_page_wants_the_password_and_the_name(member: User, client: Client) -> None:
    url = reverse("accounts:deletion")
    assert client.get(url).status_code == 302
    client.force_login(member)
    later(client)
    answer = client.post(url, {"username": "zyxwanda"})
    assert answer.status_code == 302
    assert reverse("account_reauthenticate") in answer["Location"]
    client = confirmed(member)
    assert "Former player" in body_of(client.get(url))
    answer = client.post(url, {"username": "somebody"})
    assert answer.status_code == 422
    assert not User.objects.get(pk=member.pk).is_former
    # Never played, and it waits all the same: it need not be the owner who asks.
    answer = client.post(url, {"username": "@Zyxwanda "}, follow=True)
    assert "Keep my account" in body_of(answer)
    asked = AccountDeletion.objects.get(user=member)
    assert asked.due_at - asked.asked_at == services.WAIT_UNUSED
    services.deletions_sweep()
    assert not User.objects.get(pk=member.pk).is_former
    with time_machine.travel(now_utc() + timedelta(days=1, minutes=1), tick=True):
        services.deletions_sweep()
    assert User.objects.get(pk=member.pk).is_former


def test_the_page_keeps_the_account(member: User, ada: User) -> None:
    started((member, ada)).move(0, "concede", 5000)
    client = confirmed(member)
    url = reverse("accounts:deletion")
    page = client.post(url, {"username": "zyxwanda"}, follow=True)
    assert "is to be deleted after" in body_of(page)
    page = client.post(url, {"keep": "yes"}, follow=True)
    assert "Your account stays." in body_of(page)
    assert not AccountDeletion.objects.exists()


def test_what_was_kept_of_a_replay_is_reckoned_anew(organiser: User, client: Client) -> None:
    play = started((user_named("ben"), user_named("cleo")))
    play.act(organiser, "pause", 1000)
    play.act(organiser, "resume", 2000)
    play.move(0, "concede", 5000)
    url = reverse("games:replay_steps", args=[play.pk])
    assert ORGANISER[1] in body_of(client.get(url))
    erased(organiser)
    assert ORGANISER[1] not in body_of(client.get(url))
    assert "Former player" in body_of(client.get(url))


def test_nothing_is_done_any_more_to_an_account_that_is_gone(
    ada: User, ben: User, mona: User
) -> None:
    gone = erased(ada)
    for call, arguments in (
        (user_reopen, {"acting_user": mona, "user": gone, "reason": "back"}),
        (user_update_profile, {"acting_user": mona, "user": gone, "display_name": "Ada"}),
        (user_merge, {"acting_user": mona, "keep": ben, "duplicate": gone, "reason": "one"}),
        (user_merge, {"acting_user": mona, "keep": gone, "duplicate": ben, "reason": "one"}),
    ):
        refused("account.deleted", call, **arguments)
    refused("account.closed", user_close, acting_user=mona, user=gone, reason="gone")
    refused("deletion.closed", services.deletion_ask, acting_user=gone)
    assert erased(gone).username == gone.username


# -- together with others of the same person ----------------------------------------------------


def test_what_a_duplicate_did_under_its_name_is_nameless_too(
    ada: User, ben: User, cleo: User, orla: User, root: User
) -> None:
    User.objects.filter(pk=orla.pk).update(username="zyxwanda", display_name="Zyxwanda Quill")
    orla.refresh_from_db()
    play = started((ben, cleo))
    play.act(orla, "pause", 1000)
    play.act(orla, "resume", 2000)
    play.move(0, "concede", 5000)
    with committing():
        user_merge(acting_user=root, keep=ada, duplicate=orla, reason="one person")
    assert MatchEntry.objects.filter(by=orla, by_name="Zyxwanda Quill").exists()
    erased(ada)
    assert tables_with("zyxwanda") <= STAYS
    assert not MatchEntry.objects.filter(by_name="Zyxwanda Quill").exists()


def test_who_is_closed_meanwhile_is_deleted_all_the_same(play: Play, ada: User, mona: User) -> None:
    play.move(0, "concede", 5000)
    services.deletion_ask(acting_user=ada)
    user_close(acting_user=mona, user=ada, reason="spam")
    with time_machine.travel(now_utc() + timedelta(days=8), tick=True):
        services.deletions_sweep()
    assert User.objects.get(pk=ada.pk).is_former
    assert not AccountDeletion.objects.exists()


def test_who_is_merged_meanwhile_is_not_deleted(
    play: Play, ada: User, cleo: User, mona: User
) -> None:
    play.move(0, "concede", 5000)
    services.deletion_ask(acting_user=ada)
    row = AccountDeletion.objects.get()
    user_merge(acting_user=mona, keep=cleo, duplicate=ada, reason="one person")
    assert not AccountDeletion.objects.exists()
    # As it was kept before merges took it away.
    row.save(force_insert=True)
    with time_machine.travel(now_utc() + timedelta(days=8), tick=True):
        services.deletions_sweep()
    assert not AccountDeletion.objects.exists()
    assert not User.objects.filter(username__startswith="former-").exists()


@pytest.mark.parametrize("verified", [True, False])
def test_letters_say_whence_it_was_asked(ada: User, verified: bool) -> None:
    EmailAddress.objects.create(user=ada, email="a@example.org", verified=verified, primary=True)
    started((ada, user_named("eve"))).move(0, "concede", 5000)
    with committing():
        services.deletion_ask(acting_user=ada)
    with time_machine.travel(now_utc() + timedelta(days=8), tick=True), committing():
        services.deletions_sweep()
    asked, done = mail.outbox
    for sent in (asked, done):
        assert sent.to == ["a@example.org"]
        assert str(sent.body).startswith("Hello Ada,")
        assert "- time: " in str(sent.body)
        assert "Was it not you?" in str(sent.body)
    assert reverse("accounts:sessions") in asked.body
    assert reverse("accounts:sessions") not in done.body
