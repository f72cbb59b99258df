"""What matches' draws are derived from, which the database lets nobody change once it is given."""

import django.db.models.deletion
from django.db import migrations, models

_GUARD = """
CREATE OR REPLACE FUNCTION games_matchdraws_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' AND current_setting('gauntlet.allow_truncate', true) = 'on' THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'UPDATE'
        AND NEW.match_id = OLD.match_id
        AND NEW.seed = OLD.seed
        AND NEW.commitment = OLD.commitment
        AND OLD.commitment_0 IN ('', NEW.commitment_0)
        AND OLD.commitment_1 IN ('', NEW.commitment_1)
        AND OLD.nonce_0 IN ('', NEW.nonce_0)
        AND OLD.nonce_1 IN ('', NEW.nonce_1)
        -- Nobody commits to a number once they may have seen one, their own in the same breath
        -- included.
        AND ((NEW.commitment_0 = OLD.commitment_0 AND NEW.commitment_1 = OLD.commitment_1)
            OR (NEW.nonce_0 = '' AND NEW.nonce_1 = ''))
        -- And nothing is added once the match has begun, or has ended before it did.
        AND (NEW = OLD OR EXISTS (
            SELECT FROM games_match m WHERE m.id = OLD.match_id
            AND m.waits_until IS NOT NULL AND m.status = 'running'
        ))
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'What the draws of a match are derived from stays: % refused.', TG_OP
        USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER games_matchdraws_no_change
    BEFORE UPDATE OR DELETE ON games_matchdraws
    FOR EACH ROW EXECUTE FUNCTION games_matchdraws_stay();
CREATE TRIGGER games_matchdraws_no_truncate
    BEFORE TRUNCATE ON games_matchdraws
    FOR EACH STATEMENT EXECUTE FUNCTION games_matchdraws_stay();
"""
_UNGUARD = """
DROP TRIGGER games_matchdraws_no_truncate ON games_matchdraws;
DROP TRIGGER games_matchdraws_no_change ON games_matchdraws;
DROP FUNCTION games_matchdraws_stay();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0028_ratings_farming"),
    ]

    operations = [
        migrations.AddField(
            model_name="serviceprocess",
            name="derives_draws",
            field=models.BooleanField(
                db_default=False,
                help_text="Whether it keeps, and goes by, what the draws of a match are derived "
                "from: releases before there was such a thing do not.",
            ),
        ),
        migrations.CreateModel(
            name="MatchDraws",
            fields=[
                (
                    "match",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="draws",
                        serialize=False,
                        to="games.match",
                    ),
                ),
                ("seed", models.CharField(max_length=64)),
                (
                    "commitment",
                    models.CharField(
                        help_text="What the seed hashes to: public from the beginning.",
                        max_length=64,
                    ),
                ),
                (
                    "commitment_0",
                    models.CharField(
                        blank=True,
                        help_text="What the nonce of seat 0 hashes to. Empty: none.",
                        max_length=64,
                    ),
                ),
                (
                    "nonce_0",
                    models.CharField(blank=True, help_text="Empty: not opened.", max_length=64),
                ),
                (
                    "commitment_1",
                    models.CharField(
                        blank=True,
                        help_text="What the nonce of seat 1 hashes to. Empty: none.",
                        max_length=64,
                    ),
                ),
                (
                    "nonce_1",
                    models.CharField(blank=True, help_text="Empty: not opened.", max_length=64),
                ),
            ],
            options={
                "verbose_name_plural": "match draws",
                "ordering": ["match"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("commitment__regex", "^[0-9a-f]{64}$"),
                            ("seed__regex", "^[0-9a-f]{64}$"),
                        ),
                        name="draws_seed_whole",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("commitment_0__regex", "^([0-9a-f]{64})?$"),
                            ("nonce_0__regex", "^([0-9a-f]{64})?$"),
                        ),
                        name="draws_nonce_0_whole",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("commitment_1__regex", "^([0-9a-f]{64})?$"),
                            ("nonce_1__regex", "^([0-9a-f]{64})?$"),
                        ),
                        name="draws_nonce_1_whole",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("nonce_0", ""),
                            models.Q(("commitment_0", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="draws_nonce_0_committed",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("nonce_1", ""),
                            models.Q(("commitment_1", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="draws_nonce_1_committed",
                    ),
                ],
            },
        ),
        migrations.RunSQL(_GUARD, _UNGUARD),
    ]
