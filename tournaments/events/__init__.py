"""What a season tells the world: the kinds of events, what the data of each holds, and what the ids
in it refer to. Nothing here knows of rows; they are written by `tournaments.services.events`."""
