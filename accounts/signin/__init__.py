"""How people sign in.

- `backends`: who may sign in, and stay signed in
- `recent`: whether somebody has shown lately that they own the account
- `sessions`: where somebody is signed in, and ending it; `whence` and `browsers`: from where
- `ending`: what else a new password can end
- `notices`: mail to the owner of an account
- `middleware`: what is done around every request of somebody who is signed in
- `guessing`: how often passwords and codes are tried, and whom others' tries do not concern
- `adapter`: what the sign-in library asks: registration, addresses
"""
