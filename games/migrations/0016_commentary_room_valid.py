"""Whatever was said before is in a room that there is: looked at while people write."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0015_commentary_predictions"),
    ]

    operations = [
        ValidateConstraint(model_name="chatmessage", name="chat_room_known"),
    ]
