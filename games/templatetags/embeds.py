"""What pages say of being shown elsewhere: {% load embeds %}."""

from __future__ import annotations

from urllib.parse import urlencode

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag(takes_context=True)
def oembed_link(context: Context, title: str) -> SafeString:
    """Tell those who unfold links by themselves where to ask about this page."""
    shell = context["shell"]
    if not shell.origin:
        return SafeString("")
    return format_html(
        '<link rel="alternate" type="application/json+oembed" href="{}{}?{}" title="{}">',
        shell.origin, reverse("games:oembed"), urlencode({"url": shell.url}), title,
    )  # fmt: skip
