"""What moderators keep: sanctions, reports, and merged accounts, which are append-only."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from accounts.appendonly import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_append_only"),
    ]

    operations = [
        migrations.CreateModel(
            name="Report",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("target_type", models.CharField(max_length=64)),
                ("target_id", models.CharField(max_length=64)),
                (
                    "title",
                    models.CharField(help_text="What is reported, in words.", max_length=200),
                ),
                ("url", models.CharField(blank=True, max_length=200)),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("abuse", "Insults or harassment"),
                            ("cheating", "Cheating or help from outside"),
                            ("spam", "Advertising or flooding"),
                            ("name", "An offensive or misleading name"),
                            ("stalling", "Stalling or throwing a match"),
                            ("other", "Something else"),
                        ],
                        max_length=10,
                    ),
                ),
                ("words", models.CharField(help_text="The reporter's own words.", max_length=1000)),
                ("context", models.JSONField(blank=True, default=dict)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("claimed_at", models.DateTimeField(blank=True, null=True)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "outcome",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("acted", "We agreed and acted on it"),
                            ("no-breach", "We found no breach of the rules"),
                            ("already", "It had been dealt with before"),
                            ("unclear", "There was too little to go on"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "answer",
                    models.CharField(
                        blank=True,
                        help_text="Told to the reporter, by mail and on their page.",
                        max_length=1000,
                    ),
                ),
                ("note", models.TextField(blank=True, help_text="For moderators only.")),
                (
                    "about",
                    models.ForeignKey(
                        blank=True,
                        help_text="The person concerned. Empty where it is not one person, as for a match.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reports_about",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "claimed_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reports_claimed",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "closed_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reports_closed",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "reporter",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reports_made",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="Sanction",
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
                            ("warning", "Warning"),
                            ("mute", "Mute"),
                            ("suspension", "Suspension"),
                        ],
                        max_length=10,
                    ),
                ),
                ("reason", models.CharField(help_text="Shown to the person.", max_length=500)),
                ("note", models.TextField(blank=True, help_text="For moderators only.")),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "until",
                    models.DateTimeField(
                        blank=True, help_text="Empty: until it is lifted.", null=True
                    ),
                ),
                ("lifted_at", models.DateTimeField(blank=True, null=True)),
                ("lifted_why", models.CharField(blank=True, max_length=500)),
                (
                    "acknowledged_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="When the person said that they have read the warning.",
                        null=True,
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sanctions_given",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "lifted_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sanctions_lifted",
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
                        related_name="sanctions",
                        to="accounts.report",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sanctions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="AccountMerge",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reason", models.CharField(max_length=500)),
                (
                    "moved",
                    models.JSONField(
                        default=dict, help_text="What was moved, and how many of each."
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="merges_made",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "duplicate",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="merged_into",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "keep",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="merged_from",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-at", "-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("keep", models.F("duplicate")), _negated=True),
                        name="merge_two_accounts",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True), name="merge_reason_given"
                    ),
                ],
            },
        ),
        migrations.AddIndex(
            model_name="report",
            index=models.Index(
                condition=models.Q(("closed_at__isnull", True)), fields=["at"], name="report_open"
            ),
        ),
        migrations.AddIndex(
            model_name="report",
            index=models.Index(fields=["target_type", "target_id"], name="report_target"),
        ),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("reason__in", ["abuse", "cheating", "spam", "name", "stalling", "other"])
                ),
                name="report_reason_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("words", ""), _negated=True),
                    models.Q(("target_type", ""), _negated=True),
                    models.Q(("target_id", ""), _negated=True),
                    models.Q(("title", ""), _negated=True),
                ),
                name="report_whole",
            ),
        ),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("about__isnull", True),
                    models.Q(("about", models.F("reporter")), _negated=True),
                    _connector="OR",
                ),
                name="report_not_oneself",
            ),
        ),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("claimed_at__isnull", True), ("claimed_by__isnull", True)),
                    models.Q(("claimed_at__isnull", False), ("claimed_by__isnull", False)),
                    _connector="OR",
                ),
                name="report_claimed_whole",
            ),
        ),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("answer", ""),
                        ("closed_at__isnull", True),
                        ("closed_by__isnull", True),
                        ("outcome", ""),
                    ),
                    models.Q(
                        ("closed_at__isnull", False),
                        ("closed_by__isnull", False),
                        ("outcome__in", ["acted", "no-breach", "already", "unclear"]),
                    ),
                    _connector="OR",
                ),
                name="report_closed_whole",
            ),
        ),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.UniqueConstraint(
                condition=models.Q(("closed_at__isnull", True)),
                fields=("reporter", "target_type", "target_id"),
                name="report_once_while_open",
            ),
        ),
        migrations.AddIndex(
            model_name="sanction",
            index=models.Index(
                condition=models.Q(("lifted_at__isnull", True)),
                fields=["user", "kind"],
                name="sanction_open",
            ),
        ),
        migrations.AddIndex(
            model_name="sanction",
            index=models.Index(fields=["-at"], name="sanction_at"),
        ),
        migrations.AddConstraint(
            model_name="sanction",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["warning", "mute", "suspension"])),
                name="sanction_kind_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="sanction",
            constraint=models.CheckConstraint(
                condition=models.Q(("reason", ""), _negated=True), name="sanction_reason_given"
            ),
        ),
        migrations.AddConstraint(
            model_name="sanction",
            constraint=models.CheckConstraint(
                condition=models.Q(("user", models.F("by")), _negated=True),
                name="sanction_not_oneself",
            ),
        ),
        migrations.AddConstraint(
            model_name="sanction",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("until__isnull", True), ("until__gt", models.F("at")), _connector="OR"
                ),
                name="sanction_ends_later",
            ),
        ),
        migrations.AddConstraint(
            model_name="sanction",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "warning"), ("until__isnull", True)),
                    models.Q(
                        models.Q(("kind", "warning"), _negated=True),
                        ("acknowledged_at__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="sanction_warning_form",
            ),
        ),
        migrations.AddConstraint(
            model_name="sanction",
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
                name="sanction_lifted_whole",
            ),
        ),
        migrations.AddConstraint(
            model_name="sanction",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    ("lifted_at__isnull", True),
                    ("until__isnull", True),
                    models.Q(("kind", "warning"), _negated=True),
                ),
                fields=("user", "kind"),
                name="sanction_one_without_end",
            ),
        ),
        *append_only("accounts", "accountmerge"),
    ]
