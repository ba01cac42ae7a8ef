"""Writing a study's file: from options or answers to commented TOML, and back to what it says in plain words."""

from semildp.drafting.advice import advice
from semildp.drafting.asking import complete
from semildp.drafting.draft import Draft, Item, draft_toml
from semildp.drafting.reading import checked_toml, read_whole
from semildp.drafting.told import told

__all__ = ["Draft", "Item", "advice", "checked_toml", "complete", "draft_toml", "read_whole", "told"]
