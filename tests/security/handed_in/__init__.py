"""Whatever can be handed in: apart from the other tests, since much of it is asked in one world
that is made once."""
