"""What modules write to the log."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any
from unittest.mock import patch

import structlog
from structlog.testing import LogCapture


@contextmanager
def written_by(*modules: ModuleType) -> Iterator[list[MutableMapping[str, Any]]]:
    """The lines that these write meanwhile.

    A logger that was used before the log was set up anew keeps its old ways, and
    `structlog.testing.capture_logs` misses it: so each gets one of its own.
    """
    capture = LogCapture()
    with ExitStack() as stack:
        for module in modules:
            logger = structlog.wrap_logger(None, processors=[capture])
            stack.enter_context(patch.object(module, "log", logger))
        yield capture.entries
