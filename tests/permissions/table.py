"""The table: for each action who may do it, and how it is asked for on each surface."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from core.clock import now_utc
from tests.permissions.world import NONCE, Scene, Who, photograph
from tournaments.documents.export import season_export
from tournaments.formats.elimination.episodes import next_number
from tournaments.formats.elimination.standing import standing_now
from tournaments.models import Episode

Given = Callable[[Scene], Any]

# -- who -----------------------------------------------------------------------------------------

EVERYBODY = frozenset(Who)
OUTSIDE = {Who.SUSPENDED, Who.SUSPENDED_SEAT, Who.SUSPENDED_ORGANISER}
SIGNED_IN = EVERYBODY - {Who.NOBODY} - OUTSIDE
# Who runs the season, and of those who may decide about a death match: not about one's own.
MANAGE = frozenset({Who.ORGANISER, Who.CO_ORGANISER, Who.SEATED, Who.ADMIN})
OWN = frozenset({Who.ORGANISER, Who.ADMIN})
RULE = MANAGE - {Who.SEATED}
SHELVE = MANAGE | {Who.MODERATOR}
# A co-organiser needs no role on the site, and has none here.
SITE_ORGANISERS = MANAGE - {Who.CO_ORGANISER} | {Who.RIVAL}
# The helpers of a season, each with one right, and what they may besides.
HELPERS = frozenset({Who.FOR_EPISODES, Who.FOR_MATCHES, Who.FOR_PEOPLE, Who.FOR_LEDGER})
WITH_EPISODES = MANAGE | {Who.FOR_EPISODES}
WITH_PEOPLE = MANAGE | {Who.FOR_PEOPLE}
WITH_LEDGER = MANAGE | {Who.FOR_LEDGER}
TIME = RULE | {Who.FOR_EPISODES}
REFEREE = RULE | {Who.FOR_MATCHES}
WAGER = RULE | {Who.FOR_LEDGER}
MODERATE = frozenset({Who.MODERATOR, Who.ADMIN})
ADMIN_SITE = MODERATE
ON_SEAT_0 = frozenset({Who.SEAT_0, Who.MUTED_SEAT})
ON_SEATS = ON_SEAT_0 | {Who.SEAT_1, Who.SEATED}
RUNGS_BELOW = frozenset({Who.SEAT_1, Who.SEATED, Who.CONTESTANT})
PLACES = ON_SEATS | {Who.CONTESTANT}
# Whoever neither plays in the season nor runs it.
WATCHING = SIGNED_IN - PLACES - {Who.ORGANISER, Who.CO_ORGANISER}
# The same without whoever has played, and without administrators, who may do everything in it.
WATCHES = SIGNED_IN - PLACES - MANAGE - HELPERS - {Who.ELIMINATED}


# -- how -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Page:
    """A form of a page, by the name of its address."""

    name: str
    args: Given = lambda scene: [scene.season.slug]
    form: Given = lambda _scene: {}
    method: str = "post"
    # The admin site lets in moderators and administrators only.
    door: frozenset[Who] = EVERYBODY
    # Whom this surface lets do the same to others, by another right.
    also: frozenset[Who] = frozenset()
    # The action of the tables that the form belongs to (`core.actions`): "leg.void".
    action: str = ""


@dataclass(frozen=True)
class Api:
    """An endpoint; ``scope``: what a token needs. Organisers may need another one than players."""

    method: str
    name: str
    args: Given = lambda scene: [scene.season.slug]
    body: Given = lambda _scene: {}
    scope: str = "organise"
    also: frozenset[Who] = frozenset()
    scope_of: Mapping[Who, str] = field(default_factory=dict)
    # Of whom the body is at fault, by what they are.
    faulty_of: frozenset[Who] = frozenset()
    door: frozenset[Who] = EVERYBODY


@dataclass(frozen=True)
class Frame:
    """A frame on the socket of the scene's match."""

    kind: str
    frame: Given
    scope: str
    also: frozenset[Who] = frozenset()
    scope_of: Mapping[Who, str] = field(default_factory=dict)
    door: frozenset[Who] = EVERYBODY


Ask = Page | Api | Frame


@dataclass(frozen=True)
class Permission:
    """One action: in which scene, who may, and how it is asked for. ``reads``: it changes
    nothing, and is allowed where the answer is 200."""

    scene: str
    allowed: frozenset[Who]
    asks: tuple[Ask, ...]
    reads: bool = False


def admin(name: str, args: Given, form: Given = lambda _scene: {}, action: str = "") -> Page:
    """Something of the admin site: an action on a row, or on a list or its form (``action``)."""
    model, _, last = name.partition("_")[2].partition("_")
    action = action or f"{_ROWS[model]}.{last}"
    return Page(f"admin:{name}", args, form, door=ADMIN_SITE, action=action)


def act(name: str, *, what: str = "step", why: bool = False, form: Given | None = None) -> Page:
    """An action about a season, or a death match, or one of its legs, by its name on the desk."""

    def args(scene: Scene) -> list[Any]:
        if what == "match_act":
            return [scene.season.slug, scene.row.pk, name]
        if what == "leg_act":
            return [scene.season.slug, scene.row.pk, scene.leg.pk, name]
        if what == "round_act":
            return [scene.season.slug, scene.season.rounds.latest("number").number, name]
        return [scene.season.slug, name]

    given = form or (lambda _scene: WHY if why else {})
    return Page(f"tournaments:{what}", args, given, action=f"{_OF[what]}.{name}")


WHY = {"why": "because"}
# What the admin site's rows are called in the tables of actions.
_ROWS = {"season": "season", "chatmessage": "message", "puzzle": "puzzle",
         "picture": "picture", "pairruling": "pair-ruling"}  # fmt: skip
# What the addresses are about whose last word is the name of an action.
_OF = {"step": "season", "round_act": "round", "match_act": "death-match", "leg_act": "leg"}


def step(name: str, **more: Any) -> Api:
    """A step of a season over the API."""
    return Api("post", "api:season_steps", body=lambda _scene: {"step": name, **more})


def row(scene: Scene) -> list[int]:
    """The death match."""
    return [scene.row.pk]


def row_leg(scene: Scene) -> list[int]:
    """The first match of the death match."""
    return [scene.row.pk, 1]


def numbered(scene: Scene) -> list[Any]:
    """The latest round."""
    return [scene.season.slug, scene.season.rounds.latest("number").number]


def leg_page(scene: Scene) -> list[Any]:
    """The leg, as pages have it."""
    return [scene.season.slug, scene.row.pk, scene.leg.pk]


def won(scene: Scene, number: int = 1) -> dict[str, Any]:
    """That somebody has won."""
    return {"winner": scene.id(number), **WHY}


def result(how: str, number: int = 1) -> Api:
    """A result over the API."""
    return Api("post", "api:death_match_result", row, lambda s: {"how": how, **won(s, number)})


def a_choice(scene: Scene) -> dict[str, Any]:
    """Whom the EC of the latest episode chooses."""
    row = Episode.objects.filter(round__season=scene.season).latest("round__number")
    return {"seen": standing_now(row), "contestant": scene.id(3)}


def places(scene: Scene) -> dict[str, Any]:
    """Everybody's place in a main match: player 1 is last."""
    row = Episode.objects.filter(round__season=scene.season).latest("round__number")
    return {"seen": standing_now(row), **{f"place_{scene.id(n)}": 5 - n for n in (1, 2, 3, 4)}}


def upload(scene: Scene) -> dict[str, Any]:
    """The season as a file of another installation."""
    data = season_export(season=scene.season)
    data = data.replace(str(scene.season.uid).encode(), b"00000000-0000-4000-8000-000000000000")
    return {"document": SimpleUploadedFile("season.json", data)}


def a_picture(_scene: Scene) -> dict[str, Any]:
    """A picture, as somebody uploads one."""
    return {"picture": SimpleUploadedFile("me.jpg", photograph()), "alt": "All of us"}


def hook(scene: Scene) -> list[Any]:
    """The webhook."""
    return [scene.season.slug, scene.hook.pk]


def the_challenge(scene: Scene) -> list[int]:
    """The challenge."""
    return [scene.challenge.pk]


def the_invitation(scene: Scene) -> list[Any]:
    """The link by which people enter."""
    return [scene.season.slug, scene.invitation.token]


def crew(name: str, action: str) -> Given:
    """An action on the place of somebody who runs the season, or helps."""

    def args(scene: Scene) -> list[Any]:
        place = scene.season.organisers.get(user__username=name)
        return [scene.season.slug, place.pk, action]

    return args


def tomorrow() -> str:
    """A date as forms send it."""
    return f"{timezone.now() + timedelta(days=1):%Y-%m-%d}"


def the_proposal(scene: Scene, **more: Any) -> dict[str, Any]:
    """The times that seat 0 proposes, and what is answered."""
    return {"proposal": scene.proposal.pk, **more}


def the_hosted(scene: Scene) -> list[int]:
    """The hosted match."""
    return [scene.hosted.pk]


def said(room: str) -> Given:
    """Something to say in a room."""
    return lambda _s: {"type": "chat", "id": "new", "room": room, "text": "Hello"}


def concede(scene: Scene) -> dict[str, Any]:
    """Giving up, for whoever sits."""
    from games.store import read

    version = max(read(scene.match.pk).readers.versions)
    return {"id": "giving-up", "text": "concede", "version": version}


NEW_HOOK = {
    "name": "New", "url": "https://93.184.216.34/other", "flavour": "json",
    "kinds": ["season.started"],
}  # fmt: skip
OFFER = {"ruleset": "tetronogo", "variant": "standard", "advantage": "lot"}


def _offer_form(_scene: Scene) -> dict[str, Any]:
    return {
        "game": "tetronogo/standard", "pace": "normal", "advantage": "lot", "lasts": "60",
        "message": "",
    }  # fmt: skip


HOSTED = {"ruleset": "tetronogo", "variant": "standard", "first": "eve", "second": "player4"}
INVITED = ON_SEAT_0 | {Who.CONTESTANT}
SQUARE = b'<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>'


def _hosted_form(_scene: Scene) -> dict[str, Any]:
    return {
        "game": "tetronogo/standard", "pace": "normal", "advantage": "lot", "lasts": "60",
        "message": "", "first": "eve", "second": "player4",
    }  # fmt: skip


PERMISSIONS: dict[str, Permission] = {
    # -- a season's life ---------------------------------------------------------------------
    "open a season": Permission("draft", SITE_ORGANISERS, (
        Page("tournaments:season_new", lambda _s: [], lambda s: s.form(
            "tournaments:season_new", {"name": "New", "format": "swiss", "tie_1": "points"}),
            action="site.create"),
        Api("post", "api:seasons", lambda _s: [], lambda _s: {"name": "New", "format": "swiss"}),
    )),
    "restore a season": Permission("enrolling", SITE_ORGANISERS, (
        Page("tournaments:season_restore", lambda _s: [], upload, action="site.restore"),
    )),
    "change settings": Permission("enrolling", MANAGE, (
        Page("tournaments:settings", form=lambda s: s.form(
            "tournaments:settings", {"name": "Renamed"}, s.season.slug), action="desk.settings"),
        Api("patch", "api:season", body=lambda _s: {"summary": "New."}),
    )),
    "list a draft": Permission("draft", MANAGE, (
        act("list"), step("list"),
        admin("tournaments_season_list", lambda s: [s.season.pk]),
    )),
    "make it a draft again": Permission("enrolling", MANAGE, (act("unlist"), step("unlist"))),
    "start": Permission("enrolling", MANAGE, (act("start"), step("start"))),
    "call off": Permission("enrolling", OWN, (
        act("cancel", why=True), step("cancel", **WHY),
        admin("tournaments_season_cancel", lambda s: [s.season.pk],
              lambda s: {**WHY, "typed": s.season.slug}),
    )),
    "archive": Permission("cancelled", SHELVE, (
        act("archive"), step("archive"),
        admin("tournaments_season_archive", lambda s: [s.season.pk]),
        admin("tournaments_season_changelist", lambda _s: [],
              lambda s: {"action": "archive_seasons", "_selected_action": s.season.pk},
              "seasons.archive_seasons"),
    )),
    "list again": Permission("archived", SHELVE, (
        act("list"), step("list"),
        admin("tournaments_season_list", lambda s: [s.season.pk]),
    )),
    "make another season like it": Permission("archived", MANAGE - {Who.CO_ORGANISER}, (
        act("clone", form=lambda _s: {"name": "The next one", "bringing": "placed"}),
    )),
    "change what is archived": Permission("archived", frozenset(), (
        Page("tournaments:settings", form=lambda s: {"name": "Renamed"}, action="desk.settings"),
        Api("patch", "api:season", body=lambda _s: {"summary": "New."}),
    )),
    "end by the order": Permission("played out", RULE, (
        Page("tournaments:conclude", form=lambda s: {"opponent": s.id(1)}, action="desk.conclude"),
        Api("post", "api:season_steps", body=lambda s: {"step": "finish", "winner": s.id(1)}),
    )),
    "ask somebody to help": Permission("enrolling", MANAGE, (
        Page("tournaments:organisers", action="desk.organisers",
             form=lambda _s: {"user": "rival", "role": "helper", "rights": ["matches"]}),
    )),
    "make a link to help by": Permission("enrolling", MANAGE, (
        Page("tournaments:organisers", form=lambda _s: {"user": "", "role": "organiser"},
             action="desk.organisers"),
    )),
    "ask somebody no more": Permission("asked to help", MANAGE, (
        Page("tournaments:organisers", form=lambda s: {"withdraw": s.asked.pk},
             action="asked.withdraw"),
    )),
    "say yes to helping": Permission("asked to help", frozenset({Who.PLAYER, Who.MUTED}), (
        Page("tournaments:helping", lambda s: [s.season.slug, s.asked.token],
             lambda _s: {"accept": "yes"}, action="asked.accept"),
    )),
    "say no to helping": Permission("asked to help", frozenset({Who.PLAYER, Who.MUTED}), (
        Page("tournaments:helping", lambda s: [s.season.slug, s.asked.token],
             lambda _s: {"decline": "yes"}, action="asked.decline"),
    )),
    "change what a helper may do": Permission("enrolling", MANAGE, (
        Page("tournaments:organiser_act", crew("leo", "change"),
             lambda _s: {"role": "helper", "rights": ["people"]}, action="organiser.change"),
    )),
    "remove a helper": Permission("enrolling", MANAGE, (
        Page("tournaments:organiser_act", crew("leo", "remove"), action="organiser.remove"),
    )),
    "stop helping": Permission("enrolling", frozenset({Who.FOR_LEDGER}), (
        Page("tournaments:organiser_act", crew("leo", "leave"), action="organiser.leave"),
    )),
    "hand the season over": Permission("enrolling", OWN, (
        Page("tournaments:organiser_act", crew("olin", "hand-over"),
             action="organiser.hand-over"),
    )),
    "make an invitation link": Permission("enrolling", WITH_PEOPLE, (
        Page("tournaments:invitations", form=lambda _s: {"note": "For the channel", "lasts": "7"},
             action="desk.invite"),
    )),
    "write to contestants": Permission("enrolling", WITH_PEOPLE, (
        Page("tournaments:desk_messages", action="desk.message",
             form=lambda _s: {"whom": "still-in", "title": "Tonight", "words": "At eight."}),
    )),
    "put up the season's picture": Permission("pictured", MANAGE, (
        Page("tournaments:season_picture", form=a_picture, action="season-picture.set"),
    )),
    "take the season's picture off": Permission("pictured", MANAGE, (
        Page("tournaments:season_picture", form=lambda _s: {"remove": "yes"},
             action="season-picture.remove"),
    )),
    "put up a contestant's picture": Permission("pictured", WITH_PEOPLE | {Who.SEAT_0}, (
        Page("tournaments:contestant_picture", lambda s: [s.season.slug, s.id(1)], a_picture,
             action="contestant-picture.set"),
    )),
    "take a contestant's picture off": Permission("pictured", WITH_PEOPLE | ON_SEAT_0, (
        Page("tournaments:contestant_picture", lambda s: [s.season.slug, s.id(1)],
             lambda _s: {"remove": "yes"}, action="contestant-picture.remove"),
    )),
    "put up a main match's picture": Permission("main match pictured", WITH_EPISODES, (
        Page("tournaments:main_match_pictures", numbered, a_picture,
             action="main-match-picture.add"),
    )),
    "take a main match's picture off": Permission("main match pictured", WITH_EPISODES, (
        Page("tournaments:main_match_pictures", numbered, lambda s: {"remove": f"{s.hung.pk}"},
             action="main-match-picture.remove"),
    )),
    "take a picture away": Permission("pictured", MODERATE, (
        admin("tournaments_picture_take-away", lambda s: [s.picture.pk],
              lambda _s: {"reason": "because"}),
    )),
    "withdraw an invitation link": Permission("enrolling", WITH_PEOPLE, (
        Page("tournaments:invitations", form=lambda s: {"revoke": s.invitation.pk},
             action="invitation.revoke"),
    )),
    # -- who would enter ---------------------------------------------------------------------
    "apply": Permission("applying", SIGNED_IN - PLACES, (
        Page("tournaments:join", form=lambda _s: {"words": "I play."}, action="own.apply"),
    )),
    "take an application back": Permission("applied", frozenset({Who.PLAYER, Who.MUTED}), (
        Page("tournaments:join", form=lambda _s: {"take-back": "yes"}, action="own.take-back"),
    )),
    "approve an application": Permission("applied", WITH_PEOPLE, (
        Page("tournaments:application_act",
             lambda s: [s.season.slug, s.application.pk, "approve"], action="application.approve"),
    )),
    "approve several": Permission("applied", WITH_PEOPLE, (
        Page("tournaments:applications", form=lambda s: {"tick": s.application.pk},
             action="applications.approve-many"),
    )),
    "decline an application": Permission("applied", WITH_PEOPLE, (
        Page("tournaments:application_act",
             lambda s: [s.season.slug, s.application.pk, "decline"], action="application.decline"),
    )),
    "let somebody apply again": Permission("applied", WITH_PEOPLE, (
        Page("tournaments:application_act",
             lambda s: [s.season.slug, s.declined.pk, "allow"], action="application.allow"),
    )),
    # -- who is there ------------------------------------------------------------------------
    "open check-in": Permission("enrolling", WITH_PEOPLE, (
        Page("tournaments:check_in_desk",
             form=lambda _s: {"until": (now_utc() + timedelta(hours=1)).isoformat()},
             action="check-in.open"),
    )),
    "call check-in off": Permission("checking in", WITH_PEOPLE, (
        Page("tournaments:check_in_desk", form=lambda _s: {"close": "yes"},
             action="check-in.close"),
    )),
    "strike the absent off": Permission("checked in", WITH_PEOPLE, (
        Page("tournaments:strike_absent", action="check-in.strike-absent"),
    )),
    "check somebody in": Permission("checking in", WITH_PEOPLE, (
        Page("tournaments:check_in_desk", form=lambda s: {"contestant": s.id(4)},
             action="check-in.contestant"),
    )),
    "check in": Permission("checking in", PLACES, (
        Page("tournaments:check_in", action="own.check-in"),
    )),
    # -- people ------------------------------------------------------------------------------
    "ask people to confirm their addresses": Permission("enrolling", WITH_PEOPLE, (
        Page("tournaments:roster", form=lambda _s: {"confirm": "all"}, action="roster.confirm"),
    )),
    "enrol somebody": Permission("enrolling", WITH_PEOPLE, (
        Page("tournaments:roster", form=lambda s: {"user": s.world.users["eve"].pk},
             action="roster.enrol"),
        Api("post", "api:season_contestants",
            body=lambda _s: {"contestants": [{"username": "eve"}]}),
    )),
    "enrol a list": Permission("enrolling", WITH_PEOPLE, (
        Page("tournaments:roster", form=lambda _s: {"text": "eve"}, action="roster.enrol-many"),
    )),
    "enrol oneself": Permission(
        "enrolling",
        SIGNED_IN - PLACES,
        (Page("tournaments:join", action="own.join"),),
    ),
    "enter by an invitation link": Permission("enrolling", SIGNED_IN - PLACES, (
        Page("tournaments:invited", the_invitation, action="own.accept"),
    )),
    "take a place that is held": Permission("held", SIGNED_IN - PLACES, (
        Page("tournaments:invited", the_invitation, action="own.accept"),
    )),
    "make the link to a held place anew": Permission("held", WITH_PEOPLE, (
        Page("tournaments:contestant_act", lambda s: [s.season.slug, s.place.pk, "link"],
             action="contestant.link"),
    )),
    "strike off": Permission("enrolling", WITH_PEOPLE, (
        Page("tournaments:contestant_act", lambda s: [s.season.slug, s.id(4), "remove"],
             action="contestant.remove"),
    )),
    "withdraw somebody": Permission("between", WITH_PEOPLE, (
        Page("tournaments:contestant_act", lambda s: [s.season.slug, s.id(4), "withdraw"],
             lambda _s: WHY, action="contestant.withdraw"),
        Api("post", "api:contestant_withdraw", lambda s: [s.season.slug, s.id(4)], lambda _s: WHY),
    )),
    "withdraw oneself": Permission("between", PLACES, (
        Page("tournaments:withdraw", form=lambda _s: WHY, action="own.leave"),
        Api("post", "api:contestant_withdraw", lambda s: [s.season.slug, s.me], lambda _s: WHY,
            also=WITH_PEOPLE, scope_of=dict.fromkeys(PLACES, "play")),
    )),
    "replace somebody": Permission("between", WITH_PEOPLE, (
        Page("tournaments:contestant_act", lambda s: [s.season.slug, s.id(4), "replace"],
             lambda _s: {"user": "eve", **WHY}, action="contestant.replace"),
        Api("post", "api:contestant_replace", lambda s: [s.season.slug, s.id(4)],
            lambda _s: {"username": "eve", **WHY}),
    )),
    "bring somebody back": Permission("left", WITH_PEOPLE, (
        Page("tournaments:contestant_act", lambda s: [s.season.slug, s.id(4), "return"],
             lambda _s: WHY, action="contestant.return"),
        Api("post", "api:contestant_return", lambda s: [s.season.slug, s.id(4)], lambda _s: WHY),
    )),
    "set seeds": Permission("enrolling", WITH_PEOPLE, (
        Page("tournaments:seeds", form=lambda s: {
            f"seed_{s.id(n)}": 5 - n for n in (1, 2, 3, 4)}, action="desk.seeds"),
        Api("put", "api:season_seeds",
            body=lambda s: {"seeds": {str(s.id(n)): 5 - n for n in (1, 2, 3, 4)}}),
    )),
    "draw seeds": Permission("enrolling", WITH_PEOPLE, (
        Page("tournaments:seeds", form=lambda _s: {"draw": "1"}, action="desk.draw-seeds"),
        Api("put", "api:season_seeds", body=lambda _s: {"draw": True}),
    )),
    # -- rounds ------------------------------------------------------------------------------
    "open an episode": Permission("between", WITH_EPISODES, (
        Page("tournaments:episode_open", action="next-round.episode"),
        Api("post", "api:season_rounds"),
    )),
    "record the next main match": Permission("between", WITH_EPISODES, (
        Page("tournaments:episode", form=lambda s: {
            "order": s.id(3), "others_safe": "on", "seen": f"{next_number(s.season)}"},
             action="next-round.main-match"),
    )),
    "record a main match": Permission("main match", WITH_EPISODES, (
        Page("tournaments:placements", numbered, places, action="round.placements"),
        Api("post", "api:episode_placements", numbered, lambda s: {"placements": [
            {"contestant": s.id(n), "place": 5 - n} for n in (1, 2, 3, 4)]}),
    )),
    "save the scores of a main match": Permission("main match", WITH_EPISODES, (
        Page("tournaments:scores", numbered, lambda s: {
            "width": "1", "seen": "0", "name_0": "Points", "counts_0": "on",
            f"cell_{s.id(1)}_0": "5"}, action="round.scores"),
    )),
    "choose the DMO": Permission("choosing", WITH_EPISODES | ON_SEAT_0, (
        Page("tournaments:choose", numbered, a_choice, action="round.choose"),
        Api("post", "api:episode_dmo", numbered, lambda s: {"contestant": s.id(3)},
            scope="organise", scope_of=dict.fromkeys(ON_SEAT_0, "play")),
    )),
    "skip an episode": Permission("choosing", WITH_EPISODES, (
        act("skip", what="round_act", why=True),
    )),
    "open the final": Permission("two left", WITH_EPISODES, (
        Page("tournaments:final", form=lambda s: s.form(
            "tournaments:final", {}, s.season.slug), action="next-round.final"),
        Api("post", "api:season_rounds"),
    )),
    "pair a round": Permission("round played", WITH_EPISODES, (
        Page("tournaments:pair", action="next-round.pair"),
        Api("post", "api:season_rounds"),
    )),
    "pair a round by hand": Permission("round played", TIME, (
        Page("tournaments:pair_by_hand", form=lambda s: s.form(
            "tournaments:pair_by_hand", {}, s.season.slug), action="next-round.pair-by-hand"),
        Api("post", "api:season_rounds", body=lambda s: {"pairings": [
            {"home": s.id(home), "away": s.id(away)} for home, away in ((1, 2), (3, 4))]}),
    )),
    "close a round": Permission("reopened", WITH_EPISODES, (act("close", what="round_act"),)),
    "reopen a round": Permission("between", MANAGE, (act("reopen", what="round_act", why=True),)),
    "enter a ladder challenge": Permission("ladder", WITH_EPISODES, (
        Page("tournaments:challenge_enter", lambda s: [s.season.slug, s.id(2)],
             lambda s: {"opponent": s.id(1)}, action="challenges.enter"),
        Api("post", "api:season_rounds",
            body=lambda s: {"pairings": [{"home": s.id(2), "away": s.id(1)}]}),
    )),
    "challenge on the ladder": Permission("ladder", RUNGS_BELOW, (
        Page("tournaments:challenge", form=lambda s: {"opponent": s.id(1)},
             action="challenges.challenge"),
    )),
    # -- death matches -----------------------------------------------------------------------
    "set the rules": Permission("planned", REFEREE, (
        act("rules", what="match_act", form=lambda _s: {
            "game": "domino-wars/standard", "turn_time": "", "reserve": ""}),
        Api("patch", "api:death_match", row,
            lambda _s: {"ruleset": "domino-wars", "variant": "standard"}),
    )),
    "choose rules as the lower seed": Permission("bracket", frozenset({Who.SEAT_1, Who.SEATED}), (
        Page("tournaments:rules", lambda s: [s.season.slug, s.row.pk],
             lambda _s: {"game": "tetronogo/standard"}, action="own.choose-rules"),
        Api("patch", "api:death_match", row,
            lambda _s: {"ruleset": "tetronogo", "variant": "standard"}, also=REFEREE,
            scope_of=dict.fromkeys((Who.SEAT_1, Who.SEATED), "play")),
    )),
    "set a time": Permission("planned", TIME, (
        act("schedule", what="leg_act", form=lambda _s: {"when": "2030-05-17T20:00"}),
        Page("tournaments:round_times", numbered,
             lambda s: {f"when_{s.row.pk}": "2030-05-17T20:00"}, action="round.times"),
        Api("patch", "api:death_match", row,
            lambda _s: {"scheduled_at": "2030-05-17T20:00:00Z"}),
        Api("put", "api:season_round_schedule", numbered, lambda s: {"times": [
            {"death_match": s.row.pk, "scheduled_at": "2030-05-17T20:00:00Z"}]}),
    )),
    "begin a match": Permission("planned", REFEREE, (act("start", what="leg_act"),)),
    "give a walkover": Permission("planned", REFEREE, (
        act("walkover", what="match_act", form=won), result("walkover"),
    )),
    "declare a winner": Permission("running", REFEREE, (
        act("declare", what="match_act", form=won), result("ruling"),
    )),
    "correct a result": Permission("decided", RULE, (
        act("correct", what="match_act", form=lambda s: won(s, 2)), result("correction", 2),
    )),
    "reopen a decision": Permission("ruled", RULE, (act("reopen", what="match_act", why=True),)),
    "call a death match off": Permission("planned", RULE, (
        act("void", what="match_act", why=True),
    )),
    "have a match replayed": Permission("running", RULE, (
        act("void", what="leg_act", why=True),
        Api("post", "api:leg_replay", row_leg, lambda _s: WHY),
    )),
    "say when one is free": Permission("planned", SIGNED_IN, (
        Page("tournaments:free_hours", lambda _s: [],
             lambda _s: {"zone": "UTC", "hours": ["20", "21"]}, action="free-hours.week"),
    )),
    "say that one is free on a date": Permission("planned", SIGNED_IN, (
        Page("tournaments:free_hours", lambda _s: [], lambda s: {
            "date": f"{tomorrow()}", "kind": "also",
            "first": "18", "until": "22", "zone": "UTC",
        }, action="free-hours.date"),
    )),
    "forget a date": Permission("proposed", ON_SEAT_0, (
        Page("tournaments:free_hours", lambda _s: [], lambda s: {"drop": s.own_date.pk},
             action="free-hours.drop"),
    )),
    "propose times": Permission("planned", ON_SEATS, (
        Page("tournaments:times", leg_page,
             lambda s: {"other_1": f"{tomorrow()}T20:00"},
             action="own.propose-times"),
    )),
    "accept a time": Permission("proposed", frozenset({Who.SEAT_1, Who.SEATED}), (
        Page("tournaments:times_answer", leg_page,
             lambda s: the_proposal(s, accept=s.proposal.times[0].isoformat()),
             action="own.accept-time"),
    )),
    "decline times": Permission("proposed", frozenset({Who.SEAT_1, Who.SEATED}), (
        Page("tournaments:times_answer", leg_page, lambda s: the_proposal(s, decline="yes"),
             action="own.decline-times"),
    )),
    "take proposed times back": Permission("proposed", ON_SEAT_0, (
        Page("tournaments:times_answer", leg_page, lambda s: the_proposal(s, withdraw="yes"),
             action="own.withdraw-times"),
    )),
    "remind of a time": Permission("proposed", TIME, (
        act("remind", what="leg_act"),
        Page("tournaments:open_times", form=lambda s: {"remind": s.leg.pk}, action="leg.remind"),
    )),
    "be ready": Permission("planned", ON_SEATS, (
        Page("tournaments:ready", leg_page, action="own.confirm"),
        Api("put", "api:leg_ready", row_leg, lambda _s: {"ready": True}, scope="play"),
    )),
    "be ready no more": Permission("both ready", ON_SEATS, (
        Page("tournaments:ready", leg_page, lambda _s: {"ready": "no"}, action="own.unconfirm"),
        Api("put", "api:leg_ready", row_leg, lambda _s: {"ready": False}, scope="play"),
    )),
    # -- watching ----------------------------------------------------------------------------
    "follow a season": Permission("planned", WATCHING, (
        Page("tournaments:follow", action="own.follow"),
        Api("post", "api:season_follow", scope="play"),
    )),
    "unfollow a season": Permission("followed", frozenset({Who.PLAYER, Who.MUTED}), (
        Page("tournaments:follow", form=lambda _s: {"follow": "no"}, action="own.unfollow"),
        Api("delete", "api:season_follow", scope="play"),
    )),
    # -- items -------------------------------------------------------------------------------
    "bring an item": Permission("gifted", ON_SEAT_0, (
        Page("tournaments:declare", leg_page, lambda s: {"gift": s.gift.pk}, action="own.bring"),
    )),
    "leave an item at home": Permission("both ready", ON_SEAT_0, (
        Page("tournaments:declare", leg_page, lambda s: {"gift": s.gift.pk, "bring": "no"},
             action="own.leave-at-home"),
    )),
    "give an item": Permission("gifted", frozenset({Who.ELIMINATED}), (
        Page("tournaments:give", form=lambda s: {
            "item": f"{s.gift.item}@{s.gift.ruleset}", "receiver": s.id(1),
            "death_match": s.row.pk}, action="own.give"),
        Api("post", "api:season_items", also=TIME, faulty_of=ON_SEAT_0, body=lambda s: {
            "item": s.gift.item, "ruleset": s.gift.ruleset, "giver": s.id(5), "receiver": s.id(1),
            "death_match": s.row.pk}, scope_of={Who.ELIMINATED: "play"}),
    )),
    "grant an item": Permission("gifted", TIME, (
        Page("tournaments:ledger", form=lambda s: {
            "item": f"{s.gift.item}@{s.gift.ruleset}", "receiver": s.id(1)}, action="items.give"),
        # Whoever it is for would grant it to themselves.
        Api("post", "api:season_items", faulty_of=ON_SEAT_0, body=lambda s: {
            "item": s.gift.item, "ruleset": s.gift.ruleset, "receiver": s.id(1)}),
    )),
    "take an item back": Permission("gifted", RULE, (
        Page("tournaments:item_take_back", lambda s: [s.season.slug, s.gift.pk], lambda _s: WHY,
             action="gift.take-back"),
        Api("post", "api:season_item_take_back", lambda s: [s.season.slug, s.gift.pk],
            lambda _s: WHY),
    )),
    # -- what is traded ----------------------------------------------------------------------
    "give something": Permission("trading", PLACES | {Who.ELIMINATED}, (
        Page("tournaments:pay", form=lambda s: {"payee": s.id(4), "unit": "currency", "amount": 1},
             action="own.pay"),
    )),
    "use a token": Permission("trading", PLACES, (
        Page("tournaments:use_token", action="own.immunity"),
    )),
    "say what one wagers": Permission("wagering", ON_SEATS, (
        Page("tournaments:wager", lambda s: [s.season.slug, s.row.pk], lambda _s: {"amount": 1},
             action="own.wager"),
    )),
    "set a wager": Permission("wagering", WAGER, (
        act("wager", what="match_act", form=lambda _s: {"amount": 1}),
    )),
    "enter what was won": Permission("trading", WITH_LEDGER, (
        Page("tournaments:treasury", form=lambda s: {
            "contestants": [s.id(4)], "unit": "currency", "amount": 1, "why": "won"},
            action="treasury.grant"),
    )),
    "enter a token that is used": Permission("trading", WAGER, (
        Page("tournaments:treasury_token", form=lambda s: {"contestant": s.id(3)},
             action="treasury.immunity"),
    )),
    "take an entry back": Permission("trading", MANAGE, (
        Page("tournaments:treasury_correct", lambda s: [s.season.slug, s.entry.pk],
             lambda _s: WHY, action="entry.correct"),
    )),
    **{
        f"read {name}": Permission("trading", WITH_LEDGER, (
            Page(name, method="get"),
        ), reads=True)
        for name in ("tournaments:treasury", "tournaments:treasury_file")
    },
    # -- webhooks ----------------------------------------------------------------------------
    "make a webhook": Permission("watched", MANAGE, (
        Page("webhooks:new", form=lambda _s: NEW_HOOK, action="webhooks.make"),
        Api("post", "api:webhooks", body=lambda _s: NEW_HOOK),
    )),
    "change a webhook": Permission("watched", MANAGE, (
        Page("webhooks:edit", hook, lambda _s: NEW_HOOK, action="webhook.change"),
        Api("patch", "api:webhook", hook, lambda _s: {"name": "New"}),
    )),
    "switch a webhook": Permission("watched", MANAGE, (
        Page("webhooks:switch", hook, action="webhook.switch-off"),
        Api("patch", "api:webhook", hook, lambda _s: {"active": False}),
    )),
    "switch a webhook on again": Permission("switched off", MANAGE, (
        Page("webhooks:switch", hook, lambda _s: {"active": "on"}, action="webhook.switch-on"),
        Api("patch", "api:webhook", hook, lambda _s: {"active": True}),
    )),
    "delete a webhook": Permission("watched", MANAGE, (
        Page("webhooks:delete", hook, action="webhook.delete"), Api("delete", "api:webhook", hook),
    )),
    "test a webhook": Permission("watched", MANAGE, (
        Page("webhooks:test", hook, action="webhook.test"), Api("post", "api:webhook_test", hook),
    )),
    "renew a webhook's secret": Permission("watched", MANAGE, (
        Page("webhooks:rotate", hook, action="webhook.rotate"),
        Api("post", "api:webhook_secret", hook),
    )),
    "deliver again": Permission("watched", MANAGE, (
        Page("webhooks:redeliver", lambda s: [*hook(s), s.delivery.uid],
             action="delivery.redeliver"),
        Api("post", "api:webhook_redeliver", lambda s: [*hook(s), s.delivery.pk]),
    )),
    # -- what only those who run a season read -----------------------------------------------
    **{
        f"read {name}": Permission("watched", who, (
            Page(name, hook if name == "webhooks:detail" else lambda s: [s.season.slug],
                 method="get"),
        ), reads=True)
        for who, names in (
            (MANAGE | HELPERS, ("tournaments:desk", "tournaments:organisers")),
            (MANAGE, ("tournaments:settings", "tournaments:document", "tournaments:records",
                      "webhooks:list", "webhooks:detail")),
            (WITH_PEOPLE, (
                "tournaments:invitations", "tournaments:applications", "tournaments:check_in_desk",
                "tournaments:desk_messages", "tournaments:roster", "tournaments:seeds",
                "tournaments:contestants_file",
            )),
            (WITH_EPISODES, (
                "tournaments:episode", "tournaments:open_times", "tournaments:ledger",
            )),
        )
        for name in names
    },
    "read a match's desk": Permission("planned", MANAGE | HELPERS - {Who.FOR_PEOPLE}, (
        Page("tournaments:match_desk", lambda s: [s.season.slug, s.row.pk], method="get"),
    ), reads=True),
    "read what organisers wrote": Permission("gifted", PLACES | {Who.ELIMINATED}, (
        Page("tournaments:messages", method="get"),
    ), reads=True),
    "read warnings": Permission("watched", MANAGE, (
        Api("get", "api:season_preflight", body=lambda _s: {"step": "start"}, scope="read"),
    ), reads=True),
    "read webhooks": Permission("watched", MANAGE, (
        Api("get", "api:webhooks"),
    ), reads=True),
    "read a webhook": Permission("watched", MANAGE, (
        Api("get", "api:webhook", hook),
        Api("get", "api:webhook_deliveries", hook),
    ), reads=True),
    # -- what jobs have set aside ------------------------------------------------------------
    "have a row tried again": Permission("set aside", frozenset({Who.ADMIN}), (
        admin("jobs_setaside_changelist", lambda _s: [],
              lambda s: {"action": "try_again", "_selected_action": s.aside.pk},
              "asides.try_again"),
    )),
    # -- matches -----------------------------------------------------------------------------
    "submit a move": Permission("running", ON_SEATS, (
        Frame("submit", lambda s: {"type": "submit", "match": s.match.pk, **concede(s)}, "play"),
        Api("post", "api:submissions", lambda s: [s.match.pk], concede, scope="play"),
    )),
    "say that one is there": Permission("waiting", ON_SEATS, (
        Api("post", "api:ready", lambda s: [s.match.pk], scope="play"),
    )),
    "open one's number": Permission("opening", ON_SEATS, (
        Frame("nonce", lambda s: {"type": "nonce", "id": "open", "match": s.match.pk,
                                  "nonce": NONCE}, "play"),
        Api("post", "api:ready", lambda s: [s.match.pk], lambda _s: {"nonce": NONCE},
            scope="play"),
    )),
    "begin without one's number": Permission("opening", ON_SEATS, (
        Frame("nonce", lambda s: {"type": "nonce", "id": "without", "match": s.match.pk,
                                  "without": True}, "play"),
        Api("post", "api:ready", lambda s: [s.match.pk], lambda _s: {"without": True},
            scope="play"),
    )),
    "read one's plan": Permission("running", ON_SEATS, (
        Api("get", "api:plan", lambda s: [s.match.pk], scope="read"),
    ), reads=True),
    "keep a plan": Permission("running", ON_SEATS, (
        Api("put", "api:plan", lambda s: [s.match.pk], lambda _s: {"revision": 0, "content": {
            "version": 1, "candidates": [], "shown": 0, "note": "Later"}}, scope="play"),
    )),
    "read predictions": Permission("running", EVERYBODY - ON_SEATS - OUTSIDE, (
        Api("get", "api:predictions", lambda s: [s.match.pk], scope="read"),
    ), reads=True),
    "predict": Permission("running", SIGNED_IN - ON_SEATS - REFEREE, (
        Api("put", "api:predictions", lambda s: [s.match.pk], lambda _s: {"seat": 1},
            scope="play"),
    )),
    # Nobody is out yet.
    "predict who wins the season": Permission("enrolling", WATCHES | {Who.ELIMINATED}, (
        Page("tournaments:predict_winner", form=lambda s: {"contestant": s.id(2)},
             action="own.predict-winner"),
        Api("put", "api:season_predictions", body=lambda s: {"contestant": s.id(2)}, scope="play"),
    )),
    "predict who wins a death match": Permission("planned", WATCHES, (
        Page("tournaments:predict", lambda s: [s.season.slug, s.row.pk],
             lambda s: {"contestant": s.row.home_id}, action="own.predict"),
        Api("put", "api:season_predictions", body=lambda s: {
            "contestant": s.row.home_id, "death_match": s.row.pk}, scope="play"),
    )),
    "read the commentary": Permission("running", EVERYBODY - ON_SEATS - OUTSIDE, (
        Api("get", "api:commentary", lambda s: [s.match.pk], scope="read"),
    ), reads=True),
    "name a commentator": Permission("running", REFEREE, (
        Api("post", "api:commentary", lambda s: [s.match.pk], lambda _s: {"username": "eve"}),
    )),
    "dismiss a commentator": Permission("commented", REFEREE, (
        Api("delete", "api:commentator", lambda s: [s.match.pk, "eve"]),
    )),
    "organise a match": Permission("running", REFEREE, (
        Frame("organise",
              lambda _s: {"type": "organise", "id": "rule", "text": "pause", **WHY}, "organise"),
    )),
    "feature a match": Permission("running", SITE_ORGANISERS - ON_SEATS, (
        Page("games:feature", lambda s: [s.match.pk], lambda _s: {"act": "feature"},
             action="best-place.feature"),
        Api("put", "api:match_featured", lambda s: [s.match.pk]),
    )),
    "stop featuring a match": Permission("featured", SITE_ORGANISERS - ON_SEATS, (
        Page("games:feature", lambda s: [s.match.pk], lambda _s: {"act": "unfeature"},
             action="best-place.unfeature"),
        Api("delete", "api:match_featured", lambda s: [s.match.pk]),
    )),
    "read what a challenge is about": Permission("disputed", REFEREE, (
        Page("games:dispute", lambda s: [s.match.pk], method="get"),
    ), reads=True),
    "talk as a player": Permission("running", ON_SEATS - {Who.MUTED_SEAT}, (
        Frame("chat", said("players"), "play"),
    )),
    "talk as a spectator": Permission("running", SIGNED_IN - ON_SEATS - {Who.MUTED}, (
        Frame("chat", said("spectators"), "play"),
    )),
    "take a message away": Permission("talking", MODERATE, (
        Page("games:chat_remove", lambda s: [s.message.pk], lambda _s: WHY,
             action="beside-match.remove"),
        admin("games_chatmessage_remove", lambda s: [s.message.pk],
              lambda _s: {"reason": "because"}),
        admin("games_chatmessage_changelist", lambda _s: [],
              lambda s: {"action": "remove_messages", "_selected_action": s.message.pk},
              "messages.remove_messages"),
    )),
    "put a message back": Permission("removed", MODERATE, (
        admin("games_chatmessage_restore", lambda s: [s.message.pk],
              lambda _s: {"reason": "because"}),
    )),
    "withdraw a puzzle": Permission("talking", MODERATE, (
        admin("games_puzzle_withdraw", lambda s: [s.puzzle.pk],
              lambda _s: {"reason": "because"}),
    )),
    "rule on a rating": Permission("decided", frozenset({Who.ADMIN}), (
        admin("games_ratingruling_add", lambda _s: [],
              lambda s: {"match": s.leg.match_id, "counts": "nobody", **WHY}, "ratings.rule"),
    )),
    "have a pair's matches count for nobody": Permission("decided", MODERATE, (
        admin("games_pairruling_add", lambda _s: [],
              lambda _s: {"first": "player1", "second": "player2", **WHY}, "pairs.unrate"),
    )),
    "have a pair's matches count again": Permission("decided", MODERATE, (
        admin("games_pairruling_rate_again", lambda s: [s.pair.pk], lambda _s: WHY),
    )),
    "offer a match": Permission("challenged", SIGNED_IN, (
        Page("games:challenge_new", lambda _s: [], _offer_form),
        Api("post", "api:challenges", lambda _s: [], lambda _s: OFFER, scope="play"),
    )),
    "accept a challenge": Permission("challenged", ON_SEAT_0, (
        Page("games:challenge_accept", the_challenge),
        Api("post", "api:challenge_accept", the_challenge, scope="play"),
    )),
    "decline a challenge": Permission("challenged", ON_SEAT_0, (
        Page("games:challenge_decline", the_challenge),
        Api("post", "api:challenge_decline", the_challenge, scope="play"),
    )),
    "take a challenge back": Permission("challenged", frozenset({Who.CONTESTANT}), (
        Page("games:challenge_cancel", the_challenge),
        Api("post", "api:challenge_cancel", the_challenge, scope="play"),
    )),
    "wait to be paired": Permission("challenged", SIGNED_IN, (
        Page("games:seek", lambda _s: [],
             lambda _s: {"game": "any", "pace": "normal", "rated": "rated"}),
        Api("post", "api:seek", lambda _s: [], lambda _s: {"rated": False}, scope="play"),
    )),
    "wait no longer": Permission("challenged", frozenset({Who.CONTESTANT}), (
        Page("games:seek_cancel", lambda _s: []),
        Api("delete", "api:seek", lambda _s: [], scope="play"),
    )),
    "keep a move": Permission("challenged", SIGNED_IN, (
        Api("post", "api:saved", lambda _s: ["tetronogo"],
            lambda _s: {"name": "New", "text": "pick O"}, scope="play"),
    )),
    "forget a move": Permission("challenged", ON_SEAT_0, (
        Api("delete", "api:saved_one", lambda s: ["tetronogo", s.saved.pk], scope="play"),
    )),
    "import a record": Permission("decided", SITE_ORGANISERS, (
        Page("games:import_record", lambda _s: [], lambda s: {
            "record": SimpleUploadedFile("match.dmr.json", s.record)}),
    )),
    "keep a preparation": Permission("challenged", SITE_ORGANISERS, (
        Page("games:prepared_new", lambda _s: ["peg-domain", "pallets"],
             lambda s: {"name": "New", "text": s.pallets, "keep": "1"}),
    )),
    "check a preparation": Permission("challenged", SITE_ORGANISERS, (
        Page("games:prepared_check", lambda _s: ["peg-domain", "pallets"],
             lambda s: {"text": s.pallets}),
    ), reads=True),
    "read a drawing": Permission("challenged", SITE_ORGANISERS, (
        Page("games:prepared_outlines", lambda _s: ["domain", "pool"],
             lambda _s: {"drawing": SimpleUploadedFile("square.svg", SQUARE)}),
    ), reads=True),
    "host a match": Permission("challenged", SITE_ORGANISERS, (
        Page("games:hosted_new", lambda _s: [], _hosted_form),
        Api("post", "api:hosted_list", lambda _s: [], lambda _s: HOSTED),
    )),
    "accept an invitation": Permission("challenged", INVITED, (
        Page("games:hosted_accept", the_hosted),
        Api("post", "api:hosted_accept", the_hosted, scope="play"),
    )),
    "decline an invitation": Permission("challenged", INVITED, (
        Page("games:hosted_decline", the_hosted),
        Api("post", "api:hosted_decline", the_hosted, scope="play"),
    )),
    "cancel a hosted match": Permission("challenged", frozenset({Who.ORGANISER}), (
        Page("games:hosted_cancel", the_hosted),
        Api("post", "api:hosted_cancel", the_hosted),
    )),
    "delete a preparation": Permission("challenged", frozenset({Who.ORGANISER}), (
        Page("games:prepared_delete", lambda s: [s.kept.pk]),
    )),
}  # fmt: skip
