from typing import Any

import django.db.models.deletion
from django.db import migrations, models


def compose_anew(apps: Any, schema_editor: Any) -> None:
    """Messages that are being tried again have no picture yet: they are put together once more."""
    waiting = apps.get_model("tournaments", "Delivery").objects.filter(status="pending")
    waiting.filter(webhook__flavour="discord").update(body="")


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0011_unrated_matches"),
        ("tournaments", "0007_what_copy_and_block_did"),
    ]

    operations = [
        migrations.AddField(
            model_name="delivery",
            name="still",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="Its board's picture at that moment; see `games.stills`.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="webhook",
            name="latency_ms",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="Of the latest attempt: slow ones wait behind the others.",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="delivery",
            name="body",
            field=models.TextField(
                blank=True, help_text="What it says, of its own moment; the same in every attempt."
            ),
        ),
        migrations.AlterField(
            model_name="delivery",
            name="match",
            field=models.ForeignKey(
                blank=True,
                help_text="What the turn or clock is of, or the match that an event's words come with.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="games.match",
            ),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("still__isnull", True), ("match__isnull", False), _connector="OR"
                ),
                name="delivery_still_of_match",
            ),
        ),
        migrations.RunPython(compose_anew, migrations.RunPython.noop, elidable=True),
    ]
