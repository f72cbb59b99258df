"""Gauntlet in Discord: commands that people give there, answered by the site.

There is no process that keeps a connection to Discord. What somebody does there, Discord tells the
site of, signed (`signing`, `views`); `interactions` has what it says and what it may be answered,
`commands` what there is to do, `replies` how matches and seasons read there. What takes longer than
Discord waits is finished by a worker (`tasks`) through `client`, within `limits`. Who somebody is
here, `people` says.

Nobody learns or does anything by a command that a page would not show or let them do, in the same
words; what is somebody's own is shown to them alone.
"""
