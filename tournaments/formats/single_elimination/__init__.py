"""A bracket: who loses is out."""
