"""Blocks: whom somebody does not want to play, nor to read beside matches.

- `services`: blocking and unblocking, and who has blocked whom
- `pages`: the settings, and what buttons on other pages send to
"""
