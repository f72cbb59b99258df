import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0008_followed_matches"),
        ("tournaments", "0001_seasons"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Webhook",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=60)),
                (
                    "url",
                    models.CharField(
                        help_text="A Discord address is a password in itself: shown to nobody.",
                        max_length=500,
                    ),
                ),
                (
                    "flavour",
                    models.CharField(
                        choices=[
                            ("json", "JSON, signed: for programs"),
                            ("discord", "Discord: announcements with the board's picture"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "kinds",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=40),
                        help_text="See `tournaments.webhooks.kinds.CHOICES`.",
                        size=None,
                    ),
                ),
                ("active", models.BooleanField(default=True)),
                ("secret", models.CharField(blank=True, max_length=300)),
                ("previous_secret", models.CharField(blank=True, max_length=300)),
                ("previous_until", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "failures",
                    models.PositiveIntegerField(default=0, help_text="Attempts failed in a row."),
                ),
                ("failing_since", models.DateTimeField(blank=True, null=True)),
                (
                    "disabled_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="When it was given up, after failing for too long.",
                        null=True,
                    ),
                ),
                ("disabled_why", models.CharField(blank=True, max_length=300)),
                (
                    "not_before",
                    models.DateTimeField(
                        blank=True,
                        help_text="The receiver asked to be left alone until then.",
                        null=True,
                    ),
                ),
                (
                    "busy_until",
                    models.DateTimeField(
                        blank=True,
                        help_text="A worker is sending; past this it counts as dead.",
                        null=True,
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="webhooks_created",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "season",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="webhooks",
                        to="tournaments.season",
                    ),
                ),
            ],
            options={
                "ordering": ["season", "id"],
            },
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("uid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("kind", models.CharField(max_length=40)),
                (
                    "version",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="Of a turn: the room's version of the match after it.",
                        null=True,
                    ),
                ),
                (
                    "data",
                    models.JSONField(
                        blank=True, default=dict, help_text="What a clock's reminder says."
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("pending", "Waiting"),
                            ("delivered", "Delivered"),
                            ("failed", "Refused for good"),
                            ("abandoned", "Given up"),
                            ("superseded", "Overtaken by a later turn"),
                        ],
                        default="pending",
                        max_length=10,
                    ),
                ),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("next_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("give_up_at", models.DateTimeField()),
                (
                    "sent_at",
                    models.DateTimeField(blank=True, help_text="The latest attempt.", null=True),
                ),
                (
                    "body",
                    models.TextField(
                        blank=True, help_text="As it was sent; the same in every attempt."
                    ),
                ),
                ("status_code", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("latency_ms", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "response",
                    models.CharField(blank=True, help_text="Its beginning.", max_length=1000),
                ),
                ("fault", models.CharField(blank=True, max_length=200)),
                (
                    "event",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="deliveries",
                        to="tournaments.seasonevent",
                    ),
                ),
                (
                    "match",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="games.match",
                    ),
                ),
                (
                    "webhook",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="tournaments.webhook",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "deliveries",
                "ordering": ["webhook", "-id"],
            },
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.UniqueConstraint(fields=("season", "name"), name="webhook_name_once"),
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.CheckConstraint(
                condition=models.Q(("flavour__in", ["json", "discord"])),
                name="webhook_flavour_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("name", ""), _negated=True),
                    models.Q(("url", ""), _negated=True),
                    models.Q(("kinds", []), _negated=True),
                ),
                name="webhook_whole",
            ),
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("flavour", "json"), models.Q(("secret", ""), _negated=True)),
                    models.Q(("flavour", "discord"), ("previous_secret", ""), ("secret", "")),
                    _connector="OR",
                ),
                name="webhook_secret_fits_flavour",
            ),
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("previous_secret", ""), ("previous_until__isnull", True)),
                    models.Q(
                        models.Q(("previous_secret", ""), _negated=True),
                        ("previous_until__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="webhook_previous_secret_ends",
            ),
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("disabled_at__isnull", True), ("disabled_why", "")),
                    models.Q(
                        ("active", False),
                        ("disabled_at__isnull", False),
                        models.Q(("disabled_why", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="webhook_disabled_is_off",
            ),
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("failing_since__isnull", True), ("failures", 0)),
                    models.Q(("failing_since__isnull", False), ("failures__gt", 0)),
                    _connector="OR",
                ),
                name="webhook_failing_since",
            ),
        ),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(
                condition=models.Q(("status", "pending")), fields=["next_at"], name="delivery_due"
            ),
        ),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(fields=["webhook", "-id"], name="delivery_log"),
        ),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(fields=["created_at"], name="delivery_age"),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("status__in", ["pending", "delivered", "failed", "abandoned", "superseded"])
                ),
                name="delivery_status_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.UniqueConstraint(
                fields=("webhook", "event"), name="delivery_event_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind", "death-match.turn")),
                fields=("webhook", "match", "version"),
                name="delivery_turn_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind", "test"), ("status", "pending")),
                fields=("webhook",),
                name="delivery_one_test",
            ),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("event__isnull", True), ("kind", "test"), ("match__isnull", True)),
                    models.Q(
                        ("event__isnull", True),
                        ("kind__in", ("death-match.turn", "death-match.clock")),
                        ("match__isnull", False),
                    ),
                    models.Q(
                        models.Q(
                            ("kind__in", ["death-match.turn", "death-match.clock", "test"]),
                            _negated=True,
                        ),
                        ("event__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="delivery_tells_of_something",
            ),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "death-match.turn"), ("version__isnull", False)),
                    models.Q(
                        models.Q(("kind", "death-match.turn"), _negated=True),
                        ("version__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="delivery_version_of_turn",
            ),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("attempts", 0), ("sent_at__isnull", True)),
                    models.Q(("attempts__gt", 0), ("sent_at__isnull", False)),
                    _connector="OR",
                ),
                name="delivery_sent_at",
            ),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status__in", ["delivered", "failed"]), _negated=True),
                    ("attempts__gt", 0),
                    _connector="OR",
                ),
                name="delivery_outcome_of_attempt",
            ),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.CheckConstraint(
                condition=models.Q(("give_up_at__gte", models.F("created_at"))),
                name="delivery_gives_up_later",
            ),
        ),
    ]
