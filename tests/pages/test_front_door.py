"""What brings players back: whose move it is, the next match, rematches, and links to accept by."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.blocking.services import block_create
from accounts.models import User
from accounts.moderation.sanctions import user_suspend
from games.audience import turns_group_of
from games.models import Challenge, Match
from games.ratings.course import match_judge_course
from games.reading.selectors import challenges_visible, match_next, matches_to_move, own_running
from games.services.challenges import (
    challenge_accept,
    challenge_cancel,
    challenge_decline,
    rematch_offer,
    rematch_standing,
)
from tests.games.support import SECOND, Play, Wire, committing, placing, refused, started
from tests.pages.support import challenge, conceded, forms, links, words

Visitor = Callable[..., Client]


# -- whose move it is ----------------------------------------------------------------------------


def waiting_for(user: User) -> list[int]:
    """As every page counts, and as the matches themselves say."""
    counted = sorted(matches_to_move(user))
    assert counted == sorted(each.match.pk for each in own_running(user) if each.to_move)
    return counted


def test_a_match_waits_for_whoever_is_to_decide(play: Play, ada: User, ben: User) -> None:
    """Both pick in secret: an answer that is in waits for nobody, and only its player is told."""
    assert (waiting_for(ada), waiting_for(ben)) == ([play.pk], [play.pk])
    play.move(0, "pick T", 1 * SECOND)
    assert (waiting_for(ada), waiting_for(ben)) == ([], [play.pk])
    play.move(1, "pick L", 2 * SECOND)
    play.move(0, "first", 3 * SECOND)
    assert (waiting_for(ada), waiting_for(ben)) == ([play.pk], [])
    play.move(0, "concede", 4 * SECOND)
    assert (waiting_for(ada), waiting_for(ben)) == ([], [])


def test_a_paused_match_waits_for_nobody(play: Play, ada: User, ben: User, orla: User) -> None:
    play.act(orla, "pause", SECOND)
    assert (waiting_for(ada), waiting_for(ben)) == ([], [])
    play.act(orla, "resume", 2 * SECOND)
    assert (waiting_for(ada), waiting_for(ben)) == ([play.pk], [play.pk])


def test_a_match_that_waits_for_its_players_waits_for_both(ada: User, ben: User) -> None:
    with committing():
        match = challenge_accept(acting_user=ben, challenge=challenge(ada, ben))
    assert match.waits_until is not None
    assert (waiting_for(ada), waiting_for(ben)) == ([match.pk], [match.pk])


def test_each_is_told_of_their_own_turns_alone(
    wire: Wire, play: Play, ada: User, ben: User
) -> None:
    """A secret choice is told to nobody but whose it is; and to no spectator, nothing."""
    wire.texts()

    def told() -> list[tuple[str, bool]]:
        return [(group, frame["waits"]) for group, frame in wire.frames("turn")]

    own, other = turns_group_of(ada.pk), turns_group_of(ben.pk)
    play.move(0, "pick T", 1 * SECOND)
    assert told() == [(own, False)]
    play.move(1, "pick L", 2 * SECOND)
    assert set(told()) == {(own, True), (other, False)}
    play.move(0, "first", 3 * SECOND)
    assert told() == [(own, True)]  # another decision of theirs, by another deadline
    play.move(0, "concede", 4 * SECOND)
    assert told() == [(own, False)]


def test_a_match_that_begins_tells_whom_it_waits_for(wire: Wire, ada: User, ben: User) -> None:
    match = started((ada, ben)).pk
    assert wire.frames("turn") == [
        (turns_group_of(user.pk), {"type": "turn", "match": match, "waits": True})
        for user in (ada, ben)
    ]


def test_home_begins_with_the_matches_that_wait(
    visitor: Visitor, ada: User, ben: User, cleo: User
) -> None:
    late = started((ada, cleo))
    soon = placing(started((ada, ben)))
    theirs = placing(started((ben, ada)))
    page = visitor(ada).get("/")
    text = words(page)
    assert "Your move (2)" in text
    assert "waiting for Ben" in text
    found = [int(n) for n in re.findall(r"/matches/(\d+)/", " ".join(links(page)))]
    first = [number for number in dict.fromkeys(found) if number in {late.pk, soon.pk, theirs.pk}]
    deadlines = {each.match.pk: each.deadline for each in own_running(ada) if each.to_move}
    assert first == [*sorted(deadlines, key=lambda pk: deadlines[pk] or timezone.now()), theirs.pk]
    assert text.index("Your move") < text.index("On stage now")
    part = visitor(ada).get("/", headers={"X-Fragment": "live"})
    assert "Your move (2)" in words(part)
    for other in (visitor(), visitor(cleo)):
        assert "Your move (2)" not in words(other.get("/"))


def test_every_page_says_how_many_wait_at_the_price_of_one_statement(
    visitor: Visitor, ada: User, ben: User
) -> None:
    client = visitor(ada)
    assert "No match waits for your move" in words(client.get("/rules/"))

    def asked() -> list[str]:
        with CaptureQueriesContext(connection) as queries:
            client.get("/rules/")
        return [q["sql"] for q in queries if "to_move" in q["sql"]]

    for _ in range(2):
        started((ada, ben))
    assert "2 matches wait for your move" in words(client.get("/rules/"))
    assert len(asked()) == 1
    assert "wait for your move" not in words(visitor().get("/rules/"))


def test_the_next_match_is_the_one_with_the_least_time(
    visitor: Visitor, ada: User, ben: User, cleo: User
) -> None:
    slow = started((ada, cleo), options={"pick_time": 86_400})
    quick = started((ada, ben))
    client = visitor(ada)
    assert client.get("/matches/next/")["Location"] == f"/matches/{quick.pk}/"
    after = client.get(f"/matches/next/?after={quick.pk}")
    assert after["Location"] == f"/matches/{slow.pk}/"
    assert after["Cache-Control"] == "private, no-store"
    # The header of a match's page leads away from it, too.
    for page, after_it in (("/rules/", ""), (f"/matches/{quick.pk}/", f"?after={quick.pk}")):
        told = client.get(page).content.decode()
        assert f'href="/matches/next/{after_it}" data-turns' in told, page
    conceded(slow)
    assert match_next(ada, after=quick.pk) == quick.match
    assert client.get("/matches/next/?after=x")["Location"] == f"/matches/{quick.pk}/"
    conceded(quick)
    nowhere = client.get("/matches/next/")
    assert nowhere["Location"] == "/lobby/"
    assert [str(each) for each in get_messages(nowhere.wsgi_request)] == [
        "No match waits for your move."
    ]
    assert visitor().get("/matches/next/")["Location"] == "/accounts/login/?next=/matches/next/"


def test_a_match_leads_to_the_next(visitor: Visitor, ada: User, ben: User, cleo: User) -> None:
    play, other = placing(started((ben, ada))), started((ada, cleo))
    client = visitor(ada)

    def link() -> str:
        content = client.get(f"/matches/{play.pk}/").content.decode()
        found = re.search(r'<p class="match__next"><a ([^>]*)>', content)
        assert found is not None
        return found[1]

    assert "hidden" not in link()
    conceded(other)
    assert "hidden" in link()
    page = visitor(cleo).get(f"/matches/{play.pk}/")
    assert "data-next-match" not in page.content.decode()


def test_whoever_sits_in_a_match_at_a_live_pace_looks_for_no_other(
    visitor: Visitor, ada: User, ben: User, cleo: User
) -> None:
    started((ada, cleo), options={"turn_time": 86_400})
    assert "Find an opponent" in visitor(ada).get("/lobby/").content.decode()
    play = started((ada, ben))
    lobby = visitor(ada).get("/lobby/").content.decode()
    assert "Find an opponent" not in lobby
    assert f'<a class="button button--primary" href="/matches/{play.pk}/">' in lobby
    assert '"Rematch?"' in visitor(ada).get(f"/matches/{play.pk}/").content.decode()
    conceded(play)
    assert "Find an opponent" in visitor(ada).get("/lobby/").content.decode()


# -- rematches -----------------------------------------------------------------------------------


def test_a_rematch_is_the_same_with_the_seats_changed(ada: User, ben: User) -> None:
    play = started((ada, ben), options={"turn_time": 86_400})
    conceded(play)
    with committing():
        offer = rematch_offer(acting_user=ada, match=play.match)
    assert (offer.challenger, offer.opponent, offer.options) == (ada, ben, {"turn_time": 86_400})
    assert rematch_standing(play.match, ben) == offer
    with committing():
        match = challenge_accept(acting_user=ben, challenge=offer)
    assert [player.user for player in match.players.all()] == [ben, ada]
    # Who sits where the advantage was has it.
    assert match.advantage == play.match.advantage == 0
    assert (match.ruleset, match.variant) == (play.match.ruleset, play.match.variant)


def test_a_rematch_of_what_counted_for_nothing_counts_for_nothing(ada: User, ben: User) -> None:
    play = started((ada, ben), unrated="Casual: it counts for no rating.")
    offer = rematch_offer(acting_user=ada, match=conceded(play))
    assert not offer.rated
    match = challenge_accept(acting_user=ben, challenge=offer)
    assert match.unrated
    assert rematch_offer(acting_user=ben, match=conceded(started((ada, ben)))).rated


def test_a_rematch_of_what_was_too_short_counts_as_the_first_would_have(
    ada: User, ben: User
) -> None:
    short = conceded(started((ada, ben)))
    assert match_judge_course(match_id=short.pk)
    offer = rematch_offer(acting_user=ada, match=Match.objects.get(pk=short.pk))
    assert offer.rated
    assert challenge_accept(acting_user=ben, challenge=offer).unrated == ""
    # What makes it casual besides still does: whoever offers it has the advantage now.
    gift = conceded(started((ada, ben), advantage=1))
    assert match_judge_course(match_id=gift.pk)
    again = rematch_offer(acting_user=ada, match=Match.objects.get(pk=gift.pk))
    assert "takes the advantage" in challenge_accept(acting_user=ben, challenge=again).unrated


def test_nobody_is_offered_a_rematch_by_somebody_they_have_blocked(ada: User, ben: User) -> None:
    match = conceded(started((ada, ben)))
    block_create(acting_user=ben, user=ada)
    offer = rematch_offer(acting_user=ada, match=match)
    assert rematch_standing(match, ada) == offer, "to her it is one that nobody answers"
    assert rematch_standing(match, ben) is None
    refused("challenge.blocked", rematch_offer, acting_user=ben, match=match)


def test_nobody_accepts_a_link_of_somebody_whom_they_keep_away(
    ada: User, ben: User, cleo: User, client: Client
) -> None:
    offer = challenge(ada, by_link=True)
    assert offer.token
    block_create(acting_user=ada, user=ben)
    late = refused(
        "challenge.not-open",
        challenge_accept,
        acting_user=ben,
        challenge=offer,
        token=offer.token,
    )
    taken = challenge(ada, by_link=True)
    challenge_accept(acting_user=cleo, challenge=taken, token=taken.token or "")
    same = refused(
        "challenge.not-open", challenge_accept, acting_user=ben, challenge=taken,
        token=taken.token,
    )  # fmt: skip
    assert (late.status, late.sentence) == (same.status, same.sentence)
    for user, status in ((ben, 404), (cleo, 200)):
        client.force_login(user, backend="accounts.signin.backends.NameBackend")
        assert client.get(offer.get_invite_url()).status_code == status


def test_of_two_who_offer_it_the_second_accepts(ada: User, ben: User) -> None:
    match = conceded(started((ada, ben)))
    with committing():
        first = rematch_offer(acting_user=ada, match=match)
        assert rematch_offer(acting_user=ada, match=match) == first
        second = rematch_offer(acting_user=ben, match=match)
    assert second == first
    assert second.match is not None
    # Whoever comes back to it is led to that match.
    assert rematch_offer(acting_user=ada, match=match).match == second.match
    assert Challenge.objects.count() == 1


def test_what_was_declined_or_lapsed_can_be_offered_again(ada: User, ben: User) -> None:
    match = conceded(started((ada, ben)))
    first = rematch_offer(acting_user=ada, match=match)
    challenge_decline(acting_user=ben, challenge=first)
    assert rematch_standing(match, ada) is None
    second = rematch_offer(acting_user=ben, match=match)
    Challenge.objects.filter(pk=second.pk).update(expires_at=timezone.now())
    assert rematch_standing(match, ada) is None
    third = rematch_offer(acting_user=ada, match=match)
    assert len({first.pk, second.pk, third.pk}) == 3
    second.refresh_from_db()
    assert second.status == "expired"


def test_who_may_offer_a_rematch(ada: User, ben: User, cleo: User) -> None:
    play = started((ada, ben))
    refused("rematch.not-over", rematch_offer, acting_user=ada, match=play.match)
    conceded(play)
    refused("rematch.not-yours", rematch_offer, acting_user=cleo, match=play.match)
    User.objects.filter(pk=ben.pk).update(is_active=False)
    refused("challenge.opponent-closed", rematch_offer, acting_user=ada, match=play.match)


def test_what_follows_a_match_of_something_else_is_not_its_players_to_say(
    ada: User, ben: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = conceded(started((ada, ben)))
    monkeypatch.setattr("games.extras._owners", [lambda asked: asked.pk == match.pk])
    refused("rematch.elsewhere", rematch_offer, acting_user=ada, match=match)
    assert visitor(ada).post(f"/matches/{match.pk}/rematch/").status_code == 409


def test_both_see_on_the_match_what_is_offered(
    visitor: Visitor, wire: Wire, ada: User, ben: User, cleo: User
) -> None:
    match = conceded(started((ada, ben)))
    address = f"/matches/{match.pk}/"
    assert f"{address}rematch/" in forms(visitor(ada).get(address))
    with committing():
        sent = visitor(ada).post(f"{address}rematch/")
    assert sent["Location"] == address
    offer = Challenge.objects.get()
    frames = wire.frames("challenge")
    assert {frame["rematch"] for _, frame in frames} == {match.pk}
    assert {group for group, _ in frames} == {f"user.{ada.pk}", f"user.{ben.pk}"}
    assert "You offer a rematch" in words(visitor(ada).get(address))
    theirs = visitor(ben).get(address)
    assert "Ada offers a rematch" in words(theirs)
    assert f"/challenges/{offer.pk}/accept/" in forms(theirs)
    part = visitor(ben).get(f"{address}rematch/")
    assert forms(part) == [f"/challenges/{offer.pk}/{each}/" for each in ("accept", "decline")]
    assert part["Cache-Control"] == "private, no-store"
    for other in (visitor(cleo), visitor()):
        assert "rematch" not in words(other.get(address)).lower()
    assert visitor(cleo).get(f"{address}rematch/").status_code == 403
    declined = visitor(ben).post(f"/challenges/{offer.pk}/decline/")
    assert declined["Location"] == address


# -- links ---------------------------------------------------------------------------------------


def by_link(user: User, **more: Any) -> Challenge:
    return challenge(user, by_link=True, **more)


def test_a_link_is_long_and_its_own(ada: User) -> None:
    tokens = {by_link(ada).token for _ in range(3)}
    assert len(tokens) == 3
    assert all(token is not None and len(token) == 32 for token in tokens)


def test_whoever_has_the_link_may_accept_once(
    visitor: Visitor, ada: User, ben: User, cleo: User
) -> None:
    offer = by_link(ada)
    path = offer.get_invite_url()
    assert path == f"/invite/{offer.token}/"
    page = visitor(ben).get(path)
    assert forms(page)[-1] == f"{path}accept/"
    assert page["X-Robots-Tag"] == "noindex"
    assert page["Cache-Control"] == "private, no-store"
    with committing():
        accepted = visitor(ben).post(f"{path}accept/")
    match = Match.objects.get()
    assert accepted["Location"] == f"/matches/{match.pk}/"
    assert [player.user for player in match.players.all()] == [ada, ben]
    # The players are led to it, and others are told that it has been used.
    for user in (ada, ben):
        assert visitor(user).get(path)["Location"] == f"/matches/{match.pk}/"
    assert "This link has been used" in words(visitor(cleo).get(path))
    late = visitor(cleo).post(f"{path}accept/")
    assert late.status_code == 409
    assert "no longer open" in words(late)


def test_whoever_is_not_signed_in_comes_back_to_it(visitor: Visitor, ada: User) -> None:
    path = by_link(ada).get_invite_url()
    page = visitor().get(path)
    assert {f"/accounts/login/?next={path}", f"/accounts/signup/?next={path}"} < {*links(page)}
    assert visitor().post(f"{path}accept/")["Location"] == f"/accounts/login/?next={path}"


def test_refusals_of_a_link(ada: User, ben: User, mona: User) -> None:
    offer = by_link(ada)
    token = offer.token or ""
    at = {"challenge": offer, "token": token}
    refused("challenge.yourself", challenge_accept, acting_user=ada, **at)
    for wrong in ("", "x", token[:-1]):
        refused(
            "challenge.not-for-you",
            challenge_accept,
            acting_user=ben,
            challenge=offer,
            token=wrong,
        )
    user_suspend(acting_user=mona, user=ben, reason="Shouting.", until=None)
    refused("setup.account-suspended", challenge_accept, acting_user=ben, **at)
    Challenge.objects.filter(pk=offer.pk).update(expires_at=timezone.now() - timedelta(minutes=1))
    refused("challenge.expired", challenge_accept, acting_user=mona, **at)
    gone = by_link(ada)
    challenge_cancel(acting_user=ada, challenge=gone)
    refused(
        "challenge.not-open",
        challenge_accept,
        acting_user=mona,
        challenge=gone,
        token=gone.token or "",
    )


def test_a_link_names_nobody(ada: User, ben: User) -> None:
    refused("challenge.link-names-somebody", challenge, challenger=ada, opponent=ben, by_link=True)


def test_a_link_is_told_to_nobody_else(
    visitor: Visitor, wire: Wire, ada: User, ben: User, mona: User
) -> None:
    """No list, frame, page or answer of the API has it, by whatever way somebody comes."""
    offer = by_link(ada, message="psst, only you")
    assert [group for group, _ in wire.frames()] == [f"user.{ada.pk}"]
    number, token = f"/challenges/{offer.pk}/", offer.token or ""
    for reader in (visitor(), visitor(ben), visitor(mona)):
        for address in ("/", "/lobby/", "/watch/", "/api/v1/challenges/", "/u/ada/"):
            content = reader.get(address).content.decode()
            assert not any(secret in content for secret in (token, "psst", number)), address
        assert reader.get(number).status_code == 404
        assert reader.get(f"/api/v1{number}").status_code == 404
        assert reader.get(f"/invite/{token[:-1]}/").status_code == 404
    assert visitor(ben).post(f"{number}accept/").status_code == 404
    admin = visitor(mona).get(f"/admin/games/challenge/{offer.pk}/change/")
    assert token not in admin.content.decode()
    assert not challenges_visible(ben).exists()


def test_its_challenger_has_it_to_copy_and_as_a_code(visitor: Visitor, ada: User) -> None:
    offer = by_link(ada)
    page = visitor(ada).get(f"/challenges/{offer.pk}/").content.decode()
    address = f"http://testserver/invite/{offer.token}/"
    assert f'value="{address}"' in page
    assert f'data-copy="{address}"' in page
    assert 'aria-label="QR code of the link"' in page
    assert "<svg" in page.partition("QR code of the link")[2]
    assert visitor(ada).get(f"/invite/{offer.token}/")["Location"] == f"/challenges/{offer.pk}/"
    challenge_cancel(acting_user=ada, challenge=offer)
    assert address not in visitor(ada).get(f"/challenges/{offer.pk}/").content.decode()


# -- the same over the API -----------------------------------------------------------------------

OFFER = {"ruleset": "tetronogo", "variant": "standard"}


def posted(client: Client, address: str, body: Any = None) -> Any:
    return client.post(address, body or {}, content_type="application/json")


def test_a_link_over_the_api(visitor: Visitor, ada: User, ben: User) -> None:
    made = posted(visitor(ada), "/api/v1/challenges/", {**OFFER, "open_to": "link"})
    assert made.status_code == 201, made.json()
    offer = made.json()
    token = Challenge.objects.get().token
    assert (offer["open_to"], offer["opponent"]) == ("link", None)
    assert offer["links"]["invite"].endswith(f"/invite/{token}/")
    seen = visitor(ben).get(f"/api/v1/invites/{token}/").json()
    assert (seen["id"], "invite" in seen["links"]) == (offer["id"], False)
    assert visitor().get("/api/v1/invites/none/").status_code == 404
    own = posted(visitor(ada), f"/api/v1/invites/{token}/accept/")
    assert (own.status_code, own.json()["code"]) == (409, "challenge.yourself")
    accepted = posted(visitor(ben), f"/api/v1/invites/{token}/accept/")
    assert accepted.status_code == 201, accepted.json()
    again = posted(visitor(ben), f"/api/v1/invites/{token}/accept/")
    assert again.json()["code"] == "challenge.not-open"


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"open_to": "link", "opponent": "ben"}, "challenge.link-names-somebody"),
        ({"open_to": "player"}, "challenge.open-to"),
        ({"open_to": "anybody", "opponent": "ben"}, "challenge.open-to"),
    ],
)
def test_whom_it_is_open_to_and_who_is_named_go_together(
    visitor: Visitor, ada: User, ben: User, more: dict[str, str], code: str
) -> None:
    answer = posted(visitor(ada), "/api/v1/challenges/", {**OFFER, **more})
    assert answer.status_code in {400, 409, 422}
    assert code in answer.content.decode()
    assert not Challenge.objects.exists()


def test_a_rematch_over_the_api(visitor: Visitor, ada: User, ben: User, cleo: User) -> None:
    match = conceded(started((ada, ben)))
    address = f"/api/v1/matches/{match.pk}/rematch/"
    assert posted(visitor(cleo), address).status_code == 403
    offered = posted(visitor(ada), address)
    assert offered.status_code == 201, offered.json()
    assert (offered.json()["rematch_of"], offered.json()["challenger_seat"]) == (match.pk, 1)
    accepted = posted(visitor(ben), address).json()
    assert accepted["match"] == Challenge.objects.get().match_id


# -- the form ------------------------------------------------------------------------------------

FORM = {
    "game": "tetronogo/standard", "pace": "normal", "advantage": "lot", "lasts": "1440",
}  # fmt: skip


@pytest.mark.parametrize(
    ("more", "opponent", "link"),
    [
        ({}, None, False),
        ({"open_to": "anybody"}, None, False),
        ({"open_to": "anybody", "opponent": "ben"}, "ben", False),
        ({"opponent": "ben"}, "ben", False),
        ({"open_to": "player", "opponent": "@Ben"}, "ben", False),
        ({"open_to": "link"}, None, True),
    ],
)
def test_whom_the_form_challenges(
    visitor: Visitor, ada: User, ben: User, more: dict[str, str], opponent: str | None, link: bool
) -> None:
    response = visitor(ada).post("/challenges/new/", FORM | more)
    made = Challenge.objects.get()
    assert response["Location"] == f"/challenges/{made.pk}/"
    assert (made.opponent and made.opponent.username, made.is_by_link) == (opponent, link)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"open_to": "player"}, "Please name the player."),
        ({"open_to": "link", "opponent": "ben"}, "please name nobody, or send no link"),
    ],
)
def test_whom_the_form_does_not(
    visitor: Visitor, ada: User, ben: User, more: dict[str, str], sentence: str
) -> None:
    page = visitor(ada).post("/challenges/new/", FORM | more)
    assert sentence in words(page)
    assert not Challenge.objects.exists()


def test_what_is_wrong_opens_what_it_is_in(visitor: Visitor, ada: User) -> None:
    client = visitor(ada)
    folded = '<details class="disclosure" data-more>'
    assert folded in client.get("/challenges/new/").content.decode()
    page = client.post("/challenges/new/", FORM | {"message": "x" * 300}).content.decode()
    assert folded not in page
    assert '<details class="disclosure" data-more open>' in page


def test_a_link_to_the_form_names_the_player(visitor: Visitor, ada: User) -> None:
    page = visitor(ada).get("/challenges/new/?opponent=ben").content.decode()
    assert re.search(r'value="player"[^>]* checked', page)
