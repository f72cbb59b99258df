"""Running matches."""

from core import compiled

# Before any ruleset is imported, whoever asks for it: the site, a worker, a test, somebody's bot.
compiled.install()
