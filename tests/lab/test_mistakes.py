"""Wrong implementations, as students write them: each is named, at its first wrong cell.

`wrong.toml` changes lines of the right implementations in `right/`, which share no code with the
catalogue.
"""

import math
import tomllib
from pathlib import Path

import pytest

from crf import lab
from crf.figures.texts import translations
from crf.lab import checking, mistakes
from crf.lab.homework import functions_of
from crf.lab.ladder import DIFFERENCES, ladder
from crf.lab.reference import Scores
from crf.lab.report import as_text

RIGHT = Path(__file__).parent / "right"
WORDS = Path(mistakes.__file__).with_name("words.md")

WRONG = tomllib.loads((RIGHT.parent / "wrong.toml").read_text(encoding="utf-8"))["wrong"]


def namespace(source: str) -> dict:
    names: dict = {"__name__": "homework"}
    exec(compile(source, "homework.py", "exec"), names)
    return names


@pytest.fixture
def no_long_rung(monkeypatch: pytest.MonkeyPatch):
    """Without the 2,000 tokens, which take most of the time and show one mistake only."""
    short = [rung for rung in ladder() if len(rung.rows[0].mask) < 100]
    monkeypatch.setattr(checking, "ladder", lambda: short)


@pytest.fixture
def shorter_rung(monkeypatch: pytest.MonkeyPatch):
    """With 500 of the 2,000 tokens: exp overflows there, too."""

    def shorter(rung):
        row = rung.rows[0]
        short = row._replace(**{n: getattr(row, n)[:500] for n in ("emissions", "tags", "mask")})
        return rung._replace(rows=[short]) if len(row.mask) > 500 else rung

    rungs = [shorter(rung) for rung in ladder()]
    monkeypatch.setattr(checking, "ladder", lambda: rungs)


def name_of(row: dict) -> str:
    return f"{row['file']}-{row['function']}-{row.get('mistake')}"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numpy warns of what the mistakes lead to
@pytest.mark.parametrize("row", WRONG, ids=name_of)
def test_a_mistake_is_named_at_its_first_wrong_cell(row, request):
    if row.get("mistake") != "exp overflow":
        request.getfixturevalue("no_long_rung")
    right = (RIGHT / f"{row['file']}.py").read_text(encoding="utf-8")
    assert row["line"] in right
    functions = functions_of(namespace(right.replace(row["line"], row["instead"])))
    fault = lab.check(functions[row["function"]]).first_faults()[0]
    name = row.get("mistake")  # none: no single one of the known mistakes
    if name is None:
        assert fault.mistakes == ()
    else:
        assert name in fault.mistakes
        assert len(fault.mistakes) <= 3, "what is said of everything helps nobody"
    if fault.cell is not None:
        assert fault.expected is not None
        assert fault.got is not None
        assert not math.isclose(fault.expected, fault.got, rel_tol=1e-6)


@pytest.mark.parametrize("path", sorted(RIGHT.glob("*.py")), ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_right_implementation_passes_in_its_own_style(path):
    names = namespace(path.read_text(encoding="utf-8"))
    options = names.get("CHECK_WITH", {})
    report = lab.check(*functions_of(names).values(), **options)
    assert report.passed, report
    assert not report.missing


def mutated(changed, name):
    """A function of the reference with one of its parts changed, as a homework has it."""

    def tagged(emissions, tags, transitions, start, end):
        mask = [True] * len(emissions)
        return changed(Scores(emissions, transitions, start, end, tags, mask)).answer(name)

    def untagged(emissions, transitions, start, end):
        return tagged(emissions, [0] * len(emissions), transitions, start, end)

    function = tagged if name in ("score", "nll", "gradients") else untagged
    function.__name__ = name
    return function


NEW = {
    "backpointers followed in the wrong order": ("viterbi",),
    "backpointers of the transposed table": ("viterbi",),
    "softmax before the CRF": ("score", "forward", "nll", "viterbi", "backward", "marginals"),
    "log-softmax before the CRF": ("score", "forward", "backward"),
    "underflow": ("forward", "backward"),
    "exp overflow": ("forward", "backward"),
}


@pytest.mark.usefixtures("shorter_rung")
@pytest.mark.parametrize(
    ("name", "changed", "function"),
    [
        pytest.param(name, changed, function, id=f"{name}-{k}-{function}")
        for k, (name, changed) in enumerate(mistakes.CATALOGUE)
        for function in NEW.get(name, ())
    ],
)
def test_the_reference_with_one_change_gets_exactly_this_name(name, changed, function):
    report = lab.check(mutated(changed, function))
    assert report.first_faults()[0].mistakes == (name,)


def test_each_mistake_has_its_sentence_and_the_other_way_round():
    named = {name for name, _ in mistakes.CATALOGUE} | {"log of 0", "gradient of another loss"}
    named |= {"log Z below the best score", "negative loss", "marginals that do not sum to 1"}
    assert named == set(mistakes.explanations())
    assert len(named) >= 20
    assert all(mistakes.explanations().values())


@pytest.mark.parametrize("language", sorted(translations(WORDS)))
def test_each_mistake_is_explained_in_each_language(language):
    told = mistakes.texts(language)
    assert list(told) == list(mistakes.texts("en"))
    assert all(sentence for _, sentence in told.values())


@pytest.mark.usefixtures("no_long_rung")
@pytest.mark.parametrize(
    ("line", "instead", "failing"),
    [
        ("", "", []),
        ("return total + end[tags[-1]]", "return total", ["score", "nll", "gradients"]),
        ("d_end[tags[-1]] -= 1", "pass", ["gradients"]),
    ],
)
def test_gradients_are_compared_with_differences_of_the_homeworks_own_loss(line, instead, failing):
    right = (RIGHT / "plain_lists.py").read_text(encoding="utf-8")
    assert line in right
    functions = functions_of(namespace(right.replace(line, instead)))
    report = lab.check(*functions.values())
    found = [check for check in report.checks if check.check == DIFFERENCES.name]
    assert [fault.function for fault in report.first_faults()] == failing
    assert [check.passed for check in found] == ["gradients" not in failing]


PLAIN = (RIGHT / "plain_lists.py").read_text(encoding="utf-8")
ECHOES = {  # function with a fault → (line, what stands there instead, what follows from it)
    "forward": (
        "alpha[t - 1][p] + transitions[p][s]",
        "math.nan",
        {"nll", "marginals", "gradients"},
    ),
    "backward": (
        "[transitions[s][q] + emissions[t + 1][q] + beta[t + 1][q]",
        "[transitions[q][s] + emissions[t + 1][q] + beta[t + 1][q]",
        {"marginals", "gradients"},
    ),
}


@pytest.mark.usefixtures("no_long_rung")
@pytest.mark.parametrize("name", ECHOES)
def test_a_fault_that_follows_from_another_function_is_not_given_causes_of_its_own(name):
    line, instead, follow = ECHOES[name]
    assert line in PLAIN
    names = namespace(PLAIN.replace(line, instead))
    faults = {f.function: f for f in lab.check(*functions_of(names).values()).first_faults()}
    assert follow <= faults.keys()
    for function in follow:
        assert faults[function].mistakes == ()
        assert f"follows from {name}; fix that first" in faults[function].notes
    assert not any("fix that first" in note for note in faults[name].notes)


@pytest.mark.usefixtures("no_long_rung")
def test_a_fault_of_its_own_keeps_its_name_beside_another():
    own = "transitions[i][j] + b[t][j] - z"
    source = PLAIN.replace("transitions[i][j] + emissions[t][j] + b[t][j] - z", own)
    source = source.replace("alpha = [[start[s] + emissions[0][s]", "alpha = [[emissions[0][s]")
    faults = {
        f.function: f for f in lab.check(*functions_of(namespace(source)).values()).first_faults()
    }
    assert "start left out" in faults["forward"].mistakes
    assert "follows from forward; fix that first" not in faults["gradients"].notes


def test_a_gradient_has_a_page_of_the_app_it_runs_at():
    wrong = PLAIN.replace("d_transitions[i][j] += math.exp(pair)", "pass")
    report = lab.check(functions_of(namespace(wrong))["gradients"])
    text = as_text(report, "http://127.0.0.1:9000")
    assert "in the app: http://127.0.0.1:9000/learning?beat=counts&t=" in text
