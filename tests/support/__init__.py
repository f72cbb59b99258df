"""End-to-end helpers and fixtures shared by the test suite."""
