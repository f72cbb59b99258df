"""Small parts of pages: icons, people, times.

{% load site %} {% icon "clock" %} {% user_link player %} {% local_time match.started_at %}
"""

import re
from datetime import datetime
from functools import cache
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django import template
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from accounts.models import User
from core.modules import led_to

register = template.Library()

AVATAR_COLOURS = 6


@register.simple_tag
def icon(name: str, label: str = "") -> SafeString:
    """Draw an icon of static/img/icons.svg, hidden from screen readers unless it has a label.

    Raises ValueError for a name that is not in the file: a typing error in a template.
    """
    if name not in icon_names():
        raise ValueError(f"no icon is called {name!r}")
    href = f"{static('img/icons.svg')}#{name}"
    if label:
        return format_html(
            '<svg class="icon" role="img" aria-label="{}"><use href="{}"/></svg>', label, href
        )
    return format_html(
        '<svg class="icon" aria-hidden="true" focusable="false"><use href="{}"/></svg>', href
    )


@cache
def icon_names() -> frozenset[str]:
    """The names of all icons."""
    path = finders.find("img/icons.svg")
    if path is None:
        raise FileNotFoundError("static/img/icons.svg")
    with open(path, encoding="utf-8") as file:  # noqa: PTH123  (the finder returns a string)
        return frozenset(re.findall(r'<symbol id="([^"]+)"', file.read()))


@register.simple_tag
def modules(*names: str) -> SafeString:
    """Have the browser fetch these modules, and all that they import, at once."""
    found = dict.fromkeys(each for name in names for each in (name, *led_to(name)))
    link = '<link rel="modulepreload" href="{}">'
    return format_html_join("\n  ", link, ((static(each),) for each in found))


@register.simple_tag
def avatar(user: User, size: str = "") -> SafeString:
    """Draw the person's initial on a colour of their own. Sizes: small, large."""
    kind = f" avatar--{size}" if size else ""
    return format_html(
        '<span class="avatar avatar--{}{}" aria-hidden="true">{}</span>',
        user.pk % AVATAR_COLOURS,
        kind,
        user.shown_name[0],
    )


@register.simple_tag
def user_link(user: User | None, link: bool = True) -> SafeString:
    """Write a person's shown name, linked to their profile; nobody is an em dash.

    The username stands in the tooltip: display names are not unique, usernames are. A bot is called
    one.
    """
    if user is None:
        return SafeString('<span class="person">—</span>')
    if not link:
        return format_html(
            '<span class="person" title="@{}"><bdi class="person__name">{}</bdi>{}</span>',
            user.username,
            user.shown_name,
            _bot_tag(user),
        )
    return format_html(
        '<a class="person" href="{}" title="@{}"><bdi class="person__name">{}</bdi>{}</a>',
        user.get_absolute_url(),
        user.username,
        user.shown_name,
        _bot_tag(user),
    )


def _bot_tag(user: User) -> SafeString:
    if not user.is_bot:
        return SafeString("")
    return SafeString(' <span class="tag tag--info" title="A program plays">BOT</span>')


@register.filter
def shown_name(user: User | None) -> str:
    """The display name, or the username where there is none; empty for nobody."""
    return user.shown_name if user else ""


@register.simple_tag(takes_context=True)
def local_time(
    context: template.Context, when: datetime | None, style: str = "moment"
) -> SafeString:
    """Write a moment as a <time> element.

    The server writes it in the reader's zone where the account names one, else in UTC and says so;
    the page's script then turns it into the device's zone. Styles: `moment` (date and time),
    `weekday` (with the day of the week), `date`, `relative` ("5 minutes ago", by the script; a
    moment without it).
    """
    if when is None:
        return SafeString("—")
    name = context["shell"].time_zone if "shell" in context else ""
    shown = timezone.localtime(when, ZoneInfo(name) if name else ZoneInfo("UTC"))
    written = {"date": "j F Y", "weekday": "l, j F Y, H:i"}.get(style, "j F Y, H:i")
    text = date_format(shown, written)
    if style != "date":
        text = f"{text} {shown.tzname()}"
    return format_html(
        '<time datetime="{}" data-style="{}">{}</time>',
        timezone.localtime(when, ZoneInfo("UTC")).strftime("%Y-%m-%dT%H:%M:%SZ"),
        style,
        text,
    )


@register.simple_tag(takes_context=True)
def and_back(context: template.Context) -> str:
    """What is put behind an address at which somebody signs in or registers, so that they come back
    to the page being shown. The pages on which people do so pass on where they are led to."""
    request = context.get("request")
    if request is None:
        return ""
    path = request.get_full_path()
    if request.path.startswith("/accounts/"):
        path = context.get("redirect_field_value") or request.GET.get("next") or "/"
    return "" if path == "/" else f"?{urlencode({'next': path}, safe='/')}"


@register.simple_tag(takes_context=True)
def current(context: template.Context, address: str, exact: bool = False) -> SafeString:
    """Mark a navigation link whose page, or a page below it, is the one being shown."""
    request = context.get("request")
    if request is None or not address:
        return SafeString("")
    path = request.path
    if path == address:
        return SafeString(' aria-current="page"')
    if not exact and path.startswith(address.rstrip("/") + "/"):
        return SafeString(' aria-current="true"')
    return SafeString("")
