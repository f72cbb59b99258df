import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0029_predictions"),
    ]

    operations = [
        migrations.CreateModel(
            name="MainMatchPicture",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "number",
                    models.PositiveSmallIntegerField(
                        help_text="Which of the main match's, from 1."
                    ),
                ),
                (
                    "episode",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pictures",
                        to="tournaments.episode",
                    ),
                ),
                (
                    "picture",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tournaments.picture",
                    ),
                ),
            ],
            options={
                "ordering": ["episode", "number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("episode", "number"), name="main_match_picture_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1), ("number__lte", 6)),
                        name="main_match_pictures_few",
                    ),
                ],
            },
        ),
    ]
