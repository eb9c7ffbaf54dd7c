"""What a report says first: impossible results, underflow, names of arguments, blind problems."""

import math
import re
from pathlib import Path

import pytest

from crf import lab
from crf.lab import checking
from crf.lab.cells import AnswerCell, AnswerForm
from crf.lab.checking import hidden_mistakes
from crf.lab.homework import functions_of
from crf.lab.ladder import Rung, ladder
from crf.lab.report import CheckResult, as_json, as_text, link, place

RIGHT = Path(__file__).parent / "right"
NAMES = {
    "emissions": "x_",
    "tags": "y_",
    "transitions": "a_",
    "start": "b_",
    "end": "c_",
    "mask": "m_",
}


@pytest.fixture(autouse=True)
def no_long_rung(monkeypatch: pytest.MonkeyPatch):
    """Without the 2,000 tokens, which take most of the time."""
    short = [rung for rung in ladder() if len(rung.rows[0].mask) < 100]
    monkeypatch.setattr(checking, "ladder", lambda: short)


def functions(file: str, line: str = "", instead: str = "", **renamed: str) -> dict:
    """The functions of a right implementation, with a line and names exchanged."""
    source = (RIGHT / f"{file}.py").read_text(encoding="utf-8")
    assert line in source
    source = source.replace(line, instead)
    for name, other in renamed.items():
        source = re.sub(rf"\b{name}\b", other, source)
    names: dict = {"__name__": "homework"}
    exec(compile(source, "homework.py", "exec"), names)
    return functions_of(names)


def rung(name: str) -> Rung:
    return next(each for each in ladder() if each.name == name)


class TestNames:
    @pytest.mark.parametrize("file", ["plain_lists", "numpy_batched", "torch_batched"])
    def test_a_right_solution_with_other_names_passes(self, file):
        report = lab.check(*functions(file, **NAMES).values())
        assert report.passed, report
        assert len(report.checks) == len(lab.check(*functions(file).values()).checks)

    def test_a_wrong_one_is_told_in_which_order_they_came(self):
        wrong = functions("plain_lists", "return total + end[tags[-1]]", "return total", **NAMES)
        text = as_text(lab.check(wrong["score"]))
        order = "emissions, tags, transitions, start, end"
        assert f"other names, so they were given in this order: {order}" in text
        named = functions("plain_lists", "return total + end[tags[-1]]", "return total")
        assert "other names" not in as_text(lab.check(named["score"]))

    def test_names_in_another_order_are_given_by_name(self):
        def score(transitions, tags, end, start, emissions):
            return functions("plain_lists")["score"](emissions, tags, transitions, start, end)

        assert lab.check(score).passed

    def test_some_names_at_other_places_are_refused(self):
        def forward(transitions, x, start, end):
            return []

        message = lab.check(forward).first_faults()[0].message
        assert "expected the arguments emissions, transitions, start, end, got tran" in message
        assert "keep these names" in message


IMPOSSIBLE = [
    ("numpy_loops", "nll", "negative loss",
     "return float(log_z - score(", "return float(-log_z + score("),
    ("numpy_loops", "marginals", "marginals that do not sum to 1",
     "return np.exp(alpha + beta - log_z)", "return np.exp(alpha + beta)"),
    ("plain_lists", "forward", "log Z below the best score",
     "log_sum_exp(arriving) + emissions[t][s]", "log_sum_exp(arriving) - abs(emissions[t][s])"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "function", "name", "line", "instead"), IMPOSSIBLE)
def test_what_is_impossible_comes_first_with_its_causes(file, function, name, line, instead):
    report = lab.check(functions(file, line, instead)[function])
    fault = report.first_faults()[0]
    assert fault.impossible == name
    told = as_text(report).split("\n")
    assert told[2].strip().startswith(f"impossible: {name}. ")
    assert told[2].count(";") == 2, "two or three usual causes"
    assert "usual causes" in told[2]
    assert f'"impossible": "{name}"' in as_json(report)


@pytest.mark.parametrize("function", ["nll", "marginals", "forward"])
def test_what_is_possible_is_not_called_impossible(function):
    wrong = functions("plain_lists", "transitions[p][s]", "transitions[s][p]")
    checks = lab.check(wrong[function]).of(function)
    assert any(not check.passed for check in checks)
    assert {check.impossible for check in checks if check.passed} == {""}
    right = lab.check(functions("plain_lists")[function])
    assert {check.impossible for check in right.checks} == {""}


@pytest.mark.parametrize("form", ["state", "message"])
def test_a_single_token_is_tried_where_it_has_an_answer(form):
    report = lab.check(*functions("plain_lists").values(), form=form)
    tried = {check.function for check in report.checks if check.check == "one token"}
    tables = {"forward", "backward"} if form == "state" else set()
    assert tried == {"score", "nll", "viterbi", "marginals"} | tables


def test_log_z_is_compared_with_the_best_score():
    small = rung("random scores")
    right = checking.right_cells("log_partition", small, AnswerForm())
    [(cell, total)] = right
    verdicts = [
        checking.check_numbers("log_partition", small, [(cell, total - by)], AnswerForm())
        for by in (0.0, 0.1, 30.0)
    ]
    assert [check.impossible for check in verdicts] == ["", "", "log Z below the best score"]


def products(emissions, transitions, start, end):
    """α as products, and its logs at the end: `math.log` fails where a product is 0."""
    tags = range(len(start))
    table = [[math.exp(start[s] + emissions[0][s]) for s in tags]]
    for row in emissions[1:]:
        met = [sum(table[-1][i] * math.exp(transitions[i][s]) for i in tags) for s in tags]
        table.append([met[s] * math.exp(row[s]) for s in tags])
    return [[math.log(x) for x in row] for row in table]


@pytest.mark.parametrize(
    ("problem", "name"), [("low scores", "underflow"), ("a tag out of reach (−∞)", "log of 0")]
)
def test_a_log_of_0_is_underflow_where_paths_are_allowed(problem, name, monkeypatch):
    monkeypatch.setattr(checking, "ladder", lambda: [rung(problem)])
    products.__name__ = "forward"
    fault = lab.check(products).first_faults()[0]
    assert "ValueError" in fault.message
    assert fault.mistakes == (name,)


def test_tokens_are_counted_as_in_the_app():
    wrong = functions(
        "plain_lists", "log_sum_exp(arriving) + emissions", "max(arriving) + emissions"
    )
    report = lab.check(wrong["forward"])
    fault = report.first_faults()[0]
    assert fault.cell
    assert (fault.cell.token, fault.cell.tag) == (1, 0)
    assert "token 2 (index 1), tag 0: expected" in as_text(report)
    assert "&w=w1~w2&" in link(fault, report.rungs[fault.check].rows[0])
    assert "form=" not in link(fault, report.rungs[fault.check].rows[0], form=AnswerForm())
    other = AnswerForm("probability", "message")
    in_form = link(fault, report.rungs[fault.check].rows[0], form=other)
    assert in_form.endswith("&form=message&scale=potential")
    figure = report.figure()
    assert figure
    assert figure.payload["trace"]["tokens"][1]["text"] == "token 2"


def test_sentences_are_counted_from_1_too():
    check = CheckResult("forward", "padding", False, AnswerCell(1, 2, 0))
    assert place(check) == "sentence 2 (index 1), token 3 (index 2), tag 0"


class TestBlindProblems:
    def test_without_start_and_end_scores_their_mistakes_are_hidden(self):
        ends = {"end left out", "end added twice"}
        starts = {"start left out", "start added twice"}
        for function in ("nll", "log_partition", "score"):
            hidden = hidden_mistakes(function, rung("random scores"), AnswerForm())
            assert ends | starts <= set(hidden)
            shown = hidden_mistakes(function, rung("start and end scores"), AnswerForm())
            assert not (ends | starts) & set(shown)

    def test_a_mistake_that_no_problem_shows_in_an_answer_is_not_listed(self):
        hidden = hidden_mistakes("forward", rung("random scores"), AnswerForm())
        assert "start left out" in hidden
        assert not {"end left out", "no traceback", "negative loss"} & set(hidden)

    def test_ties_show_the_last_of_several_best(self):
        name = "last of several best"
        assert name in hidden_mistakes("viterbi", rung("random scores"), AnswerForm())
        assert name not in hidden_mistakes("viterbi", rung("ties"), AnswerForm())

    def test_the_report_says_so_of_the_problem_of_the_fault(self):
        wrong = functions("plain_lists", "transitions[p][s]", "transitions[s][p]")
        told = as_text(lab.check(wrong["forward"]))
        assert "start and end are 0 in this problem, so it cannot show a mistake in them" in told
        wrong = functions("plain_lists", "return total + end[tags[-1]]", "return total")
        assert "cannot show a mistake" not in as_text(lab.check(wrong["score"]))
