"""What moderators say and decide for the whole site: words on every page, and whether accounts are
opened."""
