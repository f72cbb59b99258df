"""What everything else stands on. It knows nothing else of ours."""
