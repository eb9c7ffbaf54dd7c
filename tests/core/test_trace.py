"""Traces: every number of every step against enumeration, in each convention and semiring."""

import json
import math
from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import crf
from crf.trace import trace
from tests.core.oracle import INF, Row, merge
from tests.core.strategies import Case, cases

CONVENTIONS = ("state", "message", "pair")
RUNS = [
    (algorithm, convention, semiring)
    for algorithm in ("forward", "backward", "viterbi")
    for convention in CONVENTIONS
    for semiring in (("max",) if algorithm == "viterbi" else ("sum", "max"))
]


def near(found: float | None, wanted: float) -> bool:
    return found == wanted or (found is not None and math.isclose(found, wanted, abs_tol=1e-10))


def best_prefix(row: Row, k: int, tag: int) -> tuple[int, ...]:
    """The best prefix that ends in `tag` at token k; of tied ones the lowest last tags."""
    heads = list(product(range(row.S), repeat=k))
    scores = dict(zip(heads, row.prefixes(k, tag), strict=True))
    top = max(scores.values())
    return (*min((h for h, score in scores.items() if score == top), key=lambda h: h[::-1]), tag)


def read(run, part) -> float:
    """The number that stands where a part says it was read."""
    table = run.table if part.role == "previous" else getattr(run, f"{part.role}s", None)
    if table is None:
        return getattr(run, part.role)[part.at[0]]
    return table[part.at[0]][part.at[1]]


@pytest.mark.parametrize(("algorithm", "convention", "semiring"), RUNS)
class TestEveryNumber:
    @given(case=cases(dtypes=(torch.float64,), max_paths=64), data=st.data())
    def test_of_any_chain(self, algorithm, convention, semiring, case: Case, data):
        b = data.draw(st.integers(0, case.shape[0] - 1), label="row")
        row: Row = case.rows[b]
        run = trace(case.chain(), b, algorithm=algorithm, convention=convention, semiring=semiring)
        columns = max(row.m - 1, 0) if convention == "message" else row.m
        assert run.positions == tuple(row.positions)
        assert (len(run.tokens), len(run.tags), run.feasible) == (row.m, row.S, row.feasible)
        assert run.num_columns == len(run.table) == columns
        assert near(run.log_total, merge(row.paths.values(), semiring))
        self.check_order(run, algorithm, row)
        for step in run.steps:
            if step.kind != "backtrace":
                self.check_arithmetic(run, step, semiring)
            if step.kind == "cell":
                scores = row.merged(algorithm, convention, step.column, step.row)
                assert near(step.log_value, merge(scores, semiring))
                assert step.log_value == run.table[step.column][step.row]
                merges = sum(score > -INF for score in scores) if step.log_value > -INF else 0
                assert step.prefixes == merges
            if step.kind == "total":
                assert step.log_value == run.log_total
                assert step.prefixes == len(row.ranked)
        if semiring == "max" and algorithm != "backward":
            self.check_best(run, row, algorithm, convention)
        else:
            assert run.best_path is None

    def check_order(self, run, algorithm: str, row: Row) -> None:
        order = range(run.num_columns)
        if algorithm == "backward":
            order = reversed(order)
        wanted = [("cell", column, tag) for column in order for tag in range(row.S)]
        found = [(step.kind, step.column, step.row) for step in run.steps]
        traced = row.m if algorithm == "viterbi" and row.feasible else 0
        assert found[: len(wanted)] == wanted
        assert [kind for kind, _, _ in found[len(wanted) :]] == ["total"] + ["backtrace"] * traced

    def check_arithmetic(self, run, step, semiring: str) -> None:
        values = [term.log_value for term in step.terms]
        for term in step.terms:
            assert near(term.log_value, math.fsum(part.value for part in term.parts))
        if run.transitions is not None:
            parts = [part for term in step.terms for part in term.parts] + list(step.added)
            assert all(part.value == read(run, part) for part in parts)
        assert near(step.log_sum, merge(values, semiring))
        assert step.maximum == max(values)
        assert near(step.log_value, step.log_sum + math.fsum(part.value for part in step.added))
        allowed = step.log_sum > -INF
        assert math.isclose(sum(term.share for term in step.terms), float(allowed))
        wins = [term.wins for term in step.terms]
        if semiring == "sum":
            assert step.backpointer is None
            assert not any(wins)
            if allowed:
                for term in step.terms:
                    assert near(term.share, math.exp(term.log_value - step.log_sum))
        else:
            assert wins == [allowed and k == values.index(max(values)) for k in range(len(values))]
            assert [term.share for term in step.terms] == [float(win) for win in wins]
        ties = [t.source for t in step.terms if math.isclose(t.log_value, max(values))]
        assert list(step.ties) == (ties if allowed else [])
        if step.log_value < 700:
            assert near(step.value, math.exp(step.log_value))
        elif step.log_value > 710:
            assert step.value is None

    def check_best(self, run, row: Row, algorithm: str, convention: str) -> None:
        assert run.best_path == (row.best if row.feasible else ())
        for step in run.steps:
            if step.kind != "cell" or step.log_value == -INF:
                continue
            token = step.column + (convention == "message")
            assert step.token == token
            if convention == "message":
                # the emission and the `end` of the token are not yet in
                prefix = step.best_prefix[:-1]
                assert step.best_prefix[-1] == step.row
                score = math.fsum([row.start[prefix[0]], *row.inner(prefix)])
                score += row.transition(token - 1, prefix[-1], step.row)
                assert near(score, step.log_value)
            else:
                assert step.best_prefix == best_prefix(row, token, step.row)
            assert step.backpointer == (step.best_prefix[-2] if token else None)
        back = [step for step in run.steps if step.kind == "backtrace"]
        for k, step in enumerate(back):
            token = row.m - 1 - k
            assert (step.token, step.row) == (token, row.best[token])
            assert step.best_prefix == row.best[token:]
            assert step.from_row == (row.best[token + 1] if k else None)


@pytest.mark.parametrize("backend", ["plain", "kernels"])
@settings(max_examples=10)
@given(case=cases(max_paths=32), convention=st.sampled_from(CONVENTIONS))
def test_values_are_the_chains_and_the_terms_give_them_again(backend, case: Case, convention):
    """In any precision and batch, of any backend; in state form to the last digit."""
    chain, b = case.chain(backend=backend), case.shape[0] - 1
    eps = 100 * torch.finfo(chain.dtype).eps
    at, best = case.rows[b].positions, chain.viterbi()
    for algorithm, semiring, core in (
        ("forward", "sum", chain.log_alphas),
        ("backward", "sum", chain.log_betas),
        ("viterbi", "max", best.log_deltas),
        ("backward", "max", None),
    ):
        run = trace(chain, b, algorithm=algorithm, convention=convention, semiring=semiring)
        if convention == "state" and core is not None:
            assert run.table == core[b, at].tolist()
        if algorithm == "viterbi":
            assert list(run.best_path) == [tag for tag in best.tags[b, at].tolist() if tag >= 0]
        for step in run.steps:
            if step.kind == "backtrace" or step.log_value == -INF:
                continue
            parts = [part.value for term in step.terms for part in (*term.parts, *step.added)]
            size = max([1.0, *(abs(value) for value in parts if value > -INF)])
            terms = [term.log_value for term in step.terms]
            found = merge(terms, semiring) + math.fsum(part.value for part in step.added)
            assert math.isclose(found, step.log_value, abs_tol=eps * size)


def small(**options):
    """Three tokens, two tags, a hole; transition 1→0 is forbidden."""
    chain = crf.LinearChain(
        torch.tensor([[[1.0, 2.0], [0.0, -1.0], [5.0, 5.0], [0.5, 0.0]]]).double(),
        torch.tensor([[0.0, 1.0], [-math.inf, 2.0]]).double(),
        torch.tensor([0.5, 0.0]).double(),
        torch.tensor([0.0, -2.0]).double(),
        torch.tensor([[True, True, False, True]]),
    )
    return trace(chain, **options)


def test_names_of_tags_and_tokens_and_the_parts_of_one_cell():
    run = small(tags=["H", "C"], tokens=["a", "b", "-", "c"])
    assert (run.tags, run.tokens, run.positions) == (("H", "C"), ("a", "b", "c"), (0, 1, 3))
    assert (small().tags, small().tokens) == (("0", "1"), ("1", "2", "3"))
    step = run.steps[3]  # the second token as C
    assert [(p.role, p.value, p.at) for p in (*step.terms[1].parts, *step.added)] == [
        ("previous", 2.0, (0, 1)),
        ("transition", 2.0, (1, 1)),
        ("emission", -1.0, (1, 1)),
    ]


class TestJson:
    @given(case=cases(dtypes=(torch.float64,), max_paths=32), run=st.sampled_from(RUNS))
    def test_it_survives_strict_json(self, case: Case, run):
        options = dict(zip(("algorithm", "convention", "semiring"), run, strict=True))
        data = trace(case.chain(), **options).to_dict()
        assert json.loads(json.dumps(data, allow_nan=False)) == data
        assert set(data) == set(crf.trace.Trace._fields)

    def test_what_json_and_javascript_cannot_hold(self):
        data = small().to_dict()
        assert data["transitions"][1] == ["-inf", 2.0]
        assert data["steps"][2]["terms"][1]["log_value"] == "-inf"
        chain = crf.LinearChain(torch.full((1, 2, 2), 500.0).double(), torch.zeros(2, 2).double())
        assert trace(chain).to_dict()["total"] is None
        run = trace(crf.LinearChain(torch.zeros(1, 60, 2), torch.zeros(2, 2)))
        assert run.to_dict()["steps"][-1]["prefixes"] == str(run.steps[-1].prefixes) == str(2**60)
        assert run.to_dict()["steps"][0]["prefixes"] == 1


@pytest.mark.parametrize(
    ("arguments", "kind", "fragments"),
    [
        ({"algorithm": "sideways"}, ValueError, ["algorithm", "viterbi", "sideways"]),
        ({"algorithm": "viterbi", "semiring": "sum"}, ValueError, ["semiring", "max", "sum"]),
        ({"tags": ["A"]}, ValueError, ["tags", "2", "1"]),
        ({"tokens": ["a", "b"]}, ValueError, ["tokens", "3", "2"]),
        ({"row": 1}, ValueError, ["row", "1"]),
        ({"row": 0.0}, TypeError, ["row", "float"]),
    ],
)
def test_refusals(arguments, kind, fragments):
    with pytest.raises(kind) as caught:
        small(**arguments)
    for fragment in (*fragments, "expected", "got"):
        assert fragment in str(caught.value)
    with pytest.raises(TypeError, match=r"chain.*LinearChain.*Tensor"):
        trace(torch.zeros(1, 2, 2))
