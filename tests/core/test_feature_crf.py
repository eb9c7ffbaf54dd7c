"""FeatureCRF: its objective by enumeration, its optimum, its files, what it takes and refuses."""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import random

import numpy as np
import pytest
import torch

from crf import FeatureCRF
from crf.sparse import attributes
from tests.core.checks import close

X = [
    [["a", "x"], {"b": 2.0}, ["a"]],
    [{"b": True, "c": "d"}],
    [["x"], ["b", "x"]],
    [],
    [["e"], ["a", "c:d"], ["x"], ["b"]],
]
Y = [["N", "V", "N"], ["V"], ["V", "N"], [], ["N", "N", "V", "V"]]


def objective(model: FeatureCRF, tables: list[torch.Tensor], X=X, Y=Y) -> torch.Tensor:
    """Σ −log p + c1 ‖w‖₁ + c2 ‖w‖², path by path."""
    w, v, transitions, start, end = tables
    tags = range(len(model.classes_))

    def score(items, path):
        total = start[path[0]] + end[path[-1]]
        for t, item in enumerate(items):
            named = [(name, value) for name, value in attributes(item)]
            total = total + sum(
                w[model.rows_[n], path[t]] * x for n, x in named if n in model.rows_
            )
            if t:
                total = total + transitions[path[t - 1], path[t]]
                known = [(n, x) for n, x in named if n in model.pair_rows_]
                total = total + sum(
                    v[model.pair_rows_[n], path[t - 1], path[t]] * x for n, x in known
                )
        return total

    loss = torch.zeros((), dtype=torch.float64)
    for items, gold in zip(X, Y, strict=True):
        if items:
            scores = [score(items, path) for path in itertools.product(tags, repeat=len(items))]
            found = [model.classes_.index(tag) for tag in gold]
            loss = loss + torch.logsumexp(torch.stack(scores), 0) - score(items, found)
    whole = torch.cat([table.flatten() for table in tables])
    return loss + model.c1 * whole.abs().sum() + model.c2 * whole.square().sum()


def learnt(model: FeatureCRF) -> list[torch.Tensor]:
    tables = [model.weights_, model.pair_weights_, *model.crf_.parameters()]
    return [table.detach().double().requires_grad_() for table in tables]


class TestLearning:
    @pytest.mark.parametrize("pairs", [(), ("x", "c:")], ids=["state", "pairs"])
    def test_lbfgs_finds_the_optimum_of_the_penalised_loss(self, pairs):
        model = FeatureCRF(algorithm="lbfgs", c2=0.3, transition_features=pairs, batch_size=2)
        model.fit(X, Y)
        tables = learnt(model)
        derivatives = torch.autograd.grad(objective(model, tables), tables, allow_unused=True)
        assert set(model.pair_rows_) == ({"x", "c:d"} if pairs else set())
        for derivative, table in zip(derivatives, tables, strict=True):
            if table.numel():
                close(derivative, torch.zeros_like(table), atol=2e-3)
        assert max(table.abs().max() for table in tables if table.numel()) > 0.1

    def test_adagrad_comes_near_it(self):
        best = FeatureCRF(algorithm="lbfgs", c2=0.5).fit(X, Y)
        near = FeatureCRF(c2=0.5, max_iterations=300, batch_size=2).fit(X, Y)
        for_best, for_near, for_none = (
            objective(model, learnt(model)).item()
            for model in (best, near, FeatureCRF(max_iterations=0, c2=0.5).fit(X, Y))
        )
        assert for_best <= for_near < for_best + 0.02 * (for_none - for_best)

    def test_l1_makes_weights_zero(self):
        shares = [
            (FeatureCRF(c1=c1, c2=0.0, max_iterations=40).fit(X, Y).weights_ == 0).double().mean()
            for c1 in (0.0, 0.3, 3.0)
        ]
        assert shares[0] < shares[1] < shares[2]
        assert FeatureCRF(c1=30.0).fit(X, Y).weights_.abs().max() == 0

    def test_rare_features_are_dropped(self):
        model = FeatureCRF(min_frequency=2, transition_features=("",)).fit(X, Y)
        assert set(model.rows_) == set(model.pair_rows_) == {"a", "x", "b", "c:d"}
        assert list(model.rows_.values()) == [0, 1, 2, 3]
        assert model.predict([[["e"]]]) == model.predict([[[]]])

    def test_partial_fit_takes_up_new_features(self):
        model = FeatureCRF(transition_features=("q",)).partial_fit(X, Y, classes=["N", "V", "Z"])
        before = model.weights_.clone()
        model.partial_fit([[["q"], ["a", "q"]]], [["Z", "Z"]])
        assert "q" in model.rows_
        assert model.pair_weights_[0, 2, 2] > 0
        unused = [row for name, row in model.rows_.items() if name in ("b", "x", "e", "c:d")]
        close(model.weights_[unused], before[unused])
        for _ in range(20):
            model.partial_fit([[["q"], ["a", "q"]]], [["Z", "Z"]])
        assert model.predict([[["q"], ["q"]]]) == [["Z", "Z"]]
        with pytest.raises(ValueError, match=r"got 'W'.*`classes`"):
            model.partial_fit([[["q"]]], [["W"]])


class TestUse:
    def test_predictions_are_those_of_enumeration(self):
        model = FeatureCRF(transition_features=("x",), batch_size=2, max_iterations=3).fit(X, Y)
        tables = learnt(model)
        paths = {}
        with torch.no_grad():
            for items in X:
                every = list(itertools.product(model.classes_, repeat=len(items)))
                losses = [objective(model, tables, [items], [path]) for path in every]
                paths[len(items), str(items)] = dict(zip(every, losses, strict=True))
        whole = model.predict_marginals(X)
        for items, found, marginals in zip(X, model.predict(X), whole, strict=True):
            losses = paths[len(items), str(items)]
            assert tuple(found) == min(losses, key=lambda path: losses[path])
            least = min(losses.values())
            p = {path: math.exp(least - loss) for path, loss in losses.items()}
            for t, at in enumerate(marginals):
                mine = sum(x for path, x in p.items() if path[t] == "N") / sum(p.values())
                assert at["N"] == pytest.approx(mine, abs=1e-5)
                assert set(at) == {"N", "V"}
        chain = model.chain(X)
        assert chain.mask.sum(1).tolist() == [3, 1, 2, 0, 4]
        assert chain.marginals[4, 1, 0].item() == pytest.approx(whole[4][1]["N"], abs=1e-6)
        assert model.predict([]) == []
        assert len(model.chain([])) == 0

    def test_items_are_crfsuites(self):
        item = {
            "s": "t", "n": 0.5, "yes": True, "no": np.False_, "i": 3,
            "list": ["u", "v"], "set": {"w"}, "inner": {"s": "t", "f": 2.0},
        }  # fmt: skip
        found = dict(attributes(item))
        assert found == {
            "s:t": 1.0, "n": 0.5, "yes": 1.0, "no": 0.0, "i": 3.0, "list:u": 1.0, "list:v": 1.0,
            "set:w": 1.0, "inner:s:t": 1.0, "inner:f": 2.0,
        }  # fmt: skip
        pycrfsuite = pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed")
        theirs = pycrfsuite.ItemSequence([item, ["a", "b"]]).items()
        assert theirs == [found, dict(attributes(["a", "b"]))]

    @pytest.mark.parametrize(
        ("X", "y", "fault", "says"),
        [
            ([["a"]], [["N"]], TypeError, "sequence 0, token 0: .* list of names"),
            ([[[1]]], [["N"]], TypeError, "strings"),
            ([[{"a": math.nan}]], [["N"]], ValueError, "sequence 0, token 0: .*finite.*'a'"),
            ([[["a"]]], [["N", "V"]], ValueError, "1 tags in sequence 0.*got 2"),
            ([[["a"]]], [], ValueError, "expected 1 sequences"),
            ([], [], ValueError, "at least one token"),
            ([[["a"]]], [[1]], TypeError, "tags that are strings, got 1"),
            ("text", [["N"]], TypeError, "for a single sequence"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, X, y, fault, says):
        with pytest.raises(fault, match=says):
            FeatureCRF().fit(X, y)

    def test_arguments_that_make_no_sense_are_refused(self):
        for params, says in (
            ({"algorithm": "sgd"}, "algorithm: expected 'adagrad' or 'lbfgs'"),
            ({"algorithm": "lbfgs", "c1": 1.0}, "choose 'adagrad' for L1"),
            ({"c2": -1.0}, "c2: expected a number of at least 0"),
            ({"batch_size": 0}, "batch_size"),
        ):
            with pytest.raises(ValueError, match=says):
                FeatureCRF(**params).fit(X, Y)
        with pytest.raises(TypeError, match=r"give \('w:',\)"):
            FeatureCRF(transition_features="w:").fit(X, Y)
        with pytest.raises(ValueError, match="call fit or load"):
            FeatureCRF().predict(X)

    def test_scikit_learn(self):
        model = FeatureCRF(c2=0.5).set_params(batch_size=2)
        assert repr(model) == "FeatureCRF(c2=0.5, batch_size=2)"
        with pytest.raises(ValueError, match="nonsense: expected one of algorithm"):
            model.set_params(nonsense=1)
        pytest.importorskip("sklearn", reason="scikit-learn is not installed")
        from sklearn.base import clone
        from sklearn.model_selection import GridSearchCV

        assert clone(model).get_params() == model.get_params()
        search = GridSearchCV(model, {"c2": [0.1, 10.0]}, cv=2).fit(X * 4, Y * 4)
        assert search.best_estimator_.predict(X) == search.predict(X)


class TestFiles:
    def test_a_model_comes_back_as_it_was(self, tmp_path):
        model = FeatureCRF(c1=0.2, transition_features=("x",)).fit(X, Y)
        model.save(tmp_path / "model")
        again = FeatureCRF.load(tmp_path / "model")
        assert again.predict_marginals(X) == model.predict_marginals(X)
        assert again.get_params() == {**model.get_params(), "transition_features": ["x"]}
        with pytest.raises(ValueError, match="training_state=True"):
            again.partial_fit(X, Y)

    def test_training_goes_on(self, tmp_path):
        model = FeatureCRF(transition_features=("x",)).fit(X, Y)
        model.save(tmp_path / "model", training_state=True)
        again = FeatureCRF.load(tmp_path / "model").partial_fit(X, Y)
        close(again.weights_, model.partial_fit(X, Y).weights_)

    def test_other_files_are_refused(self, tmp_path):
        from safetensors.torch import load_file, save_file

        path, say = tmp_path / "model", "expected a model that FeatureCRF.save wrote"
        FeatureCRF().fit(X, Y).save(path)
        whole, tensors = path.read_bytes(), load_file(path)
        source = random.Random(0)
        for _ in range(200):  # bytes of the header, flipped
            k = source.randrange(900)
            path.write_bytes(whole[:k] + bytes([source.randrange(256)]) + whole[k + 1 :])
            with contextlib.suppress(ValueError):  # whatever else it raises fails the test
                FeatureCRF.load(path).predict(X)
        for text in ("{}", "[]", '"x"', "{", json.dumps({"format": 3})):
            save_file(tensors, path, {"crf": text})
            with pytest.raises(ValueError, match=say):
                FeatureCRF.load(path)
        path.write_bytes(whole[:100])
        with pytest.raises(ValueError, match=say):
            FeatureCRF.load(path)
        with pytest.raises(FileNotFoundError):
            FeatureCRF.load(tmp_path / "none")
