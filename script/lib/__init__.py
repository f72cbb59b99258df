"""What the commands share. Standard library only: it runs before anything is installed.

`prepare` is the exception: it is started by the Python of the finished environment.
"""
