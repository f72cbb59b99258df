"""The organisers' pages: what waits for them, and every deed that services offer them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from core.refusals import Forbidden, NotFound, Refusal, allowed
from games.audience import organised_by
from games.models import Match
from games.views.common import needs_sign_in, problem
from tournaments import audience
from tournaments.formats.base import Task
from tournaments.formats.elimination import episodes
from tournaments.formats.ladder.format import ladder_challenge
from tournaments.forms import (
    EpisodeForm,
    FinalForm,
    GiftForm,
    NoForm,
    OrganiserForm,
    PairForm,
    PairingsForm,
    PlacementsForm,
    ReasonForm,
    ReplaceForm,
    RosterForm,
    SeasonForm,
    SeedsForm,
    TieForm,
    TimesForm,
    zone_told,
)
from tournaments.lifecycle import (
    ContestantStatus,
    DeathMatchStatus,
    GiftStatus,
    RoundStatus,
    SeasonStatus,
    Visibility,
)
from tournaments.models import Contestant, Episode, Gift, Round
from tournaments.reading import Sheet
from tournaments.services import (
    contestants,
    deathmatches,
    items,
    mail,
    results,
    rounds,
    seasons,
    starts,
)
from tournaments.services.guards import is_frozen, must_not_play_in
from tournaments.services.organisers import organiser_add, organiser_remove
from tournaments.services.rounds import Pairing, round_next, round_schedule
from tournaments.services.seasons import Warned
from tournaments.views.acts import Act, perform
from tournaments.views.common import FORMS, organisers_only, season_page, shown, with_user
from tournaments.views.players import open_matches

# -- a new season --------------------------------------------------------------------------------


@require_http_methods(FORMS)
@needs_sign_in
def season_new(request: HttpRequest, user: User) -> HttpResponse:
    """Make a season: a draft, seen by nobody but its organisers."""
    if not audience.may_create_season(user):
        refusal = Forbidden("season.not-allowed", "Only organisers may open a season.")
        return problem(request, refusal)
    status = 200
    if request.method == "POST":
        form = SeasonForm(request.POST)
        if form.is_valid():
            settings = form.settings()
            name = settings.pop("name")
            try:
                made = seasons.season_create(
                    acting_user=user,
                    name=name,
                    format=form.cleaned_data["format"],
                    settings=settings,
                )
            except Refusal as refusal:
                form.refuse(refusal)
            else:
                messages.success(request, "The season is a draft: only you can see it.")
                return redirect("tournaments:desk", made.slug)
        status = 422
    else:
        form = SeasonForm()
    return render(request, "tournaments/season_form.html", {"form": form}, status=status)


@require_http_methods(FORMS)
@organisers_only
def settings_page(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Change a season's settings."""
    status = 200
    if request.method == "POST":
        form = SeasonForm(request.POST, season=sheet.season)
        if form.is_valid():
            try:
                seasons.season_update(
                    acting_user=user, season=sheet.season, changes=form.settings()
                )
            except Refusal as refusal:
                form.refuse(refusal)
            else:
                messages.success(request, "The settings are kept.")
                return redirect("tournaments:desk", sheet.season.slug)
        status = 422
    else:
        form = SeasonForm(season=sheet.season)
    return shown(request, sheet, "desk_settings.html", {"form": form}, status=status)


# -- the desk ------------------------------------------------------------------------------------


@require_safe
@organisers_only
def desk(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """What waits for the organisers, and the way to everything else."""
    context = {
        "tasks": [
            (task, task.url or _address(sheet.season.slug, task.page, *task.args))
            for task in sorted(todo(sheet, user), key=lambda task: -task.pressing)
        ],
        "steps": _steps_offered(sheet),
        "now": sheet.current,
    }
    return shown(request, sheet, "desk.html", context)


def todo(sheet: Sheet, user: User) -> list[Task]:
    """Everything that waits for an organiser of the season."""
    season = sheet.season
    if season.visibility == Visibility.ARCHIVED:
        return []
    if season.status == SeasonStatus.ENROLLING:
        return _before_the_start(sheet) + _unreached(sheet)
    if season.status != SeasonStatus.RUNNING:
        return []
    return [
        *_unreached(sheet),
        *sheet.format.tasks(sheet.course),
        *_match_tasks(sheet, user),
    ]


def _address(slug: str, name: str, *args: Any) -> str:
    return reverse(f"tournaments:{name}", args=[slug, *args])


def _unreached(sheet: Sheet) -> list[Task]:
    """Whom the season's mails do not reach."""
    found = [
        Task(warned.sentence, "organisers", "See who runs it")
        for warned in seasons.organisers_unreached(sheet.season)
    ]
    players = mail.unreached(each.user for each in sheet.still_in if each.user is not None)
    if players:
        words = f"No mail reaches {seasons.named(players)}: tell them of what concerns them."
        found.append(Task(words, "roster", "See the contestants", 0))
    return found


def _before_the_start(sheet: Sheet) -> list[Task]:
    found = []
    if sheet.season.visibility == Visibility.DRAFT:
        found.append(
            Task(
                "Nobody else can see this season yet. It can be started once it is public.",
                "step",
                "Make it public",
                args=("list",),
            )
        )
    if not sheet.season.repertoire:
        found.append(Task("It is not said what is played.", "settings", "Choose games"))
    if not sheet.still_in:
        found.append(Task("Nobody is enrolled.", "roster", "Enrol somebody", 2))
    elif any(each.seed is None for each in sheet.still_in):
        found.append(Task("Not everybody has a seed.", "seeds", "Set seeds"))
    if sheet.still_in and sheet.season.visibility == Visibility.LISTED:
        found.append(
            Task(
                f"{len(sheet.still_in)} are enrolled.",
                "step",
                "Look before starting",
                args=("start",),
            )
        )
    return found


def _match_tasks(sheet: Sheet, user: User) -> list[Task]:
    found = []
    for row, leg in sheet.planned:
        if row.home_id is None or row.away_id is None or leg != row.next_leg:  # type: ignore[attr-defined]
            continue
        if not leg.ruleset:
            words, action, pressing = f"{row}: what is played?", "Choose the game", 2
        elif leg.no_show_at is not None:
            words, action, pressing = f"{row}: somebody was not there in time.", "Decide", 2
        elif leg.scheduled_at is None:
            words, action, pressing = f"{row} has no time yet.", "Set a time", 1
        else:
            continue
        found.append(Task(words, "match_desk", action, pressing, (row.pk,)))
    waiting = organised_by(
        Match.objects.filter(leg__death_match__round__season=sheet.season, awaits_ruling=True),
        user,
    )
    for match in waiting.select_related("leg__death_match__home", "leg__death_match__away").defer(
        "snapshot"
    ):
        words = f"{match.leg.death_match} stands still until you have ruled."
        found.append(Task(words, "", "Rule", 3, url=match.get_absolute_url()))
    return found


# -- steps of the season -------------------------------------------------------------------------


def _steps_offered(sheet: Sheet) -> list[tuple[str, str]]:
    """The steps that make sense now, with what their buttons say."""
    season = sheet.season
    found = []
    if season.visibility == Visibility.DRAFT:
        found.append(("list", "Make it public"))
    elif season.visibility == Visibility.ARCHIVED:
        found.append(("list", "Take it out of the archive"))
    else:
        if season.status == SeasonStatus.ENROLLING:
            found += [("start", "Start the season"), ("unlist", "Back to a draft")]
        if season.status in (SeasonStatus.FINISHED, SeasonStatus.CANCELLED):
            found.append(("archive", "Put it into the archive"))
    if season.status in (SeasonStatus.ENROLLING, SeasonStatus.RUNNING):
        found.append(("cancel", "Call it off"))
    return found


class Step(NamedTuple):
    """One step of a season, as its page says it."""

    title: str
    button: str
    done: str
    says: Sequence[str]
    danger: bool = False


_STEPS: Final[dict[str, Step]] = {
    "list": Step(
        "Make the season public",
        "Make it public",
        "The season is public.",
        ["Everybody can see the season, and it stands on the list of seasons."],
    ),
    "unlist": Step(
        "Make it a draft again",
        "Make it a draft",
        "The season is a draft.",
        ["Only its organisers can see it. Links to its pages stop working for everybody else."],
    ),
    "start": Step(
        "Start the season",
        "Start it",
        "The season has begun.",
        [
            "Seeds are fixed and can be set no more.",
            "How it is played stays as it is; the games and the pace can still be changed.",
            "The first round opens at once where the format pairs it by itself.",
        ],
    ),
    "cancel": Step(
        "Call the season off",
        "Call it off",
        "The season is called off.",
        ["Nothing more is played. What was played stays to be seen. This cannot be undone."],
        danger=True,
    ),
    "archive": Step(
        "Put the season into the archive",
        "Archive it",
        "The season is in the archive.",
        ["It is taken off the lists. Its pages stay, and nothing in it changes any more."],
    ),
}


@require_http_methods(FORMS)
@season_page
@with_user
def step(request: HttpRequest, sheet: Sheet, user: User, name: str) -> HttpResponse:
    """A step of the season: what speaks against it, what it does, the button."""
    if name not in _STEPS:
        raise NotFound("season.none", "There is no such step.")
    shelves = name == "archive" or (
        name == "list" and sheet.season.visibility == Visibility.ARCHIVED
    )
    allowed = audience.may_shelve if shelves else audience.may_manage
    if not allowed(sheet.season, user):
        raise Forbidden("season.not-organiser", "Only an organiser of this season may see this.")
    told = _STEPS[name]
    warnings: list[Warned] = []
    if name in ("list", "start", "cancel", "archive"):
        warnings = seasons.preflight(sheet.season, name, user)  # type: ignore[arg-type]
    runs: dict[str, Callable[[Any], Any]] = {
        "list": lambda _form: seasons.season_list(acting_user=user, season=sheet.season),
        "unlist": lambda _form: seasons.season_unlist(acting_user=user, season=sheet.season),
        "start": lambda _form: starts.season_start(acting_user=user, season=sheet.season),
        "cancel": lambda form: seasons.season_cancel(
            acting_user=user, season=sheet.season, why=form.cleaned_data["why"]
        ),
        "archive": lambda _form: seasons.season_archive(acting_user=user, season=sheet.season),
    }
    manages = audience.may_manage(sheet.season, user)
    act = Act(
        title=told.title,
        button=told.button,
        done=told.done,
        says=told.says,
        danger=told.danger,
        warnings=warnings,
        form=ReasonForm if name == "cancel" else NoForm,
        back=_address(sheet.season.slug, "desk" if manages else "season"),
        run=runs[name],
        ways=[
            (f"To {row}", _address(sheet.season.slug, "match_desk", row.pk))
            for row in (seasons.being_played(sheet.season) if name == "cancel" else ())
        ],
    )
    return perform(request, sheet, act)


# -- people --------------------------------------------------------------------------------------


@require_http_methods(FORMS)
@organisers_only
def roster(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Enrol: one found by name, or many from a list or a file, with what is wrong line by line."""
    status, faults = 200, []
    form = RosterForm()
    if request.method == "POST" and "user" in request.POST:
        found = User.objects.filter(pk__in=_numbers(request.POST["user"])).first()
        if found is None:
            raise NotFound("contestant.none", "There is no such player.")
        contestants.contestant_enrol(acting_user=user, season=sheet.season, user=found)
        messages.success(request, f"{found.shown_name} is enrolled.")
        return redirect("tournaments:roster", sheet.season.slug)
    if request.method == "POST":
        form, status = RosterForm(request.POST, request.FILES), 422
        if form.is_valid():
            try:
                made = contestants.contestants_import(
                    acting_user=user, season=sheet.season, text=form.roster()
                )
            except contestants.Faults as refusal:
                faults = refusal.faults
                form.refuse(refusal.reworded("Nobody was enrolled: see above what is wrong."))
            except Refusal as refusal:
                form.refuse(refusal)
            else:
                messages.success(request, f"{len(made)} enrolled.")
                return redirect("tournaments:roster", sheet.season.slug)
    query = request.GET.get("q", "").strip()[:60]
    context = {
        "form": form,
        "faults": faults,
        "query": query,
        "found": _found(sheet, query) if query else [],
    }
    return shown(request, sheet, "desk_roster.html", context, status=status)


def _numbers(text: str) -> list[int]:
    return [int(text)] if text.isascii() and text.isdigit() and len(text) < 19 else []


def _found(sheet: Sheet, query: str) -> list[tuple[User, bool]]:
    """Players whose name contains ``query``, and whether they are in the season already."""
    named = Q(username__icontains=query) | Q(display_name__icontains=query)
    inside = {each.user_id for each in sheet.contestants}
    rows = User.objects.filter(named, is_active=True).order_by("username")[:20]
    return [(each, each.pk in inside) for each in rows]


def _contestant(sheet: Sheet, pk: int) -> Contestant:
    if pk not in sheet.by_id:
        raise NotFound("contestant.none", "There is no such contestant.")
    return sheet.by_id[pk]


@require_http_methods(FORMS)
@organisers_only
def seeds(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Set seeds by hand, or draw them."""
    if request.method == "POST" and "draw" in request.POST:
        contestants.seeds_draw(acting_user=user, season=sheet.season)
        messages.success(request, "The seeds are drawn by lot.")
        return redirect("tournaments:seeds", sheet.season.slug)
    act = Act(
        title="Seeds",
        button="Keep these seeds",
        done="The seeds are kept.",
        says=["1 is the strongest. Nobody can share a seed; an empty one comes after the others."],
        back=_address(sheet.season.slug, "seeds"),
        form=partial(SeedsForm, contestants=sheet.still_in),
        template="desk_seeds.html",
        run=lambda form: contestants.seeds_set(
            acting_user=user, season=sheet.season, seeds=form.seeds()
        ),
    )
    return perform(request, sheet, act)


@require_http_methods(FORMS)
@organisers_only
def contestant_act(
    request: HttpRequest, sheet: Sheet, user: User, pk: int, name: str
) -> HttpResponse:
    """Strike somebody off, have them withdraw or return, or put somebody in their place."""
    who = _contestant(sheet, pk)
    back = _address(sheet.season.slug, "roster")
    acts = {
        "remove": Act(
            title=f"Strike {who} off",
            button="Strike off",
            done=f"{who} is not in the season any more.",
            says=["They can be enrolled again as long as the season has not begun."],
            back=back,
            run=lambda _form: contestants.contestant_remove(acting_user=user, contestant=who),
        ),
        "withdraw": Act(
            title=f"{who} withdraws",
            button="Withdraw them",
            done=f"{who} has withdrawn.",
            says=["Their death matches that are not decided are won by their opponents."],
            back=back,
            danger=True,
            form=ReasonForm,
            run=lambda form: contestants.contestant_withdraw(
                acting_user=user, contestant=who, why=form.cleaned_data["why"]
            ),
        ),
        "return": Act(
            title=f"{who} comes back",
            button="Let them return",
            done=f"{who} is back in.",
            says=[
                "They play again from the next round on, or the next main match to be recorded.",
                "Their death matches stay walkovers.",
                "A walkover that was a mistake can be taken back at its death match's desk.",
            ],
            back=back,
            form=ReasonForm,
            run=lambda form: contestants.contestant_return(
                acting_user=user, contestant=who, why=form.cleaned_data["why"]
            ),
        ),
        "replace": Act(
            title=f"Somebody takes over from {who}",
            button="Put them in the place",
            done="The place has a new holder.",
            says=[
                "The seed, the death matches that are not decided and the items go over.",
                (
                    "What was decided stays under the name of whoever played it. "
                    "This cannot be undone."
                ),
            ],
            back=back,
            danger=True,
            form=ReplaceForm,
            run=lambda form: contestants.contestant_replace(
                acting_user=user,
                contestant=who,
                user=form.cleaned_data["user"],
                why=form.cleaned_data["why"],
            ),
        ),
    }
    if name not in acts:
        raise NotFound("contestant.none", "There is no such step.")
    return perform(request, sheet, acts[name])


@require_http_methods(FORMS)
@organisers_only
def organisers(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Who runs the season."""
    if request.method == "POST" and "remove" in request.POST:
        whom = User.objects.filter(pk__in=_numbers(request.POST["remove"])).first()
        if whom is None:
            raise Refusal("organiser.none", "There is no such organiser.")
        organiser_remove(acting_user=user, season=sheet.season, user=whom)
        messages.success(request, f"{whom.shown_name} does not run the season any more.")
        here = audience.may_manage(sheet.season, user)
        return redirect(
            "tournaments:organisers" if here else "tournaments:season", sheet.season.slug
        )
    act = Act(
        title="Organisers",
        button="Add",
        done="The season has another organiser.",
        says=["Organisers of a season may do everything on its desk, this page included."],
        back=_address(sheet.season.slug, "organisers"),
        form=OrganiserForm,
        template="desk_organisers.html",
        run=lambda form: organiser_add(
            acting_user=user, season=sheet.season, user=form.cleaned_data["user"]
        ),
    )
    return perform(request, sheet, act)


# -- rounds --------------------------------------------------------------------------------------


@require_http_methods(FORMS)
@organisers_only
def episode_new(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Open the next episode."""
    act = Act(
        title="Open the next episode",
        button="Open it",
        done="The episode has begun.",
        says=["The main match is played elsewhere; you record how everybody came off."],
        back=_address(sheet.season.slug, "desk"),
        form=EpisodeForm,
        run=lambda form: episodes.episode_open(
            acting_user=user, season=sheet.season, **form.cleaned_data
        ),
    )
    return perform(request, sheet, act)


def _episode(sheet: Sheet, number: int) -> tuple[Round, Episode]:
    played = sheet.round(number)
    episode: Episode | None = getattr(played, "told", None)
    if episode is None:
        raise NotFound("round.none", "This round is no episode.")
    return played, episode


@require_http_methods(FORMS)
@organisers_only
def placements(request: HttpRequest, sheet: Sheet, user: User, number: int) -> HttpResponse:
    """Record how everybody came off in the main match."""
    played, episode = _episode(sheet, number)
    known = {each.contestant_id: each for each in episode.places}  # type: ignore[attr-defined]
    initial: dict[str, Any] = {"main_match": episode.main_match, "notes": episode.notes}
    for pk, each in known.items():
        initial |= {f"place_{pk}": each.place, f"immune_{pk}": each.immune}

    def run(form: Any) -> None:
        episodes.placements_record(
            acting_user=user,
            episode=episode,
            placements=[episodes.Placed(*each) for each in form.placements()],
            ec=form.cleaned_data["ec"],
            main_match=form.cleaned_data["main_match"],
            notes=form.cleaned_data["notes"],
        )

    act = Act(
        title=f"{played.name}: how the main match ended",
        button="Record it",
        done="The main match is recorded.",
        says=[
            (
                "1 is the best; equal places are possible. Whoever came last is the EC and is "
                "asked to choose an opponent from those who are not immune."
            )
        ],
        back=_address(sheet.season.slug, "round", number),
        form=partial(
            PlacementsForm, contestants=list(episodes.in_main_match(episode)), initial=initial
        ),
        template="desk_placements.html",
        more={"round": played},
        run=run,
    )
    return perform(request, sheet, act)


@require_http_methods(FORMS)
@organisers_only
def final(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Open the final."""
    options = episodes.elimination_options(sheet.season)
    act = Act(
        title="Open the final",
        button="Open the final",
        done="The final is open.",
        says=[
            "The last two meet in the best of so many matches.",
            "Each of the eliminated may give one item for each match.",
            "Whoever holds more items given for a match has its advantage.",
        ],
        back=_address(sheet.season.slug, "desk"),
        form=partial(FinalForm, initial={"best_of": options.final_best_of}),
        run=lambda form: episodes.final_open(
            acting_user=user,
            season=sheet.season,
            name=form.cleaned_data["name"],
            best_of=form.cleaned_data["best_of"],
            games=form.games(),
        ).get_absolute_url(),
    )
    return perform(request, sheet, act)


@require_http_methods(FORMS)
@organisers_only
def pair(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Pair the next round."""
    lenient = "lenient" in request.POST
    act = Act(
        title="Pair the next round",
        button="Pair it",
        done="The round is paired.",
        says=[
            "From then on the results of the round before change only after it is reopened.",
            "Everybody who is still in is paired once; times are set on the desk.",
        ],
        warnings=_before_pairing(sheet),
        back=_address(sheet.season.slug, "desk"),
        template="desk_pair.html",
        run=lambda _form: rounds.round_pair(acting_user=user, season=sheet.season, lenient=lenient),
    )
    return perform(request, sheet, act)


def _before_pairing(sheet: Sheet) -> list[Warned]:
    """What is in the way of a next round, which the service would refuse."""
    try:
        rounds.must_be_paired(sheet.season)
    except Refusal as refusal:
        return [Warned(refusal.code, refusal.sentence, stops=True)]
    if not sheet.rounds:
        return [Warned("season.not-running", "The season has not begun.", stops=True)]
    if sheet.course.busy:
        words = f"{sheet.rounds[-1].name} is not complete."
        return [Warned("round.open-matches", words, stops=True)]
    if 0 < sheet.course.rounds <= len(sheet.rounds):
        words = f"All {sheet.course.rounds} rounds have been paired."
        return [Warned("round.none-left", words, stops=True)]
    return []


# A page with so many to choose from is still one that can be read.
BY_HAND_MOST: Final = 64


@require_http_methods(FORMS)
@organisers_only
def pair_by_hand(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Pair the next round as the organisers want it."""
    season = sheet.season
    if not sheet.format.by_hand:
        raise Refusal("pairing.not-by-hand", "This format pairs by itself.")
    people = list(season.contestants.in_round(len(sheet.rounds) + 1))
    if len(people) > BY_HAND_MOST:
        raise Refusal(
            "pairing.too-many",
            f"By hand up to {BY_HAND_MOST} can be paired here; a program may pair more.",
        )
    warnings = _before_pairing(sheet)
    try:
        must_not_play_in(people, user)
    except Refusal as refusal:
        warnings.append(Warned(refusal.code, refusal.sentence, stops=True))
    act = Act(
        title="Pair the next round by hand",
        button="Pair it so",
        done="The round is paired.",
        says=[
            "Everybody plays once; with an odd number one is left over, and has a bye.",
            "Nobody meets somebody again, or has a second bye.",
            "Filled in is what the format would pair, if there is a way.",
        ],
        warnings=warnings,
        back=_address(season.slug, "pair"),
        form=partial(
            PairingsForm,
            people=people,
            proposed=[] if warnings else sheet.format.proposed(sheet.course),
        ),
        template="desk_pair_hand.html",
        run=lambda form: _address(
            season.slug,
            "round_desk",
            round_next(
                acting_user=user,
                season=season,
                pairings=[Pairing(*sides) for sides in form.pairings()],
            ).number,
        ),
    )
    return perform(request, sheet, act)


@require_http_methods(FORMS)
@organisers_only
def conclude(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """End a season by its order."""
    running = sheet.season.status == SeasonStatus.RUNNING
    first = [sheet.by_id[pk] for pk in sheet.course.first] if running else []
    act = Act(
        title="End the season",
        button="End it",
        done="The season has a winner.",
        says=["Everybody gets the place on which they stand now, and the first has won."],
        warnings=seasons.preflight(sheet.season, "finish", user) if running else (),
        back=sheet.season.get_absolute_url(),
        danger=True,
        form=partial(TieForm, people=first) if len(first) > 1 else NoForm,
        run=lambda form: results.season_conclude(
            acting_user=user, season=sheet.season, winner=form.cleaned_data.get("opponent")
        ),
    )
    return perform(request, sheet, act)


@require_http_methods(FORMS)
@organisers_only
def ladder_pair(request: HttpRequest, sheet: Sheet, user: User, pk: int) -> HttpResponse:
    """Enter a challenge for somebody on a ladder."""
    who = _contestant(sheet, pk)
    if not sheet.format.challenges:
        raise Http404("Nobody challenges anybody here.")
    reach = [sheet.by_id[each] for each in sheet.course.in_reach(pk)]
    if not reach:
        raise Refusal("ladder.out-of-reach", f"{who} can challenge nobody at the moment.")
    act = Act(
        title=f"{who} challenges",
        button="Enter the challenge",
        done="The challenge stands.",
        back=_address(sheet.season.slug, "desk"),
        form=partial(PairForm, people=reach),
        run=lambda form: ladder_challenge(
            acting_user=user,
            season=sheet.season,
            challenger=who,
            defender=form.cleaned_data["opponent"],
        ).get_absolute_url(),
    )
    return perform(request, sheet, act)


@require_safe
@organisers_only
def round_desk(request: HttpRequest, sheet: Sheet, user: User, number: int) -> HttpResponse:
    """A round with its deeds."""
    played = sheet.round(number)
    episode: Episode | None = getattr(played, "told", None)
    matches = next(rows for each, rows in sheet.by_round if each.pk == played.pk)
    context = {
        "round": played,
        "episode": episode,
        "matches": matches,
        "may_close": played.status != RoundStatus.CLOSED
        and allowed(deathmatches.must_be_closable, played, by_hand=True),
        "may_reopen": any(
            each.status == DeathMatchStatus.DECIDED and is_frozen(each) for each in matches
        ),
    }
    return shown(request, sheet, "desk_round.html", context)


@require_http_methods(FORMS)
@organisers_only
def round_times(request: HttpRequest, sheet: Sheet, user: User, number: int) -> HttpResponse:
    """When the death matches of a round are played, all at once."""
    played = sheet.round(number)
    legs = [
        leg
        for row, leg in sheet.planned
        if row.round_id == played.pk and row.away_id and leg == row.next_leg  # type: ignore[attr-defined]
    ]
    act = Act(
        title=f"Times of {played.name}",
        button="Set the times",
        done="The times are set.",
        says=[
            format_html(
                "In your zone, {}. What is left empty has no fixed time.",
                zone_told(user.time_zone),
            )
        ],
        back=_address(sheet.season.slug, "round_desk", number),
        form=partial(TimesForm, zone=user.time_zone, legs=legs),
        run=lambda form: round_schedule(acting_user=user, round=played, times=form.times()),
    )
    return perform(request, sheet, act)


@require_http_methods(FORMS)
@organisers_only
def round_act(
    request: HttpRequest, sheet: Sheet, user: User, number: int, name: str
) -> HttpResponse:
    """Close a round, reopen it, or skip an episode."""
    played = sheet.round(number)
    back = _address(sheet.season.slug, "round_desk", number)
    acts: dict[str, Callable[[], Act]] = {
        "close": lambda: Act(
            title=f"Close {played.name}",
            button="Close it",
            done=f"{played.name} is complete.",
            says=[
                "Once a later round rests on its results, they change only after it is reopened."
            ],
            back=back,
            run=lambda _form: deathmatches.round_close(acting_user=user, round=played),
        ),
        "reopen": lambda: Act(
            title=f"Reopen {played.name}",
            button="Reopen it",
            done=f"{played.name} is open again.",
            says=[
                "Its results can be changed again, though others may rest on them.",
                "That it was reopened, and why, stands on the page of rulings.",
            ],
            back=back,
            danger=True,
            form=ReasonForm,
            run=lambda form: results.round_reopen(
                acting_user=user, round=played, why=form.cleaned_data["why"]
            ),
        ),
        "skip": lambda: Act(
            title=f"Nobody leaves in {played.name}",
            button="End the episode",
            done=f"{played.name} ends without a death match.",
            says=["The episode ends, everybody stays in, and the next one can be opened."],
            back=back,
            danger=True,
            form=ReasonForm,
            run=lambda form: episodes.episode_skip(
                acting_user=user,
                episode=_episode(sheet, number)[1],
                why=form.cleaned_data["why"],
            ),
        ),
    }
    if name not in acts:
        raise NotFound("round.none", "There is no such step.")
    return perform(request, sheet, acts[name]())


# -- items ---------------------------------------------------------------------------------------


@require_http_methods(FORMS)
@organisers_only
def ledger(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Every item, and a form to enter one."""
    act = Act(
        title="Items",
        button="Enter the item",
        done="The item is entered.",
        says=["Enter what an eliminated contestant gives, or grant something yourselves."],
        back=_address(sheet.season.slug, "ledger"),
        form=partial(
            GiftForm,
            receivers=sheet.still_in,
            givers=[
                each for each in sheet.contestants if each.status == ContestantStatus.ELIMINATED
            ],
            death_matches=open_matches(sheet),
        ),
        template="desk_ledger.html",
        run=lambda form: items.item_give(
            acting_user=user,
            season=sheet.season,
            giver=form.cleaned_data["giver"],
            **form.gift(),
        ),
    )
    return perform(request, sheet, act)


@require_http_methods(FORMS)
@organisers_only
def item_take_back(request: HttpRequest, sheet: Sheet, user: User, pk: int) -> HttpResponse:
    """Take back an item that was given by mistake."""
    gift: Gift | None = next((each for each in sheet.gifts if each.pk == pk), None)
    if gift is None or gift.status != GiftStatus.HELD:
        raise NotFound("gift.none", "There is no such item to take back.")
    found = gift
    act = Act(
        title=f"Take an item back from {found.receiver}",
        button="Take it back",
        done="The item is taken back.",
        says=["It stays in the history, with your reason. This cannot be undone."],
        back=_address(sheet.season.slug, "ledger"),
        danger=True,
        form=ReasonForm,
        run=lambda form: items.item_take_back(
            acting_user=user, gift=found, why=form.cleaned_data["why"]
        ),
    )
    return perform(request, sheet, act)
