"""The browser side: modules on their own, and whole matches in real browsers."""
