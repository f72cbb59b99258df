"""What earlier releases have stored, kept as files: see `keeping`."""
