"""Everybody meets everybody."""
