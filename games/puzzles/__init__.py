"""Puzzles: made of positions that were played, checked by the engine, graded by who solves them."""
