"""Media types of answers besides JSON. What the framework itself renders are problems, and those
are JSON whatever was asked for: these classes let a caller ask."""

from __future__ import annotations

from typing import Final

from rest_framework.renderers import JSONRenderer

NDJSON: Final = "application/x-ndjson"


class NdjsonRenderer(JSONRenderer):
    """A JSON object a line."""

    media_type = NDJSON
    format = "ndjson"


class CsvRenderer(JSONRenderer):
    """Comma-separated values."""

    media_type = "text/csv"
    format = "csv"
