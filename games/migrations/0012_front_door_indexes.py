"""What 0009 adds is looked through, and has its indexes made, while challenges and matches go on.

Whatever breaks off is done anew by migrating again.
"""

import django.db.models.deletion
from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations, models

# By the names that Django would give them.
REMATCHES = "games_challenge_rematch_of_id_a95289b8"
TOKEN = "games_challenge_token_key"  # noqa: S105  (no secret)
TOKEN_LIKE = "games_challenge_token_9d31c661_like"  # noqa: S105  (no secret)
ONE_REMATCH = "challenge_one_rematch"

GONE = [
    f"DROP INDEX CONCURRENTLY IF EXISTS {name}" for name in (REMATCHES, TOKEN_LIKE, ONE_REMATCH)
]
MADE = [
    *GONE,
    f"DROP INDEX CONCURRENTLY IF EXISTS {TOKEN}",
    f"CREATE INDEX CONCURRENTLY {REMATCHES} ON games_challenge (rematch_of_id)",
    f"CREATE INDEX CONCURRENTLY {TOKEN_LIKE} ON games_challenge (token varchar_pattern_ops)",
    (
        f"CREATE UNIQUE INDEX CONCURRENTLY {ONE_REMATCH} ON games_challenge (rematch_of_id)"
        " WHERE status = 'open' OR status = 'accepted'"
    ),
    f"CREATE UNIQUE INDEX CONCURRENTLY {TOKEN} ON games_challenge (token)",
    # The last: what a constraint has is not dropped like an index.
    f"ALTER TABLE games_challenge ADD CONSTRAINT {TOKEN} UNIQUE USING INDEX {TOKEN}",
]
AS_BEFORE = [f"ALTER TABLE games_challenge DROP CONSTRAINT IF EXISTS {TOKEN}", *GONE]


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ("games", "0011_hosted_matches"),
    ]

    operations = [
        ValidateConstraint(model_name="challenge", name="challenge_seat_number"),
        ValidateConstraint(model_name="challenge", name="challenge_link_names_nobody"),
        ValidateConstraint(model_name="challenge", name="challenge_rematch_names_opponent"),
        ValidateConstraint(model_name="match", name="match_to_move_seats"),
        migrations.RunSQL(
            MADE,
            AS_BEFORE,
            state_operations=[
                migrations.AlterField(
                    model_name="challenge",
                    name="rematch_of",
                    field=models.ForeignKey(
                        blank=True,
                        help_text="The match after which it is offered.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rematches",
                        to="games.match",
                    ),
                ),
                migrations.AlterField(
                    model_name="challenge",
                    name="token",
                    field=models.CharField(
                        blank=True,
                        editable=False,
                        help_text="What is secret of its link, where only whoever has that may accept.",
                        max_length=43,
                        null=True,
                        unique=True,
                    ),
                ),
                migrations.AddConstraint(
                    model_name="challenge",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(
                            ("status", "open"), ("status", "accepted"), _connector="OR"
                        ),
                        fields=("rematch_of",),
                        name="challenge_one_rematch",
                    ),
                ),
            ],
        ),
    ]
