"""The command line: foreign files in a process of their own, JSON, points, starters, links."""

import json
import math
import re
import runpy
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest

from crf import lab
from crf.__main__ import main
from crf.lab import report as reports
from crf.lab import test_homework
from crf.lab.command import check_file, earned, read_points
from crf.lab.homework import FUNCTIONS
from crf.lab.ladder import ladder
from crf.lab.process import HomeworkError
from crf.lab.starter import FLAVOURS, starter
from pages.shared.course.problem_links import from_query

RIGHT = Path(__file__).parent / "right"

BROKEN = """
import math
print("hello from the homework")

def score(emissions, tags, transitions, start, end):
    return emissions[0][99]

def forward(emissions, transitions, start, end):
    while True:
        pass

def viterbi(emissions, transitions, start, end):
    return [0]

def backward(emissions, transitions, start, end):
    emissions.append([])

def marginals(emissions, transitions, start, end):
    emissions[0][0] = 0.5
    return emissions

def nll(emissions, tags, transitions, start, end):
    return "much"

def gradients(emissions, tags, transitions, start, end):
    raise SystemExit
"""


SAID = {
    "score": ("IndexError", "emissions[0][99]"),
    "forward": ("no answer within 1 s",),
    "viterbi": ("expected shape [2], got shape [1].",),
    "backward": ("does the function return its answer?",),
    "marginals": ("changes what it is given: emissions",),
    "nll": ("expected numbers", "str"),
    "gradients": ("SystemExit",),
}


def run(*arguments: object) -> int:
    """The exit code of `crf lab` with these arguments."""
    return main(["lab", *map(str, arguments)])


@pytest.fixture
def homework(tmp_path):
    """Write a file: the right implementation, with something else instead of a line."""
    right = (RIGHT / "plain_lists.py").read_text(encoding="utf-8")

    def write(line: str = "", instead: str = "", *, more: str = "") -> Path:
        assert line in right
        file = tmp_path / "homework.py"
        file.write_text(right.replace(line, instead) + more, encoding="utf-8")
        return file

    return write


def test_what_breaks_is_told_in_a_sentence_and_stops_nothing_else(tmp_path):
    file = tmp_path / "broken.py"
    file.write_text(BROKEN, encoding="utf-8")
    report, printed = check_file(file, time_limit=1.0)
    said = {fault.function: fault.message for fault in report.first_faults()}
    assert set(said) == set(FUNCTIONS)
    assert all(part in said[name] for name, parts in SAID.items() for part in parts), said
    assert printed.startswith("hello from the homework")


def test_a_file_that_cannot_run_is_refused(tmp_path):
    file = tmp_path / "homework.py"
    for part, text in (
        ("no such file", None),
        ("SyntaxError", "def (:"),
        ("no_such_thing", "import no_such_thing"),
        ("SystemExit", "exit()"),
    ):
        if text:
            file.write_text(text)
        with pytest.raises(HomeworkError, match=part):
            check_file(file)


def test_a_process_that_dies_fails_its_function_alone(homework):
    file = homework(more="\n\ndef forward(*a, **k):\n    import os\n    os._exit(3)\n")
    report, _ = check_file(file, only=("score", "forward", "viterbi"))
    assert [fault.function for fault in report.first_faults()] == ["forward"]
    assert "ended without an answer" in report.first_faults()[0].message


def test_json_has_the_fields_that_others_read(homework, capsys):
    file = homework("beta[m - 1] = list(end)", "beta[m - 1] = [0.0] * n")
    assert run("check", file, "--only", "backward,score", "--json") == 1
    checks = json.loads(capsys.readouterr().out)["checks"]
    wrong = [check for check in checks if not check["passed"]]
    assert {check["function"] for check in wrong} == {"backward"}
    first = {
        "check": "start and end scores",
        "cell": {"row": 0, "token": 8, "tag": 0},
        "got": 0.0,
        "expected": ladder()[2].rows[0].end[0],
        "mistakes": ["end left out"],
    }
    assert wrong[0] == wrong[0] | first
    assert run("check", homework(), "--only", "backward,score", "--json") == 0


def test_a_folder_gives_a_table_with_points(tmp_path, capsys):
    (tmp_path / "good.py").write_bytes((RIGHT / "potentials.py").read_bytes())
    (tmp_path / "bad.py").write_text("def forward(:")
    points = tmp_path / "points.csv"
    points.write_text("function,check,points\nforward,,3\nforward,random scores,1\nnll,,5\n")
    table = ("--points", points, "--csv", tmp_path / "out.csv")
    assert run("check", tmp_path, "--space", "probability", *table) == 1
    assert "points: 4 of 9" in capsys.readouterr().out
    rows = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0].startswith("file,points,passed,score,forward")
    assert rows[1].startswith("bad.py,0.0,False")
    assert "SyntaxError" in rows[1]
    assert rows[2].startswith("good.py,4.0,True")


def test_a_folder_gives_a_line_of_json_for_each_file(tmp_path, capsys):
    (tmp_path / "bad.py").write_text("raise ValueError('\\x9b31m\\udc80')")
    (tmp_path / "good.py").write_bytes((RIGHT / "plain_lists.py").read_bytes())
    assert run("check", tmp_path, "--only", "score", "--json") == 1
    bad, good = map(json.loads, capsys.readouterr().out.splitlines())
    assert (bad["file"], bad["checks"]) == ("bad.py", [])
    assert r"ValueError: \x9b31m\udc80" in bad["error"]
    assert good["file"] == "good.py"
    assert all(check["passed"] for check in good["checks"])


def test_a_table_that_cannot_be_written_is_refused_before_anything_is_checked(tmp_path, capsys):
    (tmp_path / "good.py").write_bytes((RIGHT / "plain_lists.py").read_bytes())
    assert run("check", tmp_path, "--csv", tmp_path / "nowhere" / "out.csv") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "out.csv" in captured.err


def test_the_end_of_what_is_printed_is_shown_without_control_characters(homework, capsys):
    file = homework(more="\n\nprint('x' * 3000 + '\\x1b[2J\\a the end')\n")
    assert run("check", file, "--only", "score") == 0
    said = capsys.readouterr().err
    assert said.startswith("homework.py printed (the end of it):\nxxx")
    assert said.endswith("x\\x1b[2J\\x07 the end\n\n")
    assert len(said) < 2100


def test_pytest_says_in_a_sentence_why_a_file_cannot_run(tmp_path):
    file = tmp_path / "homework.py"
    file.write_text("def (:")
    metafunc = SimpleNamespace(config=SimpleNamespace(getoption=lambda *names, **how: file))
    with pytest.raises(pytest.UsageError, match=r"homework\.py: SyntaxError"):
        test_homework.pytest_generate_tests(metafunc)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("function,check\nforward,", "columns function, check and points"),
        ("function,check,points\nfoward,,1", "line 2: expected a function"),
        ("function,check,points\nforward,,much", "line 2: expected a number"),
    ],
)
def test_points_that_cannot_be_read_are_refused(tmp_path, text, part):
    file = tmp_path / "points.csv"
    file.write_text(text)
    with pytest.raises(ValueError, match=part):
        read_points(file)
    assert earned(check_file(RIGHT / "messages.py", only=("score",))[0], []) == 0


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize("batched", [False, True])
def test_a_starter_runs_and_has_nothing_yet(tmp_path, flavour, batched):
    file = tmp_path / "homework.py"
    file.write_text(starter(flavour, batched=batched), encoding="utf-8")
    if flavour == "torch":  # its process would import torch for nothing
        compile(file.read_text(encoding="utf-8"), "homework.py", "exec")
        return
    report, _ = check_file(file)
    assert set(report.missing) == set(FUNCTIONS)
    assert (report.checks, report.passed) == ([], False)


def test_new_writes_a_file_once(tmp_path, capsys):
    file = tmp_path / "homework.py"
    assert run("new", file, "--only", "forward") == 0
    text = file.read_text(encoding="utf-8")
    assert re.findall(r"def (\w+)", text) == ["forward"]
    assert run("new", file) == 2
    assert "exists already" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == text


def test_a_link_leads_to_this_very_problem(homework):
    file = homework("log_sum_exp(arriving) + emissions[t][s]", "log_sum_exp(arriving)")
    report, _ = check_file(file, only=("forward",))
    fault = next(check for check in report.checks if check.check == "random scores")
    scores = report.rungs[fault.check].rows[0]
    query = {k: v[0] for k, v in parse_qs(urlsplit(reports.link(fault, scores)).query).items()}
    problem = from_query(query)
    assert [list(row) for row in problem.emissions] == scores.emissions
    assert [list(row) for row in problem.transitions] == scores.transitions
    step = problem.trace("forward").steps[int(query["step"])]
    assert (step.column, step.row) == (fault.cell.token, fault.cell.tag)
    assert math.isclose(fault.expected or 0, step.log_value)


PICTURES = {
    "forward": ("alpha.append(row)", "alpha.append([max(row)] * n)", [1, 1]),
    "backward": ("beta[m - 1] = list(end)", "beta[m - 1] = [5.0] * n", [1, 0]),
    "viterbi": ("return path[::-1]", "return path", [1, 1]),
}


@pytest.mark.parametrize("function", PICTURES)
@pytest.mark.parametrize("check", ["two tags, two tokens", "start and end scores"])
def test_a_notebook_draws_the_trellis_with_both_numbers_and_the_first_wrong_cell_framed(
    function, check, homework
):
    line, instead, first = PICTURES[function]
    names = runpy.run_path(str(homework(line, instead)))
    report = lab.check(names[function])
    fault = next(each for each in report.checks if each.check == check)
    figure = reports.figure_of(report, fault)
    assert figure is not None
    drawn = figure.payload
    given = drawn["beside"]["given"]  # "" where it is right
    [mode] = drawn["trace"]["modes"]
    t, s = mode["steps"][drawn["beside"]["step"]]["cell"]
    if check == "two tags, two tokens":
        assert [t, s] == first
        assert (report.figure() or figure).payload["beside"] == drawn["beside"]
        assert re.match("<pre>.*<iframe", report._repr_html_(), re.DOTALL)
    assert given[f"{t},{s}"] not in ("", reports.number(mode["values"][t][s]))


def test_no_trellis_shows_a_loss_or_marginals():
    def nll(emissions, tags, transitions, start, end):
        return 0.0

    def marginals(emissions, transitions, start, end):
        return [[0.25] * len(row) for row in emissions]

    report = lab.check(nll, marginals)
    assert len(report.first_faults()) == 2
    assert report.figure() is None
    assert "<iframe" not in report._repr_html_()
