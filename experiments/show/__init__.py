"""From rows to tables, figures and claims."""
