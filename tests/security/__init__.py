"""Security: one item of the promises in docs/security.md for each file."""
