"""What moderators say to everybody, and whether accounts are opened."""

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from accounts.models import RegistrationChange, SiteAnnouncement
from accounts.roles import is_moderator
from accounts.site.actions import ANNOUNCE, ANNOUNCEMENT, REGISTRATION, AtSite, AtSiteAnnouncement
from accounts.site.announcements import shown_now
from accounts.site.forms import RegistrationForm, SiteAnnouncementForm
from accounts.site.registration import registration_now
from core.actions import Action
from core.admin.actions import ActionsAdmin
from core.admin.links import list_address, row_address
from core.admin.panels import Panel, register_panel
from core.admin.readers import ModeratorView, person
from core.refusals import Forbidden, Refusal


class _AddedByAction(ModeratorView, admin.ModelAdmin):
    """Rows that an action adds, and that nobody changes."""

    adds: ClassVar[Action[AtSite]]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Whoever may speak for the site."""
        return self.adds.offered(AtSite(person(request)))

    def has_change_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Model, form: Any, _change: bool) -> None:
        """Add through the service; a refusal is shown, and nothing changes.

        Raises PermissionDenied for what is somebody else's to do."""
        try:
            done = self.adds.do(AtSite(person(request)), form)
        except Forbidden as refusal:
            raise PermissionDenied(refusal.sentence) from refusal
        except Refusal as refusal:
            obj.pk = None
            self.message_user(request, refusal.sentence, messages.ERROR)
        else:
            self.message_user(request, done.words, messages.SUCCESS)

    def log_addition(self, *_arguments: Any) -> Any:
        """The audit log has it, with more in it."""
        return None

    def response_add(self, _request: HttpRequest, _obj: Any, *_more: Any) -> HttpResponse:
        """Back to the list, where it stands now."""
        return redirect(list_address(self.model))


@admin.register(SiteAnnouncement)
class SiteAnnouncementAdmin(ActionsAdmin, _AddedByAction):
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
class RegistrationChangeAdmin(_AddedByAction):
    """When accounts were opened, and when not. The newest row holds."""

    adds = REGISTRATION
    form = RegistrationForm
    fields = ("is_open", "words")
    list_display = ("at", "is_open", "words", "by")
    list_select_related = ("by",)
    search_fields = ("words", "by__username")


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
    return Panel("For everybody", rows, more=list_address(SiteAnnouncement))


register_panel(_of_the_site, order=40)
