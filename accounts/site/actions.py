"""What moderators can do for the whole site, in a table: see `core.actions`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from accounts.models import SiteAnnouncement, User
from accounts.services import must_administer
from accounts.site import announcements, registration
from accounts.site.forms import RegistrationForm, SecondFactorRuleForm, SiteAnnouncementForm
from accounts.site.second_factors import second_factor_rule_set
from core.actions import Action, Actions, Done


@dataclass(frozen=True)
class AtSite:
    """Somebody, and the site."""

    user: User


@dataclass(frozen=True)
class AtSiteAnnouncement:
    """Somebody, and words that pages show."""

    user: User
    announcement: SiteAnnouncement


def _may_end(subject: AtSiteAnnouncement) -> None:
    announcements.must_speak_for_the_site(subject.user)
    announcements.must_not_be_over(subject.announcement)


def _publish(subject: AtSite, form: Any) -> None:
    given = form.cleaned_data
    announcements.site_announcement_publish(
        acting_user=subject.user,
        words=given["words"],
        is_urgent=given["is_urgent"],
        begins_at=given["begins_at"],
        ends_at=given["ends_at"],
    )


def _set_registration(subject: AtSite, form: Any) -> Done:
    given = form.cleaned_data
    row = registration.registration_set(
        acting_user=subject.user, is_open=given["is_open"], words=given["words"]
    )
    return Done("Registration is open." if row.is_open else "Registration is closed.")


def _set_second_factor(subject: AtSite, form: Any) -> Done:
    row = second_factor_rule_set(acting_user=subject.user, **form.cleaned_data)
    return Done(f"From now on {row}.")


ANNOUNCE: Final = Action[AtSite](
    name="announce",
    label="Announce something",
    title="Announce something to everybody",
    button="Announce it",
    done="Every page shows it within seconds.",
    check=lambda s: announcements.must_speak_for_the_site(s.user),
    form=lambda _s: SiteAnnouncementForm,
    run=_publish,
)
REGISTRATION: Final = Action[AtSite](
    name="registration",
    label="Open or close registration",
    title="Open or close registration",
    button="Set it",
    done="",
    check=lambda s: announcements.must_speak_for_the_site(s.user),
    form=lambda _s: RegistrationForm,
    run=_set_registration,
)
SECOND_FACTOR: Final = Action[AtSite](
    name="second_factor",
    label="Ask organisers for a second factor, or not",
    title="Ask organisers for a second factor, or not",
    button="Set it",
    done="",
    check=lambda s: must_administer(s.user),
    form=lambda _s: SecondFactorRuleForm,
    run=_set_second_factor,
    confirmed=True,
)
END: Final = Action[AtSiteAnnouncement](
    name="end",
    label="End it now",
    title="End it now",
    button="End it",
    done="No page shows it any more.",
    check=_may_end,
    run=lambda s, _form: announcements.site_announcement_end(
        acting_user=s.user, announcement=s.announcement
    ),
    at_once=True,
)

SITE: Final = Actions("whole-site", (ANNOUNCE, REGISTRATION, SECOND_FACTOR))
ANNOUNCEMENT: Final = Actions("site-announcement", (END,))

#: Every table.
TABLES: Final[tuple[Actions[Any], ...]] = (SITE, ANNOUNCEMENT)
