"""A fixed number of rounds; equals meet, and nobody meets twice."""
