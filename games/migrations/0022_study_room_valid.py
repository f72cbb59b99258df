"""Whatever was said before is in a room that there is, and of no step: looked at while people write."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0021_studies"),
    ]

    operations = [
        ValidateConstraint(model_name="chatmessage", name="chat_room_known"),
        ValidateConstraint(model_name="chatmessage", name="chat_step_in_study"),
    ]
