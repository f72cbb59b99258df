"""Caches of a test's own, in this process."""

from typing import Any

MEMORY = "django.core.cache.backends.locmem.LocMemCache"


def caches_of(name: str) -> dict[str, Any]:
    """``CACHES`` under a name that no other test has: that of the site and that of its sessions."""
    return {
        alias: {"BACKEND": MEMORY, "LOCATION": f"{name}-{alias}"}
        for alias in ("default", "sessions")
    }
