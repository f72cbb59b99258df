"""Challenge somebody above; beat them and take their rung."""
