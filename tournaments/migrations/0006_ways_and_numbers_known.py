from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0005_draft_never_began")]

    operations = [
        migrations.AddConstraint(
            model_name="deathmatch",
            constraint=models.CheckConstraint(
                condition=models.Q(("how__in", ["", "played", "walkover", "bye", "ruling"])),
                name="death_match_how_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="deathmatch",
            constraint=models.CheckConstraint(
                condition=models.Q(("number__gte", 1)), name="death_match_number_from_1"
            ),
        ),
        migrations.AddConstraint(
            model_name="deathmatch",
            constraint=models.CheckConstraint(
                condition=models.Q(("best_of__in", [1, 3, 5, 7, 9, 11, 13, 15])),
                name="death_match_best_of_odd",
            ),
        ),
        migrations.AddConstraint(
            model_name="leg",
            constraint=models.CheckConstraint(
                condition=models.Q(("how__in", ["", "played", "walkover", "bye", "ruling"])),
                name="leg_how_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="leg",
            constraint=models.CheckConstraint(
                condition=models.Q(("attempt__gte", 1), ("number__gte", 1)),
                name="leg_numbers_from_1",
            ),
        ),
    ]
