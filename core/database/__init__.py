"""Django's PostgreSQL, as a database backend (`ENGINE`) of ours."""
