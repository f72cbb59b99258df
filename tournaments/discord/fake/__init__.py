"""Discord, as far as it is needed here, on this machine.

It holds requests to the limits and schemas that Discord publishes, and answers with its codes:
what it takes, Discord takes. `server.FakeDiscord` is the service with its guilds, channels, threads
and messages, `schemas` says what it takes, `limits` how often, and `people` are those who use it.
"""
