"""What holds attackers off: a file for each promise of docs/security.md."""
