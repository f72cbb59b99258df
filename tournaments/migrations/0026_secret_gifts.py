from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0025_pictures_index"),
    ]

    operations = [
        migrations.AddField(
            model_name="season",
            name="secret_gifts",
            field=models.CharField(
                choices=[
                    ("never", "Everybody sees what is given"),
                    ("choice", "Who gives it chooses"),
                    ("always", "What is given is secret until it is used"),
                ],
                db_default="never",
                default="never",
                help_text="Whether items that contestants give are secret until they are used.",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="gift",
            name="secret",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Whether only its giver, its receiver and the organisers know of it "
                "until it is used, or the season is over.",
            ),
        ),
        migrations.AddField(
            model_name="gift",
            name="revealed_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When everybody was told of it, where it was secret.",
                null=True,
            ),
        ),
        AddConstraintNotValid(
            model_name="season",
            constraint=models.CheckConstraint(
                condition=Q(("secret_gifts__in", ["never", "choice", "always"])),
                name="season_secret_gifts_known",
            ),
        ),
        AddConstraintNotValid(
            model_name="gift",
            constraint=models.CheckConstraint(
                condition=Q(
                    Q(("revealed_at__isnull", True), ("secret", False)),
                    Q(("giver__isnull", False), ("secret", True)),
                    _connector="OR",
                ),
                name="gift_secret_given",
            ),
        ),
    ]
