"""`manage.py farmed`: look for results that were farmed in a time that is past."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.clock import now_utc
from games.ratings.history import failures, players_look_back
from games.ratings.pairs import Period

# After so many players the command says how far it is.
_SAID_AFTER = 100


class Command(BaseCommand):
    help = (
        "Look at the matches of a time that is past as workers look at those of today, and report "
        "to the moderators the pairs and winners whose results look farmed. Nothing else changes. "
        "It can be stopped and started again at any time, and reports nothing twice. The site may "
        "run meanwhile. The exit status is 1 where something could not be looked at."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        day = date.fromisoformat
        parser.add_argument(
            "--since", type=day, required=True, help="the first day, as 2026-01-31 (UTC)"
        )
        parser.add_argument("--until", type=day, help="the last day; else today")
        parser.add_argument(
            "--after",
            type=int,
            default=0,
            metavar="PLAYER",
            help="go on after this player, by the number that the command has told",
        )

    def handle(
        self, *_args: Any, since: date, until: date | None, after: int, **_options: Any
    ) -> None:
        """Look, and say how far it is and what came of it. Raises CommandError for a time that is
        none, and where something could not be looked at."""
        period = Period(_begins(since), now_utc() if until is None else _ends(until))
        if period.since >= period.until:
            raise CommandError("The first day must not come after the last.")
        players = reports = 0
        for each in players_look_back(period, after=after):
            players += 1
            reports += each.reports
            if players % _SAID_AFTER == 0:
                self.stdout.write(f"{players} players; to go on from here: --after {each.user_id}")
        self.stdout.write(f"{players} players looked at: {reports} reports filed or added to.")
        if failed := failures():
            raise CommandError(
                f"{failed} pairs or winners could not be looked at: see what is set aside in the "
                "admin site, and start the command again."
            )


def _begins(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _ends(day: date) -> datetime:
    return _begins(day + timedelta(days=1))
