"""How a season comes to the site: made anew, or restored from a file of another installation."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.urls import reverse

from core.actions import Action, Actions
from tournaments.actions.subjects import AtSite
from tournaments.documents.restore import must_be_allowed_to_import, season_import
from tournaments.forms.documents import RestoreForm
from tournaments.forms.seasons import SeasonForm
from tournaments.services import seasons


def _create(subject: AtSite, form: Any) -> str:
    given = form.settings()
    made = seasons.season_create(
        acting_user=subject.user,
        name=given.pop("name"),
        format=form.cleaned_data["format"],
        settings=given,
    )
    return reverse("tournaments:desk", args=[made.slug])


def _restore(subject: AtSite, form: Any) -> str:
    # One byte more than allowed is enough to be refused for it.
    data = form.cleaned_data["document"].read(settings.GAUNTLET_SEASON_MAX_BYTES + 1)
    restored = season_import(
        acting_user=subject.user,
        data=data,
        match_accounts=form.cleaned_data["match_accounts"],
        beside=form.cleaned_data["beside"],
    )
    return reverse("tournaments:desk", args=[restored.slug])


CREATE: Final = Action[AtSite](
    name="create",
    label="New season",
    title="New season",
    button="Make the draft",
    done="The season is a draft: only you can see it.",
    follows=[
        "It begins as a draft that only you can see.",
        "Everything but the format can be changed later.",
    ],
    check=lambda s: seasons.must_be_allowed_to_create(s.user),
    form=lambda _s: SeasonForm,
    run=_create,
)
RESTORE: Final = Action[AtSite](
    name="restore",
    label="Import",
    title="Import a season",
    button="Import it",
    done="The season is restored. You are its organiser.",
    follows=[
        (
            "From the file that another installation of this site has exported: the zip with its "
            "records, or the document alone where nothing was played."
        )
    ],
    check=lambda s: must_be_allowed_to_import(s.user),
    form=lambda _s: RestoreForm,
    run=_restore,
)

SITE: Final = Actions("site", (CREATE, RESTORE))
