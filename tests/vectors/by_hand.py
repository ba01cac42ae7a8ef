"""The page's rules for a device in plain Python, without numpy and semildp: what a client in another language does."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Iterator
from typing import Any

W = 2**64
Words = Iterator[int]
Json = dict[str, Any]


def report(study: Json, raw: str, person: Json, words: Words) -> str:
    """The bytes, as text, of the report to a question that was verified."""
    question = json.loads(raw)
    hidden = [study["hide_mask"] or f["private"] or f["name"] in person["hidden"] for f in study["features"]]
    ends = [_ends(feature["domain"]) for feature in study["features"]]
    row = []
    for feature, value, private, (low, high) in zip(study["features"], person["values"], hidden, ends, strict=True):
        x = _code(feature["domain"], value)
        drawn = _uniform(next(words), low, high) if private else None
        row.append(drawn if x is None else min(max(x, low), high))
    label = _own_label(study["label"], person["label"], next(words))
    unit = [(x - low) / (high - low) for x, (low, high) in zip(row, ends, strict=True)]
    me = {"label": label, "unit": unit, "hidden": hidden, "centre": question.get("centre", 0.0)}
    me["classes"] = len(study["label"].get("values", ()))
    answers = [ANSWER[ask["ask"]](ask, me, words) for ask in question["asks"]]
    name = hashlib.sha256(raw.encode()).hexdigest()
    sent = {"message": "report", "question": name, "answers": answers, "version": 1}
    return json.dumps(sent, separators=(",", ":"))


def _own_label(domain: Json, label: Any, word: int) -> float:
    """A label within its bounds, or its class's place in the list; a word is there for one that is missing."""
    if domain["kind"] == "classes":
        return domain["values"].index(label) if label in domain["values"] else _below(word, len(domain["values"]))
    if label is None:
        return _uniform(word, domain["low"], domain["high"])
    return min(max(label, domain["low"]), domain["high"])


def _ends(domain: Json) -> tuple[float, float]:
    return (domain["low"], domain["high"]) if domain["kind"] == "number" else (-0.5, len(domain["values"]) - 0.5)


def _code(domain: Json, value: Any) -> float | None:
    return value if value is None or domain["kind"] == "number" else domain["values"].index(value)


def _uniform(word: int, low: float, high: float) -> float:
    return min(low + word / 2.0**64 * (high - low), high)


def _below(word: int, n: int) -> int:
    return word * n // W


def _place(x: float, low: float, high: float, steps: int) -> float:
    return min(max((x - low) / (high - low) * steps, 0.0), float(steps))


def _at_random(x: float, low: float, high: float, steps: int, word: int) -> int:
    place = _place(x, low, high, steps)
    return math.floor(place) + (word / 2.0**64 < place - math.floor(place))


# Mechanisms: from a value to the positions that are marked, or to numbers.


def _generalised(m: Json, value: int, words: Words) -> list[int]:
    first, second = next(words), next(words)
    return [_below(second, m["values"]) if first < int(m["thresholds"][0]) else value]


def _window(m: Json, value: int, words: Words) -> list[int]:
    first, second, third = next(words), next(words), next(words)
    replaced = first < int(m["thresholds"][0])
    return [_below(second, m["values"] - 1 + m["width"]) if replaced else value + _below(third, m["width"])]


def _binary(m: Json, value: int, words: Words) -> list[int]:
    flips = [next(words) < int(m["thresholds"][0]) for _ in range(m["values"])]
    return [i for i, flipped in enumerate(flips) if flipped != (i == value)]


def _subset(m: Json, value: int, words: Words) -> list[int]:
    k, w, a, b = m["values"], m["width"], next(words), next(words)
    added: list[int] = []
    for j in range(w):
        taken = _below(next(words), k - w + j + 1)
        added.append(k - w + j if taken in added else taken)
    if a >= int(m["thresholds"][0]) and value not in added:
        added[_below(b, w)] = value
    return sorted(added)


def _paired(m: Json, value: int, words: Words) -> list[int]:
    (candidate, sign), (flipped, marked) = divmod(value, 2), map(int, m["thresholds"])
    own, others = next(words), [next(words) for _ in range(m["values"] // 2)]
    marks = [2 * i + (word >= marked) for i, word in enumerate(others) if i != candidate and word < 2 * marked]
    if own < W // 2 or len(others) == 1:
        marks.append(2 * candidate + (1 - sign if own < flipped else sign))
    return sorted(marks)


def _laplace(m: Json, values: list[int], words: Words) -> list[int]:
    tail, *digits = map(int, m["thresholds"])
    numbers, going = [0] * (2 * len(values)), list(range(2 * len(values)))
    while going:
        going = [i for i in going if next(words) < tail]
        for i in going:
            numbers[i] += 2 ** len(digits)
    for place, threshold in enumerate(digits):
        for i in range(len(numbers)):
            numbers[i] += (next(words) < threshold) << place
    return [v + numbers[i] - numbers[len(values) + i] for i, v in enumerate(values)]


MARK = {"generalised": _generalised, "window": _window, "binary": _binary, "subset": _subset, "paired": _paired}


# Partitions.


def _leaf(tree: Json, unit: list[float], node: int = 0) -> int:
    """The node of the leaf."""
    while tree["feature"][node] != -1:
        node = tree["child"][node] + (unit[tree["feature"][node]] >= tree["threshold"][node])
    return node


def _leaves(tree: Json, node: int = 0) -> list[int]:
    """Nodes of the leaves, from left to right."""
    child = tree["child"][node]
    return [node] if tree["feature"][node] == -1 else _leaves(tree, child) + _leaves(tree, child + 1)


def _reached(tree: Json, me: Json, node: int = 0) -> list[int]:
    """Nodes of the leaves the person could be in."""
    feature, child = tree["feature"][node], tree["child"][node]
    if feature == -1:
        return [node]
    sides = (0, 1) if me["hidden"][feature] else (int(me["unit"][feature] >= tree["threshold"][node]),)
    return [leaf for side in sides for leaf in _reached(tree, me, child + side)]


def _cells(partition: Json, me: Json) -> tuple[int, list[int], int]:
    """The person's cell, their candidates, and their leaf."""
    tree, bins = partition["tree"], partition["bins"]
    numbers = {node: i for i, node in enumerate(_leaves(tree))}
    own = [math.floor(min(me["unit"][f] * b, b - 1)) for f, b in zip(partition["features"], bins, strict=True)]
    could = [range(b) if me["hidden"][f] else [o] for f, b, o in zip(partition["features"], bins, own, strict=True)]
    leaf = numbers[_leaf(tree, me["unit"])]

    def cell(leaf: int, digits: tuple[int, ...]) -> int:
        code = 0
        for digit, b in zip(digits, bins, strict=True):
            code = code * b + digit
        return leaf * math.prod(bins) + code

    candidates = [cell(numbers[n], digits) for n in _reached(tree, me) for digits in itertools.product(*could)]
    return cell(leaf, tuple(own)), sorted(candidates), leaf


# Asks.


def _label(ask: Json, me: Json, words: Words) -> list[int]:
    mechanism, steps = ask["mechanism"], ask["mechanism"]["values"] - 1
    if ask["rounding"] == "random":
        point = _at_random(me["label"], ask["low"], ask["high"], steps, next(words))
    else:
        point = round(_place(me["label"], ask["low"], ask["high"], steps))
    if mechanism["kind"] == "laplace":
        return _laplace(mechanism, [point], words)
    return MARK[mechanism["kind"]](mechanism, point, words)


def _cell(ask: Json, me: Json, words: Words) -> list[int]:
    cell, candidates, _ = _cells(ask["partition"], me)
    mechanism = ask["mechanisms"][str(len(candidates))]
    return [candidates[i] for i in MARK[mechanism["kind"]](mechanism, candidates.index(cell), words)]


def _pair(ask: Json, me: Json, words: Words) -> list[int]:
    cell, candidates, leaf = _cells(ask["partition"], me)
    mechanism = ask["mechanisms"][str(len(candidates))]
    levels = mechanism["values"] // len(candidates)
    residual = me["label"] - (me["centre"] + ask["centres"][leaf])
    level = _at_random(residual, -ask["reach"], ask["reach"], levels - 1, next(words))
    marks = MARK[mechanism["kind"]](mechanism, candidates.index(cell) * levels + level, words)
    return [candidates[mark // levels] * levels + mark % levels for mark in marks]


def _signed(ask: Json, me: Json, words: Words) -> list[int]:
    cell, _, _ = _cells(ask["partition"], me)
    turned = ask["signs"][cell] * (me["label"] - me["centre"])
    level = _at_random(turned, -ask["reach"], ask["reach"], ask["mechanism"]["values"] - 1, next(words))
    return _generalised(ask["mechanism"], level, words)


def _class(ask: Json, me: Json, words: Words) -> list[int]:
    cell, candidates, _ = _cells(ask["partition"], me)
    mechanism, classes = ask["mechanisms"][str(len(candidates))], me["classes"]
    marks = MARK[mechanism["kind"]](mechanism, candidates.index(cell) * classes + me["label"], words)
    return [candidates[mark // classes] * classes + mark % classes for mark in marks]


def _bins(ask: Json, me: Json, words: Words) -> list[int]:
    sent = []
    for mechanism, unit, hidden in zip(ask["mechanisms"], me["unit"], me["hidden"], strict=True):
        if hidden:
            own = math.floor(min(unit * mechanism["values"], mechanism["values"] - 1))
            sent += _generalised(mechanism, own, words)
    return sent


def _histogram(ask: Json, me: Json, words: Words) -> list[int]:
    cell, _, _ = _cells(ask["partition"], me)
    cells = math.prod(ask["partition"]["bins"]) * len(_leaves(ask["partition"]["tree"]))
    steps = ask["label"]["values"] - 1
    mass, label = [0] * cells, [steps // 2] * cells
    mass[cell], label[cell] = steps, round(_place(me["label"], ask["low"], ask["high"], steps))
    sent = _laplace(ask["mass"], mass, words)
    return sent + [number - steps // 2 for number in _laplace(ask["label"], label, words)]


ANSWER = {
    "label": _label,
    "cell": _cell,
    "pair": _pair,
    "signed": _signed,
    "class": _class,
    "bins": _bins,
    "histogram": _histogram,
}
