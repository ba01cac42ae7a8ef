"""The paper's experiments, rerun. A guest of the library: it uses public names of `semildp` only."""
