"""Guard the entries of matches with the function that all append-only tables share."""

from django.db import migrations

from accounts.appendonly import append_only, append_only_needs

OWN_FUNCTION = """
CREATE FUNCTION games_entry_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' AND current_setting('gauntlet.allow_truncate', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'Match entries are append-only: % refused.', TG_OP
        USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER games_matchentry_no_change
    BEFORE UPDATE OR DELETE ON games_matchentry
    FOR EACH ROW EXECUTE FUNCTION games_entry_refuse();
CREATE TRIGGER games_matchentry_no_truncate
    BEFORE TRUNCATE ON games_matchentry
    FOR EACH STATEMENT EXECUTE FUNCTION games_entry_refuse();
"""

NO_OWN_FUNCTION = """
DROP TRIGGER games_matchentry_no_truncate ON games_matchentry;
DROP TRIGGER games_matchentry_no_change ON games_matchentry;
DROP FUNCTION games_entry_refuse();
"""


class Migration(migrations.Migration):
    dependencies = [("games", "0004_saved_moves"), append_only_needs()]
    operations = [
        migrations.RunSQL(NO_OWN_FUNCTION, OWN_FUNCTION),
        *append_only("games", "matchentry"),
    ]
