"""The engine: what a ruleset is, and everything about a match that no single ruleset decides."""
