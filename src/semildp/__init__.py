"""Learn from data that its owners only partly share."""

__version__ = "0.1.0.dev0"
