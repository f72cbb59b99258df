"""Places held for people who have no account yet, and the links to them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEntry, User
from accounts.site.registration import registration_set
from tests.games.support import committing, user_named
from tests.games.test_races import Threads
from tests.pages.support import words
from tests.tournaments.support import START, enrolled, organiser_named, refused
from tournaments.models import Contestant, Season, SeasonApplication, SeasonInvitation
from tournaments.services.contestants import held
from tournaments.services.contestants.departures import contestant_remove, contestant_return
from tournaments.services.contestants.enrolment import contestant_join
from tournaments.services.contestants.held import place_link_renew
from tournaments.services.contestants.invitations import (
    OPEN_MAX,
    invitation_accept,
    invitation_make,
    invitation_revoke,
)
from tournaments.services.contestants.rosters import FaultyRoster, contestants_import
from tournaments.services.preflight import preflight
from tournaments.services.seasons import season_unlist
from tournaments.services.starts import season_start


@pytest.fixture
def season(orla: User) -> Season:
    return enrolled(orla, 2, "swiss")


def hold(orla: User, season: Season, text: str = ",Benji,7") -> Contestant:
    (*_, made) = contestants_import(
        acting_user=orla, season=season, text=text, at=START
    ).contestants
    return made


def link_of(place: Contestant) -> SeasonInvitation:
    link = Contestant.objects.get(pk=place.pk).invitation
    assert link is not None
    return link


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="accounts.signin.backends.NameBackend")
    return client


# -- services ------------------------------------------------------------------------------------


def test_the_holder_takes_exactly_this_place(orla: User, season: Season) -> None:
    place = hold(orla, season)
    assert (place.user, place.name, place.seed, place.status) == (None, "Benji", 7, "enrolled")
    link, ada, ben = link_of(place), user_named("ada"), user_named("ben")
    revision = Season.objects.get(pk=season.pk).revision
    (taken,) = invitation_accept(acting_user=ada, invitation=link, at=START).contestants
    assert (taken.pk, taken.user, taken.name, taken.seed) == (place.pk, ada, "Benji", 7)
    assert Season.objects.get(pk=season.pk).revision > revision
    refused("invitation.taken", invitation_accept, acting_user=ben, invitation=link, at=START)
    refused("contestant.twice", invitation_accept, acting_user=ada, invitation=link, at=START)
    assert set(AuditEntry.objects.values_list("action", flat=True)) >= {"place.hold", "place.take"}


def test_nobody_takes_a_place_under_somebody_elses_name(orla: User, season: Season) -> None:
    user_named("cleopatra", display_name="Cleopatra")
    place = hold(orla, season, ",Cleopatra")
    ada = user_named("ada", display_name="Ada")
    (taken,) = invitation_accept(acting_user=ada, invitation=link_of(place)).contestants
    assert taken.name == "Ada"


def test_who_is_in_takes_no_second_place_and_who_was_is_enrolled_by_hand(
    orla: User, season: Season
) -> None:
    link = link_of(hold(orla, season))
    first = Contestant.objects.get(season=season, seed=1)
    assert first.user is not None
    arguments: dict[str, Any] = {"acting_user": first.user, "invitation": link, "at": START}
    refused("contestant.twice", invitation_accept, **arguments)
    contestant_remove(acting_user=orla, contestant=first, at=START)
    refused("place.was-in", invitation_accept, **arguments)


def test_a_link_ends_by_being_withdrawn_renewed_or_struck_off(orla: User, season: Season) -> None:
    place = hold(orla, season)
    first, ada = link_of(place), user_named("ada")
    second = place_link_renew(acting_user=orla, contestant=place, at=START)
    refused("invitation.revoked", invitation_accept, acting_user=ada, invitation=first)
    invitation_revoke(acting_user=orla, invitation=second, at=START)
    refused("invitation.revoked", invitation_accept, acting_user=ada, invitation=second)
    third = place_link_renew(acting_user=orla, contestant=place, at=START)
    contestant_remove(acting_user=orla, contestant=place, at=START)
    refused("invitation.taken", invitation_accept, acting_user=ada, invitation=third)
    refused("place.not-held", place_link_renew, acting_user=orla, contestant=place)
    other = hold(orla, season)
    rival = organiser_named("rival")
    refused("season.not-organiser", place_link_renew, acting_user=rival, contestant=other)
    invitation_accept(acting_user=ada, invitation=link_of(other), at=START)
    refused("place.not-held", place_link_renew, acting_user=orla, contestant=other)


def test_no_season_begins_with_places_that_nobody_has_taken(orla: User, season: Season) -> None:
    place = hold(orla, season)
    refused("season.places-held", season_start, acting_user=orla, season=season, at=START)
    stopping = [each for each in preflight(season, "start", orla) if each.stops]
    assert [each.code for each in stopping] == ["season.places-held"]
    assert "Benji" in stopping[0].sentence
    contestant_remove(acting_user=orla, contestant=place, at=START)
    season_start(acting_user=orla, season=season, at=START)
    text = ",Late"
    with pytest.raises(FaultyRoster) as refusal:
        contestants_import(acting_user=orla, season=season, text=text, at=START)
    assert "no place is held any more" in refusal.value.faults[0].sentence


def test_a_place_that_nobody_took_comes_back_to_nobody(orla: User, season: Season) -> None:
    place = hold(orla, season)
    contestant_remove(acting_user=orla, contestant=place, at=START)
    season_start(acting_user=orla, season=season, at=START)
    arguments: dict[str, Any] = {"acting_user": orla, "contestant": place, "why": "Here after all."}
    refused("place.untaken", contestant_return, **arguments)
    desk = signed_in(orla).get(f"/seasons/{season.slug}/desk/contestants/").content.decode()
    assert f"/desk/contestants/{place.pk}/return/" not in desk


def test_a_held_place_is_a_place_and_cannot_wait(orla: User) -> None:
    season = enrolled(orla, 2, "swiss", open_enrolment=True, places=3)
    place = hold(orla, season)
    ada = user_named("ada")
    assert contestant_join(acting_user=ada, season=season, at=START).waiting
    arguments: dict[str, Any] = {"acting_user": orla, "season": season, "at": START}
    refused("season.full", contestants_import, text=",Sally", **arguments)
    # Whoever waits may take a place that is held for them, and waits no more.
    invitation_accept(acting_user=ada, invitation=link_of(place), at=START)
    assert SeasonApplication.objects.get(user=ada).status == "admitted"


def test_each_line_that_is_at_fault_is_named(orla: User, season: Season) -> None:
    user_named("ada")
    text = (
        "username,name,seed,email\n"
        ",Benji,1,\n"
        ",Sally,0,\n"
        ",Tom,5,nowhere\n"
        ",Tim,6,\n"
        "ada,,6,\n"
        f",{'x' * 201},,\n"
        ",,3,\n"
    )
    with pytest.raises(FaultyRoster) as refusal:
        contestants_import(acting_user=orla, season=season, text=text, at=START)
    assert [each.line for each in refusal.value.faults] == [2, 3, 4, 5, 7, 8]
    assert not Contestant.objects.filter(season=season, user=None).exists()
    assert not SeasonInvitation.objects.exists()


@pytest.mark.parametrize(
    ("held_before", "text", "lines"),
    [
        # The same file once more, in whatever capitals and spaces.
        (",Benji\n,Sally", ",Benji\n,Sally", [1, 2]),
        (",Benji", ",bENJI", [1]),
        (",Benji Brave", ",benji  brave", [1]),
        ("name,email\nBenji,b@example.org", "name,email\nBenji,b@example.org", [2]),
        # Within one file.
        ("", ",Same One\n,same one", [2]),
        ("", "name,email\nBenji,b@example.org\nSally,B@example.org", [3]),
        # Whoever is in, or is entered by the same file.
        ("", ",player 1", [1]),
        ("", ",Player1", [1]),
        ("", ",cba\ncba", [1]),
        ("", "cba,Callum\n,CALLUM", [2]),
    ],
)
def test_nobody_has_two_places(
    orla: User, season: Season, held_before: str, text: str, lines: list[int]
) -> None:
    user_named("cba")
    if held_before:
        hold(orla, season, held_before)
    before = sorted(season.contestants.values_list("name", flat=True))
    mail.outbox.clear()
    with committing(), pytest.raises(FaultyRoster) as refusal:
        contestants_import(acting_user=orla, season=season, text=text, at=START)
    assert [each.line for each in refusal.value.faults] == lines
    assert mail.outbox == []
    assert sorted(season.contestants.values_list("name", flat=True)) == before


def test_a_place_that_was_taken_or_struck_off(orla: User, season: Season) -> None:
    """For whom it was held is in, whatever they are called; a place struck off is held again."""
    taken, struck_off = hold(orla, season, ",Cleopatra"), hold(orla, season, ",Benji")
    user_named("cleopatra")
    ada = user_named("ada", display_name="Ada")
    invitation_accept(acting_user=ada, invitation=link_of(taken), at=START)
    assert Contestant.objects.get(pk=taken.pk).name == "Ada"
    contestant_remove(acting_user=orla, contestant=struck_off, at=START)
    with pytest.raises(FaultyRoster) as refusal:
        hold(orla, season, ",Cleopatra\n,Benji\n,Ada")
    assert [each.line for each in refusal.value.faults] == [1, 3]
    hold(orla, season, ",Benji")


def test_links_to_places_do_not_use_up_the_others(orla: User, season: Season) -> None:
    hold(orla, season, "\n".join(f",Guest {n}" for n in range(OPEN_MAX)))
    invitation_make(acting_user=orla, season=season, at=START)


# -- by mail -------------------------------------------------------------------------------------


def test_a_link_is_sent_and_the_address_kept_nowhere(
    orla: User, season: Season, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held, "LETTERS_A_DAY", 2)
    text = "name,email\nBenji,benji@example.org\nSally,sally@example.org\nTom,"
    with committing():
        made = contestants_import(acting_user=orla, season=season, text=text, at=START).contestants
    assert [letter.to for letter in mail.outbox] == [["benji@example.org"], ["sally@example.org"]]
    body = str(mail.outbox[0].body)
    assert link_of(made[0]).get_absolute_url() in body
    assert link_of(made[1]).get_absolute_url() not in body
    assert body.startswith("Hello Benji,")
    for model in (AuditEntry, Contestant, SeasonInvitation):
        for row in model.objects.values():
            assert "@example.org" not in str(row)
    assert (
        "@example.org"
        not in signed_in(orla).get(f"/seasons/{season.slug}/desk/invitations/").content.decode()
    )
    more = "name,email\nTim,tim@example.org"
    with pytest.raises(FaultyRoster) as refusal:
        contestants_import(acting_user=orla, season=season, text=more, at=START)
    assert "At most 2 links a day" in refusal.value.faults[0].sentence
    later = START + timedelta(days=1, seconds=1)
    contestants_import(acting_user=orla, season=season, text=more, at=later)


def test_no_letter_leaves_a_draft(orla: User, season: Season) -> None:
    season_unlist(acting_user=orla, season=season, at=START)
    arguments: dict[str, Any] = {"acting_user": orla, "season": season, "at": START}
    with committing(), pytest.raises(FaultyRoster) as refusal:
        contestants_import(text="name,email\nBenji,benji@example.org", **arguments)
    assert "still a draft" in refusal.value.faults[0].sentence
    with committing():
        contestants_import(text="name,email\nBenji,", **arguments)
    assert mail.outbox == []


# -- two at once ---------------------------------------------------------------------------------


@pytest.fixture
def threads() -> Iterator[Threads]:
    threads = Threads(4)
    yield threads
    threads.close()


@pytest.mark.django_db(transaction=True)
def test_of_four_who_have_the_link_one_takes_the_place(
    orla: User, season: Season, threads: Threads
) -> None:
    link = link_of(hold(orla, season))
    users = [user_named(f"guest{n}") for n in range(4)]
    answers = threads.at_once(
        [partial(invitation_accept, acting_user=user, invitation=link) for user in users]
    )
    codes = sorted(str(getattr(each, "code", "")) for each in answers)
    assert codes == ["", *["invitation.taken"] * 3]
    assert season.contestants.filter(status="enrolled").count() == 3


# -- pages ---------------------------------------------------------------------------------------


def test_nobody_is_asked_to_register_while_registration_is_closed(
    orla: User, season: Season
) -> None:
    address = link_of(hold(orla, season)).get_absolute_url()
    desk = f"/seasons/{season.slug}/desk/invitations/"
    said, register = "Registration is closed at present", reverse("account_signup")
    for client, page in ((Client(), address), (signed_in(orla), desk)):
        assert said not in words(client.get(page))
    assert f"{register}?next=" in _below_the_header(Client().get(address))
    root = User.objects.get(username="root")
    registration_set(acting_user=root, is_open=False, words="Back on Monday.")
    shown = Client().get(address)
    assert said in words(shown)
    assert "Back on Monday." in words(shown)
    assert f"{register}?next=" not in _below_the_header(shown)
    assert said in words(signed_in(orla).get(desk))
    # To whoever has an account it makes no difference.
    assert said not in words(signed_in(user_named("ada")).get(address))


def _below_the_header(response: Any) -> str:
    content: bytes = response.content
    return content.decode().partition("</header>")[2]


@pytest.mark.parametrize("held_here", ["", "held", "struck off"])
@pytest.mark.parametrize("brought", [False, True])
def test_the_page_of_contestants_says_who_gave_a_name(
    orla: User, season: Season, held_here: str, brought: bool
) -> None:
    if held_here:
        place = hold(orla, season)
        if held_here == "struck off":
            contestant_remove(acting_user=orla, contestant=place, at=START)
    if brought:
        # What came with a restored season came by no link.
        Contestant.objects.filter(pk=season.contestants.earliest("pk").pk).update(user=None)
    shown = words(Client().get(f"/seasons/{season.slug}/contestants/"))
    assert ("No account here” means" in shown) is bool(held_here or brought)
    assert ("the organisers gave the name" in shown) is bool(held_here)
    assert ("another installation of this site gave the name" in shown) is brought


def test_the_desk_lists_the_links_and_one_leads_in(orla: User, season: Season) -> None:
    desk = signed_in(orla)
    people = f"/seasons/{season.slug}/desk/contestants/"
    address = f"/seasons/{season.slug}/desk/invitations/"
    sent = desk.post(people, {"text": ",Benji,7\n,Sally"}, follow=True)
    assert "0 enrolled. 2 held" in words(sent)
    place = Contestant.objects.get(name="Benji")
    link = link_of(place)
    page = desk.get(address)
    assert f'data-copy="http://testserver{link.get_absolute_url()}"' in page.content.decode()
    assert "Open links" not in words(page)
    for client in (Client(), signed_in(user_named("eve"))):
        shown = client.get(season.get_absolute_url()).content.decode()
        assert link.token not in shown
        assert "Benji" in shown
    visitor = Client()
    assert "A place is held for you as" in words(visitor.get(link.get_absolute_url()))
    ada = signed_in(user_named("ada"))
    assert "You are in." in words(ada.post(link.get_absolute_url(), follow=True))
    assert "Somebody has taken this place" in words(visitor.get(link.get_absolute_url()))
    assert link.token not in desk.get(address).content.decode()
    other = link_of(Contestant.objects.get(name="Sally"))
    act = f"{people}{Contestant.objects.get(name='Sally').pk}/link/"
    assert desk.post(act)["Location"] == address
    assert other.token not in desk.get(address).content.decode()
    newer = link_of(Contestant.objects.get(name="Sally"))
    assert newer.token in desk.get(address).content.decode()
    desk.post(address, {"revoke": str(newer.pk)})
    assert "Its link is withdrawn." in words(desk.get(address))
