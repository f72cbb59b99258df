"""What can be found out in the admin site by asking: no list answers more than it shows, and what
its reader plays in is not there at all. Every model that is registered, now and later."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin import SimpleListFilter
from django.contrib.admin.views.main import ChangeList
from django.contrib.contenttypes.models import ContentType
from django.db.models import Field, Model
from django.db.models.constants import LOOKUP_SEP
from django.test import Client, RequestFactory
from django.urls import reverse

from accounts.models import AuditEntry, User
from accounts.roles import Role
from accounts.services import role_grant
from core.admin.lists import Guarded
from games.models import Challenge, ChatMessage, HostedMatch, Match, MatchCommentator
from games.services.challenges import challenge_accept, challenge_create
from games.services.chat import chat_post
from games.services.commentary import commentator_name
from tests.games.support import T0, committing, user_named
from tests.tournaments.support import (
    START,
    WARS,
    account,
    begun,
    chosen,
    conceded,
    leg_of,
    running,
    who,
)
from tournaments.models import DeathMatch, Gift, Season, SeasonEvent
from tournaments.services.items.declarations import item_declare
from tournaments.services.items.gifts import item_give

MODELS = [
    pytest.param(model, id=model._meta.label_lower) for model in admin.site._registry
]  # every one that there is

# What each list answers: what it offers as a filter, and what the site's own links ask for. A new
# filter belongs here only if what it tells is on the list or on the row's page anyway.
ALLOWED = {
    "auth.group": "",
    "accounts.siteannouncement": "",
    "accounts.registrationchange": "",
    "accounts.secondfactorrule": "",
    "sites.site": "",
    "account.emailaddress": "primary__exact primary__isnull verified__exact verified__isnull",
    "oauth2_provider.application": (
        "client_type__exact client_type__isnull authorization_grant_type__exact"
        " authorization_grant_type__isnull skip_authorization__exact skip_authorization__isnull"
        " registration_source__exact registration_source__isnull"
    ),
    "oauth2_provider.accesstoken": "application__id__exact application__isnull",
    "oauth2_provider.grant": "",
    "oauth2_provider.idtoken": "application__id__exact application__isnull",
    "oauth2_provider.refreshtoken": "application__id__exact application__isnull",
    "jobs.setaside": "job job__isnull",
    "jobs.jobdone": "",
    "games.serviceprocess": "kind__exact kind__isnull",
    "accounts.user": (
        "standing is_staff__exact is_staff__isnull is_superuser__exact is_superuser__isnull"
        " groups__id__exact groups__isnull date_joined__year date_joined__month date_joined__day"
    ),
    "accounts.sanction": (
        "user__id__exact standing kind__exact kind__isnull at__year at__month at__day"
    ),
    "accounts.appeal": "state at__year at__month at__day",
    "accounts.accountmerge": "at__year at__month at__day",
    "accounts.report": (
        "concerns state reason__exact reason__isnull target_type target_type__isnull"
        " at__year at__month at__day"
    ),
    "accounts.auditentry": (
        "who__id__exact target_type target_id target_type__isnull action action__isnull by what"
        " at__year at__month at__day"
    ),
    "games.ratingruling": "at__year at__month at__day",
    "games.waitingruling": "at__year at__month at__day",
    "games.pairruling": "at__year at__month at__day",
    "games.rating": "ladder__id__exact ladder__isnull",
    "games.match": (
        "players__user__id__exact status__exact status__isnull ruleset ruleset__isnull"
        " source__exact source__isnull paused__exact paused__isnull reason reason__isnull"
        " created_at__year created_at__month created_at__day"
    ),
    "games.matchentry": (
        "match__id__exact actor__exact actor__isnull timeout__exact timeout__isnull"
        " match__ruleset match__ruleset__isnull"
    ),
    "games.challenge": (
        "challenger__id__exact status__exact status__isnull ruleset ruleset__isnull"
        " created_at__year created_at__month created_at__day"
    ),
    "games.hostedmatch": (
        "host__id__exact status__exact status__isnull ruleset ruleset__isnull"
        " rated__exact rated__isnull created_at__year created_at__month created_at__day"
    ),
    "games.featuredmatch": "",
    "games.puzzle": ("ruleset ruleset__isnull source__exact source__isnull withdrawn_at__isempty"),
    "games.matchcommentator": "user__id__exact",
    "games.prediction": "",
    "games.chatmessage": (
        "author__id__exact match__id__exact room__exact room__isnull removed_at__isempty"
    ),
    "tournaments.season": (
        "status__exact status__isnull visibility__exact visibility__isnull format__exact"
        " format__isnull open_enrolment__exact open_enrolment__isnull"
        " created_at__year created_at__month created_at__day"
    ),
    "tournaments.contestant": (
        "season__id__exact status__exact status__isnull season__format__exact"
        " season__format__isnull"
    ),
    "tournaments.deathmatch": (
        "round__season__id__exact status__exact status__isnull how__exact how__isnull"
        " round__season__format__exact round__season__format__isnull"
    ),
    "tournaments.gift": "season__id__exact status__exact status__isnull item item__isnull",
    "tournaments.seasonevent": (
        "season__id__exact death_match__id__exact kind kind__isnull at__year at__month at__day"
    ),
    "tournaments.picture": "season__id__exact off_at__isempty at__year at__month at__day",
    "tournaments.seasonmessage": (
        "season__id__exact whom__exact whom__isnull at__year at__month at__day"
    ),
}
# Tried behind every path of up to two steps; behind those of three, the first two alone: a list
# that answers one of them there is known already, and there are a hundred thousand paths.
LOOKUPS = ("", "isnull", "exact", "in", "isempty", "gt", "lt", "range", "contains", "startswith",
           "regex", "year", "month", "day")  # fmt: skip

# Columns, and whole models behind a relation, that nothing on the admin site may search, sort or
# filter by, whoever offers it: sealed, hidden, or a key to somebody's account.
SECRET_COLUMNS = {
    Match: {"snapshot", "seq", "deadline_at", "wake_at", "sweep_at", "followed"},
    User: {"password", "last_login"},
}
SECRET_NAMES = {
    "password", "secret", "digest", "token", "token_checksum", "code", "session_key", "prepared",
    "client_secret", "items", "snapshot", "declarations", "preparation", "preparations",
    "saved_moves", "api_tokens", "client_id", "claims", "code_challenge",
}  # fmt: skip


def request_of(user: User, address: str = "/admin/") -> Any:
    request = RequestFactory().get(address)
    request.user = user
    return request


def names_of(model: type[Model]) -> Iterator[tuple[str, type[Model] | None]]:
    """Every field and every relation of a model, by the name it has in a lookup, and where a
    relation leads."""
    for field in model._meta.get_fields():
        related: Any = field.related_model
        yield field.name, related if isinstance(related, type) else None
        if isinstance(field, Field) and field.attname != field.name:
            yield field.attname, None
    yield "pk", None


def paths_of(model: type[Model], hops: int = 2) -> Iterator[str]:
    """Every path from a model over so many relations."""
    for name, leads in names_of(model):
        yield name
        if leads is not None and hops:
            for rest in paths_of(leads, hops - 1):
                yield name + LOOKUP_SEP + rest


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root")


@pytest.fixture
def mona(orla: User) -> User:
    """A moderator."""
    user = user_named("mona", display_name="Mona")
    role_grant(acting_user=User.objects.get(username="root"), user=user, role=Role.MODERATOR)
    return User.objects.get(pk=user.pk)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def address(model: Any, page: str = "changelist", *args: Any) -> str:
    meta = model._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_{page}", args=args)


# -- what a list can be asked --------------------------------------------------------------------


def test_every_list_is_guarded() -> None:
    assert len(MODELS) > 20
    for model, its in admin.site._registry.items():
        assert type(its).__mro__[1] is Guarded, model
        for name in ("lookup_allowed", "to_field_allowed", "get_queryset"):
            assert getattr(type(its), name) is getattr(Guarded, name), (model, name)
    assert {model._meta.label_lower for model in admin.site._registry} == set(ALLOWED)


def test_a_class_that_forgets_it_is_guarded_all_the_same(db: None) -> None:
    site = type(admin.site._wrapped)()  # type: ignore[attr-defined]
    site.register(Gift)
    site.register([Match], admin.ModelAdmin, search_fields=("id",))
    for its in site._registry.values():
        assert isinstance(its, Guarded)
    assert not site._registry[Match].lookup_allowed("snapshot__regex", "x", request_of(User()))


@pytest.mark.parametrize("model", MODELS)
def test_every_field_and_relation_two_hops_deep_is_refused_unless_it_is_named_here(
    model: type[Model], root: User
) -> None:
    its, request = admin.site._registry[model], request_of(root)
    allowed = set(ALLOWED[model._meta.label_lower].split())
    asked = set()
    for path in set(paths_of(model)):
        for lookup in LOOKUPS if path.count(LOOKUP_SEP) < 2 else LOOKUPS[:2]:
            name = LOOKUP_SEP.join(filter(None, (path, lookup)))
            asked.add(name)
            if its.lookup_allowed(name, "1", request) != (name in allowed):
                raise AssertionError(f"{name}: allowed is {name not in allowed}")
    assert len(asked) > 20
    for name in allowed:
        assert its.lookup_allowed(name, "1", request), name


@pytest.mark.parametrize("model", MODELS)
def test_no_list_is_searched_or_sorted_by_what_is_secret(model: type[Model], root: User) -> None:
    its: Any = admin.site._registry[model]
    request = request_of(root)
    changes = ChangeList(
        request, model, its.list_display, its.list_display_links, its.list_filter,
        its.date_hierarchy, its.search_fields, its.list_select_related, its.list_per_page,
        its.list_max_show_all, its.list_editable, its, its.sortable_by, its.search_help_text,
    )  # fmt: skip
    used = {name.lstrip("^=@") for name in its.get_search_fields(request)}
    used |= {str(changes.get_ordering_field(name) or "") for name in its.get_list_display(request)
             if name not in ("__str__", "action_checkbox")}  # fmt: skip
    used |= {str(name).lstrip("-") for name in its.get_ordering(request) or ()}
    used |= {its.date_hierarchy or ""}
    for each in its.get_list_filter(request):
        if not (isinstance(each, type) and issubclass(each, SimpleListFilter)):
            used.add(each[0] if isinstance(each, tuple) else each)
    used |= set(ALLOWED[model._meta.label_lower].split())
    # The library's own pages of OAuth are for superusers, and show what they search.
    shown = {"client_id"} if model._meta.app_label == "oauth2_provider" else set()
    if model._meta.app_label == "oauth2_provider":
        shown |= {"token", "code"}
    for path in used:
        parts = path.split(LOOKUP_SEP)
        assert not (set(parts) & (SECRET_NAMES - shown)), (model, path)
        at: Any = model
        for part in parts:
            assert part not in SECRET_COLUMNS.get(at, ()), (model, path)
            at = dict(names_of(at)).get(part) if at else None


QUESTIONS = {
    Match: ("snapshot__regex=%5E.", "seq=0", "wake_at__gt=1", "sweep_at__gt=1",
            "deadline_at__isnull=", "pk__gt=0",
            "entries__seq=1", "entries__isnull=", "leg__declarations__isnull=", "followed=1",
            "leg__prepared__isnull=", "players__user__password__startswith=a", "id__exact=1",
            "awaits_ruling__exact=1", "challenge__preparation__value__regex=a"),
    DeathMatch: ("legs__declarations__isnull=", "legs__prepared__has_key=pallets",
                 "legs__items__isnull=1", "gifts__declarations__leg=1"),
    Gift: ("declarations__isnull=", "declarations__declared_at__gt=2000-01-01",
           "targeted_by__isnull=", "receiver__user__email__startswith=p"),
    Season: ("rounds__death_matches__legs__declarations__isnull=", "webhooks__secret__regex=a"),
    User: ("password__startswith=argon2", "last_login__gt=2000-01-01", "api_tokens__digest=x",
           "match_entries__isnull=", "preparations__value__regex=a", "saved_moves__isnull="),
    Challenge: ("preparation__value__regex=a", "match__snapshot__regex=a", "preparation__isnull="),
    HostedMatch: ("preparation__value__regex=a", "match__snapshot__regex=a",
                  "preparation__isnull=", "items__contains=1", "first__password__startswith=a"),
    ChatMessage: ("match__snapshot__regex=a", "match__seq__gt=0", "client_id__startswith=a"),
    AuditEntry: ("who__password__startswith=a", "data__contains=1", "who__match_entries__isnull="),
}  # fmt: skip


def test_such_questions_get_no_answer(mona: User) -> None:
    client = signed_in(mona)
    for model, questions in QUESTIONS.items():
        its = admin.site._registry[model]
        for question in questions:
            name = question.partition("=")[0]
            assert not its.lookup_allowed(name, "", request_of(mona)), (model, question)
        assert client.get(f"{address(model)}?{questions[0]}").status_code == 400, model
    # Nor beside other parameters, in a form, or from an administrator.
    asked = f"{address(Match)}?{QUESTIONS[Match][0]}"
    assert client.get(f"{asked}&_popup=1&_facets=1&o=1&e=1&q=a&all=").status_code == 400
    form = {"action": "x", "_selected_action": ["1"], "select_across": "1"}
    assert client.post(asked, form).status_code == 400
    assert signed_in(User.objects.get(username="root")).get(asked).status_code == 400


def test_a_page_is_found_by_its_key_alone(mona: User, orla: User) -> None:
    season = running(orla, 4)
    leg = begun(orla, chosen(orla, season, ec=1, dmo=2))
    assert leg.match is not None
    client = signed_in(mona)
    page = client.get(address(Match, "change", leg.match.pk))
    assert page.status_code == 200
    assert client.get(f"{address(Match, 'change', leg.match.pk)}?_to_field=id").status_code == 200
    for column in ("seq", "snapshot", "wake_at", "status"):
        value = str(getattr(leg.match, column))[:40]
        asked = f"{address(Match, 'change', value)}?_to_field={column}"
        assert client.get(asked).status_code == 400, column
        assert client.get(f"{address(Match)}?_to_field={column}").status_code == 400, column
    # What was asked on the list only comes back as a link to it: right or wrong looks the same.
    told = []
    for seq in (leg.match.seq, leg.match.seq + 1):
        kept = f"{address(Match, 'change', leg.match.pk)}?_changelist_filters=seq%3D{seq}"
        text = client.get(kept).content.decode()
        lines = (line for line in text.splitlines() if "csrf" not in line)
        told.append("\n".join(lines).replace(f"seq={seq}", "").replace(f"seq%3D{seq}", ""))
    assert told[0] == told[1]


# -- what its reader plays in --------------------------------------------------------------------


def pages(model: Any, row: Any) -> list[str]:
    """Every page that a row has in the admin site."""
    actions = [each.name for each in getattr(admin.site._registry[model], "row_actions", ())]
    found = [address(model, page, row.pk) for page in ("change", "history", *actions)]
    if hasattr(model, "get_absolute_url"):
        kind = ContentType.objects.get_for_model(model)
        found.append(reverse("admin:view_on_site", args=[kind.pk, row.pk]))
    return found


def found(client: Client, row: Any, model: Any) -> bool:
    """Whether a row is there: on its list, and by its pages. Both must say the same."""
    listed = client.get(f"{address(model)}?all=")
    on_list = row in listed.context["cl"].queryset
    by_page = set()
    for each in pages(model, row):
        answer = client.get(each)
        gone = answer.status_code == 404 or answer.headers.get("Location") == "/admin/"
        by_page.add(not gone)
    assert by_page == {on_list}, (model, by_page, on_list)
    return bool(on_list)


def test_what_a_moderator_plays_in_is_out_of_reach_until_it_is_over(orla: User, mona: User) -> None:
    season = running(orla, 5, repertoire=[WARS])
    player = account(season, 1)
    role_grant(acting_user=User.objects.get(username="root"), user=player, role=Role.MODERATOR)
    death_match = chosen(orla, season, ec=1, dmo=2)
    against, beside = (
        item_give(
            acting_user=orla, season=season, item="domino-repeat", ruleset="domino-wars",
            receiver=who(season, number), at=START,
        )
        for number in (2, 4)
    )  # fmt: skip
    leg = leg_of(death_match)
    item_declare(acting_user=account(season, 2), leg=leg, gift=against, at=START)
    own, other = signed_in(User.objects.get(pk=player.pk)), signed_in(mona)
    events = SeasonEvent.objects.filter(death_match=death_match)
    told = AuditEntry.objects.filter(target_type="tournaments.leg", target_id=str(leg.pk))
    sealed = told.get(action="item.declare")
    assert events

    # Before it begins: nobody's log says that something is sealed.
    assert not found(own, death_match, DeathMatch)
    assert found(other, death_match, DeathMatch)
    assert not found(own, against, Gift)
    assert found(own, beside, Gift)
    for client in (own, other, signed_in(User.objects.get(username="root"))):
        assert not found(client, sealed, AuditEntry)

    leg = begun(orla, death_match)
    match = leg.match
    assert match is not None
    opponent = account(season, 2)
    with committing():
        said = chat_post(
            acting_user=opponent, match=match, room="players", client_id="c", text="Hm!", at=T0
        )
        commentator = commentator_name(
            acting_user=orla, match_id=match.pk, user=user_named("voice")
        )
    message = ChatMessage.objects.get(pk=said["id"])
    begin = AuditEntry.objects.get(action="match.start", target_id=str(match.pk))
    rows = [
        (match, Match), (message, ChatMessage), (death_match, DeathMatch), (against, Gift),
        (sealed, AuditEntry), (begin, AuditEntry), (events[0], SeasonEvent),
        (commentator, MatchCommentator),
    ]  # fmt: skip
    for row, model in rows:
        assert not found(own, row, model), row
        assert found(other, row, model), row
    asked: dict[str, str] = {
        "app_label": "games", "model_name": "matchplayer", "field_name": "match",
        "term": str(match.pk),
    }  # fmt: skip
    for client, count in ((own, 0), (other, 1)):
        answer = client.get("/admin/autocomplete/", asked)
        assert len(answer.json()["results"]) == count
        start = client.get("/admin/").content.decode()
        assert (f"/admin/games/match/{match.pk}/" in start) == bool(count)
    own.post(address(ChatMessage), {"action": "remove_messages", "_selected_action": [message.pk]})
    message.refresh_from_db()
    assert message.removed_at is None

    conceded(leg, winner=1)
    for row, model in rows:
        assert found(own, row, model), row


def test_an_administrator_who_plays_is_a_player_too(orla: User, mona: User) -> None:
    root = User.objects.get(username="root")
    challenge = challenge_create(acting_user=root, ruleset_id="tetronogo", variant="standard")
    with committing():
        match = challenge_accept(acting_user=mona, challenge=challenge)
    challenge.refresh_from_db()
    for row, model in ((match, Match), (challenge, Challenge)):
        assert not found(signed_in(root), row, model)
        assert not found(signed_in(mona), row, model)
    ruth = User.objects.create_superuser("ruth")
    assert found(signed_in(ruth), match, Match)


@pytest.mark.parametrize("model", MODELS)
def test_who_may_see_no_row_is_not_told_which_there_are(model: type[Model], root: User) -> None:
    staff = user_named("stan")
    User.objects.filter(pk=staff.pk).update(is_staff=True)
    client = signed_in(staff)
    acts = (action.name for action in getattr(admin.site._registry[model], "row_actions", ()))
    for page in ("change", "history", "delete", *acts):
        assert client.get(address(model, page, 987654321)).status_code == 403, page
