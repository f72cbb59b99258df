"""What this process counts and times, for whoever watches the site (docs/metrics.md).

A process has one registry, and each room declares in it what it knows the meaning of. Web processes
and workers are single processes with threads, so that nothing has to be gathered from several.

    TURNS = metrics.histogram("turn_seconds", "What the parts of a turn took.", ("way", "part"))

What can be looked up when somebody asks is not counted meanwhile (`looked_up`). Labels are few, and
none is what somebody chose: no numbers of rows, names or addresses.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final

import structlog
from prometheus_client import (
    CollectorRegistry,
    Counter,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

log = structlog.get_logger("gauntlet.metrics")

SPACE: Final = "gauntlet"
# Values of one label that are told apart, where code and not somebody outside makes them.
VALUES_AT_MOST: Final = 300
OTHER: Final = "other"
# Seconds, from what a turn takes on an idle machine to what nobody waits for any more.
QUICK: Final = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
SLOW: Final = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800)

# A value of each label, in the order in which they are named, and its figure.
Figures = Mapping[tuple[str, ...], float]

# When a series began is of no use to anybody here, and twice as much to read.
disable_created_metrics()  # type: ignore[no-untyped-call]  # (the library's)

registry: Final = CollectorRegistry()
ProcessCollector(registry=registry)
PlatformCollector(registry=registry)
GCCollector(registry=registry)


def counter(name: str, words: str, labels: Sequence[str] = ()) -> Counter:
    """Something that happens, by its name without the space and `_total`."""
    return Counter(name, words, labels, namespace=SPACE, registry=registry)


def histogram(
    name: str, words: str, labels: Sequence[str] = (), *, buckets: Sequence[float] = QUICK
) -> Histogram:
    """Something that takes time, in seconds."""
    return Histogram(name, words, labels, namespace=SPACE, registry=registry, buckets=buckets)


class Codes:
    """A counter by labels the last of which is a code: of those there are many, and more with each
    release. So many are told apart, and the rest is counted as `OTHER`."""

    def __init__(self, name: str, words: str, labels: Sequence[str]) -> None:
        self.counter = counter(name, words, labels)
        self._known: dict[tuple[str, ...], Counter] = {}

    def inc(self, *values: str) -> None:
        """Count one."""
        child = self._known.get(values)
        if child is None:
            if len(self._known) >= VALUES_AT_MOST:
                values = (*values[:-1], OTHER)
            child = self._known[values] = self.counter.labels(*values)
        child.inc()


class Timings(Collector):
    """As `histogram`, for what happens hundreds of times a second in several parts: all of them are
    noted at once, in a few microseconds, where the library takes that for each."""

    def __init__(
        self, name: str, words: str, labels: Sequence[str], *, buckets: Sequence[float] = QUICK
    ) -> None:
        self.name = f"{SPACE}_{name}"
        self.words = words
        self.labels = labels
        self.bounds = [*buckets, float("inf")]
        # Of each: how many in each bucket, not those below it; and the sum of all.
        self._rows: dict[tuple[str, ...], tuple[list[int], list[float]]] = {}
        self._lock = threading.Lock()
        registry.register(self)

    def observe(self, *labels: str, parts: Mapping[str, float]) -> None:
        """Note what some parts took, in seconds, each by the last label."""
        with self._lock:
            for part, took in parts.items():
                row = self._rows.get((*labels, part))
                if row is None:
                    row = self._rows[*labels, part] = ([0] * len(self.bounds), [0.0])
                row[0][bisect_left(self.bounds, took)] += 1
                row[1][0] += took

    def describe(self) -> Iterator[Metric]:
        """By its name."""
        yield HistogramMetricFamily(self.name, self.words, labels=self.labels)

    def collect(self) -> Iterator[Metric]:
        """As Prometheus has them: in each bucket those below it, too."""
        family = HistogramMetricFamily(self.name, self.words, labels=self.labels)
        with self._lock:
            rows = {key: (list(counts), sums[0]) for key, (counts, sums) in self._rows.items()}
        upto = [_as_text(bound) for bound in self.bounds]
        for key, (counts, total) in rows.items():
            buckets = list(zip(upto, accumulate(counts), strict=True))
            family.add_metric(key, buckets, total)
        yield family


def _as_text(bound: float) -> str:
    text: str = floatToGoString(bound)  # type: ignore[no-untyped-call]  # (the library's)
    return text


class _Looked(Collector):
    def __init__(
        self, name: str, words: str, labels: Sequence[str], look: Callable[[], Figures], kind: str
    ) -> None:
        self.name = f"{SPACE}_{name}"
        self.words = words
        self.labels = labels
        self.look = look
        self.kind = kind

    def describe(self) -> Iterator[Metric]:
        yield self._family()

    def collect(self) -> Iterator[Metric]:
        family = self._family()
        try:
            found = self.look()
        except Exception:  # whatever it is: of all the rest is told all the same
            log.exception("metrics.not-found", name=self.name)
            return
        for values, figure in found.items():
            family.add_metric(values, figure)
        yield family

    def _family(self) -> CounterMetricFamily | GaugeMetricFamily:
        make = CounterMetricFamily if self.kind == "counter" else GaugeMetricFamily
        return make(self.name, self.words, labels=self.labels)


def looked_up(
    name: str,
    words: str,
    labels: Sequence[str],
    look: Callable[[], Figures],
    *,
    kind: str = "gauge",
) -> None:
    """Something that is as it is, or (``kind`` `counter`) has been counted anyway. ``look`` is
    called, by any thread, whenever somebody asks, and waits for nothing."""
    registry.register(_Looked(name, words, labels, look, kind))


#: What was refused, wherever somebody was told so by a code.
REFUSALS: Final = Codes("refusals", "What was refused, by its code.", ("surface", "code"))
#: Why: ``origin`` (another site's page), ``token`` (no good, or at another host), ``busy`` (too
#: many are arriving), ``away`` (the database is), ``gone`` (who came has left), ``nowhere``,
#: ``restart``.
HANDSHAKES_REFUSED: Final = Codes(
    "handshakes_refused", "Sockets that were not let in, by why.", ("reason",)
)
