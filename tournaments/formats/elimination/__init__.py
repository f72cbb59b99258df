"""Episodes with an elimination candidate each, and a final of the last two."""
