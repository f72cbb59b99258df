"""What moderators say to everybody, and whether accounts are opened."""

from django.contrib import admin
from django.http import HttpRequest

from accounts.models import RegistrationChange, SecondFactorRule, SiteAnnouncement
from accounts.roles import is_moderator
from accounts.site.actions import (
    ANNOUNCE,
    ANNOUNCEMENT,
    REGISTRATION,
    SECOND_FACTOR,
    AtSite,
    AtSiteAnnouncement,
)
from accounts.site.announcements import shown_now
from accounts.site.forms import RegistrationForm, SecondFactorRuleForm, SiteAnnouncementForm
from accounts.site.registration import registration_now
from core.admin.actions import ActionsAdmin, AddedByAction
from core.admin.links import list_address, row_address
from core.admin.panels import Panel, register_panel
from core.admin.readers import ModeratorView, person


class _SaidForTheSite(AddedByAction, ModeratorView, admin.ModelAdmin):
    """Rows that moderators add."""

    def adding(self, request: HttpRequest) -> AtSite:
        """The moderator, and the site."""
        return AtSite(person(request))


@admin.register(SiteAnnouncement)
class SiteAnnouncementAdmin(ActionsAdmin, _SaidForTheSite):
    """What every page says to everybody, now, before and to come."""

    adds = ANNOUNCE
    row_actions = ANNOUNCEMENT
    form = SiteAnnouncementForm
    fields = ("words", "is_urgent", "begins_at", "ends_at")
    list_display = ("words", "state", "is_urgent", "begins_at", "ends_at", "by")
    list_select_related = ("by",)
    search_fields = ("words", "by__username")

    def subject_of(self, request: HttpRequest, row: SiteAnnouncement) -> AtSiteAnnouncement:
        """The moderator, and the words."""
        return AtSiteAnnouncement(person(request), row)

    @admin.display(description="state")
    def state(self, announcement: SiteAnnouncement) -> str:
        """Whether pages show it."""
        return announcement.standing


@admin.register(RegistrationChange)
class RegistrationChangeAdmin(_SaidForTheSite):
    """When accounts were opened, and when not. The newest row holds."""

    adds = REGISTRATION
    form = RegistrationForm
    fields = ("is_open", "words")
    list_display = ("at", "is_open", "words", "by")
    list_select_related = ("by",)
    search_fields = ("words", "by__username")


@admin.register(SecondFactorRule)
class SecondFactorRuleAdmin(_SaidForTheSite):
    """When organisers were asked for a second factor, and when not. The newest row holds."""

    adds = SECOND_FACTOR
    form = SecondFactorRuleForm
    fields = ("of_organisers",)
    list_display = ("at", "of_organisers", "by")
    list_select_related = ("by",)
    search_fields = ("by__username",)


def _of_the_site(request: HttpRequest) -> Panel | None:
    if not is_moderator(request.user):
        return None
    last = registration_now()
    is_open = last is None or last.is_open
    rows = [
        (
            "Registration is open" if is_open else "Registration is closed",
            list_address(RegistrationChange),
            "" if last is None else f"since {last.at:%Y-%m-%d}, by {last.by}",
        ),
        *((each.words, row_address(each), f"by {each.by}") for each in shown_now()),
    ]
    return Panel("For everybody", None, rows, more=list_address(SiteAnnouncement))


register_panel(_of_the_site, order=40)
