"""A table of actions (`core.actions`) in the admin site.

Buttons on a row's page lead to a page of its own for each action, which asks and then calls the
service: what follows from it in plain words, a form, and for what cannot be undone a phrase to be
typed. A list does one to each row that is chosen there, or leads to the page of one that concerns
all of them.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from core.actions import ROWS_AT_MOST, Action, Actions, Offer
from core.admin.classes import AdminClass
from core.admin.confirming import asked_to_confirm
from core.admin.forms import ActionForm, ask_for_phrase
from core.admin.links import RowLinks, list_address, row_address
from core.admin.readers import person
from core.refusals import FORM_REFUSED, Forbidden, Refusal, RefusalKind, allowed


def action_address(row: Model, name: str) -> str:
    """The address of an action's page."""
    meta = row._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_{name}", args=[row.pk])


def several_address(model: type[Model], name: str, keys: Iterable[object]) -> str:
    """The address of the page of an action on several rows."""
    meta = model._meta
    address = reverse(f"admin:{meta.app_label}_{meta.model_name}_{name}")
    return f"{address}?{urlencode([(_ROW, key) for key in keys])}"


# Which rows an action's page concerns, in its address.
_ROW = "row"


class ListActionsAdmin(AdminClass):
    """A model admin that offers a table of actions on its list, for the rows that are chosen there.

    `list_actions` is the table: actions without a form, whose `who` says for whom they are there;
    `subject_of` says on whose behalf one is asked, and about what; `list_words` is what is said of
    how many rows it was done to.

    `several_actions` is another, of actions on all the rows together: each has a page, as those of
    a row have, and `subject_of_several` says on whose behalf it is asked.
    """

    list_actions: ClassVar[Actions[Any]] = Actions("nothing", ())
    several_actions: ClassVar[Actions[Any]] = Actions("nothing", ())
    list_words: ClassVar[str] = "Done for {}."

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.actions = [
            *(_list_action(action) for action in self.list_actions),
            *(_several_action(action) for action in self.several_actions),
        ]

    def subject_of(self, request: HttpRequest, row: Any) -> Any:
        """The subject of the actions: who acts, and on which row."""
        raise NotImplementedError

    def subject_of_several(self, request: HttpRequest, rows: Any) -> Any:
        """The subject of the actions on several: who acts, and on which rows."""
        raise NotImplementedError

    def get_urls(self) -> list[URLPattern]:
        meta = self.model._meta
        own = [
            path(
                f"several/{action.name}/",
                self.admin_site.admin_view(self._several_view(action)),
                name=f"{meta.app_label}_{meta.model_name}_{action.name}",
            )
            for action in self.several_actions
        ]
        return [*own, *super().get_urls()]

    def _several_view(self, action: Action[Any]) -> Callable[..., HttpResponse]:
        def view(request: HttpRequest) -> HttpResponse:
            if not self.has_view_permission(request):
                raise PermissionDenied
            keys = {key for key in request.GET.getlist(_ROW) if key.isascii() and key.isdigit()}
            # One more than may be, so that too many are refused and not cut off; and none whose
            # number is too long for any row.
            few = sorted(keys, key=int)[: ROWS_AT_MOST + 1]
            rows = self.get_queryset(request).filter(pk__in=[key for key in few if len(key) < 19])
            chosen = list(rows.order_by("pk"))
            if not chosen:
                raise Http404
            if (led := _led_to_confirm(request, action)) is not None:
                return led
            subject = self.subject_of_several(request, chosen)
            back = list_address(self.model)
            return _action_page(self, request, action, subject, row=None, back=back, chosen=chosen)

        return view

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Those that whoever asks may do to some row."""
        found: dict[str, Any] = dict(super().get_actions(request))
        for action in (*self.list_actions, *self.several_actions):
            if action.who is not None and not allowed(action.who, person(request)):
                found.pop(action.name, None)
        return found


def _led_to_confirm(
    request: HttpRequest, action: Action[Any], back: str = ""
) -> HttpResponse | None:
    """What leads whoever acts to where they show that it is they; None where the action does not
    want it, or they have."""
    return asked_to_confirm(request, back) if action.confirmed else None


def _list_action(action: Action[Any]) -> Callable[..., HttpResponse | None]:
    @admin.action(description=str(action.label))
    def do(model_admin: Any, request: HttpRequest, rows: Iterable[Model]) -> HttpResponse | None:
        led = _led_to_confirm(request, action)
        if led is None:
            _do_to_each(model_admin, request, action, rows)
        return led

    do.__name__ = action.name
    return do


def _several_action(action: Action[Any]) -> Callable[..., HttpResponse]:
    @admin.action(description=str(action.label))
    def lead(model_admin: Any, _request: HttpRequest, rows: Any) -> HttpResponse:
        keys = rows.order_by("pk").values_list("pk", flat=True)[: ROWS_AT_MOST + 1]
        return redirect(several_address(model_admin.model, action.name, keys))

    lead.__name__ = action.name
    return lead


class ActionsAdmin(ListActionsAdmin, RowLinks):
    """A model admin that offers a table of actions on the page of each row, and one on its list.

    `row_actions` is the table; `subject_of` says on whose behalf it is asked, and about what.
    """

    row_actions: ClassVar[Actions[Any]] = Actions("nothing", ())

    def back_of(self, subject: Any, row: Any) -> str:
        """Where the reader is afterwards: at the row, unless a class says otherwise."""
        del subject
        return row_address(row)

    def offers_of(self, request: HttpRequest, row: Any) -> list[tuple[Offer, str]]:
        """What is offered for a row now, with addresses."""
        if not self.row_actions.every:
            return []
        offers = self.row_actions.offered(self.subject_of(request, row))
        return [(offer, action_address(row, offer.name)) for offer in offers]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        row = kwargs.get("obj")
        if row is not None:
            context["row_offers"] = self.offers_of(request, row)
        return super().render_change_form(request, context, *args, **kwargs)

    def get_urls(self) -> list[URLPattern]:
        meta = self.model._meta
        own = [
            path(
                f"<path:object_id>/{action.name}/",
                self.admin_site.admin_view(self._action_view(action)),
                name=f"{meta.app_label}_{meta.model_name}_{action.name}",
            )
            for action in self.row_actions
        ]
        return [*own, *super().get_urls()]

    def _action_view(self, action: Action[Any]) -> Callable[..., HttpResponse]:
        def view(request: HttpRequest, object_id: str) -> HttpResponse:
            # First: whoever may see no row is not told which there are.
            if not self.has_view_permission(request):
                raise PermissionDenied
            row = self.get_object(request, object_id)
            if row is None:
                raise Http404
            if not self.has_view_permission(request, row):
                raise PermissionDenied
            subject = self.subject_of(request, row)
            back = self.back_of(subject, row)
            if action.at_once and request.method != "POST":
                return HttpResponseNotAllowed(["POST"])
            # A button has no page that one could come back to.
            led = _led_to_confirm(request, action, row_address(row) if action.at_once else "")
            if led is not None:
                return led
            if not action.at_once:
                return _action_page(self, request, action, subject, row=row, back=back)
            return _do_at_once(self, request, action, subject, back=back)

        return view


def _action_page(
    model_admin: Any,
    request: HttpRequest,
    action: Action[Any],
    subject: Any,
    *,
    row: Model | None,
    back: str,
    chosen: Iterable[Model] = (),
) -> HttpResponse:
    """Show an action's page, and on POST of a valid form do it. ``row``: None for one on several,
    which are ``chosen``.

    What the service refuses the page shows, with status `Refusal.form_status`, and nothing was
    done. What cannot be done just now it says before anything is filled in.
    """
    looks = request.method == "POST" and "look" in request.POST
    acts = request.method == "POST" and not looks
    form = (ActionForm if action.form is None else action.form(subject))(request.POST or None)
    if action.phrase is not None:
        ask_for_phrase(form, action.phrase(subject), looks=looks)
    prompt = action.prompt(subject)
    refused = action.refusal(subject)
    status = FORM_REFUSED if acts else 200
    if refused is not None and refused.kind is RefusalKind.FORBIDDEN:
        status = refused.status
    if acts:
        # Without any field nothing is bound: there is nothing that could be missing.
        if form.is_valid() or not form.fields:
            try:
                done = action.do(subject, form)
            except Refusal as refusal:
                form.refuse(refusal)
                status = refusal.form_status
            else:
                messages.success(request, done.words)
                return redirect(back)
    elif looks and action.found is not None and form.is_valid():
        prompt = replace(prompt, facts=[*prompt.facts, *action.found(subject, form)])
    elif refused is not None:
        prompt = prompt.stopped_by(refused)
    context = {
        **model_admin.admin_site.each_context(request),
        "title": prompt.title,
        "prompt": prompt,
        "form": form,
        "opts": model_admin.model._meta,
        "row": row,
        "chosen": chosen,
        "back": back,
        "media": form.media,
    }
    return TemplateResponse(request, "admin/action.html", context, status=status)


def _do_at_once(
    model_admin: Any, request: HttpRequest, action: Action[Any], subject: Any, *, back: str
) -> HttpResponse:
    """Do what a button asks for, and go back to the row with what came of it."""
    try:
        done = action.do(subject)
    except Refusal as refusal:
        model_admin.message_user(request, refusal.sentence, messages.WARNING)
    else:
        model_admin.message_user(request, done.words, messages.SUCCESS)
    return redirect(back)


def _do_to_each(
    model_admin: Any, request: HttpRequest, action: Action[Any], rows: Iterable[Model]
) -> None:
    """Do an action to each row of a list; say what was refused, and how many it was done to."""
    done = 0
    for row in rows:
        try:
            action.do(model_admin.subject_of(request, row))
        except Refusal as refusal:
            words = f"{row}: {refusal.sentence}"
            model_admin.message_user(request, words, messages.WARNING)
        else:
            done += 1
    if done:
        words = model_admin.list_words.format(done)
        model_admin.message_user(request, words, messages.SUCCESS)


class AddedByAction(AdminClass):
    """A model admin whose rows an action adds, and nobody changes.

    `adds` is the action, whose form is that of the admin's page; `adding` says on whose behalf it
    is asked. Where the action wants it, the page asks first that they show that it is they.
    """

    adds: ClassVar[Action[Any]]
    writes_entries: ClassVar[bool] = True

    def adding(self, request: HttpRequest) -> Any:
        """The subject of the action: who adds."""
        raise NotImplementedError

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The form; whoever may not add is not asked."""
        may_add = self.has_add_permission(request)
        led = _led_to_confirm(request, self.adds) if may_add else None
        return super().add_view(request, form_url, extra_context) if led is None else led

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Whoever is offered the action."""
        return self.adds.offered(self.adding(request))

    def has_change_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Model, form: Any, _change: bool) -> None:
        """Add through the service; a refusal is shown, and nothing changes.

        Raises PermissionDenied for what is somebody else's to do."""
        try:
            done = self.adds.do(self.adding(request), form)
        except Forbidden as refusal:
            raise PermissionDenied(refusal.sentence) from refusal
        except Refusal as refusal:
            obj.pk = None
            self.message_user(request, refusal.sentence, messages.ERROR)
        else:
            self.message_user(request, done.words, messages.SUCCESS)

    def log_addition(self, *_arguments: Any) -> Any:
        """The audit log has it, with more in it."""
        return None

    def response_add(self, _request: HttpRequest, _obj: Any, *_more: Any) -> HttpResponse:
        """Back to the list: what was added may be that there is nothing any more."""
        return redirect(list_address(self.model))
