"""Forms of the seasons' pages. What they take is judged by services; what those refuse is shown
here, beside the field concerned, with nothing lost that was filled in.

`base` is what each of them derives from, `fields` and `games` what several ask for; the others are
called by what they are about.
"""
