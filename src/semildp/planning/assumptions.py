"""What a plan takes for granted of people who have not come yet."""

from __future__ import annotations

from dataclasses import dataclass

from semildp._checks import finite_number, one_of, positive_number, short, whole_number
from semildp.errors import InputError, refusal
from semildp.planning.spread import LEAST

SHAPES = ("smooth", "steps")
MOST_PEOPLE, MOST_FEATURES = 10_000_000, 1_000
TWO_SHARES = "a number from 0 to 1, or two: for public and for private features"
SPREADS = f"a number from {LEAST} to 0.5"


@dataclass(frozen=True)
class Assumptions:
    """What is assumed of features, labels and masks; every default is a guess, to be replaced by what is known.

    Parameters
    ----------
    n_features, n_private
        How many features there are, and how many of them, the first ones, people hide.
    public_share, private_share
        Share of the label's variance that public and that private features explain. What is left is noise.
    shape
        What the label does along a feature: "smooth" (a line, bent) or "steps" (one, at a random place).
    bend
        Share of the variance of a smooth function of one feature that is no line. 0: lines; of a uniform x, of sqrt(x)
        0.04, of log(0.1 + x) 0.08, of sin(2 x) 0.15; 1: high or low in the middle. Two numbers are for public and for
        private features: bends of private ones cost more.
    together
        Share of what is explained that products of two features explain, beyond what each does alone. Two numbers are
        for what public features explain, by products of two of them, and for what private ones do, by products of one
        with any other, public or private, at random.
    matter
        How many public and how many private features have an effect; the k-th of a kind explains in proportion to 1/k.
        None: all of them.
    hide
        Share of people who hide each private feature; 1: everyone.
    width
        Width of the label bounds in standard deviations of the label.
    spread
        Standard deviation of a feature as a share of the width of its bounds: 0.29 if people lie evenly between them
        (more is taken as that), 0.18 if they crowd towards one end as Beta(2, 4) does, or in the middle.
    """

    n_features: int
    n_private: int
    public_share: float = 0.3
    private_share: float = 0.1
    shape: str = "smooth"
    bend: float | tuple[float, float] = 0.05
    together: float | tuple[float, float] = 0.0
    matter: tuple[int, int] | None = None
    hide: float = 1.0
    width: float = 6.0
    spread: float = 0.29

    def __post_init__(self) -> None:
        whole_number("n_features", self.n_features, 1, MOST_FEATURES)
        whole_number("n_private", self.n_private, 0, self.n_features)
        one_of("shape", self.shape, SHAPES)
        positive_number("width", self.width)
        spread = finite_number("spread", self.spread, SPREADS)
        if not LEAST <= spread <= 0.5:
            raise refusal("spread", SPREADS, spread)
        for name in ("public_share", "private_share", "hide"):
            _check_share(name, getattr(self, name), "a number from 0 to 1")
        for name in ("bend", "together"):
            _check_shares(name, getattr(self, name))
        if self.matter is not None:
            _check_matter(self.matter, self.n_features - self.n_private, self.n_private)
        if self.public_share + self.private_share > 1:
            both = f"{self.public_share:g} and {self.private_share:g}"
            raise InputError(f"`public_share` and `private_share` must add up to 1 at most. Got {both}.")

    @property
    def mattering(self) -> tuple[int, int]:
        """How many public and private features have an effect."""
        return (self.n_features - self.n_private, self.n_private) if self.matter is None else self.matter

    @property
    def bends(self) -> tuple[float, float]:
        """Share of bends in functions of public and of private features."""
        return _two(self.bend)

    @property
    def products(self) -> tuple[float, float]:
        """Share of products in what public and in what private features explain."""
        return _two(self.together)

    @property
    def explained(self) -> tuple[float, float]:
        """Share of the variance that public and private features explain; 0 where none of them has an effect."""
        public, private = self.mattering
        return self.public_share if public else 0.0, self.private_share if private else 0.0

    @property
    def most(self) -> float:
        """Share of the variance that all features explain: the error of a prediction that is the mean."""
        return sum(self.explained)


def _two(share: float | tuple[float, float]) -> tuple[float, float]:
    return share if isinstance(share, tuple) else (share, share)


def _check_shares(name: str, given: float | tuple[float, float]) -> None:
    if isinstance(given, tuple) and len(given) != 2:
        raise refusal(name, TWO_SHARES, short(given))
    for share in _two(given):
        _check_share(name, share, TWO_SHARES)


def _check_share(name: str, given: object, required: str) -> None:
    share = finite_number(name, given, required)
    if not 0 <= share <= 1:
        raise refusal(name, required, share)


def _check_matter(matter: object, n_public: int, n_private: int) -> None:
    required = f"two whole numbers, up to {n_public} public and {n_private} private features"
    if not isinstance(matter, tuple) or len(matter) != 2:
        raise refusal("matter", required, short(matter))
    whole_number("matter (public)", matter[0], 0, n_public)
    whole_number("matter (private)", matter[1], 0, n_private)
