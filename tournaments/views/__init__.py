"""The pages of seasons: thin callers of services and of what `tournaments.reading` finds."""
