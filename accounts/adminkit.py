"""What admin pages of every app are made of.

    class SeasonAdmin(ModeratorView, ReadOnly, ActionsAdmin, admin.ModelAdmin):
        row_actions = actions.MODERATION

        def subject_of(self, request, row):
            return AtSeason(person(request), Sheet(row))

* `Guarded`: what a list can be asked, and which rows are out of reach. The admin site puts it
  before every class that is registered (`accounts.adminsite`), the libraries' own included.
* `ReadOnly`: rows that are looked at, and changed by services only.
* `ModeratorView`: moderators may look at it, beside the staff whom Django's permissions allow.
* `AuditHistory`: a link to what the audit log says of the row, and links that other apps add.
* `ActionsAdmin`: buttons on a row's page for a table of actions (`core.actions`), each leading to a
  page of its own that asks, and then calls the service: what follows from it in plain words, a
  form, and for what cannot be undone a phrase to be typed.
* `register_panel` puts a list on the start page; `register_links` puts links on a row's page;
  `register_withheld` keeps rows away from those who must not find them there now.
* `about_people`, `was_about_people` and `details_name` say which rows, and which details of audit
  entries, are about somebody: a search of the audit log for a person finds those entries.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any, ClassVar, Final
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.contrib.admin.filters import AllValuesFieldListFilter, FieldListFilter
from django.contrib.admin.utils import get_fields_from_path
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import BooleanField, CharField, F, Func, Model, Q, QuerySet, Value
from django.db.models.functions import Cast
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import NoReverseMatch, URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from accounts.models import User
from accounts.roles import is_moderator
from core.actions import Action, Actions, Offer
from core.refusals import Refusal

# -- what can be found out -----------------------------------------------------------------------


class ValuesFilter(AllValuesFieldListFilter):
    """The values of a field, of which an empty one has a name as well."""

    def choices(self, changelist: Any) -> Any:
        for choice in super().choices(changelist):
            yield choice if choice["display"] else {**choice, "display": "none"}


Withheld = Callable[[User], Q]
_withheld: dict[str, list[Withheld]] = {}


def register_withheld(model_label: str, rows: Withheld) -> None:
    """Keep rows of a model out of the admin site: `rows(reader)` says which ones, as a condition.

    They are on no list, have no page, and cannot be searched, counted or acted on there, whoever
    asks. `model_label` is "games.match". The condition is asked for each time, so that it may hold
    for a while only. It must not depend on a secret: what is missing can be noticed.
    """
    known = _withheld.setdefault(model_label.lower(), [])
    if rows not in known:
        known.append(rows)


def keys_as_text(rows: QuerySet[Any]) -> QuerySet[Any]:
    """The keys of rows, for comparing them with a column that names its target in text."""
    keys: QuerySet[Any] = rows.order_by().annotate(key_as_text=Cast("pk", CharField()))
    return keys.values("key_as_text")


def page_of(row: Model) -> str | None:
    """The address of a row's own page on the site; None where it has none (rows of a library may
    name one that the site does not have)."""
    try:
        page: str | None = row.get_absolute_url()  # type: ignore[attr-defined]
    except (AttributeError, NoReverseMatch):
        return None
    return page


class Guarded:
    """What can be found out through a list is what the list shows.

    Django lets whoever may look at a list filter it by every column of its rows, shown or not, with
    every lookup that there is: a column is then read out with some dozens of questions. Here a list
    answers the filters that it offers and what its class names in `lookups`, for links that lead
    to it (`lookups = ("players__user__id__exact",)`). It refuses everything else, to administrators
    too: they need no other, and some of them play. Pages of single rows are found by their key
    alone, and rows that `register_withheld` withholds from the reader are not found.
    """

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        return lookup in self._offered_lookups(request)

    def to_field_allowed(self, request: HttpRequest, to_field: str) -> bool:
        key: str = self.opts.pk.name  # type: ignore[attr-defined]
        return to_field == key

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)  # type: ignore[misc]
        reader = person(request)
        for withheld in _withheld.get(rows.model._meta.label_lower, ()):
            gone: QuerySet[Any] = QuerySet(rows.model).filter(withheld(reader))
            rows = rows.exclude(pk__in=gone.values("pk"))
        return rows

    def get_view_on_site_url(self, obj: Model | None = None) -> str | None:
        if obj is not None and page_of(obj) is None:
            return None
        url: str | None = super().get_view_on_site_url(obj)  # type: ignore[misc]
        return url

    def _offered_lookups(self, request: HttpRequest) -> frozenset[str]:
        # Asked once for each parameter of an address, and made with queries: kept for the request.
        known: dict[object, frozenset[str]]
        known = request.__dict__.setdefault("_lookups_offered", {})
        if self not in known:
            # Not an attribute of this class, which stands before the one that may have it.
            named: Iterable[str] = getattr(self, "lookups", ())
            known[self] = frozenset((*named, *self._filters_parameters(request)))
        return known[self]

    def _filters_parameters(self, request: HttpRequest) -> Iterable[str]:
        model: type[Model] = self.model  # type: ignore[attr-defined]
        for each in self.get_list_filter(request):  # type: ignore[attr-defined]
            if isinstance(each, type):
                yield each.parameter_name  # type: ignore[attr-defined]
                continue
            name, make = each if isinstance(each, tuple | list) else (each, FieldListFilter.create)
            field = get_fields_from_path(model, name)[-1]
            yield from make(field, request, {}, model, self, field_path=name).expected_parameters()
        hierarchy: str | None = self.date_hierarchy  # type: ignore[attr-defined]
        if hierarchy:
            yield from (f"{hierarchy}__{part}" for part in ("year", "month", "day"))


def guarded(admin_class: type[Any]) -> type[Any]:
    """Return the class with `Guarded` before everything that it says itself."""
    if issubclass(admin_class, Guarded):
        return admin_class
    named = {"__module__": admin_class.__module__, "__doc__": admin_class.__doc__}
    metaclass: Any = type(admin_class)
    made: type[Any] = metaclass(admin_class.__name__, (Guarded, admin_class), named)
    return made


# -- who may look --------------------------------------------------------------------------------


class ReadOnly:
    """To look at, not to change: what changes these rows is a service."""

    def has_add_permission(self, _request: HttpRequest, _obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, _request: HttpRequest, _obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, _request: HttpRequest, _obj: Model | None = None) -> bool:
        return False


class ModeratorView:
    """Moderators may look at these rows, without any permission of Django's."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_moderator(request.user) or super().has_module_permission(request)  # type: ignore[misc]

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_moderator(request.user) or super().has_view_permission(request, obj)  # type: ignore[misc]


def person(request: HttpRequest) -> User:
    """Return who is at the admin site, which admits nobody who is not signed in."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


# -- links between rows --------------------------------------------------------------------------


def row_link(row: Model | None, words: str = "") -> SafeString:
    """Write a row as a link to its admin page; nothing is an em dash."""
    if row is None:
        return SafeString("—")
    return format_html('<a href="{}">{}</a>', row_address(row), words or str(row))


def row_links_told(rows: Iterable[Model]) -> SafeString | str:
    """Write rows as links, with commas between them; none is an em dash."""
    return format_html_join(", ", "{}", ((row_link(row),) for row in rows)) or "—"


def row_address(row: Model) -> str:
    """Return the address of a row's admin page."""
    meta = row._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[row.pk])


def list_address(model: type[Model], **lookups: object) -> str:
    """Return the address of a model's list; `list_address(Match, status="running")` filters it."""
    meta = model._meta
    address = reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")
    query = urlencode({name: str(value) for name, value in lookups.items()})
    return f"{address}?{query}" if query else address


def audit_address(row: Model) -> str:
    """Return the address of what the audit log says of a row."""
    address = reverse("admin:accounts_auditentry_changelist")
    query = urlencode({"target_type": row._meta.label_lower, "target_id": row.pk})
    return f"{address}?{query}"


def target_link(target_type: str, target_id: str) -> SafeString | str:
    """Write a row, named by its model's label and id, as a link where it has an admin page."""
    if not target_type:
        return "—"
    words = f"{target_type} {target_id}"
    try:
        address = reverse(f"admin:{target_type.replace('.', '_')}_change", args=[target_id])
    except NoReverseMatch:
        return words
    return format_html('<a href="{}">{}</a>', address, words)


Links = Callable[[HttpRequest, Any], Sequence[tuple[str, str]]]
_links: dict[str, list[Links]] = {}


def register_links(model_label: str, links: Links) -> None:
    """Put links on the admin page of every row of a model that belongs to another app.

    `model_label` is "accounts.user"; `links(request, row)` returns pairs of words and an address.
    """
    known = _links.setdefault(model_label.lower(), [])
    if links not in known:
        known.append(links)


class AuditHistory:
    """A row's page leads to its history in the audit log, and to what other apps have of it.

    Django's own history knows only what was changed in forms; here nearly nothing is.
    """

    change_form_template: Any = "admin/row.html"

    def row_links(self, request: HttpRequest, row: Any) -> list[tuple[str, str]]:
        """Return the links above a row: words and an address. Override it to add some."""
        known = _links.get(row._meta.label_lower, ())
        found = [link for links in known for link in links(request, row)]
        return [*found, ("Audit log", audit_address(row))]

    def offers_of(self, request: HttpRequest, row: Any) -> list[tuple[Offer, str]]:
        """Return what can be done about the row, with addresses: nothing here."""
        del request, row
        return []

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        row = kwargs.get("obj")
        if row is not None:
            context["row_links"] = self.row_links(request, row)
            context["row_offers"] = self.offers_of(request, row)
        response: HttpResponse = super().render_change_form(  # type: ignore[misc]
            request, context, *args, **kwargs
        )
        return response


# -- the start page ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Panel:
    """A list on the start page: rows of an address, what stands there, and a note beside it."""

    title: str
    rows: Sequence[tuple[str, str, str]]
    more: str = ""
    count: int | None = None
    empty: str = ""


PanelMaker = Callable[[HttpRequest], Panel | None]
_panels: list[tuple[int, PanelMaker]] = []


def register_panel(maker: PanelMaker, *, order: int = 50) -> None:
    """Have `maker(request)` asked for a panel of the start page; smaller orders stand first.

    It returns None where there is nothing for this reader. Registering again only moves it.
    """
    _panels[:] = [entry for entry in _panels if entry[1] is not maker]
    _panels.append((order, maker))
    _panels.sort(key=lambda entry: entry[0])


def panels(request: HttpRequest) -> list[Panel]:
    """Return the panels for this reader, in order."""
    made = (maker(request) for _order, maker in _panels)
    return [panel for panel in made if panel is not None]


# -- actions on a row ----------------------------------------------------------------------------

NOT_TYPED: Final = "This is not what was to be typed. Nothing was done."


def action_address(row: Model, name: str) -> str:
    """Return the address of an action's page."""
    meta = row._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_{name}", args=[row.pk])


class ActionsAdmin(AuditHistory):
    """A model admin that offers a table of actions on the page of each row.

    `row_actions` is the table; `subject_of` says on whose behalf it is asked, and about what.
    """

    row_actions: ClassVar[Actions[Any]] = Actions("nothing", ())

    def subject_of(self, request: HttpRequest, row: Any) -> Any:
        """Return the subject of the actions: who acts, and on which row."""
        raise NotImplementedError

    def back_of(self, subject: Any, row: Any) -> str:
        """Return where the reader is afterwards: at the row, unless a class says otherwise."""
        del subject
        return row_address(row)

    def offers_of(self, request: HttpRequest, row: Any) -> list[tuple[Offer, str]]:
        """Return what is offered for a row now, with addresses."""
        if not self.row_actions.every:
            return []
        offers = self.row_actions.offered(self.subject_of(request, row))
        return [(offer, action_address(row, offer.name)) for offer in offers]

    def get_urls(self) -> list[URLPattern]:
        meta = self.model._meta  # type: ignore[attr-defined]
        own = [
            path(
                f"<path:object_id>/{action.name}/",
                self.admin_site.admin_view(self._action_view(action)),  # type: ignore[attr-defined]
                name=f"{meta.app_label}_{meta.model_name}_{action.name}",
            )
            for action in self.row_actions
        ]
        return [*own, *super().get_urls()]  # type: ignore[misc]

    def _action_view(self, action: Action[Any]) -> Callable[..., HttpResponse]:
        def view(request: HttpRequest, object_id: str) -> HttpResponse:
            row = self.get_object(request, object_id)  # type: ignore[attr-defined]
            if row is None:
                raise Http404
            if not self.has_view_permission(request, row):  # type: ignore[attr-defined]
                raise PermissionDenied
            subject = self.subject_of(request, row)
            back = self.back_of(subject, row)
            if not action.at_once:
                return _action_page(self, request, action, subject, row=row, back=back)
            if request.method != "POST":
                return HttpResponseNotAllowed(["POST"])
            return _done_at_once(self, request, action, subject, back=back)

        return view


class ActionForm(forms.Form):
    """The form of an action; without fields of its own it asks for nothing but the word."""

    def refuse(self, refusal: Refusal) -> None:
        """Show what the service refused, at its field where there is one."""
        field = refusal.field if refusal.field in self.fields else None
        self.add_error(field, refusal.sentence)


def phrase_field(phrase: str, *, required: bool = True) -> forms.CharField:
    """Return a field for a phrase that has to be typed."""
    return forms.CharField(
        label=f"To confirm, type {phrase}",
        required=required,
        strip=True,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )


def _ask_for_phrase(form: forms.Form, phrase: str, *, looks: bool) -> None:
    """Have a phrase typed before anything happens; a look needs no confirmation."""

    def must_be_it(typed: str) -> None:
        if typed != phrase and not looks:
            raise ValidationError(NOT_TYPED)

    field = phrase_field(phrase, required=not looks)
    field.validators.append(must_be_it)
    form.fields["typed"] = field


def _action_page(
    model_admin: Any,
    request: HttpRequest,
    action: Action[Any],
    subject: Any,
    *,
    row: Model,
    back: str,
) -> HttpResponse:
    """Show an action's page, and on POST of a valid form do it.

    What the service refuses the page shows, with status 422, and nothing was done. What cannot be
    done just now it says before anything is filled in.
    """
    looks = request.method == "POST" and "look" in request.POST
    form = (ActionForm if action.form is None else action.form(subject))(request.POST or None)
    if action.phrase is not None:
        _ask_for_phrase(form, action.phrase(subject), looks=looks)
    prompt = action.prompt(subject)
    status = 200
    if request.method == "POST" and not looks:
        status = 422
        done = action.said_when_done(subject)
        # Without any field nothing is bound: there is nothing that could be missing.
        if form.is_valid() or not form.fields:
            try:
                action.run(subject, form)
            except Refusal as refusal:
                form.refuse(refusal)
            else:
                messages.success(request, done)
                return redirect(back)
    elif looks and action.found is not None and form.is_valid():
        prompt = replace(prompt, facts=[*prompt.facts, *action.found(subject, form)])
    else:
        refused = action.refusal(subject)
        if refused is not None:
            prompt, status = prompt.stopped_by(refused), refused.status
    context = {
        **model_admin.admin_site.each_context(request),
        "title": prompt.title,
        "prompt": prompt,
        "form": form,
        "opts": row._meta,
        "row": row,
        "back": back,
        "media": form.media,
    }
    return TemplateResponse(request, "admin/action.html", context, status=status)


def _done_at_once(
    model_admin: Any, request: HttpRequest, action: Action[Any], subject: Any, *, back: str
) -> HttpResponse:
    """Do what a button asks for, and go back to the row with what came of it."""
    done = action.said_when_done(subject)
    try:
        action.run(subject, None)
    except Refusal as refusal:
        model_admin.message_user(request, refusal.sentence, messages.WARNING)
    else:
        model_admin.message_user(request, done, messages.SUCCESS)
    return redirect(back)


def each_done(
    model_admin: Any,
    request: HttpRequest,
    rows: Any,
    service: Callable[[Any], object],
) -> None:
    """Call a service for each row of an admin action; say what was refused, and how many were
    done."""
    done = 0
    for row in rows:
        try:
            service(row)
        except Refusal as refusal:
            words = f"{row}: {refusal.sentence}"
            model_admin.message_user(request, words, messages.WARNING)
        else:
            done += 1
    if done:
        model_admin.message_user(request, f"Done for {done}.", messages.SUCCESS)


# -- what was done to a person -------------------------------------------------------------------

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
