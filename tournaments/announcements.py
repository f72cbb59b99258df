"""Of what people in seasons are told: the part of the table of announcements that is about seasons.
Which event leads to which is in `tournaments.notices`."""

from __future__ import annotations

from typing import Final

from accounts.announcing.kinds import Kind, Urgency

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
    Kind("organiser.needed", "Organising", "A season of yours needs you", "Its organisers",
         Urgency.NOW),
    Kind("organiser.application", "Organising", "Somebody applies to a season of yours",
         "Its organisers", Urgency.NEWS),
    Kind("organiser.webhook", "Organising", "A webhook, or Discord, was switched off",
         "Its organisers", Urgency.SOON),
)  # fmt: skip
