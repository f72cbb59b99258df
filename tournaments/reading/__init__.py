"""What is read of seasons, to be shown. Nothing here changes anything.

Rows are those of `tournaments.models` and carry what these declare. Whatever else is read of one
comes beside it, in a type of its own: a `DeathMatchWithLegs`, an `EpisodeWithPlacements`.
"""
