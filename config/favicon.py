"""The address at which an icon is looked for by whoever was not told of one."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.views.decorators.http import require_safe


@require_safe
def favicon(_request: HttpRequest) -> HttpResponse:
    """Where the icon is. Those that ask here may know no SVG."""
    response = redirect(static("img/icon-192.png"))
    response["Cache-Control"] = "public, max-age=86400"
    return response
