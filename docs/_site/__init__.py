"""What the site needs beyond Sphinx: pages of the reference, and links that lead out of the folder."""
