"""Django's admin app with our site in it. Listed among the installed apps in its place.

In a module of its own, since it is read before there are any models.
"""

from django.contrib.admin import apps


class AdminConfig(apps.AdminConfig):
    """The admin app."""

    default_site = "core.admin.site.GauntletAdminSite"
