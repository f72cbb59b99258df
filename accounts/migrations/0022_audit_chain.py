"""The chain over the audit log, and what was found when it was looked at: both only grow, the chain
by one place after the other. What the log holds already is sealed by the workers, a few thousand
entries at a time."""

import django.db.models.deletion
from django.db import migrations, models

import core.clock
from core.appendonly import append_only

_FOLLOWS = """
CREATE FUNCTION accounts_auditlink_follows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.position <> coalesce((SELECT max(position) FROM accounts_auditlink), 0) + 1 THEN
        RAISE EXCEPTION 'Place % does not follow the last of the chain.', NEW.position
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER accounts_auditlink_one_more
    BEFORE INSERT ON accounts_auditlink
    FOR EACH ROW EXECUTE FUNCTION accounts_auditlink_follows();
"""
_ANYWHERE = """
DROP TRIGGER accounts_auditlink_one_more ON accounts_auditlink;
DROP FUNCTION accounts_auditlink_follows();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0021_ways_in"),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditLink",
            fields=[
                (
                    "position",
                    models.BigIntegerField(
                        help_text="1, and one more for each.", primary_key=True, serialize=False
                    ),
                ),
                (
                    "digest",
                    models.CharField(
                        help_text="SHA-256 over the entry and the digest of the one before.",
                        max_length=64,
                    ),
                ),
                (
                    "at",
                    models.DateTimeField(
                        default=core.clock.now_utc,
                        help_text="Up to when the log was sealed with this one.",
                    ),
                ),
                (
                    "entry",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="link",
                        to="accounts.auditentry",
                    ),
                ),
            ],
            options={
                "verbose_name": "audit link",
                "verbose_name_plural": "audit links",
                "ordering": ["position"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("position__gte", 1)), name="audit_link_from_one"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("digest__regex", "^[0-9a-f]{64}$")),
                        name="audit_link_digest",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditCheck",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(db_index=True, default=core.clock.now_utc)),
                (
                    "position",
                    models.BigIntegerField(help_text="Up to where the chain was looked at."),
                ),
                (
                    "digest",
                    models.CharField(help_text="The digest there: the head.", max_length=64),
                ),
                (
                    "fault",
                    models.CharField(
                        blank=True,
                        help_text="The first thing that does not hold; empty: all does.",
                        max_length=300,
                    ),
                ),
            ],
            options={
                "verbose_name": "audit check",
                "verbose_name_plural": "audit checks",
                "ordering": ["-at", "-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("position__gte", 0), ("digest__regex", "^[0-9a-f]{64}$")
                        ),
                        name="audit_check_whole",
                    ),
                ],
            },
        ),
        *append_only("accounts", "auditlink"),
        *append_only("accounts", "auditcheck"),
        migrations.RunSQL(_FOLLOWS, _ANYWHERE),
    ]
