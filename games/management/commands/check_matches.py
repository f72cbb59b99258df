"""`manage.py check_matches`: referee every match once more, and compare."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.reading.checking import matches_check


class Command(BaseCommand):
    help = (
        "Replay every match from its entries and compare it with its row, as after a restore. The "
        "site may run meanwhile. The exit status is 1 where one does not agree."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Say what does not agree, and how many were checked. Raises CommandError if any do not."""
        checked = over = wrong = 0
        for match in matches_check():
            checked += 1
            over += match.over
            wrong += bool(match.faults)
            for fault in match.faults:
                self.stderr.write(f"match {match.match_id}: {fault}")
        if wrong:
            raise CommandError(f"{wrong} of {checked} matches are not what their entries make.")
        self.stdout.write(f"{checked} matches replayed, {over} of them over: all agree.")
