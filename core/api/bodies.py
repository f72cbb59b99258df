"""What is asked of the body of a request, the same for every endpoint.

Whatever is wrong with a body is answered 400 with `fields`: by the path of each field at fault
(`contestants.3.username`; rows count from 0) a list of faults, each a code and a sentence. All of
them are named, not the first. A body is at fault where no state of things could make it right: the
JSON, a name that is not known, a missing or mistyped value, something named that does not exist or
is not for the caller to see. What another time would allow is a conflict, 409.

    given = body_of(self, EntriesSerializer, users=accounts_by_name)

Who may, then the body: it is judged behind the view's `authorise`, so that whoever may not is told
so whatever they send, and nothing of what their body names.

A serializer of a body may have, for what services refuse:

    at_fault   by the code of a refusal the path that it is about, `*` for the number of a row;
               a code that ends with `*` stands for all that begin so
    rows       the name of the list whose rows a refusal of several rows counts
    validation_faults
               given its values that are sound, yields what is wrong with them together: what
               services refuse, and ValidationErrors. It is asked whatever else is at fault, of the
               serializers of rows too, while `validate` and the like wait until nothing is. Of a
               list it has all rows, `empty` for those of which nothing is sound. What the request
               is about, as `authorise` gives it, is `context["about"]`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar, Final, Protocol

from django.utils.dateparse import parse_datetime
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.settings import api_settings

from core.api.errors import ApiProblem
from core.refusals import each_of

# Under this name stands what is wrong with a body as a whole.
WHOLE: Final = api_settings.NON_FIELD_ERRORS_KEY
INVALID: Final = "request.invalid"

# What is looked up for the fields of one kind, by what a body says: one query each.
Lookup = Callable[[set[Any]], Mapping[Any, Any]]


class Faults:
    """What is wrong with which part of a request."""

    def __init__(self) -> None:
        self.fields: dict[str, list[dict[str, str]]] = {}

    def __bool__(self) -> bool:
        return bool(self.fields)

    def add(self, path: str, code: str, sentence: str) -> None:
        """Note that something is wrong with the field of this path (empty: the whole)."""
        said = {"code": code, "sentence": sentence}
        known = self.fields.setdefault(path or WHOLE, [])
        if said not in known:
            known.append(said)

    def take_in(self, path: str, others: Faults) -> None:
        """Add those of what stands at this path."""
        for inner, faults in others.fields.items():
            at = path if inner == WHOLE else _under(path, inner)
            for each in faults:
                self.add(at, each["code"], each["sentence"])

    def code(self) -> str:
        """The code that all faults share where there is one to be known by."""
        codes = {each["code"] for faults in self.fields.values() for each in faults}
        only = codes.pop() if len(codes) == 1 else INVALID
        return INVALID if only.startswith("field.") else only

    def sentence(self) -> str:
        """One sentence about all of it."""
        names = [name for name in self.fields if name != WHOLE]
        sentences = [each["sentence"] for faults in self.fields.values() for each in faults]
        if not names or self.code() != INVALID:
            more = f" ({len(self.fields)} fields are at fault.)" if len(self.fields) > 1 else ""
            return sentences[0] + more
        shown = ", ".join(names[:8]) + (" …" if len(names) > 8 else "")
        return f"Some fields are missing or wrong: {shown}."


class BodyFault(ApiProblem):
    """The body cannot be right."""

    status_code = 400

    def __init__(self, faults: Faults) -> None:
        super().__init__(faults.sentence(), code=faults.code(), fields=faults.fields)


def field_faults(detail: Any) -> Faults:
    """What the framework says about fields, as we say it."""
    faults = Faults()
    for path, error in _flat(detail, ""):
        faults.add(path, _code_of(error), str(error))
    return faults


def _flat(detail: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            yield from _flat(inner, path if name == WHOLE else _under(path, name))
    elif isinstance(detail, list):
        for number, inner in enumerate(detail):
            # A list of sentences is about the field; one of objects about its rows.
            nested = isinstance(inner, Mapping | list)
            yield from _flat(inner, _under(path, number) if nested else path)
    else:
        yield path, detail


def _under(path: str, name: object) -> str:
    return f"{path}.{name}" if path else str(name)


def _code_of(error: Any) -> str:
    code = str(error.code) if isinstance(error, ErrorDetail) and error.code else "invalid"
    return code if "." in code else f"field.{code.replace('_', '-')}"


# -- fields --------------------------------------------------------------------------------------


class InstantField(serializers.DateTimeField):
    """A moment. Without an offset it could mean any of a day's hours, so it must have one."""

    def to_internal_value(self, value: Any) -> datetime:
        return instant_of(value)


def instant_of(text: Any) -> datetime:
    """The moment that a text means. Raises ValidationError."""
    try:
        found = parse_datetime(text) if isinstance(text, str) else None
        if found is not None and found.utcoffset() is not None:
            return found.astimezone(UTC)
    except (ValueError, OverflowError):
        found = None
    if found is None:
        raise ValidationError(
            "A moment is written as in 2026-11-22T18:30:00Z (ISO 8601).", code="invalid"
        )
    raise ValidationError(
        "This moment has no offset from UTC: write Z or +01:00 behind it.", code="no-offset"
    )


class Reference(serializers.Field[Any, Any, Any, Any]):
    """Mixed into a field: what the body says names something, and becomes it. The name of the
    lookup stands in `looked_up`."""

    looked_up: ClassVar[str]
    none: ClassVar[tuple[str, str]]

    @classmethod
    def key_of(cls, said: Any) -> Any:
        """What to look up, or None for what cannot be there."""
        return said

    def run_validation(self, data: Any = serializers.empty) -> Any:
        # What was said is held against the field's bounds first.
        said = super().run_validation(data)
        if said is None:
            return None
        found = self.context["found"][self.looked_up].get(self.key_of(said))
        if found is None:
            code, sentence = self.none
            raise ValidationError(sentence.format(repr(said)), code=code)
        return found


def repeated(
    sound: Mapping[str, Any], rows: str, **said: tuple[str, str]
) -> Iterator[ValidationError]:
    """For `validation_faults`: every one of these rows with a value that another row has, too,
    under one of these names, each with a code and a sentence. Values that are missing or null do
    not count."""
    wrong: dict[str, dict[str, Any]] = {}
    for name, (code, sentence) in said.items():
        given = sound.get(rows, ())
        values = [row.get(name) if isinstance(row, Mapping) else None for row in given]
        times = Counter(value for value in values if value is not None)
        for number, value in enumerate(values):
            if times[value] > 1:
                wrong.setdefault(str(number), {})[name] = [ErrorDetail(sentence, code=code)]
    if wrong:
        yield ValidationError({rows: wrong})


class NoBody(serializers.Serializer[dict[str, Any]]):
    """The body of what takes none: nothing, or an empty object."""


# -- the rule ------------------------------------------------------------------------------------


class ApiRequest(Request):
    """A request to a view of ours: it remembers as what its body was read."""

    body_serializer: type[serializers.Serializer[Any]] | None = None


class Answering(Protocol):
    """A view that is about to answer a request: `core.api.views.ApiView`."""

    request: Request

    @property
    def about(self) -> Any:
        """What the request is about, where its caller may do that. Raises Refusal where not."""


def body_of(
    view: Answering, serializer: type[serializers.Serializer[Any]], **lookups: Lookup
) -> dict[str, Any]:
    """The body of the request that ``view`` answers, as ``serializer`` wants it, with what it names
    looked up. Raises what the view's `authorise` raises, whatever the body is; then BodyFault (400
    with `fields`)."""
    about, request = view.about, view.request
    sent: Any = request.data
    found: dict[str, Mapping[Any, Any]] = {}
    context = {"found": found, "lookups": lookups, "about": about, "request": request}
    body = serializer(data=sent, context=context)
    faults = Faults()
    named: dict[str, set[Any]] = {name: set() for name in lookups}
    if sent is None:  # of which the framework speaks in other words
        faults.add("", "field.null", f"This must be {_type_of(body, None)[0]}.")
    _validate_types(body, sent, "", faults, named)
    for name, keys in named.items():
        found[name] = lookups[name](keys) if keys else {}
    if not body.is_valid():
        # What the framework says of the whole rests on values that it may have misread.
        ours = (*faults.fields, WHOLE) if faults else ()
        for path, each in field_faults(body.errors).fields.items():
            if path not in ours:
                faults.fields[path] = each
    _sound(body, sent, "", faults)
    if faults:
        raise BodyFault(faults)
    if isinstance(request, ApiRequest):
        request.body_serializer = serializer  # for `refused_fields`
    return dict(body.validated_data)


def nothing_in(view: Answering) -> None:
    """Raise as `body_of` does where a request has a body that is not taken here."""
    body_of(view, NoBody)


def _validate_types(
    field: Any, data: Any, path: str, faults: Faults, named: dict[str, set[Any]]
) -> None:
    """Hold a value against the type of its field, strictly: the framework would take `"1"` for a
    number and leave out what it does not know. Collects what references name."""
    if data is None or data is serializers.empty:  # the framework's to judge
        return
    wanted, fits = _type_of(field, data)
    if not fits:
        faults.add(path, "field.invalid", f"This must be {wanted}.")
        return
    if isinstance(field, Reference) and field.looked_up in named:
        key = field.key_of(data)
        if key is not None:
            named[field.looked_up].add(key)
    if isinstance(field, serializers.Serializer):
        for name, value in data.items():
            inner = field.fields.get(name)
            if inner is None or inner.read_only:
                shown = str(name)[:60]
                faults.add(_under(path, shown), "field.unknown", "There is no such field here.")
            else:
                _validate_types(inner, value, _under(path, name), faults, named)
    elif isinstance(field, serializers.ListField | serializers.ListSerializer):
        for number, value in enumerate(data):
            _validate_types(field.child, value, _under(path, number), faults, named)
    elif isinstance(field, serializers.DictField):
        for name, value in data.items():
            _validate_types(field.child, value, _under(path, name), faults, named)


def _sound(field: Any, data: Any, path: str, faults: Faults) -> Any:
    """A value as its field makes it, without whatever in it is at fault; `empty` where that is all
    of it. Adds what is wrong with sound values when they are looked at together."""
    if isinstance(field, serializers.Serializer):
        if not isinstance(data, Mapping):
            return serializers.empty
        sound = {}
        for name, inner in field.fields.items():
            if not inner.read_only:
                given = name in data
                at = _under(path, name)
                value = _sound(inner, data[name], at, faults) if given else _default_of(inner)
                if value is not serializers.empty:
                    sound[name] = value
        for each in field.validation_faults(sound) if hasattr(field, "validation_faults") else ():
            faults.take_in(path, _faults_in(each, field))
        return sound
    if path in faults.fields:
        return serializers.empty
    if isinstance(field, serializers.ListField) and isinstance(data, list):
        rows = [_sound(field.child, row, _under(path, n), faults) for n, row in enumerate(data)]
        try:
            # The framework counts rows only where none is at fault.
            field.run_validators(data)
        except ValidationError as error:
            faults.take_in(path, field_faults(error.detail))
        return rows
    if isinstance(field, serializers.DictField) and isinstance(data, Mapping):
        values = {k: _sound(field.child, v, _under(path, k), faults) for k, v in data.items()}
        return {key: value for key, value in values.items() if value is not serializers.empty}
    try:
        return field.run_validation(data)
    except (ValidationError, serializers.SkipField):
        return serializers.empty


def _default_of(field: Any) -> Any:
    try:
        return field.get_default()
    except serializers.SkipField:
        return serializers.empty


def _faults_in(each: Any, serializer: Any) -> Faults:
    if isinstance(each, ValidationError):
        return field_faults(each.detail)
    return _faults_of(each, serializer)[0]


def _type_of(field: Any, data: Any) -> tuple[str, bool]:
    match field:
        case serializers.ListField() | serializers.ListSerializer():
            return "a list", isinstance(data, list)
        case serializers.Serializer() | serializers.DictField():
            return "an object", isinstance(data, Mapping)
        case serializers.BooleanField():
            return "true or false", isinstance(data, bool)
        case serializers.IntegerField():
            whole = isinstance(data, int) or (isinstance(data, float) and data.is_integer())
            return "a whole number", whole and not isinstance(data, bool)
        case serializers.CharField() | serializers.ChoiceField() | serializers.DateTimeField():
            return "a text", isinstance(data, str)
    return "of another type", True


# -- what services refuse ------------------------------------------------------------------------


def refused_fields(refusal: Any, request: Any) -> tuple[Faults, bool]:
    """What a refusal says of the fields of a request's body, and whether the body is at fault."""
    serializer = request.body_serializer if isinstance(request, ApiRequest) else None
    return _faults_of(refusal, None if serializer is None else serializer())


def _faults_of(refusal: Any, serializer: Any) -> tuple[Faults, bool]:
    at_fault: Mapping[str, str] = getattr(serializer, "at_fault", {})
    faults, wrong = Faults(), False
    for each in each_of(refusal):
        number = each.row
        path = _path_of(each.code, at_fault)
        wrong = wrong or path is not None
        if number is not None:
            row = _under(getattr(serializer, "rows", ""), number)
            path = row if path is None else path.replace("*", str(number))
        elif path is not None and "*" in path:
            path = _without_row(path, serializer)
        if path is not None:
            # Which of several options it is about, unless the path leads to that one already.
            inner = each.field[:60] if path.rpartition(".")[2] != each.field else ""
            faults.add(_under(path, inner) if inner else path, each.code, each.sentence)
    return faults, wrong


def _without_row(path: str, serializer: Any) -> str:
    """Where something stands that a row has, or all of them together."""
    rows, _star, name = path.partition(".*.")
    return name if name in serializer.fields else rows


def _path_of(code: str, at_fault: Mapping[str, str]) -> str | None:
    if code in at_fault:
        return at_fault[code]
    families: Sequence[str] = [name for name in at_fault if name.endswith("*")]
    for family in families:
        if code.startswith(family[:-1]):
            return at_fault[family]
    return None
