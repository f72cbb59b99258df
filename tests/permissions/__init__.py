"""Who may do what, on every surface: one table, asked as everybody."""
