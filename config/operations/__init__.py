"""What operators look after in the admin site."""
