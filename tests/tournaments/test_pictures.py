"""Pictures of a season and its contestants: who puts them up, who sees them where, and how they go
again."""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from PIL import Image

from accounts.models import Announcement, AuditEntry, Report, User
from accounts.moderation.merging import user_merge
from accounts.moderation.reports import report_file, report_resolve
from accounts.moderation.sanctions import user_mute
from accounts.roles import Role
from accounts.services import role_grant, user_close
from accounts.tokens.services import token_create
from core.clock import now_utc
from tests.games.support import committing, user_named
from tests.tournaments.support import START, account, after, enrolled, refused, running, who
from tournaments.invariants import faults_of
from tournaments.models import Contestant, Picture, PictureSize, Season
from tournaments.rights import OF_HELPERS, Right
from tournaments.services.cloning import season_clone
from tournaments.services.contestants.departures import contestant_replace, contestant_withdraw
from tournaments.services.pictures import (
    A_DAY_MAX,
    OWNERS,
    owner_of,
    picture_remove,
    picture_set,
    picture_take_away,
)
from tournaments.services.seasons import season_archive, season_list, season_unlist


def photograph(colour: tuple[int, int, int] = (200, 30, 30), size: int = 600) -> bytes:
    written = BytesIO()
    Image.new("RGB", (size, size), colour).save(written, "JPEG")
    return written.getvalue()


OTHER = (30, 30, 200)


def put_up(user: User, owner: Any, **more: Any) -> Picture:
    return picture_set(
        acting_user=user, owner=owner, **{"content": photograph(), "at": START, **more}
    )


def moderator(name: str = "mona") -> User:
    user = user_named(name, display_name=name.title())
    role_grant(acting_user=User.objects.get(username="root"), user=user, role=Role.MODERATOR)
    return User.objects.get(pk=user.pk)


def uploaded(content: bytes | None = None) -> SimpleUploadedFile:
    return SimpleUploadedFile("me.jpg", content or photograph(), content_type="image/jpeg")


def audits(action: str) -> list[AuditEntry]:
    return list(AuditEntry.objects.filter(action=action).order_by("pk"))


# -- who puts up what ----------------------------------------------------------------------------


def test_organisers_and_who_it_is_of_put_it_up(orla: User) -> None:
    season = enrolled(orla, 3)
    revision = Season.objects.get(pk=season.pk).revision
    wide = put_up(orla, season, alt="  All\nof us ")
    assert wide.alt == "All of us"
    own = put_up(account(season, 1), who(season, 1))
    by_them = put_up(orla, who(season, 2))
    assert Season.objects.get(pk=season.pk).picture == wide
    assert who(season, 1).picture == own
    assert who(season, 2).picture == by_them
    assert [owner_of(each) for each in (wide, own, by_them)] == [
        season, who(season, 1), who(season, 2),
    ]  # fmt: skip
    assert Season.objects.get(pk=season.pk).revision > revision, "pages are made anew"
    for picture, owner in ((wide, season), (own, who(season, 1))):
        widths = OWNERS[type(owner)].shape.widths
        assert tuple(picture.sizes.values_list("width", flat=True)) == widths
    assert [each.data for each in audits("picture.set")][:2] == [
        {"season": season.pk},
        {"season": season.pk, "contestant": who(season, 1).pk},
    ]


def test_nobody_else_does(orla: User, oscar: User, cleo: User) -> None:
    season = enrolled(orla, 3)
    put_up(orla, who(season, 2))
    put_up(orla, season)
    given = {"content": photograph(), "at": START}
    for other in (oscar, cleo, account(season, 1), moderator()):
        for owner in (season, who(season, 2)):
            now = type(owner).objects.get(pk=owner.pk)
            refused("picture.not-yours", picture_set, acting_user=other, owner=now, **given)
            refused("picture.not-yours", picture_remove, acting_user=other, owner=now)


def test_a_draft_is_nobody_elses(orla: User, cleo: User) -> None:
    season = enrolled(orla, 2)
    season_unlist(acting_user=orla, season=season)
    given = {"content": photograph(), "at": START}
    refused(
        "season.none", picture_set, acting_user=account(season, 1), owner=who(season, 1), **given
    )
    put_up(orla, who(season, 1))


def test_who_is_muted_puts_up_nothing_and_takes_off_their_own(orla: User) -> None:
    season = enrolled(orla, 2)
    reader = account(season, 1)
    put_up(reader, who(season, 1))
    user_mute(acting_user=moderator(), user=reader, reason="Enough.", until=None)
    given = {"content": photograph(), "at": START}
    refused("picture.muted", picture_set, acting_user=reader, owner=who(season, 1), **given)
    picture_remove(acting_user=reader, owner=who(season, 1))
    assert not Picture.objects.exists()


def test_who_has_left_takes_theirs_off_and_puts_up_none(orla: User) -> None:
    season = enrolled(orla, 3)
    reader = account(season, 1)
    put_up(reader, who(season, 1))
    contestant_withdraw(acting_user=orla, contestant=who(season, 1), why="Rude.", at=START)
    given = {"content": photograph(), "at": START}
    refused("picture.left", picture_set, acting_user=reader, owner=who(season, 1), **given)
    put_up(orla, who(season, 1))
    picture_remove(acting_user=reader, owner=who(season, 1))
    assert who(season, 1).picture is None


def test_nothing_is_at_fault_and_what_would_be_is_found(orla: User) -> None:
    season = running(orla, 4)
    put_up(orla, season)
    picture = put_up(orla, who(season, 1))
    assert faults_of(season) == []
    Contestant.objects.filter(pk=who(season, 2).pk).update(picture=picture)
    assert faults_of(season) == ["a picture is of two"]
    Picture.objects.filter(pk=picture.pk).update(off_at=START)
    assert f"{picture} does not belong there" in faults_of(season)


def test_out_of_the_archive_one_takes_ones_own_and_nothing_else(orla: User) -> None:
    season = enrolled(orla, 2)
    reader = account(season, 1)
    put_up(reader, who(season, 1))
    put_up(orla, season)
    season_archive(acting_user=orla, season=season)
    given = {"content": photograph(), "at": START}
    for user, owner in ((orla, who(season, 1)), (reader, who(season, 1)), (orla, season)):
        refused("season.archived", picture_set, acting_user=user, owner=owner, **given)
    season = Season.objects.get(pk=season.pk)
    refused("season.archived", picture_remove, acting_user=orla, owner=season)
    refused("season.archived", picture_remove, acting_user=orla, owner=who(season, 1))
    picture_remove(acting_user=reader, owner=who(season, 1))
    assert who(season, 1).picture is None


def test_another_takes_its_place_and_nothing_is_left_of_the_first(orla: User) -> None:
    season = enrolled(orla, 2)
    first = put_up(orla, who(season, 1))
    second = put_up(orla, who(season, 1), content=photograph(OTHER))
    assert list(Picture.objects.all()) == [second]
    assert first.digest != second.digest
    assert set(PictureSize.objects.values_list("picture", flat=True)) == {second.pk}
    picture_remove(acting_user=orla, owner=who(season, 1))
    assert not Picture.objects.exists()
    assert not PictureSize.objects.exists()
    refused("picture.not-there", picture_remove, acting_user=orla, owner=who(season, 1))
    assert [entry.action for entry in AuditEntry.objects.filter(action__startswith="picture.")
            .order_by("pk")] == ["picture.set", "picture.set", "picture.remove"]  # fmt: skip


def test_what_is_refused_changes_nothing(orla: User) -> None:
    season = enrolled(orla, 2)
    put_up(orla, who(season, 1))
    given: dict[str, Any] = {"acting_user": orla, "owner": who(season, 1), "at": START}
    refused("picture.kind", picture_set, content=b"nothing", **given)
    refused("picture.alt.too-long", picture_set, content=photograph(), alt="x" * 201, **given)
    assert Picture.objects.count() == 1


def test_nobody_uploads_all_day_or_all_at_once(orla: User, monkeypatch: pytest.MonkeyPatch) -> None:
    season = enrolled(orla, 2)
    made = Picture.objects.count
    monkeypatch.setattr("tournaments.services.pictures.A_DAY_MAX", 3)
    began = now_utc()
    for _number in range(3):
        put_up(orla, who(season, 1), at=began)
    given: dict[str, Any] = {"owner": who(season, 1), "content": photograph()}
    last = began + timedelta(hours=23, minutes=59)
    refused("picture.too-many", picture_set, acting_user=orla, at=last, **given)
    put_up(orla, who(season, 1), at=now_utc() + timedelta(days=1))
    assert made() == 1
    assert A_DAY_MAX > 40, "an organiser has as many contestants"
    # What cannot be read counts, too: looking at it is what costs.
    reader = account(season, 1)
    monkeypatch.setattr("tournaments.services.pictures.A_MINUTE_MAX", 2)
    for _time in range(2):
        refused("picture.kind", picture_set, acting_user=reader, **given | {"content": b"x"})
    refused("picture.too-many", picture_set, acting_user=reader, **given)


def test_the_database_takes_no_other_digests_and_no_size_twice(orla: User) -> None:
    picture = put_up(orla, enrolled(orla, 2))
    for digest in ("", "x" * 64, "a" * 63, "A" * 64):
        with pytest.raises(IntegrityError), transaction.atomic():
            Picture.objects.filter(pk=picture.pk).update(digest=digest)
    with pytest.raises(IntegrityError), transaction.atomic():
        PictureSize.objects.create(picture=picture, width=600, data=b"x")


# -- who sees it ---------------------------------------------------------------------------------


def test_it_is_served_to_whoever_may_see_the_season(orla: User, cleo: User, client: Client) -> None:
    season = enrolled(orla, 2)
    picture = put_up(orla, who(season, 1))
    for width in OWNERS[Contestant].shape.widths:
        answer = client.get(picture.address(width))
        assert answer.status_code == 200
        assert answer["Content-Type"] == "image/webp"
        assert answer["X-Content-Type-Options"] == "nosniff"
        # A moderator may take it away: no cache of others keeps it, and a browser not for long.
        assert answer["Cache-Control"] == "private, max-age=3600, immutable"
        assert answer.content == bytes(picture.sizes.get(width=width).data)
        again = client.get(picture.address(width), headers={"If-None-Match": answer["ETag"]})
        assert again.status_code == 304
    assert client.get(picture.address(81)).status_code == 404
    elsewhere = picture.address(80).replace(season.slug, "another")
    assert client.get(elsewhere).status_code == 404
    unknown = picture.address(80).replace(picture.digest, "0" * 64)
    assert client.get(unknown).status_code == 404
    season_unlist(acting_user=orla, season=season)
    for reader in (None, cleo, account(season, 1)):
        if reader is not None:
            client.force_login(reader)
        assert client.get(picture.address(80)).status_code == 404
    client.force_login(orla)
    answer = client.get(picture.address(80))
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "private, no-cache"
    season_list(acting_user=orla, season=season)
    season_archive(acting_user=orla, season=season)
    client.logout()
    assert client.get(picture.address(80)).status_code == 200


@pytest.mark.parametrize("kind", ["elimination", "swiss", "round-robin", "ladder"])
def test_pages_show_it_where_the_name_stands(kind: str, orla: User, client: Client) -> None:
    season = running(orla, 4, kind)
    picture = put_up(account(season, 1), who(season, 1))
    wide = put_up(orla, season, alt="The four of them")
    url = f"/seasons/{season.slug}/"
    for page in ("contestants/", *([] if kind == "elimination" else ["standings/"])):
        shown = client.get(url + page).text
        assert f'src="{picture.address(80)}" width=' in shown, page
        assert 'loading="lazy"' in shown
        assert shown.count('class="avatar avatar--') >= 3, "initials, where there is none"
    shown = client.get(url).text
    assert 'alt="The four of them"' in shown
    assert wide.address(600) in shown
    assert f'property="og:image" content="http://testserver{wide.address(1200)}"' in shown
    assert wide.address(600) in client.get("/seasons/").text
    client.force_login(orla)
    if kind == "elimination":
        assert picture.address(80) in client.get(f"{url}desk/episode/").text


def test_a_draft_has_its_drawing_for_links(orla: User, client: Client) -> None:
    season = enrolled(orla, 2)
    wide = put_up(orla, season)
    season_unlist(acting_user=orla, season=season)
    client.force_login(orla)
    shown = client.get(f"/seasons/{season.slug}/").text
    assert wide.address(600) in shown
    assert wide.address(1200) not in shown
    assert f"/seasons/{season.slug}/share.png" in shown


def test_programs_are_told_where_it_is(orla: User, client: Client) -> None:
    season = enrolled(orla, 2)
    picture, wide = put_up(orla, who(season, 1)), put_up(orla, season, alt="All")
    told = client.get(f"/api/v1/seasons/{season.slug}/").json()["picture"]
    assert told == {
        "alt": "All",
        "sizes": {str(n): f"http://testserver{wide.address(n)}" for n in (600, 1200)},
    }
    rows = client.get(f"/api/v1/seasons/{season.slug}/contestants/").json()["results"]
    by_name = {row["name"]: row["picture"] for row in rows}
    assert by_name["Player 2"] is None
    assert by_name["Player 1"] == {
        "alt": "Player 1",
        "sizes": {str(n): f"http://testserver{picture.address(n)}" for n in (80, 160, 480)},
    }


def test_organisers_programs_are_told_as_well(orla: User, client: Client) -> None:
    season = running(orla, 4)
    picture = put_up(orla, who(season, 1))
    _token, text = token_create(
        acting_user=orla, name="bot", scopes=["organise"], lasts=timedelta(days=1)
    )
    answer = client.post(
        f"/api/v1/seasons/{season.slug}/contestants/{who(season, 1).pk}/withdraw/", {"why": "Ill."},
        content_type="application/json", headers={"authorization": f"Bearer {text}"},
    )  # fmt: skip
    assert answer.status_code == 200
    assert answer.json()["picture"]["sizes"]["80"].endswith(picture.address(80))


def test_organisers_programs_are_told_of_many_at_the_cost_of_one(
    orla: User, client: Client
) -> None:
    season = enrolled(orla, 6)
    _token, text = token_create(
        acting_user=orla, name="bot", scopes=["organise"], lasts=timedelta(days=1)
    )

    def asked(pictures: int) -> int:
        for number in range(1, pictures + 1):
            put_up(orla, who(season, number))
        with CaptureQueriesContext(connection) as queries:
            answer = client.put(
                f"/api/v1/seasons/{season.slug}/seeds/", {"draw": True},
                content_type="application/json", headers={"authorization": f"Bearer {text}"},
            )  # fmt: skip
        assert answer.status_code == 200
        return sum("picture" in each["sql"] or "accounts_user" in each["sql"] for each in queries)

    asked(1)
    assert asked(5) == asked(1)


def test_whoever_takes_over_and_whoever_comes_along_has_none(orla: User) -> None:
    season = running(orla, 4)
    put_up(orla, season)
    put_up(orla, who(season, 1))
    heir = contestant_replace(
        acting_user=orla, contestant=who(season, 1), user=user_named("eve"), why="Ill.",
        at=after(minutes=1),
    )  # fmt: skip
    assert heir.picture is None
    made = season_clone(acting_user=orla, season=season, name="Winter", bringing="unseeded")
    assert made.picture is None
    assert set(made.contestants.values_list("picture", flat=True)) == {None}


# -- the page ------------------------------------------------------------------------------------


def test_contestants_put_up_their_own_on_a_page(orla: User, client: Client) -> None:
    season = enrolled(orla, 2)
    page = f"/seasons/{season.slug}/contestants/{who(season, 1).pk}/picture/"
    assert client.get(page).status_code == 404, "there is none"
    client.force_login(account(season, 1))
    shown = client.get(page)
    assert shown.status_code == 200
    assert 'accept="image/jpeg,image/png,image/webp"' in shown.text
    assert page in client.get(f"/seasons/{season.slug}/").text
    heic = b"\x00\x00\x00\x18ftypheic" + b"\x00" * 50
    answer = client.post(page, {"picture": uploaded(heic)})
    assert answer.status_code == 422
    assert "HEIC" in answer.text
    assert client.post(page, {}).status_code == 422
    assert client.post(page, {"picture": uploaded()}).status_code == 302
    picture = who(season, 1).picture
    assert picture is not None
    text = client.get(page).text
    assert f'src="{picture.address(480)}" width="480" height="480" alt="Player 1"' in text
    assert "accounts/report" not in text, "nobody reports their own"
    # Others look at it, and can report it.
    client.force_login(account(season, 2))
    text = client.get(page).text
    assert picture.address(480) in text
    assert 'type="file"' not in text
    assert f"/accounts/report/tournaments.picture/{picture.pk}/" in text
    assert client.post(page, {"picture": uploaded()}).status_code == 403
    assert client.post(page, {"remove": "yes"}).status_code == 403
    client.logout()
    assert picture.address(480) in client.get(page).text
    assert client.post(page, {"picture": uploaded()}).status_code == 302
    assert who(season, 1).picture == picture
    client.force_login(account(season, 1))
    assert client.post(page, {"remove": "yes"}).status_code == 302
    assert who(season, 1).picture is None


def test_organisers_put_up_the_seasons_on_a_page(orla: User, client: Client) -> None:
    season = enrolled(orla, 2)
    page = f"/seasons/{season.slug}/picture/"
    client.force_login(orla)
    assert client.post(page, {"picture": uploaded(), "alt": "x" * 201}).status_code == 422
    assert client.post(page, {"picture": uploaded(), "alt": "All"}).status_code == 302
    assert 'alt="All"' in client.get(page).text
    client.force_login(account(season, 1))
    assert 'alt="All"' in client.get(page).text
    assert client.post(page, {"picture": uploaded()}).status_code == 403


# -- how it goes ---------------------------------------------------------------------------------


def test_it_goes_with_the_account(orla: User) -> None:
    season = enrolled(orla, 2)
    put_up(orla, who(season, 1))
    kept = put_up(orla, who(season, 2))
    with committing():
        user_close(acting_user=moderator(), user=account(season, 1), reason="Asked for it.")
    assert list(Picture.objects.all()) == [kept]
    assert who(season, 1).picture is None
    assert audits("picture.forget")[0].who is None


def test_it_stays_where_two_accounts_become_one(orla: User) -> None:
    season = enrolled(orla, 2)
    duplicate = account(season, 1)
    picture = put_up(duplicate, who(season, 1))
    keep = user_named("keeper")
    with committing():
        user_merge(acting_user=moderator(), keep=keep, duplicate=duplicate, reason="The same.")
    picture.refresh_from_db()
    assert picture.by == keep
    assert who(season, 1).picture == picture


def test_what_is_reported_is_kept_until_the_moderators_have_seen_it(
    orla: User, client: Client
) -> None:
    season = enrolled(orla, 2)
    reader = account(season, 1)
    picture = put_up(reader, who(season, 1))
    report = report_file(
        acting_user=account(season, 2), target_type="tournaments.picture",
        target_id=str(picture.pk), reason="abuse", words="Look.",
    )  # fmt: skip
    assert report.about == reader
    put_up(reader, who(season, 1), content=photograph(OTHER))
    picture.refresh_from_db()
    assert picture.off_at is not None
    for other in (None, account(season, 2), orla):
        if other is not None:
            client.force_login(other)
        assert client.get(picture.address(80)).status_code == 404
    mona = moderator()
    client.force_login(mona)
    looks = AuditEntry.objects.filter(action="look.row", target_type="tournaments.picture")
    now = who(season, 1).picture
    assert now is not None
    assert client.get(now.address(80)).status_code == 200
    assert not looks.exists(), "everybody sees it"
    for _time in range(2):
        assert client.get(picture.address(80)).status_code == 200
    assert [(each.who, each.target_id) for each in looks] == [(mona, str(picture.pk))]
    row = f"/admin/tournaments/picture/{picture.pk}/change/"
    assert row in client.get(f"/admin/accounts/report/{report.pk}/change/").text
    assert picture.address(480) in client.get(row).text
    report_resolve(acting_user=mona, report=report, outcome=Report.Outcome.NO_BREACH)
    assert not Picture.objects.filter(pk=picture.pk).exists()


def test_what_is_up_stays_when_a_report_about_it_is_closed(orla: User) -> None:
    season = enrolled(orla, 2)
    picture = put_up(orla, who(season, 1))
    reports = [
        report_file(
            acting_user=account(season, each), target_type="tournaments.picture",
            target_id=str(picture.pk), reason="abuse", words="Look.",
        )
        for each in (1, 2)
    ]  # fmt: skip
    mona, done = moderator(), Report.Outcome.NO_BREACH
    report_resolve(acting_user=mona, report=reports[0], outcome=done)
    assert who(season, 1).picture == picture
    picture_remove(acting_user=orla, owner=who(season, 1))
    assert Picture.objects.filter(pk=picture.pk).exists(), "another report is open"
    report_resolve(acting_user=mona, report=reports[1], outcome=done)
    assert not Picture.objects.exists()


def test_whom_it_shows_is_told_what_others_do(orla: User) -> None:
    season = enrolled(orla, 3)
    put_up(account(season, 1), who(season, 1))
    picture_remove(acting_user=account(season, 1), owner=who(season, 1))
    put_up(orla, season)
    assert not Announcement.objects.filter(kind="season.picture").exists(), "their own doing"
    helper = user_named("hal")
    season.organisers.create(user=helper, role="helper", rights=["people"])
    put_up(helper, who(season, 1))
    picture_remove(acting_user=orla, owner=who(season, 1))
    told = Announcement.objects.filter(user=account(season, 1), kind="season.picture")
    up, off = [each.words for each in told.order_by("pk")]
    assert up.startswith(f"{helper.shown_name} has put up a picture of you in {season.name}. ")
    assert off == f"{orla.shown_name} has taken off your picture in {season.name}."
    assert Announcement.objects.filter(kind="season.picture").count() == 2
    season_unlist(acting_user=orla, season=season)
    put_up(orla, who(season, 2))
    assert Announcement.objects.filter(kind="season.picture").count() == 2, "nobody of a draft"


def test_helpers_for_people_put_up_those_of_contestants(orla: User) -> None:
    season = running(orla, 4)
    for number, right in enumerate(OF_HELPERS):
        helper = user_named(f"helper{number}")
        season.organisers.create(user=helper, role="helper", rights=[right])
        given = {"acting_user": helper, "content": photograph(), "at": START}
        refused("picture.not-yours", picture_set, owner=season, **given)
        if right == Right.PEOPLE:
            put_up(helper, who(season, 1))
            contestant_withdraw(acting_user=orla, contestant=who(season, 1), why="Ill.", at=START)
            put_up(helper, who(season, 1))
        else:
            refused("picture.not-yours", picture_set, owner=who(season, 1), **given)


def test_moderators_take_it_away_with_a_sentence(orla: User, client: Client) -> None:
    season = enrolled(orla, 2)
    reader = account(season, 1)
    picture = put_up(reader, who(season, 1))
    mona = moderator()
    for other in (orla, reader):
        refused(
            "picture.not-moderator", picture_take_away, acting_user=other, picture=picture,
            why="No.",
        )  # fmt: skip
    refused("why.missing", picture_take_away, acting_user=mona, picture=picture, why=" ")
    client.force_login(mona)
    listed = "/admin/tournaments/picture/"
    act = f"{listed}{picture.pk}/take-away/"
    assert act in client.get(f"{listed}{picture.pk}/change/").text
    assert client.post(act, {"reason": "Not of you."}, follow=True).status_code == 200
    assert not Picture.objects.exists()
    assert who(season, 1).picture is None
    told = Announcement.objects.get(user=reader)
    assert told.kind == "season.picture"
    assert "Player 1" in told.words
    assert "Not of you." in told.words
    assert audits("picture.take_away")[0].data["why"] == "Not of you."
    refused("picture.not-there", picture_take_away, acting_user=mona, picture=picture, why="No.")


def test_of_a_draft_moderators_see_nothing(orla: User, client: Client) -> None:
    season = enrolled(orla, 2)
    picture = put_up(orla, who(season, 1))
    season_unlist(acting_user=orla, season=season)
    mona = moderator()
    refused("picture.not-there", picture_take_away, acting_user=mona, picture=picture, why="No.")
    client.force_login(mona)
    assert f"picture/{picture.pk}/change" not in client.get("/admin/tournaments/picture/").text
