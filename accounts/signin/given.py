"""What an administrator does about how an account is come into, told to its owner.

An administrator may rightly do it, so no letter undoes it; but whoever has stolen their session
must not get into accounts without their owners hearing of it. From where it was done is not told:
that is the administrator's.
"""

from __future__ import annotations

from accounts.models import User
from accounts.signin.notices import owner_tell
from accounts.signin.whence import Whence


def administrator_tell(user: User, what: str, *, address: str) -> None:
    """Write to an account's owner that an administrator has done something, in a clause that goes
    on after "An administrator of this site has". ``address``: the one that the account had before
    it was done; empty where it had none, and nobody is written to."""
    if address:
        said = {"what": what, "place": Whence()}
        owner_tell(user, "administrator_changed", said, address=address)
