"""The demo: one simulation, three pictures and a page that explains them. Run `python -m examples.demo`."""
