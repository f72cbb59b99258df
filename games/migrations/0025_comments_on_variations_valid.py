"""Nothing was said of a variation outside a study: looked at while people write."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0024_comments_on_variations"),
    ]

    operations = [
        ValidateConstraint(model_name="chatmessage", name="chat_line_in_study"),
    ]
