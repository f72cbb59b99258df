"""Seasons as drawings: where the lines of a timeline and the boxes of a bracket stand.

`timelines` and `brackets` are geometry and words, in pixels; templates turn them into SVG whose
colours come from the style sheet. `links` are finished pictures, for links from elsewhere.
"""
