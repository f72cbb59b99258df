"""What the commands share. Standard library only: it runs before anything is installed."""
