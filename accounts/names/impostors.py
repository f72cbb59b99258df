"""Names that would pass for those of people who are here: usernames, and whoever has a role.

What a name looks like is for `accounts.names.confusables` to say; this asks the database whose it
would be.
"""

from collections.abc import Iterable
from typing import Any

from django.db import models
from django.db.models import F, Func, Value
from django.db.models.functions import Replace

from accounts.models import User
from accounts.names import confusables, letters
from accounts.names.reserved import looks_reserved
from accounts.names.validators import RESERVED_USERNAMES
from accounts.roles import Role
from core.refusals import Refusal


def refuse_impersonating_username(username: str) -> None:
    """Refuse a username that looks like another's, or like the name of somebody with a role, or
    claims to be theirs, which it would pass for wherever its bearer has no display name. One that
    merely has another's in it stays free. The sign-up form asks here: that is where strangers
    choose theirs; those of demo accounts are ours. Raises Refusal ``username.impersonates``."""
    if Impostors([username]).know(username, User(username=username)):
        sentence = "This username would pass for somebody else's. Please choose another."
        raise Refusal("username.impersonates", sentence, field="username")


def refuse_impersonation(user: User) -> None:
    """Refuse a display name that would pass for another player's username, for somebody who runs
    the site, or for the name of one who does. Administrators are who they say.

    What a name looks like counts, not how it is spelt (`accounts.names.confusables`). Whatever
    gives somebody a display name asks here, forms that save it by themselves included. Raises
    Refusal ``display-name.impersonates`` and ``display-name.mixed-scripts``.
    """
    name = user.display_name
    if name:
        Impostors([name]).refuse(name, user, code="display-name", field="display_name")


class Impostors:
    """Whom some names could be taken for, from three queries for all of them."""

    def __init__(self, given: Iterable[str]) -> None:
        looks = {skeleton for name in given for skeleton in confusables.skeletons_of(name)}
        self._usernames: dict[str, dict[int, str]] = {}
        bearers: Any = users_looking_like(looks)
        for skeleton, *bearer in (
            bearers.values_list("looks_like", "pk", "username") if looks else ()
        ):
            self._usernames.setdefault(skeleton, {}).update([bearer])
        self._staff = list(_staff_names()) if looks else []
        self._gone = looks_reserved(looks) if looks else set[str]()

    def refuse(self, name: str, bearer: User, *, code: str, field: str = "") -> None:
        """Raise Refusal ``<code>.impersonates`` or ``<code>.mixed-scripts`` where this name, one of
        those that were given, would be another's if ``bearer`` had it."""
        own = name.lower() == bearer.username
        sentence, what = "", "impersonates"
        if not bearer.is_superuser and (
            confusables.looks_official(name)
            or confusables.looks_like_one_of(name, RESERVED_USERNAMES)
        ):
            sentence = "This name would pass for somebody who runs the site. Please choose another."
        # One's own username would stand there without a display name, too.
        elif not own and self._is_a_username(name, bearer):
            sentence = (
                "This is another player's username, or looks like it. Please choose a different "
                "display name."
            )
        elif self._is_of_staff(name, bearer, own=own):
            sentence = "This name would pass for somebody else's. Please choose another."
        elif confusables.mixes_scripts(name):
            what = "mixed-scripts"
            sentence = "A word of this name has letters of two alphabets. Please use one for each."
        if sentence:
            raise Refusal(f"{code}.{what}", sentence, field=field)

    def know(self, username: str, bearer: User) -> bool:
        """Whether a username that was given looks like somebody else's or says that its bearer is
        somebody with a role."""
        return self._is_a_username(username, bearer) or self._is_of_staff(
            username, bearer, own=False
        )

    def _is_a_username(self, name: str, bearer: User) -> bool:
        looks = confusables.skeletons_of(name)
        # Theirs who are gone: the name itself is not kept, so nothing says how near it is.
        if not self._gone.isdisjoint(looks):
            return True
        found = (self._usernames.get(each, {}) for each in looks)
        return any(
            pk != bearer.pk and confusables.can_be_taken_for(name, username)
            for owners in found
            for pk, username in owners.items()
        )

    def _is_of_staff(self, name: str, bearer: User, *, own: bool) -> bool:
        others = (theirs for pk, *theirs in self._staff if pk != bearer.pk)
        return _is_one_of_these(name, others, own=own)


def users_looking_like(skeletons: Iterable[str]) -> models.QuerySet[User]:
    """Those whose username has one of these skeletons. The database works them out by the tables of
    `accounts.names.confusables`: a username has nothing else in it that they would fold."""
    written, read = letters.WRITTEN
    # What has no counterpart is left out: the separators.
    found: Any = Func(
        F("username"), Value(f"{written}-_"), Value(read), function="translate",
        output_field=models.CharField(),
    )  # fmt: skip
    for one, other in confusables.ALIKE:
        found = Replace(found, Value(one), Value(other))
    return User.objects.annotate(looks_like=found).filter(looks_like__in=list(skeletons))


def _staff_names() -> models.QuerySet[Any, tuple[int, str, str]]:
    """Of those with a role: key, username and display name."""
    roles = models.Q(is_superuser=True) | models.Q(groups__name__in=[role.value for role in Role])
    people = User.objects.filter(roles)
    return people.values_list("pk", "username", "display_name").distinct()


def _is_one_of_these(name: str, people: Iterable[Iterable[str]], *, own: bool) -> bool:
    """Whether a name looks like one of theirs or, unless it is its bearer's ``own`` username, which
    stands there without a display name as well, says to be theirs."""
    return any(
        confusables.looks_like_name(name, theirs)
        or (not own and confusables.speaks_as(name, theirs))
        for row in people
        for theirs in filter(None, row)
    )
