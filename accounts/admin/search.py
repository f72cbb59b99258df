"""What a search of the audit log for a person finds.

Apps say which of their rows, and which details of entries, are about somebody.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import BooleanField, F, Func, Model, Q, QuerySet, Value

from core.admin.lists import keys_as_text

# Which rows are about somebody: by model, the fields that say whom.
_PERSONAL: dict[type[Model], tuple[str, ...]] = {}
# Which details of actions name somebody: by the model that they were done to and the model of the
# rows named, the field of those that says whom, and where the details have their keys.
_NAMED: dict[tuple[type[Model], type[Model]], tuple[str, tuple[str, ...]]] = {}


def about_people(model: type[Model], *fields: str) -> None:
    """Say that actions on rows of a model are actions on the people whom these fields name. A
    field may lead over relations: `about_people(Leg, "death_match__home__user")`."""
    _PERSONAL[model] = fields


# Finds rows that are not about people of these keys any more: by which condition, and the number of
# the audit entry that ended it.
Former = Callable[[Sequence[Any]], Iterable[tuple[Q, int]]]
_FORMER: dict[type[Model], Former] = {}


def was_about_people(model: type[Model], former: Former) -> None:
    """Say that earlier actions on some rows of a model, which `former` finds, were actions on
    people whom the rows do not name any more."""
    _FORMER[model] = former


def details_name(target: type[Model], model: type[Model], field: str, *paths: str) -> None:
    """Say that the details of actions on rows of `target` name rows of `model` by their keys, each
    of which is about the person whom `field` names.

    `paths` are PostgreSQL's paths within the details (SQL/JSON): `$.winner`, `$.absent[*]`.
    """
    _NAMED[target, model] = (field, paths)


def done_to(people: QuerySet[Any]) -> Q:
    """The condition for audit entries of actions on these people: to their accounts, to rows about
    them, and those whose details name them, or a row about them."""
    keys = list(people.values_list("pk", flat=True)[:50])
    found = Q(target_type=people.model._meta.label_lower, target_id__in=[str(pk) for pk in keys])
    found |= Q(data__user__in=keys)
    for model, fields in _PERSONAL.items():
        rows = _about(model, fields, keys)
        found |= Q(target_type=model._meta.label_lower, target_id__in=keys_as_text(rows))
    for model, former in _FORMER.items():
        for theirs, until in former(keys):
            rows = QuerySet(model).filter(theirs)
            its = Q(target_type=model._meta.label_lower, target_id__in=keys_as_text(rows))
            found |= its & Q(pk__lt=until)
    for (target, model), (field, paths) in _NAMED.items():
        named = list(_about(model, (field,), keys).order_by().values_list("pk", flat=True))
        if named:
            has_one = reduce(or_, (_details_have(path, named) for path in paths))
            found |= Q(target_type=target._meta.label_lower) & has_one
    return found


def _about(model: type[Model], fields: Iterable[str], keys: list[Any]) -> QuerySet[Any]:
    theirs = reduce(or_, (Q(**{f"{field}__in": keys}) for field in fields))
    rows: QuerySet[Any] = QuerySet(model).filter(theirs)
    return rows


def _details_have(path: str, keys: list[Any]) -> Q:
    """That the details have one of these keys at a path. As a name within an object it is text."""
    sought = json.dumps({"keys": [*keys, *map(str, keys)]})
    return Q(
        Func(
            F("data"),
            Func(Value(f"{path} ? (@ == $keys[*])"), template="(%(expressions)s)::jsonpath"),
            Func(Value(sought), template="(%(expressions)s)::jsonb"),
            # Details that have another shape do not have the key.
            Value(True),
            function="jsonb_path_exists",
            output_field=BooleanField(),
        )
    )
