"""Pages: thin. They parse, call a service or a selector, and render."""
