"""Linear algebra on one thread: as long as anybody wants it, and no longer."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from semildp import SemiPrivateRegressor
from semildp._kernels.blas import one_blas_thread

CONTROLLER = ThreadpoolController().select(user_api="blas")


def n_threads() -> set[int]:
    return {each["num_threads"] for each in CONTROLLER.info()}


@pytest.fixture
def two():
    """NumPy has two threads, whatever the machine has."""
    with CONTROLLER.limit(limits=2):
        if n_threads() != {2}:
            pytest.skip("NumPy's linear algebra cannot be told how many threads it has")
        yield


@pytest.mark.usefixtures("two")
def test_one_thread_until_the_last_is_done():
    """Whoever begins first may end first: as with two threads that fit at once."""
    first, second = one_blas_thread(), one_blas_thread()
    with first:
        assert n_threads() == {1}
    assert n_threads() == {2}
    first, second = one_blas_thread(), one_blas_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert n_threads() == {1}
    second.__exit__(None, None, None)
    assert n_threads() == {2}


@pytest.mark.usefixtures("two")
def test_as_a_decorator_and_after_an_error():
    @one_blas_thread()
    def fails() -> None:
        assert n_threads() == {1}
        raise ZeroDivisionError

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            fails()
        assert n_threads() == {2}


@pytest.mark.usefixtures("two")
def test_fits_at_once_leave_threads_as_they_were_and_have_the_same_bits():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(400, 3))
    found = {}

    def fit(name: int) -> None:
        model = SemiPrivateRegressor(
            4.0, label_bounds=(0, 2), feature_bounds=(0, 1), private_features=[0], random_state=1
        )
        found[name] = model.fit(X, X[:, 0] + X[:, 1]).predict(X)

    workers = [threading.Thread(target=fit, args=(name,)) for name in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    fit(2)
    assert n_threads() == {2}
    np.testing.assert_array_equal(found[0], found[2])
    np.testing.assert_array_equal(found[1], found[2])
