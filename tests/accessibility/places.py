"""Every kind of page, and who is shown most of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.contrib import admin
from django.test import RequestFactory
from django.urls import reverse

from accounts.announcing.stopping import stop_token
from accounts.discord.services import discord_link, discord_link_begin
from accounts.models import User
from accounts.moderation.appeals import appeal_file
from accounts.moderation.reports import report_file
from accounts.moderation.sanctions import user_suspend, user_warn
from accounts.oauth.services import application_register
from accounts.signin.undoing import undo_token
from core.clock import now_utc
from games import demo
from games.models import Match, Puzzle
from games.puzzles.services import puzzles_load
from games.ratings.services import ratings_rebuild
from games.reading import lessons
from games.rulesets import REGISTRY
from tests.permissions.table import PERMISSIONS, Page, crew, hook, leg_page
from tests.permissions.world import SCENES, Scene, Who, World
from tournaments.services.contestants.applications import application_decline, application_make
from tournaments.services.contestants.enrolment import contestant_join
from tournaments.services.contestants.invitations import (
    invitation_accept,
    invitation_make,
    invitation_revoke,
)
from tournaments.services.results.corrections import leg_void


class Place(NamedTuple):
    """An address by the name of its route, in a scene, as somebody."""

    name: str
    scene: str = "between"
    who: Who = Who.NOBODY
    args: Callable[[Scene], list[Any]] = lambda _scene: []
    query: str = ""


def of_season(scene: Scene) -> list[Any]:
    return [scene.season.slug]


def of_match(scene: Scene) -> list[Any]:
    return [scene.leg.match_id]


def of_row(scene: Scene) -> list[Any]:
    return [scene.season.slug, scene.row.pk]


def of_round(scene: Scene) -> list[Any]:
    return [scene.season.slug, scene.season.rounds.latest("number").number]


def given(*args: Any) -> Callable[[Scene], list[Any]]:
    return lambda _scene: list(args)


def of_link(name: str) -> Callable[[Scene], list[Any]]:
    return lambda scene: [scene.season.slug, scene.more[name].token]


def of_replay(ruleset: str) -> Callable[[Scene], list[Any]]:
    return lambda scene: [scene.world.besides["replays"][ruleset]]


# Routes that answer with something else than a page of the site, by the beginning of their names.
NO_PAGES = {
    "healthz": "JSON",
    "readyz": "JSON",
    "favicon": "a picture",
    "service_worker": "a script",
    "csp_reports": "takes POST only",
    "robots_txt": "a text",
    "security_txt": "a text",
    "change_password": "only leads elsewhere",
    "api:": "JSON",
    "discord:interactions": "JSON",
    "season_records": "a file",
    "games:oembed": "JSON",
    "exports:dump": "a file",
    "oauth2_provider:token": "JSON",
    "oauth2_provider:revoke-token": "JSON",
    "oauth2_provider:oauth-server-metadata": "JSON",
    "account_confirm_login_code": "leads elsewhere: codes are not sent",
    "mfa_activate_totp": "tests/accounts/test_factors_browser.py",
    "mfa_deactivate_totp": "tests/accounts/test_factors_browser.py",
    "mfa_view_recovery_codes": "tests/accounts/test_factors_browser.py",
    "mfa_generate_recovery_codes": "tests/accounts/test_factors_browser.py",
    "mfa_download_recovery_codes": "tests/accounts/test_factors_browser.py",
    "mfa_add_webauthn": "tests/accounts/test_factors_browser.py",
    "mfa_edit_webauthn": "tests/accounts/test_factors_browser.py",
    "mfa_remove_webauthn": "tests/accounts/test_factors_browser.py",
    "mfa_reauthenticate": "tests/accounts/test_factors_browser.py",
    "mfa_reauthenticate_webauthn": "tests/accounts/test_factors_browser.py",
    "mfa_authenticate": "tests/accounts/test_factors_browser.py",
    "mfa_list_webauthn": "only leads elsewhere",
    "mfa_login_webauthn": "JSON",
    "discord_login": "takes POST only",
    "discord_callback": "only leads elsewhere",
    "socialaccount_signup": "of who comes from Discord: tests/accounts/test_discord_browser.py",
    "accounts:discord_link": "takes POST only",
    "accounts:discord_unlink": "takes POST only",
    "posts:test": "takes POST only",
    "posts:check": "takes POST only",
    "posts:switch": "takes POST only",
    "posts:disconnect": "takes POST only",
    "accounts:token_revoke": "takes POST only",
    "accounts:application_delete": "takes POST only",
    "accounts:authorisation_revoke": "takes POST only",
    "accounts:session_end": "takes POST only",
    "accounts:sessions_end": "takes POST only",
    "accounts:acknowledge": "takes POST only",
    "accounts:appeal_withdraw": "takes POST only",
    "tournaments:contestant_calendar": "a file",
    "tournaments:calendar": "a file",
    "tournaments:feed": "a file",
    "tournaments:follow": "takes POST only",
    "tournaments:share": "a picture",
    "tournaments:picture": "a picture",
    "tournaments:death_match_share": "a picture",
    "tournaments:state": "JSON",
    "tournaments:contestants_file": "a file",
    "tournaments:treasury_file": "a file",
    "tournaments:document": "a file",
    "tournaments:records": "a file",
    "games:record": "a file",
    "games:match_share": "a picture",
    "games:board": "a picture",
    "games:paint_": "a picture",
    "games:supply_file": "a file",
    "games:prepared_file": "a file",
    "games:prepared_check": "JSON",
    "games:prepared_outlines": "JSON",
    "games:rules_figure": "a picture",
    "games:dispute": "a part of a page",
    "games:rematch": "a part of a page",
    "games:feature": "takes POST only",
    "games:next": "only leads elsewhere",
    "games:puzzle_next": "only leads elsewhere",
    "games:puzzle_answer": "takes POST only",
    "games:puzzle_board": "a picture",
    "games:seek": "a part of the lobby",
    "games:replay_steps": "JSON",
    "accounts:block": "takes POST only",
    "accounts:export": "takes POST only",
    "accounts:unblock": "takes POST only",
    "accounts:device_": "takes POST only",
    "accounts:direct_test": "takes POST only",
    "games:invite_accept": "takes POST only",
}  # fmt: skip

SEASON_PAGES = (
    "season", "contestants", "schedule", "results", "items", "history", "rulings", "standings",
    "leaderboard", "predictions",
)  # fmt: skip

RULESETS = sorted(ruleset.id for ruleset in REGISTRY)


def authorisation(scene: Scene) -> str:
    """The question of an application that wants to act for somebody."""
    return urlencode({
        "client_id": scene.world.besides["application"].client_id,
        "response_type": "code",
        "redirect_uri": "https://app.example.org/back",
        "scope": "read play",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        "code_challenge_method": "S256",
    })  # fmt: skip


def places() -> Iterator[Place]:
    """Every page type of the site, outside of the administration."""
    yield from _of_people()
    yield from _of_matches()
    yield from _of_seasons()
    yield from _of_permissions()


def _of_people() -> Iterator[Place]:
    for name in (
        "login", "signup", "inactive", "email_verification_sent", "reset_password",
        "reset_password_done", "reset_password_from_key_done",
    ):  # fmt: skip
        yield Place(f"account_{name}")
    yield Place("account_confirm_email", args=given("no-key"))
    yield Place("account_reset_password_from_key", args=given("1", "no-key"))
    for name in ("account_logout", "account_reauthenticate", "account_email",
                 "account_change_password", "mfa_index", "accounts:settings", "accounts:tokens",
                 "accounts:bot",
                 "accounts:applications", "accounts:conduct", "accounts:blocks",
                 "accounts:data", "accounts:deletion",
                 "accounts:discord_settings", "accounts:announcements",
                 "accounts:announcement_choices", "accounts:sessions"):  # fmt: skip
        yield Place(name, who=Who.CONTESTANT)
    # Who has come by Discord has no password.
    for name in ("account_set_password", "accounts:discord_settings", "accounts:discord_confirm"):
        yield Place(name, who=Who.SEAT_0)
    yield Place("accounts:discord")
    yield Place(
        "accounts:discord_asked", who=Who.CONTESTANT, args=lambda s: [s.world.besides["asked"]]
    )
    yield Place("accounts:preferences")
    yield Place("accounts:mail_stop", args=lambda s: [stop_token(s.world.root, ["season.news"])])
    yield Place(
        "accounts:undo", args=lambda s: [undo_token(s.world.root, "address", "old@example.org")]
    )
    yield Place("accounts:suspended", who=Who.SUSPENDED_ORGANISER)
    yield Place(
        "accounts:appeal", who=Who.CONTESTANT, args=lambda s: [s.world.besides["sanction"].pk]
    )
    yield Place("accounts:report", who=Who.PLAYER, args=lambda s: ["accounts.user", "player1"])
    yield Place("oauth2_provider:authorize", who=Who.PLAYER, query="authorisation")
    yield Place("profile", "decided", Who.MODERATOR, given("player1"))
    yield Place("games:history", "decided", args=given("player1"))
    yield Place("developers")
    yield Place("offline")
    yield Place("security")
    yield Place("exports:index")


def _of_matches() -> Iterator[Place]:
    for who in (Who.NOBODY, Who.SEAT_0, Who.ORGANISER):
        yield Place("games:home", "challenged", who)
    for who in (Who.NOBODY, Who.SEAT_0, Who.CONTESTANT):  # the last of whom waits to be paired
        yield Place("games:lobby", "challenged", who)
    yield Place("games:watch", "running")
    yield Place("games:practice")
    yield Place("games:puzzles")
    yield Place("games:puzzle", args=lambda s: [s.world.besides["puzzle"]])
    yield Place("games:mine", "challenged", Who.SEAT_0)
    for who in (Who.SEAT_0, Who.CONTESTANT):
        yield Place("games:challenge_detail", "challenged", who, lambda s: [s.challenge.pk])
    yield Place("games:challenge_detail", "challenged", Who.CONTESTANT, lambda s: [s.link.pk])
    for who in (Who.NOBODY, Who.SEAT_0):
        yield Place("games:invite", "challenged", who, lambda s: [s.link.token])
    yield Place("games:challenge_new", "challenged", Who.ORGANISER)
    yield Place("games:match", "decided", Who.SEAT_0, of_match)
    yield Place("games:match", "running", Who.ORGANISER, of_match)
    for scene in ("running", "decided"):
        yield Place("games:match_embed", scene, args=of_match)
    yield Place("games:match_embedding", "running", args=of_match)
    for ruleset in RULESETS:
        yield Place("games:replay", args=of_replay(ruleset))
        yield Place("games:study", args=of_replay(ruleset))
        yield Place("games:rules", args=given(ruleset))
    yield Place("games:learn")
    for game in lessons.games():
        yield Place("games:learn_cards", args=given(game.ruleset, game.variant))
        yield Place("games:lesson", args=given(game.ruleset, game.variant))
        yield Place("games:leaderboard", "decided", args=given(ruleset))
    yield Place("games:rules_index")
    yield Place("games:draws")
    yield Place("games:draws_check")
    yield Place("games:leaderboards", "decided")
    yield Place("games:organise", "disputed", Who.ORGANISER)
    yield Place("games:hosted_list", "challenged", Who.ORGANISER)
    for who in (Who.ORGANISER, Who.SEAT_0):
        yield Place("games:hosted", "challenged", who, lambda s: [s.hosted.pk])
    yield Place("games:prepared_new", "challenged", Who.ORGANISER, given("domain", "pool"))
    yield Place("games:prepared_list", "challenged", Who.ORGANISER)
    yield Place("games:prepared", "challenged", Who.ORGANISER, lambda s: [s.kept.pk])


def _of_helping() -> Iterator[Place]:
    """Who runs a season, and who helps."""
    for who in (Who.ORGANISER, Who.FOR_MATCHES):
        yield Place("tournaments:organisers", "asked to help", who, of_season)
    for who in (Who.NOBODY, Who.PLAYER, Who.RIVAL):
        yield Place("tournaments:helping", "asked to help", who, of_link("asked"))
    for name in ("change", "remove", "hand-over"):
        yield Place("tournaments:organiser_act", "asked to help", Who.ORGANISER,
                    crew("olin", name))  # fmt: skip
    yield Place("tournaments:organiser_act", "asked to help", Who.FOR_MATCHES,
                crew("mary", "leave"))  # fmt: skip


def _of_entering() -> Iterator[Place]:
    """Before a season begins."""
    for scene in ("checking in", "checked in", "enrolling"):
        yield Place("tournaments:check_in_desk", scene, Who.ORGANISER, of_season)
    yield Place("tournaments:strike_absent", "checked in", Who.ORGANISER, of_season)
    for scene in ("checking in", "checked in"):
        yield Place("tournaments:season", scene, Who.SEAT_0, of_season)
    for scene in ("applying", "asked", "queued"):
        yield Place("tournaments:applications", scene, Who.ORGANISER, of_season)
        yield Place("tournaments:join", scene, Who.PLAYER, of_season)
        yield Place("tournaments:season", scene, Who.PLAYER, of_season)


def _of_trade() -> Iterator[Place]:
    for who in (Who.NOBODY, Who.CONTESTANT):
        yield Place("tournaments:purse", "trading", who, of_season)
        yield Place("tournaments:season", "trading", who, of_season)
    for name in ("pay", "use_token"):
        yield Place(f"tournaments:{name}", "trading", Who.CONTESTANT, of_season)
    for name in ("treasury", "treasury_token", "settings"):
        yield Place(f"tournaments:{name}", "trading", Who.ORGANISER, of_season)
    yield Place("tournaments:treasury_correct", "trading", Who.ORGANISER,
                lambda s: [s.season.slug, s.entry.pk])  # fmt: skip
    yield Place("tournaments:wager", "wagering", Who.SEAT_0, of_row)


def _of_predictions() -> Iterator[Place]:
    for scene in ("enrolling", "planned", "running"):
        for who in (Who.NOBODY, Who.PLAYER, Who.ORGANISER):
            yield Place("tournaments:predictions", scene, who, of_season)


def _of_pictures() -> Iterator[Place]:
    for who in (Who.NOBODY, Who.PLAYER, Who.SEAT_0):
        yield Place("tournaments:season_picture", "pictured", who, of_season)
        yield Place("tournaments:contestant_picture", "pictured", who,
                    lambda s: [s.season.slug, s.id(1)])  # fmt: skip
    for name in ("season", "contestants"):
        yield Place(f"tournaments:{name}", "pictured", Who.SEAT_0, of_season)
    yield Place("tournaments:round", "main match pictured", Who.SEAT_0, of_round)
    yield Place("tournaments:main_match_pictures", "main match pictured", Who.ORGANISER, of_round)


def _of_embeds() -> Iterator[Place]:
    for part in ("standings", "matches"):
        for scene in ("decided", "round played", "ladder", "cup", "robins", "enrolling"):
            yield Place(f"embeds:{part}", scene, args=of_season)
    yield Place("embeds:bracket", "cup", args=of_season)
    yield Place("tournaments:embedding", "cup", args=lambda s: [s.season.slug, "bracket"])


def _of_seasons() -> Iterator[Place]:
    yield Place("tournaments:seasons")
    yield from _of_predictions()
    for name in SEASON_PAGES:
        yield Place(f"tournaments:{name}", "decided", args=of_season)
    for scene in ("round played", "ladder", "cup", "two left", "cancelled", "enrolling"):
        yield Place("tournaments:season", scene, args=of_season)
    for name in ("season", "standings", "results"):
        yield Place(f"tournaments:{name}", "robins", args=of_season)
    yield Place("tournaments:standings", "round played", args=of_season)
    yield from _of_embeds()
    for scene in ("decided", "round played"):
        yield Place("tournaments:round", scene, args=of_round)
    for scene, who in (("planned", Who.SEAT_0), ("voided", Who.NOBODY), ("decided", Who.NOBODY)):
        yield Place("tournaments:death_match", scene, who, of_row)
    for scene in ("draft", "running", "round played", "voided", "two left"):
        yield Place("tournaments:desk", scene, Who.ORGANISER, of_season)
    yield Place("tournaments:roster", "between", Who.ORGANISER, of_season)
    for scene in ("voided", "decided"):
        yield Place("tournaments:match_desk", scene, Who.ORGANISER, of_row)
    yield Place("tournaments:round_desk", "running", Who.ORGANISER, of_round)
    for scene in ("main match", "choosing", "running", "two left"):
        yield Place("tournaments:episode", scene, Who.ORGANISER, of_season)
    yield Place("tournaments:scores", "main match", Who.ORGANISER, of_round)
    for who in (Who.SEAT_0, Who.SEAT_1):
        yield Place("tournaments:death_match", "proposed", who, of_row)
        yield Place("tournaments:times", "proposed", who, leg_page)
    yield Place("tournaments:free_hours", "proposed", Who.SEAT_0, given())
    yield Place("tournaments:seasons_followed", "followed", Who.PLAYER, given())
    yield Place("tournaments:season", "followed", Who.PLAYER, of_season)
    yield Place("tournaments:open_times", "proposed", Who.ORGANISER, of_season)
    yield Place("tournaments:leg_act", "proposed", Who.ORGANISER,
                lambda s: [*leg_page(s), "schedule"])  # fmt: skip
    yield from _of_trade()
    yield from _of_pictures()
    yield Place("tournaments:desk_messages", "enrolling", Who.ORGANISER, of_season)
    yield Place("tournaments:messages", "enrolling", Who.SEAT_0, of_season)
    yield Place("tournaments:invitations", "invited", Who.ORGANISER, of_season)
    for link, who in (("open", Who.NOBODY), ("open", Who.PLAYER), ("expired", Who.NOBODY),
                      ("expired", Who.PLAYER)):  # fmt: skip
        yield Place("tournaments:invited", "invited", who, of_link(link))
    yield from _of_helping()
    yield from _of_entering()
    yield Place("webhooks:delivery", "watched", Who.ORGANISER,
                lambda s: [*hook(s), s.delivery.uid])  # fmt: skip
    for name, scene in (
        ("channel", "watched"), ("channel", "told"), ("connect", "watched"), ("edit", "told"),
    ):  # fmt: skip
        yield Place(f"posts:{name}", scene, Who.ORGANISER, of_season)


# Who asks for the form of an action: the first of them who may do it.
_ASKERS = (Who.ORGANISER, Who.SEAT_0, Who.SEAT_1, Who.CONTESTANT, Who.ELIMINATED, Who.ADMIN,
           Who.PLAYER)  # fmt: skip


def _of_permissions() -> Iterator[Place]:
    for permission in PERMISSIONS.values():
        for ask in permission.asks:
            if isinstance(ask, Page) and not ask.name.startswith(tuple(NO_PAGES)):
                may = (permission.allowed | ask.also) & ask.door
                asker = next((who for who in _ASKERS if who in may), None)
                if asker is not None:
                    yield Place(ask.name, permission.scene, asker, ask.args)


def of_administration(world: World) -> Iterator[str]:
    """Every list of the administration, the form of one row of each, how to add one, and a row's
    history."""
    request = RequestFactory().get("/admin/")
    request.user = world.root
    yield reverse("admin:index")
    yield reverse("admin:password_change")
    for model, its in admin.site._registry.items():
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        yield reverse(f"{name}_changelist")
        first = its.get_queryset(request).first()
        if first is not None:
            yield reverse(f"{name}_change", args=[first.pk])
        if model is User:  # the same page for all
            yield reverse(f"{name}_history", args=[world.root.pk])
        if its.has_add_permission(request):
            yield reverse(f"{name}_add")


def _invited(world: World) -> Scene:
    """A season with links of every kind, by one of which somebody came."""
    orla, season = world.users["orla"], world.season("swiss", 2)
    notes = ("For the channel", "For the club", "For nobody")
    links = [invitation_make(acting_user=orla, season=season, note=note, limit=4) for note in notes]
    invitation_accept(acting_user=world.users["eve"], invitation=links[0])
    invitation_revoke(acting_user=orla, invitation=links[2])
    links[1].expires_at = now_utc() - timedelta(hours=1)
    links[1].save()
    return Scene(world, season, {"open": links[0], "expired": links[1]})


def _asked(world: World) -> Scene:
    """A season that people have applied to, some of whom are decided."""
    users, orla = world.users, world.users["orla"]
    season = world.season("swiss", 2, open_enrolment=True, by_application=True)
    rows = {
        name: application_make(acting_user=users[name], season=season, words="I play.\n\nOften.")
        for name in ("paul", "eve", "mona")
    }
    application_decline(acting_user=orla, application=rows["eve"], why="Not this time.")
    return Scene(world, season)


def _queued(world: World) -> Scene:
    """A season without a free place, which people wait for."""
    season = world.season("swiss", 2, open_enrolment=True, places=2)
    for name in ("eve", "paul"):
        contestant_join(acting_user=world.users[name], season=season)
    return Scene(world, season)


def furnished(world: World) -> World:
    """The world, with something on the pages that would otherwise be empty."""
    root, paul, eve, one, two, three = (
        world.users[name] for name in ("root", "paul", "eve", "player1", "player2", "player3")
    )
    for hours, ruleset in enumerate(REGISTRY, start=3):
        demo._make_finished_match(ruleset, (one, two), hours_ago=hours)
    played = Match.objects.of_user(one).of_user(two).finished()
    puzzles_load()
    world.besides["puzzle"] = Puzzle.objects.filter(ruleset="domino-wars").earliest("pk").pk
    world.besides["replays"] = {match.ruleset: match.pk for match in played}
    ratings_rebuild()
    world.scenes["robins"] = Scene(world, world.running("round-robin", 4))
    world.scenes["cup"] = Scene(world, world.running("single-elimination", 4))
    world.scenes["voided"] = SCENES["running"](world)
    leg_void(acting_user=world.users["orla"], leg=world.scenes["voided"].leg, why="because")
    world.scenes["invited"] = _invited(world)
    world.scenes["asked"], world.scenes["queued"] = _asked(world), _queued(world)
    # Whoever has a password is asked for it, and stays signed in.
    three.set_password("swordfish-77")
    three.save()
    world.clients[Who.CONTESTANT].force_login(three, backend="accounts.signin.backends.NameBackend")
    # Whom nobody else of the world is: all others would be signed out with them.
    user_suspend(acting_user=root, user=world.users["olin"], reason="Rude", until=None)
    world.besides["sanction"] = user_warn(acting_user=root, user=three, reason="Rude")
    again = user_warn(acting_user=root, user=three, reason="Rude again")
    appeal_file(acting_user=three, sanction=again, words="I was not.")
    report_file(
        acting_user=paul,
        target_type="accounts.user",
        target_id=eve.username,
        reason="other",
        words="Look.",
    )
    discord_link(acting_user=one, discord_id="11", discord_name="one_at_discord")
    asked = discord_link_begin(discord_id="33", discord_name="three_at_discord")
    world.besides["asked"] = asked.rstrip("/").rpartition("/")[2]
    world.besides["application"], _secret = application_register(
        acting_user=three,
        name="Scores",
        redirect_uris=["https://app.example.org/back"],
        public=True,
    )
    return world
