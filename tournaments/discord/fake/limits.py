"""How often Discord may be asked: buckets by route and top-level resource, and so often a second
altogether."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple


class Rate(NamedTuple):
    """So many requests in so many seconds."""

    limit: int
    seconds: float


@dataclass
class _Bucket:
    rate: Rate
    used: int = 0
    resets_at: float = 0.0


class Standing(NamedTuple):
    """How a request stands: the headers that its answer has, and for how long nothing may be asked,
    0 where this may. ``everything``: whether that is the limit for all requests."""

    headers: dict[str, str]
    wait: float = 0.0
    everything: bool = False


#: What all requests of an application have together, but for answers to interactions.
EVERYTHING = Rate(50, 1.0)
USUAL = Rate(5, 5.0)


@dataclass
class Limits:
    """The buckets. ``rates`` says how often a route may be asked, by its name."""

    now: Callable[[], float]
    rates: dict[str, Rate] = field(default_factory=dict)
    everything: Rate = EVERYTHING

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._buckets: dict[tuple[str, str], _Bucket] = {}
        self._all = _Bucket(self.everything)

    def take(self, route: str, major: str, *, counts: bool = True) -> Standing:
        """Count a request to a route about a top-level resource. One that is answered by an
        interaction's token does not count (``counts``) among all."""
        with self._lock:
            now = self.now()
            if counts:
                wait = _take(self._all, self.everything, now)
                if wait:
                    return Standing(
                        {"X-RateLimit-Global": "true"} | _after(wait, "global"), wait, True
                    )
            rate = self.rates.get(route, USUAL)
            bucket = self._buckets.setdefault((route, major), _Bucket(rate))
            wait = _take(bucket, rate, now)
            headers = {
                "X-RateLimit-Limit": str(rate.limit),
                "X-RateLimit-Remaining": str(max(0, rate.limit - bucket.used)),
                "X-RateLimit-Reset-After": f"{max(0.0, bucket.resets_at - now):.3f}",
                "X-RateLimit-Bucket": hashlib.sha1(route.encode()).hexdigest(),  # noqa: S324
            }
            if wait:
                return Standing(headers | _after(wait, "user"), wait)
            return Standing(headers)

    def pass_by(self) -> None:
        """Every bucket is full again, as after a while."""
        with self._lock:
            self._buckets.clear()
            self._all = _Bucket(self.everything)


def _take(bucket: _Bucket, rate: Rate, now: float) -> float:
    if now >= bucket.resets_at:
        bucket.used, bucket.resets_at = 0, now + rate.seconds
    if bucket.used >= rate.limit:
        return bucket.resets_at - now
    bucket.used += 1
    return 0.0


def _after(wait: float, scope: str) -> dict[str, str]:
    return {"Retry-After": f"{wait:.3f}", "X-RateLimit-Scope": scope}
