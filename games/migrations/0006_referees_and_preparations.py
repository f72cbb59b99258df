"""Say who referees a match, what waits for a ruling, and keep what organisers prepare."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0005_entries_shared_guard"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="MatchReferee",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
            ],
            options={
                "ordering": ["match", "id"],
            },
        ),
        migrations.CreateModel(
            name="Preparation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("ruleset", models.CharField(max_length=40)),
                (
                    "key",
                    models.CharField(
                        help_text="Which of the ruleset's supplies it is.", max_length=40
                    ),
                ),
                ("name", models.CharField(max_length=60)),
                ("value", models.TextField(help_text="In the ruleset's canonical form.")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "ordering": ["ruleset", "key", "name"],
            },
        ),
        migrations.AddField(
            model_name="match",
            name="awaits_ruling",
            field=models.BooleanField(
                default=False, help_text="The match stands still until an organiser has ruled."
            ),
        ),
        migrations.AddIndex(
            model_name="match",
            index=models.Index(
                condition=models.Q(("awaits_ruling", True)),
                fields=["id"],
                name="match_awaits_ruling",
            ),
        ),
        migrations.AddConstraint(
            model_name="match",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("awaits_ruling", False), ("status", "running"), _connector="OR"
                ),
                name="match_ruling_while_on",
            ),
        ),
        migrations.AddField(
            model_name="matchreferee",
            name="match",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="referees",
                to="games.match",
            ),
        ),
        migrations.AddField(
            model_name="matchreferee",
            name="user",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="matches_refereed",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="preparation",
            name="owner",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="preparations",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="challenge",
            name="preparation",
            field=models.ForeignKey(
                blank=True,
                help_text="What the challenger, an organiser, supplies instead of having it drawn.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="challenges",
                to="games.preparation",
            ),
        ),
        migrations.AddConstraint(
            model_name="matchreferee",
            constraint=models.UniqueConstraint(fields=("match", "user"), name="referee_once"),
        ),
        migrations.AddConstraint(
            model_name="preparation",
            constraint=models.UniqueConstraint(
                fields=("owner", "ruleset", "key", "name"), name="preparation_name_unique"
            ),
        ),
        migrations.AddConstraint(
            model_name="preparation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("name", ""), _negated=True), models.Q(("value", ""), _negated=True)
                ),
                name="preparation_whole",
            ),
        ),
    ]
