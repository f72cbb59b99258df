"""How every page of the admin site behaves, whatever it is about.

    class SeasonAdmin(ModeratorView, ReadOnly, ActionsAdmin, admin.ModelAdmin):
        row_actions = actions.MODERATION

        def subject_of(self, request, row):
            return AtSeason(person(request), Sheet(row))

- `readers`: who may look (`ModeratorView`), and that rows are changed by services only (`ReadOnly`)
- `lists`: what a list can be asked, and which rows are out of reach (`Guarded`)
- `links`: from a row to whatever belongs to it, in other apps too (`RowLinks`)
- `confirming`: that whoever gives or takes power shows first that it is they
- `forms`: forms of actions, and phrases to be typed
- `actions`: a page for each action of a table of `core.actions` (`ActionsAdmin`), and actions on
  the rows of a list (`ListActionsAdmin`)
- `panels`: lists on the start page
- `site`: the site itself, and `apps`: how Django finds it

Whatever depends on what rows mean is registered by the app that they belong to: who is a moderator
(`readers`), how people show that it is they (`confirming`), which rows are withheld (`lists`),
links and panels. Imports go one way: `site` knows all, `actions` and `lists` know what stands above
them, the others nobody.
"""
