"""What seasons are made of. Changes go through `tournaments.services`.

From the outside in: a `Season` has `Contestant`s and `Round`s; a round has `DeathMatch`es, each
between two contestants; a death match has `Leg`s (one, or several in a final that is best of many),
and a leg is played as one `games.Match`. In an elimination season a round is an `Episode`, or the
final. Items travel as `Gift`s; what happened to them is an append-only history, and so is the
season's own (`SeasonEvent`), which pages, webhooks and feeds are read from.
"""

from tournaments.models.applications import SeasonApplication
from tournaments.models.contestants import Contestant
from tournaments.models.death_matches import DeathMatch, Leg, ReminderSent
from tournaments.models.events import EventNotice, SeasonEvent
from tournaments.models.follows import SeasonFollow
from tournaments.models.invitations import SeasonInvitation
from tournaments.models.items import Declaration, Gift, ItemEvent
from tournaments.models.ledger import EntryKind, LedgerEntry, Unit, Wager
from tournaments.models.messages import MessageTo, SeasonMessage
from tournaments.models.pictures import MainMatchPicture, Picture, PictureSize
from tournaments.models.predictions import SeasonPrediction
from tournaments.models.rounds import Episode, Placement, Round
from tournaments.models.scores import ScoreRow, ScoreTable
from tournaments.models.seasons import (
    NoShowRule,
    OrganiserInvitation,
    RulesetChoice,
    Season,
    SeasonOrganiser,
    SecretGifts,
    TimesRule,
    WayIn,
)
from tournaments.models.times import FreeDate, FreeHours, TimeProposal

# Those of Discord and of webhooks are kept there, and found by Django through this module.
from tournaments.posts.models import DiscordChannel, DiscordPlace, DiscordPost, DiscordRole
from tournaments.webhooks.models import Delivery, Webhook

__all__ = [
    "Contestant",
    "DeathMatch",
    "Declaration",
    "Delivery",
    "DiscordChannel",
    "DiscordPlace",
    "DiscordPost",
    "DiscordRole",
    "EntryKind",
    "Episode",
    "EventNotice",
    "FreeDate",
    "FreeHours",
    "Gift",
    "ItemEvent",
    "LedgerEntry",
    "Leg",
    "MainMatchPicture",
    "MessageTo",
    "NoShowRule",
    "OrganiserInvitation",
    "Picture",
    "PictureSize",
    "Placement",
    "ReminderSent",
    "Round",
    "RulesetChoice",
    "ScoreRow",
    "ScoreTable",
    "Season",
    "SeasonApplication",
    "SeasonEvent",
    "SeasonFollow",
    "SeasonInvitation",
    "SeasonMessage",
    "SeasonOrganiser",
    "SeasonPrediction",
    "SecretGifts",
    "TimeProposal",
    "TimesRule",
    "Unit",
    "Wager",
    "WayIn",
    "Webhook",
]
