"""Contestants: who enters a season, in which order, and who leaves it.

- `seeds`, `names`: the order, and what contestants are called
- `enrolment`: who enters; `rosters`: lists of them as CSV
- `departures`: who leaves, comes back, or gives their place to somebody else
- `merging`: accounts that turn out to be one
"""
