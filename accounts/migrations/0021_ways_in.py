"""By which ways accounts are come into, and reports that the site itself makes."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0020_privacy_valid"),
    ]

    operations = [
        migrations.CreateModel(
            name="WayIn",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("device", "Browser"),
                            ("address", "Network address"),
                            ("discord", "Discord account"),
                            ("mail", "Mail address"),
                        ],
                        max_length=10,
                    ),
                ),
                ("digest", models.CharField(max_length=64)),
                ("first_on", models.DateField()),
                ("last_on", models.DateField()),
            ],
            options={
                "verbose_name_plural": "ways in",
                "ordering": ["user", "kind", "digest"],
            },
        ),
        migrations.AlterField(
            model_name="report",
            name="reporter",
            field=models.ForeignKey(
                blank=True,
                help_text="Empty: the site itself.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="reports_made",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.UniqueConstraint(
                condition=models.Q(("closed_at__isnull", True), ("reporter__isnull", True)),
                fields=("target_type", "target_id"),
                name="report_of_site_once",
            ),
        ),
        migrations.AddField(
            model_name="wayin",
            name="user",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="ways_in",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddIndex(
            model_name="wayin",
            index=models.Index(fields=["kind", "digest"], name="way_in_shared"),
        ),
        migrations.AddIndex(
            model_name="wayin",
            index=models.Index(fields=["last_on"], name="way_in_last"),
        ),
        migrations.AddConstraint(
            model_name="wayin",
            constraint=models.UniqueConstraint(
                fields=("user", "kind", "digest"), name="way_in_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="wayin",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["device", "address", "discord", "mail"])),
                name="way_in_kind_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="wayin",
            constraint=models.CheckConstraint(
                condition=models.Q(("digest__regex", "^[0-9a-f]{64}$")), name="way_in_digest_form"
            ),
        ),
        migrations.AddConstraint(
            model_name="wayin",
            constraint=models.CheckConstraint(
                condition=models.Q(("last_on__gte", models.F("first_on"))),
                name="way_in_days_in_order",
            ),
        ),
    ]
