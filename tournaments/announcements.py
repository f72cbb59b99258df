"""Of what people in seasons are told: the part of the table of announcements that is about seasons.
Which event leads to which is in `tournaments.notices`."""

from __future__ import annotations

from typing import Final

from accounts.announcing.kinds import Kind, Urgency, Way, When

APPLICATION: Final = "organiser.application"
FOLLOW_SEASON: Final = "follow.season"
FOLLOW_ROUND: Final = "follow.round"
FOLLOW_TIME: Final = "follow.time"
FOLLOW_LIVE: Final = "follow.live"
FOLLOW_RESULT: Final = "follow.result"
FOLLOW_WINNER: Final = "follow.winner"
FOLLOWED_KINDS: Final = (
    FOLLOW_SEASON, FOLLOW_ROUND, FOLLOW_TIME, FOLLOW_LIVE, FOLLOW_RESULT, FOLLOW_WINNER,
)  # fmt: skip
_FOLLOWED: Final = "Seasons you follow"
_WHO: Final = "Who follows it, and neither plays nor runs it"

KINDS: Final = (
    Kind("episode.choice", "Seasons", "You choose your opponent", "The EC", Urgency.NOW),
    Kind("contestant.place", "Seasons", "You are out, back in, or replaced",
         "Whom it happens to", Urgency.SOON),
    Kind("contestant.items", "Seasons", "You get an item, or it is taken back",
         "Who has it", Urgency.SOON),
    Kind("season.entry", "Seasons", "You are let into a season, or not",
         "Who has applied, or waits", Urgency.SOON),
    Kind("season.check-in", "Seasons", "A season asks you to check in", "Who is in and has not",
         Urgency.NOW),
    Kind("contestant.purse", "Seasons", "You get or lose garnets or tokens",
         "Whose they are", Urgency.SOON),
    Kind("season.news", "Seasons", "A season begins, ends, is called off, or has other rules",
         "Everybody who plays in it", Urgency.NEWS),
    Kind("season.message", "Seasons", "A message from the organisers",
         "To whom they write", Urgency.SOON),
    Kind("season.picture", "Seasons",
         "A picture of you is put up or taken off, or one of yours is taken away",
         "Whom it shows, where others do it, and who put it up, where a moderator does",
         Urgency.SOON),
    Kind("death-match.paired", "Death matches", "Whom you meet", "Both players", Urgency.SOON),
    Kind("death-match.terms", "Death matches", "What is played, and when", "Both players",
         Urgency.SOON),
    Kind("death-match.times", "Death matches", "Times are proposed to you, or yours are declined",
         "The other player", Urgency.NOW),
    Kind("death-match.reminder", "Death matches", "It begins soon", "Both players", Urgency.NOW),
    Kind("death-match.started", "Death matches", "It has begun, or waits for you",
         "Both players", Urgency.NOW),
    Kind("death-match.ruling", "Death matches",
         "It is void, corrected, or decided without play", "Both players", Urgency.SOON),
    Kind(FOLLOW_SEASON, _FOLLOWED, "A season begins, goes on, or is called off", _WHO,
         Urgency.NEWS),
    Kind(FOLLOW_ROUND, _FOLLOWED, "An episode or a round begins", _WHO, Urgency.NEWS),
    Kind(FOLLOW_TIME, _FOLLOWED, "When a death match is played", _WHO, Urgency.NEWS),
    # There is something to be seen now: by mail it would come too late.
    Kind(FOLLOW_LIVE, _FOLLOWED, "A death match is live", _WHO, Urgency.NOW,
         defaults={Way.MAIL: When.OFF}),
    Kind(FOLLOW_RESULT, _FOLLOWED, "How a death match ended, and who is out", _WHO,
         Urgency.NEWS),
    Kind(FOLLOW_WINNER, _FOLLOWED, "A season has a winner", _WHO, Urgency.NEWS),
    Kind("organiser.needed", "Organising", "A season of yours needs you", "Its organisers",
         Urgency.NOW),
    Kind(APPLICATION, "Organising", "Somebody applies to a season of yours",
         "Its organisers", Urgency.NEWS),
    Kind("organiser.role", "Organising",
         "You are asked to run a season or help, or your part in one is another",
         "Whom it concerns", Urgency.SOON),
    Kind("organiser.webhook", "Organising", "A webhook, or Discord, was switched off",
         "Its organisers", Urgency.SOON),
)  # fmt: skip
