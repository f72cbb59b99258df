"""How much a result counts, against how many somebody has played, and rulings on pairs."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import core.clock


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0021_ways_in"),
        ("games", "0027_study_method"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="rating",
            name="opponents",
            field=models.PositiveIntegerField(
                db_default=0, default=0, help_text="Against how many different players."
            ),
        ),
        migrations.AddField(
            model_name="ratingpoint",
            name="weight",
            field=models.FloatField(
                db_default=1.0,
                default=1.0,
                help_text="How much it counts: less the more often the two met of late.",
            ),
        ),
        migrations.CreateModel(
            name="PairRuling",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "matches",
                    models.JSONField(default=list, help_text="The numbers of the matches."),
                ),
                (
                    "why",
                    models.CharField(
                        help_text="Everybody can read it.", max_length=500, verbose_name="reason"
                    ),
                ),
                ("at", models.DateTimeField(default=core.clock.now_utc)),
                ("lifted_at", models.DateTimeField(blank=True, null=True)),
                ("lifted_why", models.CharField(blank=True, max_length=500)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pair_rulings_made",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "first",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pair_rulings_first",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "lifted_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pair_rulings_lifted",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "report",
                    models.ForeignKey(
                        blank=True,
                        help_text="The report that led to it.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pair_rulings",
                        to="accounts.report",
                    ),
                ),
                (
                    "second",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pair_rulings_second",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-at", "-id"],
            },
        ),
        migrations.AddField(
            model_name="ratingruling",
            name="pair",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                help_text="Where it was one of several of the same two players.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="rulings",
                to="games.pairruling",
            ),
        ),
        migrations.AddConstraint(
            model_name="pairruling",
            constraint=models.CheckConstraint(
                condition=models.Q(("first", models.F("second")), _negated=True),
                name="pair_ruling_two",
            ),
        ),
        migrations.AddConstraint(
            model_name="pairruling",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("by", models.F("first")), _negated=True),
                    models.Q(("by", models.F("second")), _negated=True),
                ),
                name="pair_ruling_not_oneself",
            ),
        ),
        migrations.AddConstraint(
            model_name="pairruling",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("why", ""), _negated=True), models.Q(("matches", []), _negated=True)
                ),
                name="pair_ruling_whole",
            ),
        ),
        migrations.AddConstraint(
            model_name="pairruling",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("lifted_at__isnull", True), ("lifted_by__isnull", True), ("lifted_why", "")
                    ),
                    models.Q(
                        ("lifted_at__isnull", False),
                        ("lifted_by__isnull", False),
                        models.Q(("lifted_why", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="pair_ruling_lifted_whole",
            ),
        ),
    ]
