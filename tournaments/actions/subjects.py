"""Who acts, and on what: of a season, or before there is one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest
from django.urls import reverse

from accounts.confirming import unconfirmed
from accounts.models import User
from core.refusals import NotFound
from tournaments.models import (
    Contestant,
    DeathMatch,
    Episode,
    Gift,
    LedgerEntry,
    Leg,
    MainMatchPicture,
    OrganiserInvitation,
    Round,
    Season,
    SeasonApplication,
    SeasonInvitation,
    SeasonOrganiser,
    TimeProposal,
)
from tournaments.reading.death_matches import DeathMatchWithLegs
from tournaments.reading.episodes import EpisodeWithPlacements
from tournaments.reading.sheet import Sheet
from tournaments.rights import Right, opens
from tournaments.services.contestants.enrolment import must_not_wait
from tournaments.services.guards import must_not_be_archived, must_not_be_own, must_not_meet
from tournaments.services.ledger.acts import Around


@dataclass(frozen=True)
class AtSite:
    """Somebody, and no season yet."""

    user: User


@dataclass(frozen=True)
class AtDate(AtSite):
    """Somebody, and a single date of theirs on which they are free otherwise."""

    date_id: int


@dataclass(frozen=True)
class AtSeason:
    """Somebody, and a season as pages read it."""

    user: User
    sheet: Sheet

    @property
    def season(self) -> Season:
        """The season itself."""
        return self.sheet.season

    def must_manage(self, right: Right = Right.RUN) -> None:
        """As `guards.season_lock_managed`, without a lock. Raises Refusal as `guards.must_hold`
        does, and ``season.archived``."""
        self.sheet.must_be_managed_by(self.user, right)
        must_not_be_archived(self.season)

    def may(self, right: Right) -> bool:
        """Whether they hold a right in the season."""
        return right in self.sheet.rights_of(self.user)

    def comes_to(self, page: str) -> bool:
        """Whether a page of the season's desk opens to them."""
        return opens(page, self.sheet.rights_of(self.user))

    def address(self, name: str, *args: object) -> str:
        """The address of one of the season's pages."""
        return reverse(f"tournaments:{name}", args=[self.season.slug, *args])


@dataclass(frozen=True)
class AtPerson(AtSeason):
    """Somebody, and a person who may be in the season, or run it."""

    person: User

    @property
    def contestant(self) -> Contestant | None:
        """The person's place in the season; None for whoever never had one."""
        return self.sheet.contestant_of(self.person)

    @property
    def application(self) -> SeasonApplication | None:
        """How the person stands who has applied, or waits; None for whoever never did."""
        return self.sheet.application_of(self.person)

    def must_not_wait(self) -> None:
        """As `enrolment.must_not_wait`."""
        name = self.person.shown_name
        must_not_wait(self.application, name, is_full=self.sheet.is_full)


@dataclass(frozen=True)
class AtPlace(AtSeason):
    """Somebody, and the place of one who runs the season, or helps."""

    place: SeasonOrganiser

    @property
    def own(self) -> bool:
        """Whether it is their own."""
        return self.place.user_id == self.user.pk


@dataclass(frozen=True)
class AtAsked(AtSeason):
    """Somebody, and what asks one to run the season, or to help."""

    asked: OrganiserInvitation


@dataclass(frozen=True)
class AtUnconfirmed(AtSeason):
    """Somebody, and those of a season who have confirmed no address. ``request``: by which letters
    are sent, and which says to whom."""

    request: HttpRequest

    @property
    def people(self) -> list[User]:
        """Of whoever is in with an account, has applied or waits, those without one."""
        people = [each.user for each in self.sheet.still_in if each.user is not None]
        people += [each.user for each in (*self.sheet.undecided, *self.sheet.waiting_list)]
        return unconfirmed(people)


@dataclass(frozen=True)
class AtApplication(AtSeason):
    """Somebody, and how a person stands who has applied, or waits for a place."""

    application: SeasonApplication


@dataclass(frozen=True)
class AtContestant(AtSeason):
    """Somebody, and a contestant."""

    contestant: Contestant

    @property
    def undecided(self) -> list[DeathMatch]:
        """The contestant's open death matches."""
        return self.sheet.undecided_of(self.contestant)

    def must_not_meet(self) -> None:
        """As `guards.must_not_meet`."""
        must_not_meet(self.contestant, self.user, self.undecided)


@dataclass(frozen=True)
class AtInvitation(AtSeason):
    """Somebody, and a link by which people enter."""

    invitation: SeasonInvitation

    @property
    def own(self) -> Contestant | None:
        """The reader's place in the season; None for whoever never had one."""
        return self.sheet.contestant_of(self.user)

    def must_not_wait(self) -> None:
        """As `enrolment.must_not_wait`."""
        row = self.sheet.application_of(self.user)
        must_not_wait(row, self.user.shown_name, is_full=self.sheet.is_full)


@dataclass(frozen=True)
class AtRound(AtSeason):
    """Somebody, and a round."""

    round: Round

    @property
    def with_placements(self) -> EpisodeWithPlacements:
        """The episode that it is, with its placements. Raises Refusal ``round.none``."""
        found = self.sheet.episode_of(self.round)
        if found is None:
            raise NotFound("round.none", "This round is no episode.")
        return found

    @property
    def episode(self) -> Episode:
        """The episode that it is. Raises Refusal ``round.none``."""
        return self.with_placements.row

    @property
    def is_episode(self) -> bool:
        """Whether it is one."""
        return self.sheet.episode_of(self.round) is not None

    @property
    def legs_to_play(self) -> list[Leg]:
        """Of each of its death matches the next match, where both sides are known."""
        return [
            each.leg
            for each in self.sheet.planned
            if each.row.round_id == self.round.pk and each.row.away_id and each.is_next
        ]


@dataclass(frozen=True)
class AtMainMatchPicture(AtRound):
    """Somebody, a round, and a picture of the main match that was played in it."""

    hung: MainMatchPicture


@dataclass(frozen=True)
class AtGift(AtSeason):
    """Somebody, and an item that was given."""

    gift: Gift


@dataclass(frozen=True)
class AtEntry(AtSeason):
    """Somebody, and an entry of the ledger. ``around``: what a page has read of all that it shows,
    where entries can be taken back (`acts.must_be_open_to_corrections`); None: nothing yet."""

    entry: LedgerEntry
    around: Around | None = None


@dataclass(frozen=True)
class AtDeathMatch(AtSeason):
    """Somebody, and a death match."""

    with_legs: DeathMatchWithLegs

    @property
    def death_match(self) -> DeathMatch:
        """The death match itself."""
        return self.with_legs.row

    @property
    def sides(self) -> list[Contestant]:
        """Who meets there, as far as it is known."""
        both = (self.death_match.home, self.death_match.away)
        return [side for side in both if side is not None]

    def must_decide(self, right: Right = Right.RUN) -> None:
        """As `guards.death_match_lock_managed`, without a lock. Raises Refusal as `must_manage`
        does, and ``death-match.own``."""
        self.must_manage(right)
        must_not_be_own(self.death_match, self.user)


@dataclass(frozen=True)
class AtLeg(AtDeathMatch):
    """Somebody, and one match of a death match."""

    leg: Leg

    @property
    def legs(self) -> list[Leg]:
        """All matches of the death match."""
        return list(self.with_legs.legs)

    @property
    def which(self) -> str:
        """What the match is called."""
        if self.death_match.best_of > 1:
            return f"{self.death_match}, match {self.leg.number}"
        return str(self.death_match)


@dataclass(frozen=True)
class AtProposal(AtLeg):
    """Somebody, one match, and times that are proposed for it; ``time``: the one that is to be
    accepted."""

    proposal: TimeProposal
    time: datetime | None = None


@dataclass(frozen=True)
class AtItem(AtLeg):
    """Somebody, one match of theirs, and an item that they hold; ``target``: what a Copy or a Block
    is to be aimed at."""

    gift: Gift
    target: Gift | None = None
