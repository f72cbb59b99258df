"""Accounts that were made one."""

from django.contrib import admin
from django.utils.safestring import SafeString

from accounts.admin.search import about_people
from accounts.models import AccountMerge
from accounts.moderation import merging
from core.admin.actions import ActionsAdmin
from core.admin.links import row_link
from core.admin.readers import ModeratorView, ReadOnly

about_people(AccountMerge, "keep", "duplicate")


@admin.register(AccountMerge)
class AccountMergeAdmin(ModeratorView, ReadOnly, ActionsAdmin, admin.ModelAdmin):
    """Which accounts were one person's."""

    list_display = ("id", "gone", "kept", "by", "at", "what")
    list_select_related = ("keep", "duplicate", "by")
    search_fields = ("keep__username", "duplicate__username", "reason")
    date_hierarchy = "at"
    fields = ("gone", "kept", "by", "at", "reason", "what")

    @admin.display(description="merged")
    def gone(self, merge: AccountMerge) -> SafeString:
        """The account that is closed now."""
        return row_link(merge.duplicate)

    @admin.display(description="into")
    def kept(self, merge: AccountMerge) -> SafeString:
        """The account that has everything now."""
        return row_link(merge.keep)

    @admin.display(description="moved")
    def what(self, merge: AccountMerge) -> str:
        """What was moved."""
        return merging.merge_summary(merge.moved)
