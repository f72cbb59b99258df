"""Seasons, brackets and rulings around matches."""
