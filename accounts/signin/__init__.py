"""How people sign in.

- `backends`: who may sign in, and stay signed in
- `adapter`: what the sign-in library asks: registration, addresses, limits on guessing
"""
