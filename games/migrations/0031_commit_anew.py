"""As long as nobody has opened a number, a player may commit to another one in place of the first."""

from django.db import migrations

_ANEW = """
CREATE OR REPLACE FUNCTION games_matchdraws_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' AND current_setting('gauntlet.allow_truncate', true) = 'on' THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'UPDATE'
        AND NEW.match_id = OLD.match_id
        AND NEW.seed = OLD.seed
        AND NEW.commitment = OLD.commitment
        AND OLD.nonce_0 IN ('', NEW.nonce_0)
        AND OLD.nonce_1 IN ('', NEW.nonce_1)
        -- Nobody commits to a number once they may have seen one, their own in the same breath
        -- included; before that whoever comes by another device commits anew.
        AND ((NEW.commitment_0 = OLD.commitment_0 AND NEW.commitment_1 = OLD.commitment_1)
            OR (NEW.nonce_0 = '' AND NEW.nonce_1 = ''
                AND (OLD.commitment_0 = '' OR NEW.commitment_0 <> '')
                AND (OLD.commitment_1 = '' OR NEW.commitment_1 <> '')))
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
"""
_ONCE = """
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
"""


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0030_waiting_rulings"),
    ]

    operations = [
        migrations.RunSQL(_ANEW, _ONCE),
    ]
