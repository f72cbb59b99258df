"""Items: given, declared, resolved when a match begins, and returned when it was void.

- `gifts`: given to contestants, and taken back
- `declarations`: what players say in secret that they bring
- `spending`: what becomes of what was brought
"""
