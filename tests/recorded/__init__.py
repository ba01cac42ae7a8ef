"""Predictions that were recorded once, and the fits that made them."""
