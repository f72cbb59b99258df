"""What is taken in over HTTP: one JSON value of a modest size."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from typing import IO, Any, Final

from django.conf import settings
from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import JSONParser


class TooLarge(APIException):
    """The body is larger than any honest one."""

    status_code = 413
    default_code = "too-large"
    default_detail = "This request is too large."


class SmallJSONParser(JSONParser):
    """JSON, read no further than the view's `body_most`. Raises TooLarge and ParseError."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        own: int | None = getattr((parser_context or {}).get("view"), "body_most", None)
        most: int = settings.GAUNTLET_MESSAGE_MAX_BYTES if own is None else own
        body = stream.read(most + 1)
        if len(body) > most:
            raise TooLarge(f"A request has at most {most // 1024} KiB here.")
        try:
            parsed: dict[str, Any] = super().parse(io.BytesIO(body), media_type, parser_context)
        except RecursionError as error:
            raise ParseError("This JSON is nested too deeply.") from error
        except ParseError as error:
            said = str(error.detail).removeprefix("JSON parse error - ")
            raise ParseError(f"This is no JSON: {said}.") from error
        if _HALF.search(body) and not _can_be_written(parsed):
            raise ParseError("This JSON has half a pair of surrogates in it: that is no text.")
        return parsed


# What may be half of a character: whether its other half is beside it is seen in what was read.
_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F]")


def _can_be_written(parsed: Any) -> bool:
    """Whether it has no text in it that nobody could be sent again, in keys and values."""
    try:
        json.dumps(parsed, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
