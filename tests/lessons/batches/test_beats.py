"""The beats on batches as rows of one table: state → what is said and drawn, without a browser."""

import json
import math

import pytest
import torch

from pages.batches import beats, throughput
from pages.batches.batch import Batch
from pages.batches.faults import FAULTS
from pages.shared.ui.stage.view import state_of, view
from tests.apps import benched, messages, press

BEATS = {beat.name: beat for beat in beats.BEATS}
LINES = {name: f"line_{name}.{fault.line}" for name, fault in FAULTS.items()}
STEPS = {name: str(k) for k, name in enumerate(FAULTS)}
EMPTY = "rows_the boat\n*3"  # "*3" is "_"
THREE = "rows_The old man the boat\nman the boat\nold man the boat"


def plain(segments):
    return "".join(s if isinstance(s, str) else s["text"] for s in segments or [])


def shown(name, query):
    state, fault = state_of(query, "batches")
    return view(BEATS[name], "batches", state, fault, beats.BEATS)


def told(name, query):
    now = shown(name, query)["picture"]["now"]
    bet = now["bet"] or {}
    parts = (now["say"], now["equation"], bet.get("question"), bet.get("answer"))
    return " | ".join(map(plain, parts))


ROWS = [
    ("loop", {}, "What should the loop do with the row there?"),
    ("loop", {"bet": "-"}, "the boat the old man has ended, so it keeps its old column"),
    ("loop", {"bet": "discard"}, "Right. torch.where keeps the old column"),
    ("loop", {"bet": "add"}, "Not quite. Compute the step for every row"),
    ("loop", {"bet": "-", "step": "1"}, "Each row has a word here"),
    ("loop", {"bet": "-", "step": "8"}, "log Z of every row at once"),
    ("loop", {"bet": "-", "step": "12"}, "log Z of every row at once"),
    ("loop", {"bet": "-", "step": "1", "with": "rows_the *3 boat\nold man"}, "has no word here"),
    ("loop", {"bet": "-", "step": "0", "with": "rows_*3 boat\nold man"}, "boat has not begun"),
    ("loop", {"bet": "-", "step": "1", "with": EMPTY}, "One row has no word at all"),
    ("loop", {"with": "rows_the boat\nold man", "step": "1"}, "Each row has a word here"),
    ("loop", {"ex": "no-path", "bet": "-", "step": "12"}, "A log Z of −∞"),
    ("best", {}, "the boat the old man starts here, with its own last tag, NOUN. The rows that"),
    (
        "best",
        {"step": "1", "with": THREE},
        "old man the boat starts here, with its own last tag, NOUN.",
    ),
    ("best", {"step": "1", "with": THREE}, "man the boat has not started yet"),
    ("best", {"step": "2"}, "the boat the old man has not started yet"),
    ("best", {"step": "4"}, "Each row goes to the tag that its backpointer names."),
    ("best", {"step": "7"}, "All best paths are complete"),
    ("best", {"with": "rows_the boat\nold man", "step": "0"}, "More than one row starts here"),
    ("best", {"with": "rows_the boat\nold man\nman", "step": "0"}, "Some rows start here"),
    ("best", {"ex": "all-forbidden"}, "No row has an allowed path"),
    ("same", {}, "stays as it was, to 9 decimals. The padding is never chosen"),
    ("same", {"with": "changes_left"}, "says where the words are"),
    ("same", {"with": "changes_none"}, "Press a button"),
    ("shapes", {}, "Over which axis does the sum run?"),
    ("shapes", {"bet": "-"}, "tensors give 32 sums. For example, from NOUN to VERB at man:"),
    ("shapes", {"bet": "-"}, "7.50 +1 +0.5 = 9.00"),
    ("shapes", {"bet": "to"}, "nothing crashes, but the numbers are wrong"),
    ("shapes", {"bet": "-", "with": "cell_1.0.2"}, "from DET to NOUN at the"),
    ("shapes", {"bet": "-", "with": "cell_9.0.2"}, "from NOUN to VERB at man"),
    ("shapes", {"bet": "-", "with": "rows_boat"}, "three small tensors"),  # no step: the usual
    ("score", {}, "its own rule for where it counts"),
    ("bug", {}, "This code should give each row’s log Z, and one line is wrong. Click it."),
    ("bug", {}, "So that the mistake shows, VERB is forbidden as the first tag."),
    ("bug", {"with": "line_multiplied.0"}, "Not line 1. The code works as long as every number"),
    ("bug", {"with": "line_multiplied.1"}, "Not line 2. This line only turns the mask"),
    (
        "bug",
        {"with": LINES["multiplied"]},
        "Line 8 it is. VERB is forbidden as the first tag. What",
    ),
    ("bug", {"with": LINES["multiplied"], "bet": "nan"}, "Right. 0 · (−∞) is nan"),
    ("bug", {"with": LINES["multiplied"], "bet": "luck"}, "Not quite. 0 · (−∞) is nan"),
    ("bug", {"with": LINES["sorted"]}, "one line is wrong"),  # a line of another code
    *[("bug", {"step": STEPS[name], "with": LINES[name]}, "What comes out") for name in FAULTS],
]


@pytest.mark.parametrize(("name", "query", "said"), ROWS)
def test_what_is_said(name, query, said):
    assert said in told(name, query)
    now = shown(name, query)["picture"]["now"]
    asks = now["bet"] and query.get("bet") != "-"
    text = now["bet"]["answer"] or now["bet"]["question"] if asks else now["say"] + now["equation"]
    assert len(plain(text).split()) <= 45


def test_the_numbers_are_the_core_s():
    whole = shown("loop", {"bet": "-"})["picture"]
    batch = Batch.of(
        state_of({}, "batches")[0].problem,
        "The old man the boat the old man\nthe boat the old man",
    )
    assert whole["rows"][1]["words"] == ["the", "boat", "the", "old", "man", "", "", ""]
    assert whole["totals"] == pytest.approx(batch.chain().log_partition.tolist())
    assert whole["values"][0][3][0] == pytest.approx(15.93, abs=0.005)
    assert whole["values"][1][5] == whole["values"][1][4]  # it has ended
    kept, mixed = whole["now"]["bands"][1], whole["now"]["bands"][0]
    assert (kept["kind"], kept["shares"], mixed["kind"]) == ("keep", None, "mix")
    for column in zip(*mixed["shares"], strict=True):
        assert sum(column) == pytest.approx(1, abs=1e-3)
    best = shown("best", {})["picture"]
    assert best["totals"] == batch.chain().viterbi().scores.tolist()
    best = shown("best", {"with": THREE})["picture"]
    tags = [[best["tags"][s] for s in row if s >= 0] for row in best["path"]]
    assert tags == [
        "DET NOUN VERB DET NOUN".split(),
        "VERB DET NOUN".split(),
        "NOUN VERB DET NOUN".split(),
    ]
    assert best["totals"] == [19.0, 9.5, 12.5]
    scores = shown("score", {"with": THREE})["picture"]["so_far"]
    assert [row[-1] for row in scores] == [19.0, 9.5, 12.5]


def test_no_answer_is_sent_before_its_question_is_answered():
    loop = shown("loop", {})["picture"]
    assert loop["totals"] == []
    assert loop["values"][1][5] is None
    assert shown("shapes", {})["picture"]["now"]["slabs"]["reduced"] is None
    for query in ({}, {"with": LINES["multiplied"]}):
        bug = shown("bug", query)["picture"]["now"]["bug"]
        assert "nan" not in json.dumps(bug["results"]) + json.dumps(bug["cells"])
    assert shown("bug", {})["picture"]["now"]["bug"]["mended"] == ""
    for name, step in STEPS.items():  # a premise only where the lesson forbids something
        bug = shown("bug", {"step": step})["picture"]["now"]["bug"]
        assert bug["premise"] == ("START → VERB  −∞" if FAULTS[name].forbids else "")
    bug = shown("bug", {"with": LINES["multiplied"], "bet": "-"})["picture"]["now"]["bug"]
    assert [column.count("nan") for column in bug["cells"]["got"]] == [0, 1, 4, 4, 4]
    assert bug["cells"]["right"][0][3] == "-inf"
    assert bug["results"][1]["got"] == "nan"


@pytest.mark.parametrize("example", ["flight", "pair-potentials", "one-token", "all-forbidden"])
def test_many_tags_are_folded_and_nothing_is_lost(example):
    whole = shown("loop", {"ex": example, "bet": "-"})["picture"]
    rows, tags = len(whole["rows"]), whole["tags"]
    assert rows * len(tags) <= 16
    problem = state_of({"ex": example})[0].problem
    assert ("" in tags) == (rows * len(problem.tags) > 16)
    last = whole["values"][0][-1]
    end = Batch.of(problem, "\n".join(" ".join(r["words"]).strip() for r in whole["rows"])).chain()
    held = end.log_alphas[0, -1].logsumexp(0).item()
    cells = [-math.inf if x == "-inf" else x for x in last]
    top = max(cells)
    summed = top if top == -math.inf else top + math.log(sum(math.exp(x - top) for x in cells))
    assert summed == pytest.approx(held)


@pytest.mark.parametrize(
    "control",
    ["rows_" + "x " * 13, "rows_a\nb\nc\nd\ne", "changes_<b>", "cell_1.2", "cell_x.1.1",
     "cell_-1.0.0", "line_multiplied.99", "line_nothing.1", "line_multiplied.-1", "size_3",
     "rows_🐟 שלום\n*3", "changes_left.left"],
)  # fmt: skip
@pytest.mark.parametrize("name", BEATS)
def test_what_cannot_be_read_gives_the_default_and_a_sentence(name, control):
    found = shown(name, {"with": control, "bet": "-"})
    usual = control in ("rows_🐟 שלום\n*3", "changes_left.left")
    assert (found["message"] == "") == usual
    json.dumps(found, allow_nan=False)
    if not usual:
        assert found["picture"] == shown(name, {"bet": "-"})["picture"]


def test_behind_the_dots_the_rows_are_written_anew():
    app = benched("batches", "rows")
    assert app.text_area[0].value.split("\n")[1] == "the boat the old man"
    press(app, "4, 1 and no word")
    assert not app.exception
    assert app.text_area[0].value == "The old man the\nThe\n_"
    app.text_area[0].set_value("x\n" * 5)
    press(app, "Use these")
    assert "1 to 4 sentences" in messages(app)


def test_throughput_is_shown_as_measured(monkeypatch):
    rates = [
        throughput.Throughput(way, n, n / rate, 1.5)
        for way, rate in (("plain", 100.0), ("kernels", 400.0))
        for n in throughput.SIZES
    ]
    monkeypatch.setattr(throughput, "measured", rates)
    app = benched("batches", "throughput")
    assert [one.value for one in app.metric] == ["1 ×", "4 ×", "4 ×"]
    assert len(app.dataframe[0].value) == len(rates)


def test_throughput_measures_each_point(monkeypatch):
    monkeypatch.setattr(throughput, "SIZES", (1, 2))
    found = throughput.measure()
    assert {one.size for one in found} == {1, 2}
    assert all(one.seconds > 0 and one.spread >= 1 for one in found)


@pytest.mark.parametrize("fill", [math.nan, -math.inf, 0.0])
def test_padding_never_reaches_log_z_but_only_0_spares_the_gradients(fill):
    generator = torch.Generator().manual_seed(0)
    own = torch.randn(4, 3, generator=generator, dtype=torch.float64)
    transitions = torch.randn(3, 3, generator=generator, dtype=torch.float64, requires_grad=True)
    log_z = []
    for words in (4, 2):
        alpha = own[0]
        for t in range(1, 4):
            emission = own[t] if t < words else torch.full_like(own[t], fill)
            new = torch.logsumexp(alpha[:, None] + transitions + emission[None], 0)
            alpha = torch.where(torch.tensor(t < words), new, alpha)
        log_z.append(torch.logsumexp(alpha, 0))
    assert torch.stack(log_z).isfinite().all()
    (gradient,) = torch.autograd.grad(log_z[1], transitions)
    assert bool(gradient.isfinite().all()) == (fill == 0)
