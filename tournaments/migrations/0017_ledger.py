"""What seasons trade in, and the ledger of it, which only grows."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import core.clock
from core.appendonly import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0016_times_valid"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="season",
            name="trade",
            field=models.JSONField(
                blank=True,
                db_default=models.Value({}, models.JSONField()),
                default=dict,
                help_text="What is traded in it: a currency, tokens of immunity. Empty: nothing is.",
            ),
        ),
        migrations.CreateModel(
            name="Wager",
            fields=[
                (
                    "death_match",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="wager",
                        serialize=False,
                        to="tournaments.deathmatch",
                    ),
                ),
                ("home_offer", models.PositiveIntegerField(blank=True, null=True)),
                ("away_offer", models.PositiveIntegerField(blank=True, null=True)),
            ],
            options={
                "ordering": ["death_match"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("home_offer__isnull", True),
                            models.Q(("home_offer__gte", 1), ("home_offer__lte", 1000000)),
                            _connector="OR",
                        ),
                        name="wager_home_range",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("away_offer__isnull", True),
                            models.Q(("away_offer__gte", 1), ("away_offer__lte", 1000000)),
                            _connector="OR",
                        ),
                        name="wager_away_range",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="LedgerEntry",
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
                            ("start", "To begin with"),
                            ("won", "Won"),
                            ("given", "Given"),
                            ("stake", "Wagered"),
                            ("steal", "Taken from the loser"),
                            ("spent", "Used"),
                            ("passed", "Passed on with the place"),
                            ("lapse", "Lapsed"),
                            ("correction", "Corrected"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "unit",
                    models.CharField(
                        choices=[("currency", "Currency"), ("token", "Immunity tokens")],
                        default="currency",
                        max_length=10,
                    ),
                ),
                ("amount", models.PositiveIntegerField()),
                (
                    "secret",
                    models.BooleanField(
                        default=False,
                        help_text="Known to both, and to organisers who do not play, until the end.",
                    ),
                ),
                (
                    "why",
                    models.CharField(
                        blank=True, help_text="For whoever may see the entry.", max_length=500
                    ),
                ),
                ("at", models.DateTimeField(default=core.clock.now_utc)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        help_text="Who entered it. Empty: it followed from something else.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "death_match",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="tournaments.deathmatch",
                    ),
                ),
                (
                    "payee",
                    models.ForeignKey(
                        blank=True,
                        help_text="To whom. Empty: the bank.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries_received",
                        to="tournaments.contestant",
                    ),
                ),
                (
                    "payer",
                    models.ForeignKey(
                        blank=True,
                        help_text="From whom. Empty: the bank.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries_paid",
                        to="tournaments.contestant",
                    ),
                ),
                (
                    "reverses",
                    models.OneToOneField(
                        blank=True,
                        help_text="The entry that this one takes back.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reversed_by",
                        to="tournaments.ledgerentry",
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="tournaments.round",
                    ),
                ),
                (
                    "season",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ledger",
                        to="tournaments.season",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "ledger entries",
                "ordering": ["season", "id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "kind__in",
                                [
                                    "start",
                                    "won",
                                    "given",
                                    "stake",
                                    "steal",
                                    "spent",
                                    "passed",
                                    "lapse",
                                    "correction",
                                ],
                            )
                        ),
                        name="ledger_kind_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("unit__in", ["currency", "token"])),
                        name="ledger_unit_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("amount__gte", 1)), name="ledger_amount_from_1"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("payer__isnull", False), ("payee__isnull", False), _connector="OR"
                        ),
                        name="ledger_not_bank",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("payer__isnull", True),
                            ("payee__isnull", True),
                            models.Q(("payer", models.F("payee")), _negated=True),
                            _connector="OR",
                        ),
                        name="ledger_not_oneself",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("reverses__isnull", True), ("kind", "correction"), _connector="OR"
                        ),
                        name="ledger_corrections_reverse",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("secret", False),
                            ("kind__in", ["given", "correction"]),
                            _connector="OR",
                        ),
                        name="ledger_secret_kinds",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "spent"), _negated=True),
                            models.Q(
                                ("amount", 1),
                                ("payee__isnull", True),
                                ("round__isnull", False),
                                ("unit", "token"),
                            ),
                            _connector="OR",
                        ),
                        name="ledger_token_spent",
                    ),
                ],
            },
        ),
        *append_only("tournaments", "ledgerentry"),
    ]
