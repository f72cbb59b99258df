"""What organisers write to contestants: to whom it goes, how often, and who reads it where."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from accounts.blocking.services import block_create
from accounts.models import Announcement, AuditEntry, Report, User
from accounts.moderation.reports import queue_of, report_file
from accounts.moderation.sanctions import user_mute
from accounts.roles import Role
from accounts.services import role_grant
from tests.games.support import user_named
from tests.games.test_races import Threads
from tests.pages.support import words
from tests.tournaments.support import (
    GAME,
    START,
    account,
    after,
    chosen,
    enrolled,
    organiser_joins,
    played,
    refused,
    running,
    who,
)
from tournaments.models import Contestant, MessageTo, Season, SeasonMessage
from tournaments.services.contestants.departures import contestant_replace, contestant_withdraw
from tournaments.services.contestants.enrolment import contestant_enrol
from tournaments.services.messages import A_DAY_MAX, KIND, form_key, message_send
from tournaments.services.rounds import round_pair
from tournaments.services.seasons import season_archive, season_cancel, season_create


def sent(orla: User, season: Season, **more: Any) -> SeasonMessage:
    given: dict[str, Any] = {"title": "Tonight", "words": "At eight.", "at": START}
    return message_send(acting_user=orla, season=season, **{**given, **more})


def names(message: SeasonMessage) -> set[str]:
    return set(message.to.values_list("name", flat=True))


# -- to whom -------------------------------------------------------------------------------------


def test_it_goes_to_those_whom_it_is_for(orla: User) -> None:
    season = running(orla, 8)
    played(orla, chosen(orla, season, ec=8, dmo=1), winner=1)  # 8 is out
    contestant_withdraw(acting_user=orla, contestant=who(season, 7), why="Ill.", at=START)
    contestant_replace(
        acting_user=orla, contestant=who(season, 6), user=user_named("eve", display_name="Eve"),
        why="Ill.", at=START,
    )  # fmt: skip
    five, four = account(season, 5), who(season, 4)
    User.objects.filter(pk=five.pk).update(is_active=False)
    Contestant.objects.filter(pk=four.pk).update(user=None)
    row = chosen(orla, season, ec=1, dmo=2)
    still_in = {"Player 1", "Player 2", "Player 3", "Eve"}
    assert names(sent(orla, season, whom=MessageTo.STILL_IN)) == still_in
    assert names(sent(orla, season)) == still_in | {"Player 8"}
    of_round = sent(orla, season, whom=MessageTo.ROUND, round=row.round)
    assert names(of_round) == {"Player 1", "Player 2"}
    readers = Announcement.objects.filter(key=f"message:{of_round.pk}")
    assert set(readers.values_list("user__display_name", flat=True)) == {"Player 1", "Player 2"}
    entry = AuditEntry.objects.get(action="message.send", target_id=str(of_round.pk))
    assert entry.data == {"season": season.pk, "whom": "round", "contestants": 2}


def test_a_round_in_which_all_is_decided_has_nobody_to_write_to(orla: User, oscar: User) -> None:
    season = running(orla, 4)
    row = played(orla, chosen(orla, season, ec=4, dmo=1), winner=1)
    over = {"acting_user": orla, "season": season, "title": "T", "words": "W", "at": START}
    refused("message.nobody", message_send, **over, whom=MessageTo.ROUND, round=row.round)
    other = running(oscar, 4).rounds.first()
    refused("round.none", message_send, **over, whom=MessageTo.ROUND, round=other)
    refused("message.whom", message_send, **over, whom=MessageTo.ROUND)
    refused("message.whom", message_send, **over, whom=MessageTo.STILL_IN, round=row.round)
    refused("message.whom", message_send, **over, whom="friends")


def test_whoever_writes_and_plays_is_not_told_what_they_wrote(orla: User) -> None:
    season = enrolled(orla, 1)
    contestant_enrol(acting_user=orla, season=season, user=orla, at=START)
    assert names(sent(orla, season)) == {"Player 1"}


def test_whoever_has_blocked_the_writer_only_finds_it(orla: User, client: Client) -> None:
    """How many it went to does not tell of the block."""
    season = enrolled(orla, 2)
    apart = account(season, 1)
    block_create(acting_user=apart, user=orla)
    message = sent(orla, season)
    assert names(message) == {"Player 1", "Player 2"}
    told = Announcement.objects.filter(key=f"message:{message.pk}")
    assert [each.user for each in told] == [account(season, 2)]
    client.force_login(apart)
    assert "At eight." in words(client.get(f"/seasons/{season.slug}/messages/"))


# -- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("message.title.missing", {"title": " "}),
        ("message.title.too-long", {"title": "t" * 101}),
        ("message.words.missing", {"words": " \r\n "}),
        ("message.words.too-long", {"words": "w" * 1001}),
    ],
)
def test_what_a_message_cannot_be(orla: User, code: str, how: dict[str, Any]) -> None:
    given = {"title": "Tonight", "words": "At eight.", "at": START} | how
    refused(code, message_send, acting_user=orla, season=enrolled(orla, 1), **given)


def test_lines_stay_lines_and_nothing_else_that_they_cannot_hold(orla: User) -> None:
    message = sent(
        orla, enrolled(orla, 1),
        title="One\nline", words="  First.\r\nSecond\u202e.\n\n\n\n\nThird.\x00\n" ,
    )  # fmt: skip
    assert message.title == "One line"
    assert message.words == "First.\nSecond .\n\nThird."
    assert sent(orla, message.season, words="w" * 1000).words == "w" * 1000


def test_so_many_a_day(orla: User) -> None:
    season = enrolled(orla, 1)
    for number in range(A_DAY_MAX):
        sent(orla, season, at=after(minutes=number))
    given: dict[str, Any] = {"acting_user": orla, "season": season, "title": "T", "words": "W"}
    refused("message.many", message_send, **given, at=START + timedelta(hours=23, minutes=59))
    message_send(**given, at=START + timedelta(days=1))
    refused("message.many", message_send, **given, at=START + timedelta(days=1))
    # Another season has its own.
    sent(orla, enrolled(orla, 1), at=START + timedelta(days=1))


def test_a_form_that_is_sent_twice_sends_one(orla: User) -> None:
    season = running(orla, 4)
    form = form_key(season, orla)
    first = sent(orla, season, form=form)
    # Its answer was lost, and it is sent again, at whatever time.
    assert sent(orla, season, form=form, at=after(minutes=5)) == first
    assert sent(orla, season, form=form, title=" Tonight ", words="At eight.\r\n") == first
    assert Announcement.objects.filter(kind=KIND).count() == 4
    # Something else is another message; and what was opened anew is meant.
    changed = {"title": "Later"}, {"words": "At nine."}, {"whom": MessageTo.STILL_IN}
    others = [sent(orla, season, form=form, **how) for how in changed]
    again = sent(orla, season, form=form_key(season, orla))
    assert len({first, *others, again}) == 5
    # Whatever else it carries is none of a form of ours.
    for odd in ("", "-1", "x", "9" * 30, "\N{SUPERSCRIPT TWO}"):
        assert sent(orla, season, form=odd) not in (first, *others, again)


def test_of_two_seasons_and_two_writers_each_has_its_own(orla: User, oscar: User) -> None:
    season, other = running(orla, 4), running(orla, 4)
    organiser_joins(acting_user=orla, season=season, user=oscar)
    rows = [
        sent(writer, where, form=form_key(where, writer))
        for writer, where in ((orla, season), (oscar, season), (orla, other))
    ]
    assert len(set(rows)) == 3


@pytest.fixture
def threads() -> Iterator[Threads]:
    threads = Threads(4)
    yield threads
    threads.close()


@pytest.mark.django_db(transaction=True)
def test_of_four_at_once_one_goes_out(orla: User, threads: Threads) -> None:
    season = enrolled(orla, 2)
    act = partial(sent, orla, season, form=form_key(season, orla))
    answers = threads.at_once([act] * 4)
    assert {each.pk for each in answers} == {SeasonMessage.objects.get().pk}
    assert Announcement.objects.filter(kind=KIND).count() == 2


def test_who_may_write_and_when(orla: User, oscar: User, cleo: User) -> None:
    season = enrolled(orla, 2)
    given = {"season": season, "title": "T", "words": "W", "at": START}
    for somebody in (oscar, cleo, account(season, 1)):
        refused("season.not-organiser", message_send, acting_user=somebody, **given)
    draft = season_create(acting_user=orla, name="Draft", format="swiss")
    refused("season.draft", message_send, acting_user=orla, **given | {"season": draft})
    # What is over can be written about; what is in the archive stays as it is.
    season_cancel(acting_user=orla, season=season, why="No time.", at=START)
    sent(orla, season)
    root = User.objects.get(username="root")
    user_mute(acting_user=root, user=orla, reason="Rude", until=None)
    refused("message.muted", message_send, acting_user=orla, **given)
    season_archive(acting_user=orla, season=season, at=START)
    refused("season.archived", message_send, acting_user=orla, **given)


@pytest.mark.parametrize(
    "how",
    [
        {"title": ""},
        {"words": ""},
        {"whom": "friends"},
        {"whom": "round"},
    ],
)
def test_what_the_database_refuses(orla: User, how: dict[str, Any]) -> None:
    message = sent(orla, enrolled(orla, 1))
    with pytest.raises(IntegrityError), transaction.atomic():
        SeasonMessage.objects.filter(pk=message.pk).update(**how)


# -- pages ---------------------------------------------------------------------------------------


def test_on_the_site_those_read_it_to_whom_it_went(orla: User, cleo: User, client: Client) -> None:
    season = running(orla, 4)
    played(orla, chosen(orla, season, ec=4, dmo=1), winner=1)
    sent(orla, season, whom=MessageTo.STILL_IN, words="Be <b>there</b>.")
    page = f"/seasons/{season.slug}/messages/"
    for number, reads in ((1, True), (4, False)):
        client.force_login(account(season, number))
        answer = client.get(page)
        assert answer.status_code == 200
        assert ("Be &lt;b&gt;there&lt;/b&gt;." in answer.text) is reads
        assert page in client.get(f"/seasons/{season.slug}/").text
    client.force_login(cleo)
    assert client.get(page).status_code == 403
    client.logout()
    assert client.get(page).status_code == 302
    for public in ("", "history/", "rulings/", "contestants/"):
        assert "Be &lt;b" not in client.get(f"/seasons/{season.slug}/{public}").text


def test_the_desk_writes_and_keeps_who_wrote_what_to_whom(orla: User, client: Client) -> None:
    season = running(orla, 4, "swiss", repertoire=[GAME])
    round_pair(acting_user=orla, season=season, at=START) if not season.rounds.exists() else None
    client.force_login(orla)
    page = f"/seasons/{season.slug}/desk/messages/"
    played_round = season.rounds.get()
    assert f"Those whose death match in {played_round.name} is still open" in words(
        client.get(page)
    )
    answer = client.post(
        page, {"whom": "round-1", "title": "Tonight", "words": "At eight."}, follow=True
    )
    assert "The message goes to 4 of the contestants." in words(answer)
    shown = words(client.get(page))
    for told in ("Tonight", "At eight.", "Orla", f"To 4: those of {played_round.name}", "Player 3"):
        assert told in shown
    wrong = client.post(page, {"whom": "round-9", "title": "", "words": "w" * 1001})
    assert wrong.status_code == 422
    # As browsers send and count it: a line break is one character, and two on the wire.
    lines = "\r\n".join(["w" * 9] * 100)
    assert (
        client.post(page, {"whom": "still-in", "title": "Long", "words": lines}).status_code == 302
    )
    too_long = {"whom": "still-in", "title": "Long", "words": f"{lines}ww"}
    assert "at most 1000 characters" in words(client.post(page, too_long))
    assert SeasonMessage.objects.count() == 2


def test_the_page_that_is_sent_twice_sends_one(orla: User, client: Client) -> None:
    season = enrolled(orla, 2)
    client.force_login(orla)
    page = f"/seasons/{season.slug}/desk/messages/"
    for count in (1, 2):
        shown = re.search(r'name="form" value="(\d+)"', client.get(page).text)
        assert shown
        form = {"whom": "still-in", "title": "Tonight", "words": "At eight.", "form": shown[1]}
        for _ in range(2):
            answer = client.post(page, form, follow=True)
            assert "The message goes to 2 of the contestants." in words(answer)
        assert SeasonMessage.objects.count() == count


# -- reported to moderators ----------------------------------------------------------------------


def moderator(name: str) -> User:
    user = user_named(name, display_name=name.title())
    root = User.objects.get(username="root")
    role_grant(acting_user=root, user=user, role=Role.MODERATOR)
    return User.objects.get(pk=user.pk)


def test_those_to_whom_it_went_can_report_it(orla: User, cleo: User, client: Client) -> None:
    season = running(orla, 4)
    played(orla, chosen(orla, season, ec=4, dmo=1), winner=1)
    message = sent(orla, season, whom=MessageTo.STILL_IN, words="Fools.\nAll of you.")
    form = f"/accounts/report/tournaments.seasonmessage/{message.pk}/"
    reader = account(season, 1)
    client.force_login(reader)
    assert form in client.get(f"/seasons/{season.slug}/messages/").text
    shown = client.get(form)
    assert "Fools." in shown.text
    # To whom else it went is not theirs to know.
    assert "Player 2" not in shown.text
    said = {"reason": "abuse", "words": "Look."}
    assert client.post(form, said).status_code == 302
    report = Report.objects.get()
    assert (report.about, report.reporter) == (orla, reader)
    assert report.context["lines"][0]["text"] == "Fools.\nAll of you."
    assert report.url == f"/seasons/{season.slug}/messages/"
    # The one who is out, a stranger and the writer never got it.
    for other in (account(season, 4), cleo, orla):
        client.force_login(other)
        assert client.get(form).status_code == 404
        assert client.post(form, said).status_code == 404
    for no_number in ("0", "x", "9" * 30, "-1"):
        client.force_login(reader)
        no_message = f"/accounts/report/tournaments.seasonmessage/{no_number}/"
        assert client.get(no_message).status_code == 404
    client.force_login(orla)
    assert form not in client.get(f"/seasons/{season.slug}/desk/messages/").text


def test_moderators_read_it_unless_they_are_in_the_season(
    orla: User, cleo: User, client: Client
) -> None:
    season = running(orla, 4)
    played(orla, chosen(orla, season, ec=4, dmo=1), winner=1)
    message = sent(orla, season, whom=MessageTo.STILL_IN, words="Fools.")
    to_all = sent(orla, season, at=after(minutes=1))
    report = report_file(
        acting_user=account(season, 1), target_type="tournaments.seasonmessage",
        target_id=str(message.pk), reason="abuse", words="Look.",
    )  # fmt: skip
    mona, listed = moderator("mona"), "/admin/tournaments/seasonmessage/"
    row = f"{listed}{message.pk}/change/"
    client.force_login(mona)
    assert f'"{row}"' in client.get(listed).text
    shown = client.get(row).text
    for told in ("Fools.", "orla", "Player 1", "Player 2"):
        assert told in shown
    assert "Player 4" not in shown
    assert 'name="_save"' not in shown
    assert row in client.get(f"/admin/accounts/report/{report.pk}/change/").text
    # Whoever is in it reads there what went to them, and works on no report of it.
    out = account(season, 4)
    role_grant(acting_user=User.objects.get(username="root"), user=out, role=Role.MODERATOR)
    out = User.objects.get(pk=out.pk)
    client.force_login(out)
    shown = client.get(listed).text
    assert f'"{row}"' not in shown
    assert f'"{listed}{to_all.pk}/change/"' in shown
    assert "Fools." not in client.get(row, follow=True).text
    assert set(queue_of(out)) == set()
    assert list(queue_of(mona)) == [report]
    client.force_login(cleo)
    assert client.get(row).status_code == 302


def test_a_long_list_costs_no_more(
    orla: User, client: Client, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    season = enrolled(orla, 6)
    for number in range(A_DAY_MAX):
        sent(orla, season, at=after(minutes=number))
    client.force_login(orla)
    with django_assert_max_num_queries(24):
        client.get(f"/seasons/{season.slug}/desk/messages/")
    client.force_login(account(season, 1))
    with django_assert_max_num_queries(14):
        client.get(f"/seasons/{season.slug}/messages/")
