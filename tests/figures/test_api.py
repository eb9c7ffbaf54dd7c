"""Figures in Python: their payloads, the one file, and what is done to them in a notebook."""

import gzip
import json
import math
import re
from base64 import b64decode
from functools import cache
from pathlib import Path

import jsonschema
import pytest
import torch

import crf
from crf import LinearChain, figures
from crf.__main__ import main
from crf.figures import modules

TOKENS, TAGS = "They can fish .".split(), ["NOUN", "VERB", "AUX"]
NAMES = {"tokens": TOKENS, "tags": TAGS}
FIGURES = (*figures.BY_NAME, "gradient")


def chain(L=4, S=3):
    g = torch.Generator().manual_seed(0)
    return LinearChain(2 * torch.randn(1, L, S, generator=g), torch.randn(S, S, generator=g))


def figure(name, of=None, **names):
    of = of or chain()
    path = ([0] * int(of.mask.sum()),) if name == "gradient" else ()
    return getattr(figures, name)(of, *path, **(names or NAMES))


def sent(document):
    """What a file draws."""
    text = re.search('id="crf-page">(.*)</script>', document)[1]
    page = json.loads(gzip.decompress(b64decode(text)))
    return page, page["figures"][0]["data"]


@pytest.mark.parametrize("name", FIGURES)
def test_a_file_has_the_payload_and_every_module_before_what_needs_it(name):
    drawn = figure(name)
    page, data = sent(drawn.html())
    expected = json.loads(json.dumps(drawn.payload, allow_nan=False))
    for both in (data, expected):
        both.pop("serial", None)
    assert data == expected
    known = set()
    for path, text in page["modules"].items():
        for other in re.findall(r'^import .* from "(\..*)";$', text, re.M):
            assert (Path("/") / Path(path).parent / other).resolve().as_posix()[1:] in known
        known.add(path)
    assert page["figures"][0]["entry"] in known


@pytest.mark.parametrize("name", FIGURES)
def test_a_large_chain_has_a_small_file(name, tmp_path):
    drawn = figure(name, chain(10, 17), tags=[f"TAG{s}" for s in range(17)])
    drawn.save(tmp_path / "x.html")
    assert (tmp_path / "x.html").stat().st_size < 400_000


def test_a_file_asks_for_nothing_and_names_are_text(tmp_path):
    bad = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "$body", "ש"]
    document = figures.viterbi(chain(), tokens=bad, tags=TAGS).html()
    assert "<img" not in document
    assert "alert(1)</script>" not in document
    urls = re.findall(r"https?://[\w.]+", document)
    assert set(urls) <= {"http://www.w3.org"}  # the name of SVG
    assert sent(document)[1]["trace"]["tokens"][0]["text"] == bad[0]


def test_a_held_tag_is_certain_and_let_go_by_a_second_click():
    drawn = figure("flow")
    drawn.is_live = True
    choice = {"token": 1, "tag": "AUX"}
    drawn.hold(choice)
    data = drawn.payload
    assert (data["shown"][1], data["blocks"][1]) == ([TAGS.index("AUX")], [pytest.approx(1.0)])
    assert data["clickable"]
    for nonsense in (None, {}, {"token": 9, "tag": "AUX"}, {"token": 1, "tag": "<b>"}, [1]):
        drawn.hold(nonsense)
    assert drawn.held == {1: 2}
    drawn.hold(choice)
    assert drawn.held == {}


def edit(serial, op, index, text):
    return {"serial": serial, "epoch": 0, "op": op, "index": index, "text": text}


def test_edited_scores_are_computed_anew_and_refusals_said():
    drawn = figure("viterbi")
    drawn.is_live = True
    before = drawn.payload["trace"]["start"]
    drawn.edit({"client": "a", "edits": [edit(1, "start", [0], "−2.5")]})
    assert drawn.scores.start[0] == -2.5
    expected = chain().log_partition.item()
    assert drawn.chain.log_partition.item() != pytest.approx(expected)
    assert drawn.payload["trace"]["start"] == [-2.5, *before[1:]]
    refused = [edit(2, "start", [9], "1"), edit(3, "end", [0], "x"), edit(4, "end", [0], "inf")]
    drawn.edit({"client": "a", "edits": [edit(1, "start", [0], "7"), *refused]})
    answers = drawn.editor()["answers"]
    assert (drawn.scores.start[0], answers["upto"]) == (-2.5, 4)
    assert sorted(answers["refused"]) == ["2", "3", "4"]
    for nonsense in (None, {}, {"client": 1, "edits": "x"}, {"client": "a", "edits": [1, {}]}):
        drawn.edit(nonsense)
    drawn.edit({"client": "b", "edits": [edit(1, "end", [1], "-inf")]})
    kept = drawn.scores
    assert kept.end[1] == -math.inf
    shown = drawn.preview(edit(0, "emissions", [0, 1], "9"))  # a score as it moves is not kept
    assert shown["trace"]["emissions"][0][1] == 9.0
    assert drawn.scores == kept
    assert drawn.preview(edit(0, "emissions", [0, 7], "9")) is None
    assert drawn.preview({"op": []}) is None
    for mode, modes in {"add": ["add"], "path": ["path", "add", "best"]}.items():  # no other
        asked = drawn.preview(edit(0, "start", [0], "1") | {"mode": mode})
        assert [one["mode"] for one in asked["trace"]["modes"]] == modes
    assert len(drawn.payload["trace"]["modes"]) == 4


def test_a_widget_answers_in_the_kernel():
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    flow, heard = figure("flow"), []
    flow.observe(lambda change: heard.append(change["new"]))
    assert flow.choice is None
    flow.widget.choice = {"token": 0, "tag": "VERB"}
    assert flow.choice == heard[0] == {"token": 0, "tag": "VERB"}
    assert flow.widget.data["tokens"][0]["fixed"] == TAGS.index("VERB")
    stepper = figure("viterbi")
    stepper.observe(lambda change: heard.append(change["new"]), "scores")
    stepper.widget.edits = {"client": "a", "edits": [edit(1, "start", [0], "3")]}
    assert heard[-1].start[0] == 3.0
    assert "application/vnd.jupyter.widget-view+json" in str(flow._repr_mimebundle_())


def test_without_anywidget_a_cell_shows_the_file_and_a_chain_that_can_be_read(monkeypatch):
    monkeypatch.setattr("crf.figures.figure.find_spec", lambda name: None)
    shown = figure("flow")._repr_mimebundle_()
    assert shown["text/html"].startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert shown["text/plain"] == "Figure('All readings at once')"
    assert figure("flow").embed_code('a"b.html').startswith('<iframe src="a&quot;b.html"')
    assert "text/html" in chain()._repr_mimebundle_()
    zeros = torch.zeros(2, 2)
    for other in (
        chain(41),
        chain(2, 31),
        chain(0),
        LinearChain(torch.zeros(2, 2, 2), zeros),  # two sentences
        LinearChain(torch.full((1, 2, 2), -math.inf), zeros),
        LinearChain(torch.zeros(1, 2, 2), zeros, mask=torch.zeros(1, 2).bool()),
    ):
        assert other._repr_mimebundle_() == {"text/plain": repr(other)}


@cache
def schema(folder):
    """What a figure's data has to be; checked once."""
    rules = json.loads((modules.BASE / folder / "schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(rules)
    return jsonschema.Draft202012Validator(rules)


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("kind", ["no path", "one token", "per step", "holes"])
def test_chains_of_every_kind_are_drawn(name, kind):
    g = torch.Generator().manual_seed(1)
    mask, emissions = None, torch.randn(1, 4, 3, generator=g)
    transitions = torch.randn(3, 3, generator=g)
    if kind == "no path":
        transitions = torch.full((3, 3), -math.inf)
    elif kind == "one token":
        emissions = emissions[:, :1]
    elif kind == "per step":
        transitions = torch.randn(1, 3, 3, 3, generator=g)
    else:
        mask = torch.tensor([[True, False, True, True]])
    drawn = figure(name, LinearChain(emissions, transitions, mask=mask), tags=TAGS)
    for drawn.is_live in (False, True):
        data = json.loads(json.dumps(drawn.payload, allow_nan=False))
        schema(drawn.folder).validate(data)
        assert not schema(drawn.folder).is_valid(data | {"unknown": 1})


def test_names_that_do_not_fit_and_other_bad_input_are_refused(tmp_path):
    for says, how in (("tags", ["A"]), ("tokens", ["a"] * 9), ("row", 5)):
        with pytest.raises(ValueError, match=says):
            figures.flow(chain(), **{says: how})
    with pytest.raises(ValueError, match="path"):
        figures.gradient(chain(), [0, 1])
    with pytest.raises(ValueError, match="none"):
        figures.flow(chain(0))
    with pytest.raises(ValueError, match=r"\.html"):
        figure("flow").save(tmp_path / "x.svg")


@pytest.mark.parametrize("kind", ["tokens", "tags"])
@pytest.mark.parametrize("name", FIGURES)
def test_names_that_are_no_text_are_refused_with_what_to_do(name, kind):
    for names, error, says in (
        (["a", 1, "b"], TypeError, r"expected strings, got int at index 1; convert each one"),
        ([b"a", "b", "c"], TypeError, "got bytes at index 0"),
        (torch.arange(3), TypeError, "got Tensor at index 0"),
        (["a", None, "b"], TypeError, "got NoneType at index 1"),
        ({"a", "b", "c"}, TypeError, "expected a list of strings, got set; give a list"),
        (3, TypeError, "expected a list of strings, got int"),
        (["a", "b", "\ud800"], ValueError, r"got U\+D800, half of a surrogate pair, at index 2"),
    ):
        with pytest.raises(error, match=rf"^{kind}: .*{says}"):
            figure(name, chain(3), **{kind: names})
    given = iter(["a", "b", "\U0001f41f"])  # any iterable, any whole character
    assert "\U0001f41f" in getattr(figure(name, chain(3), **{kind: given}).scores, kind)


def test_the_command_writes_a_file(tmp_path, capsys):
    path = tmp_path / "fish.html"
    assert main(["show", "They can fish .", "--figure", "viterbi", "--output", str(path)]) == 0
    assert "fish" in json.dumps(sent(path.read_text(encoding="utf-8"))[1])
    assert main(["show", "", "--output", str(path)]) == 2
    assert "TEXT: expected a sentence" in capsys.readouterr().err
    assert main(["show", "a", "--output", str(tmp_path / "a.svg")]) == 2


def test_every_file_of_a_figure_is_package_data():
    lines = (Path(crf.__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    kinds = re.search(r'"crf.figures" = \[(.*)\]', lines)[1]
    for path in modules.FOLDER.rglob("*.*"):
        if path.suffix not in (".py", ".pyc"):
            assert f'"*/*{path.suffix}"' in kinds, path
