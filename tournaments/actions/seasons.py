"""What organisers can do about a season as a whole, and moderators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from django.urls import reverse

from core.actions import Action, Actions, Done
from core.clock import now_utc
from core.refusals import NotFound, allowed
from tournaments.actions.subjects import AtAsked, AtInvitation, AtPlace, AtSeason
from tournaments.forms.base import NoForm, PublicReasonForm, ServiceForm
from tournaments.forms.people import (
    InvitationForm,
    MessageForm,
    OrganiserForm,
    PartForm,
    SeedsForm,
)
from tournaments.forms.seasons import CloneForm, SeasonForm, TieForm
from tournaments.lifecycle import Visibility
from tournaments.models import OrganiserInvitation, Season
from tournaments.rights import OF_HELPERS, Right, Role
from tournaments.services import cloning, messages, preflight, seasons, starts
from tournaments.services.contestants import invitations, seeds
from tournaments.services.guards import (
    must_be_running,
    must_not_be_archived,
    must_not_be_draft,
)
from tournaments.services.organisers import (
    must_be_able_to_own,
    must_be_acceptable,
    must_be_asking,
    must_be_declinable,
    must_be_dispensable,
    must_be_unanswered,
    must_not_be_owner,
    organiser_accept,
    organiser_ask,
    organiser_ask_withdraw,
    organiser_change,
    organiser_decline,
    organiser_remove,
    season_hand_over,
)
from tournaments.services.preflight import Step, Warned
from tournaments.services.results import conclusion


def _for_managers(
    check: Callable[[Season], object], right: Right = Right.RUN
) -> Callable[[AtSeason], None]:
    """What a service asks that changes a season."""

    def ask(subject: AtSeason) -> None:
        subject.must_manage(right)
        check(subject.season)

    return ask


def _cautions_before(step: Step) -> Callable[[AtSeason], Sequence[Warned]]:
    return lambda subject: preflight.preflight(subject.season, step, subject.user)


def _ways_to_matches(subject: AtSeason) -> Sequence[tuple[str, str]]:
    return [
        (f"To {row}", subject.address("match_desk", row.pk))
        for row in preflight.being_played(subject.season)
    ]


def _ways_to_start(subject: AtSeason) -> Sequence[tuple[str, str]]:
    if allowed(preflight.must_have_nobody_held, subject.season):
        return ()
    return [("To the contestants", subject.address("roster"))]


# -- steps ---------------------------------------------------------------------------------------

LIST: Final = Action[AtSeason](
    name="list",
    label=lambda s: (
        "Take it out of the archive"
        if s.season.visibility == Visibility.ARCHIVED
        else "Make it public"
    ),
    title="Make the season public",
    button="Make it public",
    done="The season is public.",
    follows=["Everybody can see the season, and it stands on the list of seasons."],
    check=lambda s: seasons.must_be_listable(s.season, s.user),
    cautions=_cautions_before("list"),
    run=lambda s, _form: seasons.season_list(acting_user=s.user, season=s.season),
    at_once=True,
)
START: Final = Action[AtSeason](
    name="start",
    label="Start the season",
    title="Start the season",
    button="Start it",
    done="The season has begun.",
    follows=[
        "Seeds are fixed and can be set no more.",
        "How it is played stays as it is; the games and the pace can still be changed.",
        "The first round opens at once where the format pairs it by itself.",
    ],
    check=_for_managers(starts.must_be_startable),
    cautions=_cautions_before("start"),
    ways=_ways_to_start,
    run=lambda s, _form: starts.season_start(acting_user=s.user, season=s.season),
)
UNLIST: Final = Action[AtSeason](
    name="unlist",
    label="Back to a draft",
    title="Make it a draft again",
    button="Make it a draft",
    done="The season is a draft.",
    follows=["Only its organisers can see it. Links to its pages stop working for everybody else."],
    check=_for_managers(seasons.must_be_unlistable),
    run=lambda s, _form: seasons.season_unlist(acting_user=s.user, season=s.season),
)
ARCHIVE: Final = Action[AtSeason](
    name="archive",
    label="Put it into the archive",
    title="Put the season into the archive",
    button="Archive it",
    done="The season is in the archive.",
    follows=["It is taken off the lists. Its pages stay, and nothing in it changes any more."],
    check=lambda s: seasons.must_be_archivable(s.season, s.user),
    cautions=_cautions_before("archive"),
    run=lambda s, _form: seasons.season_archive(acting_user=s.user, season=s.season),
    at_once=True,
)
CANCEL: Final = Action[AtSeason](
    name="cancel",
    label="Call it off",
    title=lambda s: f"Call {s.season.name} off",
    button="Call it off",
    done="The season is called off.",
    follows=["Nothing more is played. What was played stays to be seen. This cannot be undone."],
    facts=lambda s: [("Status", s.season.get_status_display())],
    check=_for_managers(seasons.must_be_cancellable, Right.OWN),
    cautions=_cautions_before("cancel"),
    ways=_ways_to_matches,
    form=lambda _s: partial(PublicReasonForm, act="cancel"),
    run=lambda s, form: seasons.season_cancel(
        acting_user=s.user, season=s.season, why=form.cleaned_data["why"]
    ),
    danger=True,
    phrase=lambda s: s.season.slug,
)


def _may_clone(subject: AtSeason) -> None:
    # As `cloning.must_be_clonable`: also out of the archive.
    subject.sheet.must_be_managed_by(subject.user)
    seasons.must_be_allowed_to_create(subject.user)


def _brings(subject: AtSeason) -> Sequence[str]:
    count = cloning.likely(subject.sheet.contestants)
    who = "Nobody" if count == 0 else "One" if count == 1 else f"{count}"
    return [
        "A new draft has the same format, options, games, pace, tie-breaks and rules.",
        "You are its owner and only organiser. Nothing of this season changes.",
        f"{who} of its contestants can come along.",
    ]


def _clone(subject: AtSeason, form: Any) -> Done:
    made = cloning.season_clone(
        acting_user=subject.user,
        season=subject.season,
        name=form.cleaned_data["name"],
        bringing=form.cleaned_data["bringing"],
    )
    count = made.contestants.count()
    who = "nobody is" if count == 0 else "one is" if count == 1 else f"{count} are"
    return Done(
        f"{made.name} is a draft that only you see; {who} enrolled.",
        reverse("tournaments:desk", args=[made.slug]),
    )


CLONE: Final = Action[AtSeason](
    name="clone",
    label="Make another like it",
    title=lambda s: f"Another season like {s.season.name}",
    button="Make the draft",
    done="The new season is a draft that only you see.",
    follows=_brings,
    check=_may_clone,
    form=lambda s: partial(CloneForm, season=s.season),
    run=_clone,
)

#: Steps of a season, and the way to the next.
SEASON: Final = Actions("season", (LIST, START, UNLIST, ARCHIVE, CANCEL, CLONE))
#: Those that the admin site offers too.
MODERATED: Final = Actions("season", (ARCHIVE, LIST, CANCEL))
#: Those that it offers for several at once.
SEASONS: Final = Actions(
    "seasons",
    (replace(ARCHIVE, name="archive_seasons", label="Archive the selected seasons"),),
)


# -- its other pages -----------------------------------------------------------------------------


def _may_conclude(subject: AtSeason) -> None:
    subject.must_manage()
    must_be_running(subject.season)
    subject.sheet.course.must_not_share_first(subject.user)


def _tie_form(subject: AtSeason) -> Callable[..., ServiceForm]:
    sheet = subject.sheet
    first = [sheet.by_id[pk] for pk in sheet.course.first]
    return partial(TieForm, people=first) if len(first) > 1 else NoForm


def _conclude(subject: AtSeason, form: Any) -> str:
    conclusion.season_conclude(
        acting_user=subject.user,
        season=subject.season,
        winner=form.cleaned_data.get("opponent"),
    )
    return subject.season.get_absolute_url()


def _unseen(season: Season) -> Sequence[Warned]:
    if season.visibility != Visibility.DRAFT:
        return ()
    return [Warned("preflight.draft", "Links lead nowhere as long as the season is a draft.")]


def _invite(subject: AtSeason, form: Any) -> None:
    at = now_utc()
    invitations.invitation_make(
        acting_user=subject.user,
        season=subject.season,
        note=form.cleaned_data["note"],
        limit=form.cleaned_data["limit"],
        expires_at=form.expires_at(at),
        at=at,
    )


SETTINGS: Final = Action[AtSeason](
    name="settings",
    label="Settings",
    title="Settings",
    button="Keep",
    done="The settings are kept.",
    check=_for_managers(seasons.must_be_changeable),
    form=lambda s: partial(SeasonForm, season=s.season),
    run=lambda s, form: seasons.season_update(
        acting_user=s.user, season=s.season, changes=form.settings()
    ),
)


def _asked(subject: AtSeason, form: Any) -> Done:
    user = form.cleaned_data["user"]
    organiser_ask(acting_user=subject.user, season=subject.season, user=user, **form.part())
    if user is None:
        return Done("The link is made: copy it below.")
    return Done(f"{user.shown_name} is asked, and decides.")


ORGANISERS: Final = Action[AtSeason](
    name="organisers",
    label="Organisers and helpers",
    title="Organisers and helpers",
    button="Ask them",
    done="They are asked.",
    follows=[
        "Whoever is asked says yes or no; nobody is in before that.",
        "They need no role on this site. It runs out after two weeks.",
    ],
    check=lambda s: must_be_asking(s.season, s.user),
    form=lambda _s: OrganiserForm,
    run=_asked,
)
SEEDS: Final = Action[AtSeason](
    name="seeds",
    label="Seeds",
    title="Seeds",
    button="Keep these seeds",
    done="The seeds are kept.",
    follows=["1 is the strongest. Nobody can share a seed; an empty one comes after the others."],
    check=_for_managers(seeds.must_not_have_seeds_fixed, Right.PEOPLE),
    form=lambda s: partial(SeedsForm, contestants=s.sheet.still_in),
    run=lambda s, form: seeds.seeds_set(acting_user=s.user, season=s.season, seeds=form.seeds()),
)
DRAW_SEEDS: Final = Action[AtSeason](
    name="draw-seeds",
    label="Draw all by lot",
    title="Draw the seeds by lot",
    button="Draw all by lot",
    done="The seeds are drawn by lot.",
    check=_for_managers(seeds.must_not_have_seeds_fixed, Right.PEOPLE),
    run=lambda s, _form: seeds.seeds_draw(acting_user=s.user, season=s.season),
    at_once=True,
)
CONCLUDE: Final = Action[AtSeason](
    name="conclude",
    label="End the season",
    title="End the season",
    button="End it",
    done="The season has a winner.",
    follows=["Everybody gets the place on which they stand now, and the first has won."],
    check=_may_conclude,
    cautions=_cautions_before("finish"),
    form=_tie_form,
    run=_conclude,
    danger=True,
)

INVITE: Final = Action[AtSeason](
    name="invite",
    label="Invitation links",
    title="Invitation links",
    button="Make a link",
    done="The link is made: copy it below.",
    follows=[
        "Whoever has the link enters by themselves until the season begins.",
        "Who has no account is led to one, and back.",
        "Their name stands on the season's public pages then.",
    ],
    check=lambda s: invitations.must_be_inviting(s.season, s.user),
    cautions=lambda s: _unseen(s.season),
    form=lambda _s: InvitationForm,
    run=_invite,
)


def _may_write(subject: AtSeason) -> None:
    # As `messages.must_be_able_to_write`.
    subject.must_manage(Right.PEOPLE)
    must_not_be_draft(subject.season)
    messages.must_not_be_silenced(subject.user)


def _write(subject: AtSeason, form: Any) -> Done:
    whom, played = form.to
    message = messages.message_send(
        acting_user=subject.user,
        season=subject.season,
        title=form.cleaned_data["title"],
        words=form.cleaned_data["words"],
        whom=whom,
        round=played,
        form=form.cleaned_data["form"],
    )
    count = message.to.count()
    return Done(f"The message goes to {'one' if count == 1 else count} of the contestants.")


MESSAGE: Final = Action[AtSeason](
    name="message",
    label="Messages",
    title="Messages to contestants",
    button="Send it",
    done="The message is sent.",
    follows=[
        "Each is told of it by the ways that they have chosen, and finds it on the season's pages.",
        f"At most {messages.A_DAY_MAX} go out within a day.",
    ],
    check=_may_write,
    form=lambda s: partial(
        MessageForm, rounds=s.sheet.rounds_still_open, key=messages.form_key(s.season, s.user)
    ),
    run=_write,
)

#: Pages of the desk about the season as a whole.
DESK: Final = Actions("desk", (SETTINGS, ORGANISERS, SEEDS, DRAW_SEEDS, CONCLUDE, INVITE, MESSAGE))


# -- links ---------------------------------------------------------------------------------------


def _may_revoke(subject: AtInvitation) -> None:
    subject.must_manage(Right.PEOPLE)
    invitations.must_not_be_revoked(subject.invitation)


REVOKE_INVITATION: Final = Action[AtInvitation](
    name="revoke",
    label="Withdraw",
    title="Withdraw the link",
    button="Withdraw",
    done="The link lets nobody in any more.",
    check=_may_revoke,
    run=lambda s, _form: invitations.invitation_revoke(acting_user=s.user, invitation=s.invitation),
    at_once=True,
)

INVITATION: Final = Actions("invitation", (REVOKE_INVITATION,))


# -- who runs it ---------------------------------------------------------------------------------


def _may_change(subject: AtPlace) -> None:
    subject.must_manage()
    must_not_be_owner(subject.place)


def _may_remove(subject: AtPlace) -> None:
    if subject.own:
        raise NotFound("organiser.not-there", "Nobody removes themselves: they leave.")
    subject.must_manage()
    must_be_dispensable(subject.place.user, subject.sheet.crew)


def _may_leave(subject: AtPlace) -> None:
    if not subject.own:
        raise NotFound("organiser.not-there", "Nobody leaves in the stead of another.")
    must_not_be_archived(subject.season)
    must_be_dispensable(subject.user, subject.sheet.crew)


def _may_hand_over(subject: AtPlace) -> None:
    subject.must_manage(Right.OWN)
    must_be_able_to_own(subject.place)


def _gone(subject: AtPlace, _form: Any) -> str:
    organiser_remove(acting_user=subject.user, season=subject.season, user=subject.place.user)
    if not subject.own:
        return subject.address("organisers")
    # Whoever has left has no desk any more, and of a draft no page.
    if subject.season.visibility == Visibility.DRAFT:
        return reverse("tournaments:seasons")
    return subject.season.get_absolute_url()


CHANGE_PART: Final = Action[AtPlace](
    name="change",
    label="Change",
    title=lambda s: f"What {s.place.user.shown_name} may do",
    button="Change it",
    done=lambda s: f"{s.place.user.shown_name} has another part, and is told.",
    follows=["It holds at once, on pages that they have open, too."],
    check=_may_change,
    form=lambda s: partial(
        PartForm, initial={"role": s.place.role, "rights": list(s.place.rights)}
    ),
    run=lambda s, form: organiser_change(
        acting_user=s.user, season=s.season, user=s.place.user, **form.part()
    ),
)
HAND_OVER: Final = Action[AtPlace](
    name="hand-over",
    label="Hand over",
    title=lambda s: f"Hand the season over to {s.place.user.shown_name}",
    button="Hand it over",
    done=lambda s: f"The season belongs to {s.place.user.shown_name} now.",
    follows=[
        "They own the season: they alone may call it off, and hand it on.",
        "You stay as a co-organiser.",
    ],
    check=_may_hand_over,
    run=lambda s, _form: season_hand_over(acting_user=s.user, season=s.season, user=s.place.user),
    danger=True,
)
REMOVE_ORGANISER: Final = Action[AtPlace](
    name="remove",
    label="Remove",
    title=lambda s: f"Remove {s.place.user.shown_name}",
    button="Remove",
    done=lambda s: f"{s.place.user.shown_name} is not one of those who run the season any more.",
    follows=["It holds at once, and they are told. They can be asked again."],
    check=_may_remove,
    run=_gone,
    danger=True,
)
LEAVE_CREW: Final = Action[AtPlace](
    name="leave",
    label="Leave",
    title=lambda s: (
        f"Stop helping with {s.season.name}"
        if s.place.is_helper
        else f"Stop running {s.season.name}"
    ),
    button="Leave",
    done="You are not one of those who run the season any more.",
    follows=["Its organisers can ask you again."],
    check=_may_leave,
    run=_gone,
    danger=True,
)

ORGANISER: Final = Actions("organiser", (CHANGE_PART, HAND_OVER, REMOVE_ORGANISER, LEAVE_CREW))


# -- who is asked --------------------------------------------------------------------------------


def _may_withdraw_ask(subject: AtAsked) -> None:
    must_be_asking(subject.season, subject.user)
    must_be_unanswered(subject.asked)


def _accepted(subject: AtAsked, _form: Any) -> Done:
    row = organiser_accept(acting_user=subject.user, invitation=subject.asked)
    words = "You help with" if row.is_helper else "You run"
    return Done(f"{words} {subject.season.name} from now on.", subject.address("desk"))


WITHDRAW_ASK: Final = Action[AtAsked](
    name="withdraw",
    label="Withdraw",
    title="Ask them no more",
    button="Withdraw",
    done="They are not asked any more.",
    check=_may_withdraw_ask,
    run=lambda s, _form: organiser_ask_withdraw(acting_user=s.user, invitation=s.asked),
    at_once=True,
)
ACCEPT_PART: Final = Action[AtAsked](
    name="accept",
    label="Accept",
    title=lambda s: f"You are asked to {_to_do(s.asked)} {s.season.name}",
    button=lambda s: "I help" if s.asked.role == Role.HELPER else "I run it too",
    done="You are in.",
    follows=lambda s: [
        *(
            [OF_HELPERS[right] for right in OF_HELPERS if right.value in s.asked.rights]
            or ["You may do everything but call the season off and remove its owner."]
        ),
        "That you do stands in the history of the season. You can leave whenever you like.",
    ],
    check=lambda s: must_be_acceptable(s.asked, s.user, now_utc()),
    run=_accepted,
)
DECLINE_PART: Final = Action[AtAsked](
    name="decline",
    label="Decline",
    title="No, thank you",
    button="No, thank you",
    done="You have declined.",
    check=lambda s: must_be_declinable(s.asked, s.user, now_utc()),
    run=lambda s, _form: organiser_decline(acting_user=s.user, invitation=s.asked),
    at_once=True,
)


def _to_do(asked: OrganiserInvitation) -> str:
    return "help with" if asked.role == Role.HELPER else "run"


ASKED: Final = Actions("asked", (WITHDRAW_ASK, ACCEPT_PART, DECLINE_PART))
