"""Whom a match waits for; challenges by a link, with the challenger's seat, and after a match.

What takes its time is made by 0012, and columns are filled by 0013, while turns go on."""

import django.db.models.deletion
from django.conf import settings
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0008_plans"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="challenge",
            name="challenger_seat",
            field=models.PositiveSmallIntegerField(
                db_default=0, default=0, help_text="Where the challenger will sit."
            ),
        ),
        migrations.AddField(
            model_name="challenge",
            name="rematch_of",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                help_text="The match after which it is offered.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="rematches",
                to="games.match",
            ),
        ),
        migrations.AddField(
            model_name="challenge",
            name="token",
            field=models.CharField(
                blank=True,
                editable=False,
                help_text="What is secret of its link, where only whoever has that may accept.",
                max_length=43,
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="match",
            name="to_move",
            field=models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                help_text="Whom it waits for: 1 for seat 0, 2 for seat 1, together where it waits for both. On no index, so that a turn may change it.",
            ),
        ),
        migrations.AlterField(
            model_name="challenge",
            name="opponent",
            field=models.ForeignKey(
                blank=True,
                help_text="Empty: anybody may accept, or whoever has the link.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="challenges_received",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        AddConstraintNotValid(
            model_name="challenge",
            constraint=models.CheckConstraint(
                condition=models.Q(("challenger_seat__in", [0, 1])), name="challenge_seat_number"
            ),
        ),
        AddConstraintNotValid(
            model_name="challenge",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("token__isnull", True), ("opponent__isnull", True), _connector="OR"
                ),
                name="challenge_link_names_nobody",
            ),
        ),
        AddConstraintNotValid(
            model_name="challenge",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("rematch_of__isnull", True), ("opponent__isnull", False), _connector="OR"
                ),
                name="challenge_rematch_names_opponent",
            ),
        ),
        AddConstraintNotValid(
            model_name="match",
            constraint=models.CheckConstraint(
                condition=models.Q(("to_move__lte", 3)), name="match_to_move_seats"
            ),
        ),
    ]
