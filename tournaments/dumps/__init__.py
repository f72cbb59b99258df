"""Exports: a season's records as a stream, and everything public as a file a day.

- `records`: the records of a season's finished matches
- `tables`: what is public, table by table; `archive`: the file; `views`, `urls`: where to get it
- `tasks`: makes the file every night; `manage.py dump_public` makes one at once
"""
