"""What is said of a variation in a study. That nothing has been said of one elsewhere is looked at by the
next migration, while people write."""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0023_puzzles"),
    ]

    operations = [
        migrations.AddField(
            model_name="chatmessage",
            name="line",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="In a study: of which variation from that step on, where it is of one.",
                max_length=4000,
            ),
        ),
        AddConstraintNotValid(
            model_name="chatmessage",
            constraint=models.CheckConstraint(
                condition=models.Q(("room", "study"), ("line", ""), _connector="OR"),
                name="chat_line_in_study",
            ),
        ),
    ]
