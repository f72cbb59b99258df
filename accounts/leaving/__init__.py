"""Going, and taking along what is one's own.

- `parts`: what every app registers here: what stands in the way of a deletion, what it erases
- `names`: a name taken out of sentences and data that were written down
- `services`: asking for a deletion, thinking again, and the deletion itself
- `kept`: of every row that points at an account, whether its owner is given it, or why not
- `export`: the document with what is kept of somebody
- `pages`, `tasks`: thin
"""
