import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import core.clock


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0023_helpers_valid"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Picture",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "digest",
                    models.CharField(
                        help_text="Of its largest size: SHA-256, in hexadecimal digits.",
                        max_length=64,
                    ),
                ),
                (
                    "alt",
                    models.CharField(
                        blank=True,
                        db_default="",
                        help_text="What it shows, in words. Empty: the name of whose it is.",
                        max_length=200,
                    ),
                ),
                ("at", models.DateTimeField(default=core.clock.now_utc)),
                (
                    "off_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="When it was taken off: it is kept as long as a report about it "
                        "is open.",
                        null=True,
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="season_pictures",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "season",
                    models.ForeignKey(
                        help_text="Whoever may see this season may see it.",
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tournaments.season",
                    ),
                ),
            ],
            options={
                "ordering": ["season", "-at", "-id"],
                "indexes": [models.Index(fields=["season", "digest"], name="picture_found")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("digest__regex", "^[0-9a-f]{64}$")),
                        name="picture_digest_hex",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="PictureSize",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "width",
                    models.PositiveSmallIntegerField(
                        help_text="Of the size, by which it is asked for; what was small stays "
                        "small."
                    ),
                ),
                ("data", models.BinaryField()),
                (
                    "picture",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sizes",
                        to="tournaments.picture",
                    ),
                ),
            ],
            options={
                "ordering": ["picture", "width"],
                "constraints": [
                    models.UniqueConstraint(fields=("picture", "width"), name="picture_size_once"),
                    models.CheckConstraint(
                        condition=models.Q(("width__gte", 1)), name="picture_size_from_1"
                    ),
                ],
            },
        ),
        *(
            migrations.AddField(
                model_name=owner,
                name="picture",
                field=models.ForeignKey(
                    blank=True,
                    db_index=False,
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="tournaments.picture",
                ),
            )
            for owner in ("season", "contestant")
        ),
    ]
