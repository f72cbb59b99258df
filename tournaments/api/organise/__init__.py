"""What organisers automate: seasons made, filled, paired, scheduled and ruled on by programs.

Thin: bodies are checked for their form here, and everything else is the services' to judge.
"""
