"""QR codes: an address as something that a phone's camera reads."""

from __future__ import annotations

import segno
from django.utils.html import format_html
from django.utils.safestring import SafeString


def qr_svg(text: str) -> SafeString:
    """A QR code of ``text``, an address of the site, as an SVG element: dark on white whatever the
    page's colours are, since cameras want it so, and with its quiet zone."""
    code = segno.make(text, error="m", micro=False)
    drawn = code.svg_inline(dark="#000", light="#fff", omitsize=True, svgclass="qr", lineclass=None)
    # Lines of modules alone: nothing of the text stands in it.
    return format_html(
        '<div role="img" aria-label="QR code of the link">{}</div>', SafeString(drawn)
    )
