"""Studies without a label, from the document to the model: devices, files, tables, drafts, and what is refused."""

from __future__ import annotations

import csv

import msgspec
import numpy as np
import pytest

from semildp import InputError, Study, cli
from semildp.client import Device, Ledger
from semildp.crowd import made_up
from semildp.curator.density_plan import Given, plan_density
from semildp.models import Model
from semildp.protocols import protocol_of
from semildp.protocols.asks import ask_label
from semildp.study import Feature, Number
from semildp.wire.codec import encode
from semildp.wire.messages import Question
from semildp.wire.problems import WireError
from tests.programs.studies import Case
from tests.stored_files import simulated, written

DENSITY = Case("hist-of-tree-density", "split", "personal")
STUDY = DENSITY.study


def test_a_study_without_a_label_survives_json_and_toml():
    assert STUDY.label is None
    assert Study.from_json(STUDY.to_json()) == STUDY
    assert Study.from_toml(STUDY.to_toml()) == STUDY
    assert "label" not in STUDY.to_toml()
    with pytest.raises(InputError, match=r"a number for the protocol 'hist-of-tree-density'\. Got none"):
        _ = STUDY.label_bounds


def test_a_protocol_and_a_label_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="'hist-of-tree-density' is about features alone"):
        protocol_of(msgspec.structs.replace(STUDY, label=Number(0, 1)))
    for protocol in ("semi-private", "hist-of-tree", "hist-of-tree-joint", "public-tree"):
        with pytest.raises(InputError, match=f"'{protocol}' needs a label. Got none"):
            protocol_of(msgspec.structs.replace(STUDY, protocol=protocol))


def test_a_device_without_a_label_refuses_to_be_asked_for_one():
    study = Study(name="s", epsilon=1.0, features=(Feature("a", Number(0, 1)),), protocol="hist-of-tree-density")
    device = Device(study, [0.5], None, ["a"], Ledger(1.0))
    with pytest.raises(WireError, match="out-of-domain"):
        device.answer(encode(Question(study.digest, 1, (ask_label("laplace", 0.0, 1.0, 1.0),))))
    assert not device.ledger.sent


def test_the_model_of_stored_reports_is_the_same_to_the_last_byte(tmp_path, capsysbinary):
    parts = written(DENSITY, tmp_path / "reports", people=50).parts
    (tmp_path / "study.toml").write_text(STUDY.to_toml())
    assert cli.main(["fit", *(part.path for part in parts), "--study", str(tmp_path / "study.toml")]) == 0
    assert capsysbinary.readouterr().out == simulated(DENSITY).model.to_json()


def test_predict_writes_the_log_density(tmp_path, capsys):
    model = simulated(DENSITY).model
    (tmp_path / "model.json").write_bytes(model.to_json())
    (tmp_path / "data.csv").write_text("a,b,c,d\n0.5,0.5,red,0\n,0.5,blue,\n2,0,red,0\n")
    assert cli.main(["predict", str(tmp_path / "model.json"), str(tmp_path / "data.csv")]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    expected = model.log_density(np.array([[0.5, 0.5, 0, 0], [np.nan, 0.5, 2, np.nan], [2, 0, 0, 0]]))
    assert [float(row["log_density"]) for row in rows] == expected.tolist()
    assert expected[2] == -np.inf


def test_made_up_people_have_no_label():
    people = list(made_up(STUDY, 3, 0.5, seed=1))
    assert [person.label for person in people] == [None] * 3
    assert people[0].device(STUDY).enrol()


def test_a_density_is_drafted_without_a_label(tmp_path):
    path = tmp_path / "study.toml"
    said = ["--name", "Ages", "--epsilon", "1", "--people", "500", "--protocol", "hist-of-tree-density"]
    assert cli.main(["study", "new", "-o", str(path), *said, "--feature", "age", "0", "100", "--private"]) == 0
    assert Study.read(path).label is None
    assert cli.main(["study", "check", str(path)]) == 0


def test_a_model_that_is_none_of_a_density_says_so():
    model = simulated(Case("hist-of-tree-joint", "split", "aligned")).model
    assert isinstance(model, Model)
    with pytest.raises(InputError, match="must be of a density"):
        model.log_density(np.zeros((1, 4)))


@pytest.mark.parametrize(("epsilon", "n", "mechanism"), [(4.0, 10**3, "grr"), (1.0, 10**7, "rr")])
def test_the_plan_takes_the_mechanism_with_less_noise_and_more_bins_with_more_people(epsilon, n, mechanism):
    def plan(people):
        mask = np.broadcast_to(np.array([True, False, False]), (people, 3))
        return plan_density(mask, (None, None, None), epsilon, Given())

    assert plan(n).mechanism == mechanism
    assert plan(n).histogram == (0,)
    assert plan(100 * n).shape.bins > plan(n).shape.bins


def test_who_hides_everything_gets_a_histogram_of_everything():
    plan = plan_density(np.ones((1000, 3), dtype=bool), (None, 4, None), 1.0, Given())
    assert (plan.histogram, plan.tree, plan.shape.depth) == ((0, 1, 2), (), 0)
    nobody = plan_density(np.zeros((1000, 3), dtype=bool), (None, 4, None), 1.0, Given())
    assert (nobody.histogram, nobody.tree) == ((), (0, 1, 2))
