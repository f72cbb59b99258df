"""How people sign in.

- `backends`: who may sign in, and stay signed in
- `recent`: whether somebody has shown lately that they own the account
- `adapter`: what the sign-in library asks: registration, addresses, limits on guessing
"""
