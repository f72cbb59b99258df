"""Rows that nobody needs any more are forgotten a part at a time. (That what somebody is at is left
alone, `test_periodic` shows of every job that does so.)"""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.clock import now_utc
from core.jobs.models import JobDone
from core.jobs.pruning import rows_prune

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("count", "parts"), [(0, 0), (1, 1), (4, 2), (5, 3)])
def test_no_more_at_once_than_may_be(count: int, parts: int) -> None:
    for number in range(count):
        JobDone.objects.create(task=f"old.{number}", at=now_utc())
    kept = JobDone.objects.create(task="kept", at=now_utc())
    with CaptureQueriesContext(connection) as asked:
        assert rows_prune(JobDone.objects.filter(task__startswith="old."), at_once=2) == count
    made = [each["sql"] for each in asked.captured_queries]
    assert len([sql for sql in made if sql.startswith("DELETE")]) == parts
    assert JobDone.objects.get() == kept
