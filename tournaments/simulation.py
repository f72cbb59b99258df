"""Whole seasons played through the services that people use, with bots as players.

Everything that is left to somebody's choice (who comes last, whom the EC picks, who wins, who drops
out) is drawn from the seed, and so is chance inside the matches: the same plan on the same site
plays the same season. Instants are handed in, from ``start`` on.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from django.db import transaction

from accounts.models import User
from accounts.services import user_register
from accounts.tokens.services import user_become_bot
from core.refusals import Refusal
from games import store
from games.engine.chance import choose, shuffled
from games.engine.decisions import other
from games.engine.errors import EngineFault
from games.models import Match
from games.rulesets import REGISTRY
from games.services.turns import match_submit
from tournaments.formats.elimination import episodes
from tournaments.formats.elimination.format import FORMAT as ELIMINATION
from tournaments.formats.ladder.format import ladder_challenge
from tournaments.formats.ladder.options import LadderOptions
from tournaments.formats.registry import course_of, format_of
from tournaments.items import catalogue
from tournaments.lifecycle import (
    PLAYABLE,
    ContestantStatus,
    DeathMatchStatus,
    GiftStatus,
    LegStatus,
    SeasonStatus,
)
from tournaments.models import (
    Contestant,
    DeathMatch,
    Episode,
    Gift,
    Leg,
    NoShowRule,
    Season,
)
from tournaments.services import (
    contestants,
    items,
    legs,
    results,
    rounds,
    scheduling,
    seasons,
    starts,
)
from tournaments.services.deathmatches import sides_of
from tournaments.services.guards import death_match_fresh
from tournaments.services.legs import ms

MOVES_AT_MOST: Final = 1500
NAMES: Final = (
    "Ash", "Bo", "Cam", "Dov", "Eli", "Fen", "Gus", "Hal", "Ida", "Jo", "Kit", "Lea", "Mo", "Nat",
    "Oz", "Pia",
)  # fmt: skip


class Plan(NamedTuple):
    """What to play. ``quick``: matches end by a concession instead of being played out, and outside
    of elimination seasons the organiser begins them, without a time and readiness.
    ``drop_outs``, ``no_shows``, ``voids``, ``corrections``: how many of each along the way.
    ``rounds`` None: to the end; else so many rounds or episodes, and the season goes on."""

    format: str
    contestants: int
    seed: int
    start: datetime
    name: str = "Simulation"
    quick: bool = False
    drop_outs: int = 0
    no_shows: int = 0
    voids: int = 0
    corrections: int = 0
    best_of: int = 5
    rounds: int | None = None
    options: dict[str, Any] = {}  # noqa: RUF012  (never changed)
    repertoire: tuple[dict[str, Any], ...] = ()
    pace: str = "normal"
    summary: str = "Played by bots, to try the site out."


@transaction.atomic
def season_simulate(
    *,
    plan: Plan,
    organiser: User,
    players: Sequence[User] = (),
    say: Callable[[str], None] = lambda _line: None,
) -> Season:
    """Play the season of ``plan`` with ``players`` (bots are made for those who are missing).

    All of it is one transaction: a site that runs meanwhile would take what lies in the past for
    overdue. ``say`` is told what happens, a line each.
    """
    return _Simulation(plan, organiser, players, say).run()


def repertoire_of_all() -> list[dict[str, Any]]:
    """Every ruleset in its first variant."""
    return [
        {"ruleset": ruleset.id, "variant": ruleset.variants[0].id, "options": {}}
        for ruleset in REGISTRY
    ]


def games_with_items() -> list[dict[str, Any]]:
    """One game of each ruleset that knows items, in a variant that does."""
    return [
        {"ruleset": ruleset.id, "variant": variant.id, "options": {}}
        for ruleset in REGISTRY
        for variant in [v for v in ruleset.variants if catalogue.takes_items(ruleset.id, v.id)][:1]
    ]


class _Simulation:
    def __init__(
        self,
        plan: Plan,
        organiser: User,
        players: Sequence[User],
        say: Callable[[str], None],
    ) -> None:
        self.plan = plan
        self.format = format_of(plan.format)
        self.organiser = organiser
        self.random = random.Random(plan.seed)  # noqa: S311  (reproducible on purpose)
        self.at = plan.start
        self.say = say
        self.users = list(players)[: plan.contestants]
        # What is to go wrong, and how often still.
        self.due = {
            "drop-out": plan.drop_outs,
            "no-show": plan.no_shows,
            "void": plan.voids,
            "correction": plan.corrections,
        }
        self.season: Season

    def run(self) -> Season:
        self._begin()
        if self.format is ELIMINATION:
            self._play_episodes()
        elif self.format.challenges:
            self._play_challenges()
        else:
            self._play_rounds()
        return Season.objects.get(pk=self.season.pk)

    def later(self, **span: float) -> datetime:
        """Let time pass."""
        self.at += timedelta(**span)
        return self.at

    def happens(self, what: str) -> bool:
        """Whether one of what is to go wrong goes wrong now."""
        if self.due[what] > 0 and self.random.random() < 0.35:
            self.due[what] -= 1
            return True
        return False

    # -- the beginning ---------------------------------------------------------------------------

    def _begin(self) -> None:
        plan = self.plan
        self.season = seasons.season_create(
            acting_user=self.organiser,
            name=plan.name,
            format=plan.format,
            settings={
                "repertoire": list(plan.repertoire) or repertoire_of_all(),
                "ruleset_choice": "rotating",
                "format_options": plan.options,
                "no_show_rule": NoShowRule.FORFEIT,
                "pace": plan.pace,
                "summary": plan.summary,
            },
            at=self.at,
        )
        seasons.season_list(acting_user=self.organiser, season=self.season, at=self.at)
        self._create_users()
        for user in self.users:
            contestants.contestant_enrol(
                acting_user=self.organiser, season=self.season, user=user, at=self.later(minutes=1)
            )
        contestants.seeds_draw(
            acting_user=self.organiser, season=self.season, random=self.random.random
        )
        starts.season_start(acting_user=self.organiser, season=self.season, at=self.later(hours=1))
        self.say(f"{self.season.name}: {len(self.users)} contestants")

    def _create_users(self) -> None:
        """Bots take the places that are left; those of earlier simulations play again."""
        number = 0
        taken = {user.username for user in self.users}
        while len(self.users) < self.plan.contestants:
            number += 1
            username = f"bot-{number}"
            if username in taken:
                continue
            user = User.objects.filter(username=username).first()
            if user is None:
                first = NAMES[(number - 1) % len(NAMES)]
                again = (number - 1) // len(NAMES)
                user = user_register(
                    username=username,
                    email="",
                    password=secrets.token_urlsafe(16),
                    display_name=f"{first} {again + 1}" if again else first,
                )
                user.set_unusable_password()
                user.save(update_fields=["password"])
                user = user_become_bot(acting_user=user)
            self.users.append(user)

    # -- elimination -----------------------------------------------------------------------------

    def _active(self) -> list[Contestant]:
        return list(
            self.season.contestants.filter(status=ContestantStatus.ACTIVE)
            .select_related("user")
            .order_by("pk")
        )

    def _running(self) -> bool:
        return Season.objects.filter(
            pk=self.season.pk, status=SeasonStatus.RUNNING
        ).exists() and self.season.rounds.count() <= (self.plan.rounds or 10_000)

    def _play_episodes(self) -> None:
        while self._running():
            if self.season.rounds.exclude(status="closed").exists():
                self._play_episode()
            elif len(self._active()) > 2:
                if self.plan.rounds is not None and self.season.rounds.count() >= self.plan.rounds:
                    return
                episodes.episode_open(
                    acting_user=self.organiser, season=self.season, at=self.later(days=5)
                )
            else:
                self._play_final()

    def _play_episode(self) -> None:
        episode = Episode.objects.select_related("round__season").get(
            round__season=self.season, round__status="open"
        )
        active = shuffled(self.random.random, self._active())
        if len(active) > 4 and self.happens("drop-out"):
            leaves = active.pop()
            contestants.contestant_withdraw(
                acting_user=leaves.user, contestant=leaves, at=self.later(hours=1)
            )
            self.say(f"{leaves.name} drops out")
        placed = [
            episodes.Placed(each, place, immune=place == 1)
            for place, each in enumerate(active, start=1)
        ]
        ec = active[-1]
        episode = episodes.placements_record(
            acting_user=self.organiser,
            episode=episode,
            placements=placed,
            main_match=f"Game {episode.round.number}",
            at=self.later(hours=3),
        )
        dmo = choose(self.random.random, episodes.choosable(episode))
        in_time = self.random.random() < 0.8
        at = self.later(hours=2 if in_time else 30)
        if not in_time:
            scheduling.legs_sweep(at=at, random=self.random.random)
        death_match = episodes.dmo_choose(
            acting_user=ec.user if in_time and ec.user else self.organiser,
            episode=episode,
            contestant=dmo,
            at=at,
        )
        self.say(f"{episode.round.name}: {ec.name} against {dmo.name}")
        self._play_death_match(death_match)

    def _play_final(self) -> None:
        games = games_with_items() or repertoire_of_all()
        while len(games) < self.plan.best_of:
            games = (games * 2)[: self.plan.best_of]
        final = episodes.final_open(
            acting_user=self.organiser,
            season=self.season,
            best_of=self.plan.best_of,
            games=games[: self.plan.best_of],
            at=self.later(days=3),
        )
        self._give_items(final)
        self.say(f"Final: {final}")
        self._play_death_match(final)

    def _give_items(self, final: DeathMatch) -> None:
        """Each of the eliminated gives one item, and the organisers grant a few more."""
        givers: list[Contestant | None] = list(
            self.season.contestants.filter(status=ContestantStatus.ELIMINATED)
            .select_related("user")
            .order_by("pk")
        )
        for giver in [*givers, None, None]:
            leg = choose(self.random.random, list(final.legs.order_by("number")))
            item = choose(self.random.random, catalogue.items_for(leg.ruleset, leg.variant))
            gift = items.item_give(
                acting_user=self.organiser if giver is None or giver.user is None else giver.user,
                season=self.season,
                item=item.id,
                ruleset=item.ruleset,
                giver=giver,
                receiver=choose(self.random.random, sides_of(final)),
                death_match=final,
                leg_number=leg.number,
                note="Good luck!" if giver else "",
                at=self.later(minutes=10),
            )
            self.say(f"{gift.given_by.shown_name} gives {gift.receiver.name} {item.name}")

    # -- the other formats -----------------------------------------------------------------------

    def _play_rounds(self) -> None:
        while self._running():
            if self.format.rounds_ahead and not self._open():
                raise EngineFault("a bracket has come to a standstill")
            for death_match in self._open():
                if not self._running():
                    return
                if len(self._active()) > 4 and self.happens("drop-out"):
                    leaves = choose(self.random.random, self._active())
                    contestants.contestant_withdraw(
                        acting_user=leaves.user, contestant=leaves, at=self.later(minutes=5)
                    )
                    self.say(f"{leaves.name} drops out")
                self._play_death_match(death_match)
            if not self._running():
                return
            if not self.format.rounds_ahead and not self._open():
                self._pair_or_conclude()

    def _open(self) -> list[DeathMatch]:
        return list(
            DeathMatch.objects.filter(round__season=self.season, status__in=PLAYABLE).order_by(
                "round__number", "number"
            )
        )

    def _pair_or_conclude(self) -> None:
        at = self.later(days=1)
        try:
            opened = rounds.round_pair(
                acting_user=self.organiser, season=self.season, lenient=True, at=at
            )
        except Refusal:
            self._conclude()
        else:
            self.say(opened.name)

    def _conclude(self) -> None:
        try:
            results.season_conclude(
                acting_user=self.organiser, season=self.season, at=self.later(hours=1)
            )
        except Refusal as refusal:
            if refusal.code != "season.tied":
                raise
            self._break_tie()

    def _break_tie(self) -> None:
        """No metric has broken the tie: an organiser says which of the tied has won."""
        for contestant in self._active():
            try:
                with transaction.atomic():
                    results.season_conclude(
                        acting_user=self.organiser,
                        season=self.season,
                        winner=contestant,
                        at=self.at,
                    )
            except Refusal as refusal:
                if refusal.code != "season.not-first":
                    raise
            else:
                return

    def _play_challenges(self) -> None:
        reach = LadderOptions(**self.plan.options).challenge_reach
        for _ in range(self.plan.rounds or 2 * self.plan.contestants):
            ladder = [course_of(self.season).holder(pk) for pk in course_of(self.season).ladder]
            low = 1 + int(self.random.random() * (len(ladder) - 1))
            high = max(0, low - 1 - int(self.random.random() * reach))
            death_match = ladder_challenge(
                acting_user=self.organiser,
                season=self.season,
                challenger=ladder[low],
                defender=ladder[high],
                at=self.later(hours=12),
            )
            self._play_death_match(death_match)
        if self.plan.rounds is None:
            self._conclude()

    # -- one death match -------------------------------------------------------------------------

    def _play_death_match(self, death_match: DeathMatch) -> None:
        while True:
            death_match = death_match_fresh(death_match.pk)
            if death_match.status not in PLAYABLE:
                break
            leg = (
                death_match.legs.filter(status=LegStatus.PLANNED)
                .select_related("death_match__round__season")
                .order_by("number")
                .first()
            )
            if leg is None:
                raise EngineFault("an undecided death match has nothing to be played")
            self._hold_leg(leg)
        if death_match.status == DeathMatchStatus.DECIDED and self.happens("correction"):
            self._correct(death_match)

    def _hold_leg(self, leg: Leg) -> None:
        """Fix a time, confirm, play, and perhaps have it played again."""
        if self.plan.quick and not self.format.gifts and not self.due["no-show"]:
            # Hundreds of matches: the organiser begins them.
            leg = legs.leg_start(
                acting_user=self.organiser,
                leg=leg,
                at=self.later(minutes=10),
                random=self.random.random,
                # Those who are simulated are always there.
                waits=False,
            )
            self._play(leg)
            return
        home, away = sides_of(leg.death_match)
        starts = self.at + timedelta(hours=20)
        scheduling.leg_schedule(
            acting_user=self.organiser, leg=leg, scheduled_at=starts, at=self.at
        )
        self._declare_items(leg)
        absent = None
        if self.happens("no-show"):
            absent = choose(self.random.random, (home, away))
        self.at = starts
        for side in (home, away):
            if side is not absent and side.user is not None:
                leg = scheduling.leg_confirm(
                    acting_user=side.user, leg=leg, at=self.at, random=self.random.random
                )
        if absent is not None:
            self.say(f"{absent.name} does not turn up")
            self.later(minutes=self.season.no_show_minutes + 1)
            scheduling.legs_sweep(at=self.at, random=self.random.random)
            return
        self._play(leg)

    def _play(self, leg: Leg) -> None:
        self._play_match(leg)
        if self.happens("void"):
            self._void_leg(leg)

    def _void_leg(self, leg: Leg) -> None:
        """Have a match played again, where nothing rests on its result yet."""
        try:
            with transaction.atomic():
                results.leg_void(
                    acting_user=self.organiser,
                    leg=Leg.objects.select_related("death_match__round__season").get(pk=leg.pk),
                    why="The connection was lost.",
                    at=self.later(minutes=5),
                )
        except Refusal as refusal:
            self.say(f"not played again: {refusal.sentence}")
        else:
            self.say(f"{leg} is void, and played again")

    def _declare_items(self, leg: Leg) -> None:
        """Everybody brings whatever was given for this match."""
        sides = sides_of(leg.death_match)
        given = Gift.objects.filter(
            death_match=leg.death_match, leg_number=leg.number, status=GiftStatus.HELD
        ).select_related("receiver__user")
        for gift in given.order_by("pk"):
            if gift.receiver.user is None or gift.receiver not in sides:
                continue
            item = catalogue.item_of(gift.item, gift.ruleset)
            try:
                with transaction.atomic():
                    items.item_declare(
                        acting_user=gift.receiver.user,
                        leg=leg,
                        gift=gift,
                        target=self._target(gift, item, list(given)),
                        at=self.later(minutes=1),
                    )
            except Refusal as refusal:
                # There is nothing that this Copy or Block could be aimed at.
                if not item.is_meta:
                    raise EngineFault(refusal.sentence) from refusal

    def _target(self, gift: Gift, item: catalogue.Item, given: Sequence[Gift]) -> Gift | None:
        if not item.is_meta:
            return None
        for aim in given:
            known = catalogue.item_of(aim.item, aim.ruleset)
            blocks = item.id == catalogue.BLOCK
            if blocks and aim.receiver_id != gift.receiver_id and known.blockable:
                return aim
            if not blocks and aim.pk != gift.pk and known.copyable:
                return aim
        return None

    def _play_match(self, leg: Leg) -> None:
        if leg.match is None:
            raise EngineFault("a leg that both were ready for has not begun")
        loser = int(self.random.random() < 0.5)
        for number in range(0 if self.plan.quick else MOVES_AT_MOST):
            held = store.read(leg.match.pk)
            if held.is_over:
                break
            table = held.live.table
            seats = [s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s)]
            slot = table.open[seats[0]]
            if slot is None:
                raise EngineFault("a running match waits for nobody")
            move = held.ruleset.sample(table.state, slot.decision, self.random.random)
            self.later(seconds=1 + int(self.random.random() * 10))
            self._submit(leg.match, seats[0], held.ruleset.print(move), number)
        if not store.read(leg.match.pk).is_over:
            self.later(minutes=5 if self.plan.quick else 0.1)
            self._submit(leg.match, loser, "concede", MOVES_AT_MOST)
        results.leg_settle(match_id=leg.match.pk)
        self.say(f"{leg}: {other(loser) if self.plan.quick else 'played'}")

    def _submit(self, match: Match, seat: int, text: str, number: int) -> None:
        user = match.players.select_related("user").get(seat=seat).user
        if user is None:
            raise EngineFault("a bot without an account")
        match_submit(
            match_id=match.pk,
            seat=seat,
            acting_user=user,
            client_id=f"simulation-{number}",
            text=text,
            version=store.read(match.pk).readers.versions[seat],
            at=ms(self.at),
            random=self.random.random,
        )

    def _correct(self, death_match: DeathMatch) -> None:
        """Give it to the other side, where nothing rests on the result yet."""
        home, away = sides_of(death_match)
        winner = away if death_match.winner_id == home.pk else home
        try:
            with transaction.atomic():
                results.death_match_correct(
                    acting_user=self.organiser,
                    death_match=death_match,
                    winner=winner,
                    why="The score had been misread.",
                    at=self.later(minutes=20),
                )
        except Refusal as refusal:
            self.say(f"not corrected: {refusal.sentence}")
        else:
            self.say(f"corrected: {winner.name} has won")
