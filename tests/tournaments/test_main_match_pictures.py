"""Pictures of a main match: who puts them up, who sees them before it is recorded and after, and
how they go again."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from accounts.models import Announcement, User
from accounts.moderation.reports import report_file
from accounts.services import user_close
from tests.games.support import committing, user_named
from tests.tournaments.support import account, enrolled, episode_now, placings, refused, running
from tests.tournaments.test_pictures import OTHER, audits, moderator, photograph, uploaded
from tests.tournaments.test_scores import recorded, saved
from tournaments.documents.export import season_export
from tournaments.formats.elimination.main_match import placements_record
from tournaments.invariants import faults_of
from tournaments.models import Episode, MainMatchPicture, Picture, Season, SeasonOrganiser
from tournaments.models.pictures import OF_MAIN_MATCH_MAX
from tournaments.services.cloning import season_clone
from tournaments.services.pictures import (
    OWNERS,
    another_of,
    owner_of,
    picture_remove,
    picture_set,
    picture_take_away,
)
from tournaments.services.seasons import season_archive, season_cancel


def playing(orla: User, count: int = 4) -> Season:
    """An elimination season in its first episode."""
    return running(orla, count)


def episode(season: Season) -> Episode:
    return Episode.objects.select_related("round__season").get(pk=episode_now(season).pk)


def put_up(user: User, season: Season, alt: str = "The table", **more: Any) -> Picture:
    return picture_set(
        acting_user=user, owner=another_of(episode(season)),
        **{"content": photograph(), "alt": alt, **more},
    )  # fmt: skip


def hung(season: Season) -> list[MainMatchPicture]:
    rows = MainMatchPicture.objects.filter(episode__round__season=season)
    return list(rows.select_related("picture", "episode__round__season"))


def helper(season: Season, name: str, right: str) -> User:
    user = user_named(name)
    SeasonOrganiser.objects.create(season=season, user=user, role="helper", rights=[right])
    return user


def record(orla: User, season: Season) -> None:
    placements_record(acting_user=orla, episode=episode(season), placements=placings(season, 4))


def desk(season: Season) -> str:
    return f"/seasons/{season.slug}/desk/rounds/1/pictures/"


# -- who puts up what ----------------------------------------------------------------------------


def test_whoever_keeps_the_scores_puts_them_up_in_order(orla: User) -> None:
    season = playing(orla)
    eric = helper(season, "eric", "episodes")
    first = put_up(orla, season, "  The\ntable ")
    second = put_up(eric, season, "The end", content=photograph(OTHER))
    assert [(each.number, each.picture.alt) for each in hung(season)] == [
        (1, "The table"), (2, "The end"),
    ]  # fmt: skip
    assert [owner_of(each) for each in (first, second)] == hung(season)
    widths = OWNERS[MainMatchPicture].shape.widths
    assert tuple(first.sizes.values_list("width", flat=True)) == widths
    assert faults_of(season) == []
    assert audits("picture.set")[0].data == {"season": season.pk, "episode": episode(season).pk}


def test_nobody_else_does(orla: User, oscar: User) -> None:
    season = playing(orla)
    put_up(orla, season)
    others = [oscar, account(season, 1), moderator(), helper(season, "mary", "matches")]
    for other in others:
        given: dict[str, Any] = {"content": photograph(), "alt": "Mine", "acting_user": other}
        refused("picture.not-yours", picture_set, owner=another_of(episode(season)), **given)
        refused("picture.not-yours", picture_remove, acting_user=other, owner=hung(season)[0])
    assert len(hung(season)) == 1


def test_it_is_said_what_they_show(orla: User) -> None:
    season = playing(orla)
    for code, alt in (("missing", " "), ("too-long", "x" * 201)):
        refused(
            f"picture.alt.{code}", picture_set, acting_user=orla, content=photograph(), alt=alt,
            owner=another_of(episode(season)),
        )  # fmt: skip
    assert not Picture.objects.exists()


def test_there_are_six_and_what_is_behind_moves_up(orla: User) -> None:
    season = playing(orla)
    for number in range(1, OF_MAIN_MATCH_MAX + 1):
        put_up(orla, season, f"Number {number}")
    refused(
        "picture.full", picture_set, acting_user=orla, content=photograph(), alt="One more",
        owner=another_of(episode(season)),
    )  # fmt: skip
    picture_remove(acting_user=orla, owner=hung(season)[1])
    put_up(orla, season, "The last")
    assert [(each.number, each.picture.alt) for each in hung(season)] == [
        (1, "Number 1"), (2, "Number 3"), (3, "Number 4"), (4, "Number 5"), (5, "Number 6"),
        (6, "The last"),
    ]  # fmt: skip
    assert Picture.objects.count() == OF_MAIN_MATCH_MAX


def test_what_is_gone_is_taken_off_once(orla: User) -> None:
    season = playing(orla)
    put_up(orla, season)
    (row,) = hung(season)
    picture_remove(acting_user=orla, owner=row)
    refused("picture.not-there", picture_remove, acting_user=orla, owner=row)
    assert not Picture.objects.exists()
    assert len(audits("picture.remove")) == 1


def test_the_database_has_no_seventh_and_none_twice(orla: User) -> None:
    season = playing(orla)
    picture, other = put_up(orla, season), put_up(orla, season, "The end")
    first = episode(season)
    picture_remove(acting_user=orla, owner=hung(season)[1])
    spare = Picture.objects.create(season=season, digest=other.digest, by=orla)
    for number, of in ((0, spare), (OF_MAIN_MATCH_MAX + 1, spare), (1, spare), (2, picture)):
        with pytest.raises(IntegrityError), transaction.atomic():
            MainMatchPicture.objects.create(episode=first, number=number, picture=of)


def test_none_in_the_archive(orla: User, client: Client) -> None:
    season = playing(orla)
    record(orla, season)
    put_up(orla, season)
    season_cancel(acting_user=orla, season=season, why="Enough.")
    season_archive(acting_user=orla, season=season)
    (row,) = hung(season)
    given: dict[str, Any] = {"content": photograph(), "alt": "Mine", "acting_user": orla}
    refused("season.archived", picture_set, owner=another_of(episode(season)), **given)
    refused("season.archived", picture_remove, acting_user=orla, owner=row)
    client.force_login(orla)
    assert desk(season) not in client.get(f"/seasons/{season.slug}/rounds/1/").text
    assert row.picture.address(480) in client.get(f"/seasons/{season.slug}/rounds/1/").text


# -- who sees them -------------------------------------------------------------------------------


def seen(client: Client, season: Season, picture: Picture) -> tuple[bool, bool, bool]:
    """Whether somebody sees it at its address, on the round's page, and in the API."""
    at_address = client.get(picture.address(480)).status_code == 200
    on_page = picture.digest in client.get(f"/seasons/{season.slug}/rounds/1/").text
    rounds = client.get(f"/api/v1/seasons/{season.slug}/rounds/").json()["results"]
    sizes = [each["sizes"]["480"] for each in rounds[0]["episode"]["pictures"]]
    return at_address, on_page, sizes == [f"http://testserver{picture.address(480)}"]


def test_before_it_is_recorded_they_are_for_those_who_run_its_episodes(
    orla: User, cleo: User
) -> None:
    season = playing(orla)
    before = Season.objects.get(pk=season.pk)
    picture = put_up(orla, season)
    now = Season.objects.get(pk=season.pk)
    assert (now.revision, now.changed_at) == (before.revision, before.changed_at)
    mona = moderator()
    readers: list[User | None] = [
        None, cleo, account(season, 1), mona, helper(season, "mary", "matches"),
    ]  # fmt: skip
    clients = []
    for reader in readers:
        clients.append(Client())
        if reader is not None:
            clients[-1].force_login(reader)
        assert seen(clients[-1], season, picture) == (False, False, False), reader
    for reader in (orla, helper(season, "eric", "episodes")):
        own = Client()
        own.force_login(reader)
        answer = own.get(picture.address(480))
        assert (answer.status_code, answer["Cache-Control"]) == (200, "private, no-cache")
        assert picture.digest in own.get(desk(season)).text
        assert picture.digest not in own.get(f"/seasons/{season.slug}/rounds/1/").text
    # Nor can anybody report what they do not see, or moderate it.
    refused(
        "report.nothing", report_file, acting_user=cleo, target_type="tournaments.picture",
        target_id=str(picture.pk), reason="abuse", words="Look.",
    )  # fmt: skip
    refused("picture.not-there", picture_take_away, acting_user=mona, picture=picture, why="No.")
    assert f"picture/{picture.pk}/change" not in clients[3].get(
        "/admin/tournaments/picture/"
    ).text  # fmt: skip
    record(orla, season)
    for client in clients:
        assert seen(client, season, picture) == (True, True, True)
    assert "immutable" in clients[0].get(picture.address(480))["Cache-Control"]


def test_with_a_draft_of_scores_they_are_seen_once_it_is_shown(orla: User) -> None:
    season = running(orla, 4)
    saved(orla, season, {1: [5]})
    picture = put_up(orla, season)
    everybody = Client()
    assert seen(everybody, season, picture) == (False, False, False)
    saved(orla, season, {1: [5]}, seen=1, shown=True)
    assert seen(everybody, season, picture) == (True, True, True)
    revision = Season.objects.get(pk=season.pk).revision
    put_up(orla, season, "The end", content=photograph(OTHER))
    assert Season.objects.get(pk=season.pk).revision > revision, "pages are made anew"
    assert "The end" in everybody.get(f"/seasons/{season.slug}/rounds/1/").text


def test_with_scores_they_are_seen_once_these_are_recorded(orla: User) -> None:
    season = running(orla, 4)
    saved(orla, season, {n: [n] for n in (1, 2, 3, 4)})
    picture = put_up(orla, season)
    assert seen(Client(), season, picture) == (False, False, False)
    recorded(orla, season)
    assert seen(Client(), season, picture) == (True, True, True)


def test_another_season_like_it_and_its_document_have_none(orla: User) -> None:
    season = playing(orla)
    record(orla, season)
    picture = put_up(orla, season)
    made = season_clone(acting_user=orla, season=season, name="Winter", bringing="unseeded")
    assert hung(made) == []
    data = season_export(season=season)
    assert b"The table" not in data
    assert picture.digest.encode() not in data


# -- the page ------------------------------------------------------------------------------------


def test_they_are_put_up_and_taken_off_on_a_page(orla: User, client: Client) -> None:
    season = playing(orla)
    client.force_login(orla)
    for page in ("rounds/1/", "desk/rounds/1/", "desk/rounds/1/scores/"):
        assert desk(season) in client.get(f"/seasons/{season.slug}/{page}").text, page
    assert client.post(desk(season), {"picture": uploaded(), "alt": ""}).status_code == 422
    assert client.post(desk(season), {"alt": "The table"}).status_code == 422
    given = {"picture": uploaded(), "alt": "The table"}
    assert client.post(desk(season), given).status_code == 302
    (row,) = hung(season)
    text = client.get(desk(season)).text
    assert f'src="{row.picture.address(480)}" width="480" height="360" alt="The table"' in text
    assert client.post(desk(season), {"remove": "0"}).status_code == 404
    for other, status in ((account(season, 1), 403), (helper(season, "mary", "matches"), 403)):
        client.force_login(other)
        assert client.get(desk(season)).status_code == status
        assert client.post(desk(season), given).status_code == status
        assert client.post(desk(season), {"remove": str(row.pk)}).status_code == status
    client.force_login(orla)
    assert client.post(desk(season), {"remove": str(row.pk)}).status_code == 302
    assert hung(season) == []


def test_when_there_are_six_the_page_says_so_and_takes_one_off(orla: User, client: Client) -> None:
    season = playing(orla)
    for number in range(OF_MAIN_MATCH_MAX):
        put_up(orla, season, f"Number {number}")
    client.force_login(orla)
    assert desk(season) in client.get(f"/seasons/{season.slug}/rounds/1/").text
    text = client.get(desk(season)).text
    assert "at most 6 pictures" in text
    assert 'type="file"' not in text
    assert text.count('name="remove"') == OF_MAIN_MATCH_MAX
    assert client.post(desk(season), {"picture": uploaded(), "alt": "x"}).status_code == 422


def test_a_round_that_is_no_episode_has_none(orla: User, client: Client) -> None:
    season = running(orla, 4, "swiss")
    client.force_login(orla)
    assert client.get(desk(season)).status_code == 404
    assert desk(season) not in client.get(f"/seasons/{season.slug}/rounds/1/").text
    assert enrolled(orla, 2).picture is None


# -- how they go ---------------------------------------------------------------------------------


def test_moderators_take_it_away_and_the_others_stay(orla: User, client: Client) -> None:
    season = playing(orla)
    record(orla, season)
    picture, other = put_up(orla, season), put_up(orla, season, "The end")
    reader = account(season, 1)
    client.force_login(reader)
    page = f"/seasons/{season.slug}/rounds/1/"
    assert f"/accounts/report/tournaments.picture/{picture.pk}/" in client.get(page).text
    report = report_file(
        acting_user=reader, target_type="tournaments.picture", target_id=str(picture.pk),
        reason="abuse", words="Look.",
    )  # fmt: skip
    assert report.about == orla
    mona = moderator()
    client.force_login(mona)
    row = f"/admin/tournaments/picture/{picture.pk}/change/"
    assert "the main match of Episode 1" in client.get(row).text
    picture_take_away(acting_user=mona, picture=picture, why="Not of you.")
    assert [(each.number, each.picture) for each in hung(season)] == [(1, other)]
    told = Announcement.objects.get(user=orla)
    assert "picture of the main match of Episode 1" in told.words
    assert audits("picture.take_away")[0].data["episode"] == episode(season).pk


def test_what_is_reported_is_kept_for_moderators_only(orla: User, client: Client) -> None:
    season = playing(orla)
    record(orla, season)
    picture = put_up(orla, season)
    report_file(
        acting_user=account(season, 1), target_type="tournaments.picture",
        target_id=str(picture.pk), reason="abuse", words="Look.",
    )  # fmt: skip
    picture_remove(acting_user=orla, owner=hung(season)[0])
    client.force_login(orla)
    assert client.get(picture.address(480)).status_code == 404
    client.force_login(moderator())
    assert client.get(picture.address(480)).status_code == 200


def test_it_stays_as_the_seasons_does_when_its_organiser_closes_their_account(orla: User) -> None:
    season = playing(orla)
    eric = helper(season, "eric", "episodes")
    picture = put_up(eric, season)
    with committing():
        user_close(acting_user=moderator(), user=eric, reason="Asked for it.")
    assert [each.picture for each in hung(season)] == [picture]
