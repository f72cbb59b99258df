"""Whoever edits a rule sees what was edited."""

from __future__ import annotations

from django.utils.autoreload import StatReloader, autoreload_started

from core import compiled


def test_the_reloader_watches_sources_of_what_may_run_compiled() -> None:
    reloader = StatReloader()
    autoreload_started.send(sender=reloader)
    assert compiled.sources()
    assert {*compiled.sources()} <= {*reloader.watched_files(include_globs=False)}
