"""Runs README's first example where nothing but the package is installed: `python first_example.py README.md`."""

from __future__ import annotations

import doctest
import re
import sys
from pathlib import Path

(block,) = re.findall(r"```python\n(.*?)```", Path(sys.argv[1]).read_text(encoding="utf-8"), re.DOTALL)[:1]
example = doctest.DocTestParser().get_doctest(block, {}, "README", None, 0)
result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example)
assert result.attempted > 5
if result.failed:
    sys.exit(1)
print(f"README's first example: {result.attempted} lines, as written.")
