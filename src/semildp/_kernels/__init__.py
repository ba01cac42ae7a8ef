"""Array work that knows nothing of the domain: integer codes in, arrays out."""
