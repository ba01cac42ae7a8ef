"""Tests of the browser's part: what node runs, and what a browser does."""
