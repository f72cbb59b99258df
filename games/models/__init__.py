"""What a running site keeps about matches. Changes go through `games.services`."""

from games.models.challenges import Challenge
from games.models.chat import LIVE_ROOM_NAMES, LIVE_ROOMS, ChatMessage
from games.models.draws import MatchDraws
from games.models.featured import FeaturedMatch
from games.models.hosted import HostedMatch
from games.models.kept import Preparation, SavedMove
from games.models.late import LateView
from games.models.matches import Match, MatchEntry, MatchPlayer, MatchReferee
from games.models.outages import ServiceBeat, ServiceOutage, ServiceProcess
from games.models.plans import Plan
from games.models.practice import HouseBot
from games.models.seeks import Seek
from games.models.stands import MatchCommentator, Prediction
from games.models.studies import Study, StudyPart

# Those of puzzles and of ratings are kept with them, and found by Django through this module.
from games.puzzles.models import Puzzle, PuzzleAnswer, PuzzleSearch, PuzzleSolver
from games.ratings.models import (
    PairRuling,
    Rating,
    RatingLadder,
    RatingPoint,
    RatingRequest,
    RatingRuling,
    WaitingRuling,
)

__all__ = [
    "LIVE_ROOMS",
    "LIVE_ROOM_NAMES",
    "Challenge",
    "ChatMessage",
    "FeaturedMatch",
    "HostedMatch",
    "HouseBot",
    "LateView",
    "Match",
    "MatchCommentator",
    "MatchDraws",
    "MatchEntry",
    "MatchPlayer",
    "MatchReferee",
    "PairRuling",
    "Plan",
    "Prediction",
    "Preparation",
    "Puzzle",
    "PuzzleAnswer",
    "PuzzleSearch",
    "PuzzleSolver",
    "Rating",
    "RatingLadder",
    "RatingPoint",
    "RatingRequest",
    "RatingRuling",
    "SavedMove",
    "Seek",
    "ServiceBeat",
    "ServiceOutage",
    "ServiceProcess",
    "Study",
    "StudyPart",
    "WaitingRuling",
]
