"""`manage.py puzzles`: make puzzles, check them, and bring them to the site."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core import chance
from core.refusals import Refusal
from games.engine.chance import RandomSource
from games.engine.puzzling import faults
from games.puzzles.collection import collection_of, collection_write, key_of
from games.puzzles.finding import match_search, search_next
from games.puzzles.making import puzzles_of_bots
from games.puzzles.services import puzzles_load
from games.rulesets import REGISTRY


class Command(BaseCommand):
    help = "Make puzzles of games between bots or of finished matches, check them, load them."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        make = acts.add_parser(
            "make", help="make more for a game's collection, or of this site's finished matches"
        )
        make.add_argument("game", nargs="?", help="RULESET/VARIANT, for its collection")
        make.add_argument("--from-matches", action="store_true", help="of rated matches, for here")
        make.add_argument("--count", type=int, default=6, help="how many at most (6)")
        make.add_argument("--seconds", type=float, default=60, help="for how long (60)")
        make.add_argument("--seed", type=int, help="draw from this, to get the same ones again")
        acts.add_parser("check", help="judge every puzzle of the collections again")
        acts.add_parser("load", help="bring the collections to the site, as far as missing")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Do what is asked for. Raises CommandError for what cannot be done."""
        match options["act"]:
            case "check":
                self._check()
            case "load":
                self._load(options["verbosity"])
            case _:
                until = time.monotonic() + options["seconds"]
                may_go_on = lambda: time.monotonic() < until  # noqa: E731
                seed = options["seed"]
                drawn = {} if seed is None else {"random": Random(seed).random}  # noqa: S311
                if options["from_matches"]:
                    self._make_here(options["count"], may_go_on, **drawn)
                elif options["game"]:
                    self._make(options["game"], options["count"], may_go_on, **drawn)
                else:
                    raise CommandError("Say which game, or --from-matches.")

    def _load(self, verbosity: int) -> None:
        added = puzzles_load()
        if verbosity:
            self.stdout.write(f"{added} puzzles added.")

    def _make(
        self,
        game: str,
        count: int,
        may_go_on: Callable[[], bool],
        *,
        random: RandomSource = chance.system,
    ) -> None:
        ruleset_id, _, variant = game.partition("/")
        try:
            ruleset = REGISTRY.get(ruleset_id)
            found = collection_of(ruleset)
            known = {key_of(ruleset, each) for each in found}
            before = len(found)
            for puzzle in puzzles_of_bots(
                ruleset, variant, random, count=count, may_go_on=may_go_on
            ):
                if key_of(ruleset, puzzle) not in known:
                    found.append(puzzle)
                    known.add(key_of(ruleset, puzzle))
                    collection_write(ruleset, found)
        except Refusal as refusal:
            raise CommandError(refusal.sentence) from refusal
        self.stdout.write(f"{len(found) - before} puzzles made; there are {len(found)} now.")

    def _make_here(
        self, count: int, may_go_on: Callable[[], bool], *, random: RandomSource = chance.system
    ) -> None:
        added = searched = 0
        while added < count and may_go_on() and (match_id := search_next()) is not None:
            added += match_search(match_id=match_id, random=random)
            searched += 1
        self.stdout.write(f"{searched} matches looked through; {added} puzzles added.")

    def _check(self, *, random: RandomSource = chance.system) -> None:
        checked = wrong = 0
        for ruleset in REGISTRY:
            for number, puzzle in enumerate(collection_of(ruleset), start=1):
                checked += 1
                for fault in faults(ruleset, puzzle, random):
                    wrong += 1
                    self.stderr.write(f"{ruleset.id}, puzzle {number}: {fault}")
        if wrong:
            raise CommandError(f"{wrong} faults in {checked} puzzles.")
        self.stdout.write(f"{checked} puzzles checked: all are sound.")
