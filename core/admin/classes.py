"""What the classes of this room are put before, for the type checker: none is an admin class
by itself."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django.contrib import admin

    AdminClass = admin.ModelAdmin[Any]
else:
    AdminClass = object
