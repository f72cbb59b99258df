"""Every route, for everybody, by every method: apart from the other tests, for all of it is asked
in one world that is made once."""
