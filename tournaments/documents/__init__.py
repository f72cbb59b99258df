"""A whole season as one JSON document (`gauntlet-season/1`) and its matches' records, in a zip; and
back again on another installation.

Nothing in the document depends on the installation: contestants, items and matches have numbers of
their own. Left out is whatever is secret or belongs to the installation: what was declared or
prepared for matches that have not begun, addresses, who entered what, the audit log.

- `parts`: what the document holds, each field described once
- `fields`: what a description says, and how a row is written and read by it
- `export`: season_export, season_records
- `restore`: season_import
- `archive`: the zip
- `bounds`, `checks`, `holding`: what no document may hold, what of it goes together, and what must
  hold of the season in the end
- `schema`: season_schema, season_fields: the format for programs, and for people

Formats say themselves how rounds and death matches are numbered in them (`Format.must_number`).
"""
