"""Discord, as far as it is needed here, on this machine.

It holds requests to the limits and schemas that Discord publishes, and answers with its codes:
what it takes, Discord takes. `server.FakeDiscord` is the service with its guilds, channels, threads
and messages (`held`) at the addresses that `routes` has, `schemas` says what it takes, `limits` how
often, `signin` how one signs in by it, and `people` are those who use it. Tests play it, and so
does whoever tries a site without Discord: `rehearsal` is what they see, `pages` where.
"""
