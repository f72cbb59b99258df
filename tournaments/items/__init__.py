"""The items of seasons: which there are, and what Copy and Block do to those that are brought.

Who holds which stands in `tournaments.models`; `tournaments.services.items` gives and brings them.
"""
