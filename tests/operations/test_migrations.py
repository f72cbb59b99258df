"""Migrations are survived by the code of the release before, which runs while they are applied."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState

from tests.operations.survivable import Danger, Node, Reader, every_node, newer_than
from tests.releases.keeping import FOLDER, MIGRATIONS

# What is in a migration all the same, and why the release before survives it: by app, name and
# what the operation says of itself. It goes when the next release is kept.
SURVIVED: dict[tuple[str, str, str], str] = {
    **{
        ("games", "0009_front_door", f"Create not valid constraint {name} on model {model}"): reason
        for model, name, reason in (
            ("challenge", "challenge_seat_number", "It writes no seat, and gets the default."),
            ("challenge", "challenge_link_names_nobody", "It gives nothing a token, old or new."),
            ("challenge", "challenge_rematch_names_opponent", "It takes no opponent from any."),
            ("match", "match_to_move_seats", "It does not write the column, and gets the default."),
        )
    },
    ("games", "0015_commentary_predictions",
     "Create not valid constraint chat_room_known on model chatmessage"):
        "It takes the place of one that allows less, and the two rooms before it are in it.",
    ("accounts", "0005_guests",
     "Create not valid constraint user_guest_unprivileged on model user"):
        "It makes no guests, and the default says that nobody is one.",
    ("games", "0021_studies",
     "Create not valid constraint chat_room_known on model chatmessage"):
        "It takes the place of one that allows less, and the three rooms before it are in it.",
    ("games", "0021_studies",
     "Create not valid constraint chat_step_in_study on model chatmessage"):
        "It does not write the column, which is empty then, and knows no room of studies.",
    ("games", "0024_comments_on_variations",
     "Create not valid constraint chat_line_in_study on model chatmessage"):
        "It does not write the column, and the default is of no variation.",
    ("games", "0019_practice",
     "Create not valid constraint match_practice_unrated on model match"):
        "It does not write the column, and the default is a match between people.",
    ("tournaments", "0011_applications",
     "Create not valid constraint season_places_from_2 on model season"):
        "It does not write the column, which is empty then.",
    ("tournaments", "0015_times",
     "Create not valid constraint season_times_by_known on model season"):
        "It does not write the column, and gets the default.",
    ("tournaments", "0015_times",
     "Create not valid constraint season_play_within_days_from_1 on model season"):
        "It does not write the column, which is empty then.",
    ("tournaments", "0026_secret_gifts",
     "Create not valid constraint season_secret_gifts_known on model season"):
        "It does not write the column, and gets the default.",
    ("tournaments", "0026_secret_gifts",
     "Create not valid constraint gift_secret_given on model gift"):
        "It does not write the columns, and the defaults are those of a gift that is no secret.",
    ("tournaments", "0023_helpers_valid", "Raw Python operation"):
        "Who runs a season that nobody owns owns it, which that release does not read.",
    ("games", "0012_front_door_indexes", "Raw SQL operation"):
        "Indexes, all made concurrently, on columns that it does not write: unique or not.",
    ("tournaments", "0017_ledger", "Raw SQL operation"):
        "It keeps a table append-only that it does not know.",
    ("accounts", "0013_site_wide", "Raw SQL operation"):
        "It keeps a table append-only that it does not know.",
    ("accounts", "0022_audit_chain", "Raw SQL operation"):
        "It keeps tables append-only that it does not know.",
    ("accounts", "0023_audit_looks", "Raw SQL operation"):
        "An index, made concurrently, over entries that it does not write.",
    ("accounts", "0024_erasing", "Raw SQL operation"):
        "A function that it does not call. It changes nothing in what only grows either.",
    ("games", "0031_commit_anew", "Raw SQL operation"):
        "It changes what guards a table that it knows nothing of, and allows more than before.",
    ("games", "0029_draws", "Raw SQL operation"):
        "It guards a table that it does not know.",
    ("accounts", "0019_privacy", "Raw SQL operation"):
        "What keeps tables append-only allows more from then on, to whoever asks: it does not.",
    ("accounts", "0019_privacy",
     "Create not valid constraint user_deleted_is_blank on model user"):
        "It does not write the column, which is empty then, and reopens nobody without it.",
    ("games", "0013_front_door_turns", "Raw Python operation"):
        "It writes a column that it does not know, one match at a time.",
    **{
        ("tournaments", "0021_helpers",
         f"Create not valid constraint {name} on model seasonorganiser"): reason
        for name, reason in (
            ("organiser_role_known", "It does not write the column, and gets the default."),
            ("organiser_rights_known", "It does not write the column, which is empty then."),
            ("organiser_rights_of_helpers", "It writes neither, and gets an organiser with none."),
        )
    },
    ("accounts", "0021_ways_in", "Create constraint report_of_site_once on model report"):
        "It makes no report without a reporter.",
    ("tournaments", "0022_owners", "Raw Python operation"):
        "It writes columns that it does not know, and takes out whom it lets do nothing.",
    ("tournaments", "0023_helpers_valid", "Raw SQL operation"):
        "An index, made concurrently: it makes no owners, whom alone that counts.",
    ("tournaments", "0029_predictions", "Raw Python operation"):
        "It writes a column that it does not know, of the seasons that are over.",
    ("tournaments", "0010_episode_time",
     "Create not valid constraint episode_time_until_chosen on model episode"):
        "It gives no episode a time. One that the new release has given one to meanwhile it cannot "
        "take on: the choice is refused whole, and made again a moment later.",
}  # fmt: skip


def released() -> frozenset[Node]:
    """The migrations of the latest release that is kept."""
    latest = max(path for path in FOLDER.iterdir() if (path / MIGRATIONS).is_file())
    pairs = [line.split() for line in (latest / MIGRATIONS).read_text().splitlines()]
    return frozenset((app, name) for app, name in pairs)


def test_the_release_before_survives_all_that_is_new() -> None:
    found = {(*danger.node, danger.operation): danger for danger in newer_than(released())}
    assert [danger for key, danger in found.items() if key not in SURVIVED] == []
    assert [key for key in SURVIVED if key not in found] == [], "nothing of that is there any more"
    assert all(len(reason) > 20 for reason in SURVIVED.values())


def test_no_migration_of_a_release_is_gone() -> None:
    assert released() - every_node() == frozenset()
    assert len(released()) > 20


def test_what_was_never_kept_is_read_as_new() -> None:
    """The list finds what there was to find in our own migrations."""
    early = frozenset(node for node in every_node() if node not in {
        ("games", "0003_sweep_bound"), ("games", "0004_aftermath"),
        ("games", "0005_entries_by_one_index"),
    })  # fmt: skip
    found = list(newer_than(early))
    assert {danger.node[1] for danger in found} >= {"0003_sweep_bound", "0004_aftermath"}
    assert all(danger.node not in early for danger in found)


def before() -> ProjectState:
    state = ProjectState()
    fields: list[tuple[str, Any]] = [
        ("id", models.BigAutoField(primary_key=True)),
        ("name", models.CharField(max_length=20)),
        ("note", models.TextField(null=True)),
        ("number", models.IntegerField(db_index=True)),
    ]
    check = models.CheckConstraint(condition=models.Q(number__gt=0), name="positive")
    unique = models.UniqueConstraint(fields=["name"], name="once")
    options = {"constraints": [check, unique], "indexes": []}
    state.add_model(ModelState("shop", "Ware", fields, options))
    return state


def dangers(*operations: Operation) -> list[Danger]:
    return list(Reader(before()).read(("shop", "0002_new"), operations))


def made(name: str = "Fresh") -> migrations.CreateModel:
    key = models.BigAutoField(primary_key=True)
    return migrations.CreateModel(name, [("id", key), ("name", models.TextField())])


INDEX = models.Index(fields=["name"], name="by_name")
CHECK = models.CheckConstraint(condition=models.Q(number__gt=1), name="more")


def field(kind: Any = models.IntegerField, **options: Any) -> migrations.AddField:
    return migrations.AddField("ware", "more", kind(**options))


def altered(name: str, to: Any) -> migrations.AlterField:
    return migrations.AlterField("ware", name, to)


@pytest.mark.parametrize(
    "operation",
    [
        migrations.RemoveField("ware", "note"),
        migrations.RenameField("ware", "note", "remark"),
        migrations.DeleteModel("Ware"),
        migrations.RenameModel("Ware", "Good"),
        migrations.AlterModelTable("ware", "goods"),
        migrations.RemoveConstraint("ware", "once"),
        migrations.AddConstraint("ware", CHECK),
        migrations.AddIndex("ware", INDEX),
        migrations.AlterUniqueTogether("ware", {("name", "number")}),
        migrations.RunSQL("UPDATE shop_ware SET number = 1"),
        migrations.RunPython(migrations.RunPython.noop),
        migrations.SeparateDatabaseAndState([migrations.RunSQL("SELECT 1")], []),
        field(default=0),
        field(null=True, db_index=True),
        field(null=True, unique=True),
        altered("note", models.TextField()),
        altered("name", models.CharField(max_length=19)),
        altered("name", models.CharField(max_length=20, unique=True)),
        altered("name", models.TextField()),
        altered("name", models.CharField(max_length=20, db_column="label")),
        altered("number", models.BigIntegerField(db_index=True)),
    ],
    ids=lambda operation: operation.describe(),
)
def test_what_old_code_does_not_survive(operation: Operation) -> None:
    (danger,) = dangers(operation)
    assert danger.node == ("shop", "0002_new")


@pytest.mark.parametrize(
    "operation",
    [
        field(null=True),
        field(db_default=0, default=0),
        migrations.AddField("ware", "others", models.ManyToManyField("shop.Ware")),
        altered("name", models.CharField(max_length=30, help_text="Of the ware.", blank=True)),
        altered("name", models.CharField(max_length=20, null=True)),
        altered("name", models.CharField(max_length=20, default="x", choices=[("x", "X")])),
        altered("name", models.CharField(max_length=20, db_default="x")),
        altered("number", models.IntegerField()),
        migrations.RemoveConstraint("ware", "positive"),
        AddIndexConcurrently("ware", INDEX),
        migrations.AlterModelOptions("ware", {"ordering": ["name"]}),
        migrations.SeparateDatabaseAndState([], [migrations.RemoveField("ware", "note")]),
        made(),
    ],
    ids=lambda operation: operation.describe(),
)
def test_what_old_code_survives(operation: Operation) -> None:
    assert dangers(operation) == []


def test_what_old_code_does_not_know_can_be_changed_at_will() -> None:
    assert dangers(
        made(),
        migrations.AddField("fresh", "more", models.IntegerField(default=0)),
        migrations.AddIndex("fresh", INDEX),
        migrations.AddConstraint(
            "fresh", models.UniqueConstraint(fields=["name"], name="fresh_once")
        ),
        migrations.RemoveField("fresh", "more"),
    ) == []  # fmt: skip
