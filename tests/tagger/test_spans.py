"""Spans of characters: what annotation tools write is read, and what goes out they read again."""

import json
import re

import pytest

from crf.tagger import Settings
from crf.tagger.commands import SETTINGS
from crf.tagger.reading import TaggedFile
from tests.tagger.conftest import TINY, run

TEXT = "Marie Curie lived in Paris."
PER, LOC = (0, 11, "PER"), (21, 26, "LOC")


def _spans(*spans):
    return [{"start": a, "end": b, "label": kind} for a, b, kind in spans]


def _offsets(*spans):
    return [{"start_offset": a, "end_offset": b, "label": kind} for a, b, kind in spans]


def _studio(*spans):
    values = [{"start": a, "end": b, "text": TEXT[a:b], "labels": [kind]} for a, b, kind in spans]
    results = [
        {"from_name": "names", "to_name": "body", "type": "labels", "value": value}
        for value in values
    ]
    return [{"was_cancelled": True, "result": []}, {"result": results}]


META = {"id": 17, "meta": {"source": "a book"}}
TOOLS = {
    "plain": ({"text": TEXT, "spans": _spans(PER, LOC)}, "spans", "spans"),
    "Prodigy": (
        {
            "text": TEXT,
            "tokens": [{"text": "Marie"}],
            "spans": _spans(PER, LOC),
            "answer": "accept",
        },
        "spans",
        "spans",
    ),
    "doccano": ({"text": TEXT, "label": [[*PER], [*LOC]]}, "label", "spans"),
    "doccano with relations": ({"text": TEXT, "entities": _offsets(PER, LOC)}, "entities", "spans"),
    "Label Studio": (
        {"data": {"body": TEXT}, "annotations": _studio(PER, LOC)},
        "annotations",
        "predictions",
    ),
    "Label Studio, small": (
        {"text": TEXT, "label": [r["value"] for r in _studio(PER, LOC)[1]["result"]]},
        "label",
        "spans",
    ),
}


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("as_array", [False, True])
def test_what_a_tool_wrote_is_read_and_goes_out_so_that_it_reads_it_again(
    capsys, tmp_path, tool, as_array
):
    fields, key, out_key = TOOLS[tool]
    objects = [{**META, **fields}, {**META, **fields, "id": 18}]
    path, again = tmp_path / "in", tmp_path / "out"
    path.write_text(
        json.dumps(objects, indent=1) if as_array else "\n".join(map(json.dumps, objects)) + "\n"
    )
    file = TaggedFile(path)
    assert file.label == key
    words = ("Marie", "Curie", "lived", "in", "Paris", ".")
    assert [(one.words, one.tags) for one in file] == [
        (words, ("B-PER", "I-PER", "O", "O", "B-LOC", "O"))
    ] * 2

    code, out, err = run(capsys, "tag", path, "--model", "ner", "--format", "spans")
    assert code == 0, err
    answers = json.loads(out) if as_array else [json.loads(line) for line in out.splitlines()]
    assert [one["id"] for one in answers] == [17, 18]
    for one, given in zip(answers, objects, strict=True):
        assert {**one, out_key: 0} == {**given, out_key: 0}  # everything else is as it came
    again.write_text(out)
    options = ["--model", "ner", "--column", out_key]
    code, out, err = run(capsys, "evaluate", again, *options, "--json")
    assert (code, json.loads(out)["span_f1"]) == (0, 1), err
    assert TaggedFile(again, column=out_key).label == out_key
    if key != out_key:  # what people have labelled goes before what a tagger found
        assert TaggedFile(again).label == key


def test_the_probability_and_the_place_of_a_span_are_those_of_the_json(capsys, tmp_path):
    path = tmp_path / "text"
    path.write_text(TEXT + "\n")
    _, out, _ = run(capsys, "tag", path, "--model", "ner", "--json")
    _, spans, _ = run(capsys, "tag", path, "--model", "ner", "--format", "spans")
    names = json.loads(out)["entities"]
    assert [{"type": s.pop("label"), **s} for s in json.loads(spans)["spans"]] == names
    assert all(TEXT[s["start"] : s["end"]] == s["text"] for s in names)


@pytest.fixture
def brat(tmp_path):
    (tmp_path / "doc.txt").write_text(f"Yes.\n\n{TEXT}\n")
    lines = ["T1\tPER 6 17\tMarie Curie", "T2\tLOC 27 32\tParis", "R1\tin Arg1:T1 Arg2:T2"]
    (tmp_path / "doc.ann").write_text("\n".join(lines) + "\n")
    return tmp_path / "doc.ann"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])  # brat counts all characters of a line end
def test_brat_is_read_by_its_text_and_written_with_the_offsets_of_the_text(capsys, brat, end):
    text = brat.with_suffix(".txt").read_text().replace("\n", end)
    brat.with_suffix(".txt").write_bytes(text.encode())
    first, last = text.index("Marie"), text.index("Paris")
    places = {"6 17": f"{first} {first + 11}", "27 32": f"{last} {last + 5}"}
    for old, new in places.items():
        brat.write_text(brat.read_text().replace(old, new))
    file = TaggedFile(brat)
    assert file.notes[0].startswith("read as brat's .ann with the text beside it")
    assert [one.tags for one in file][1][:2] == ("B-PER", "I-PER")
    code, out, err = run(capsys, "tag", brat, "--model", "ner", "--format", "spans")
    assert code == 0, err
    for line in out.splitlines():
        _, place, name = line.split("\t")
        start, end = map(int, place.split()[1:])
        assert text[start:end] == name
    assert out.splitlines()
    brat.write_text(out)
    _, out, err = run(capsys, "evaluate", brat, "--model", "ner", "--json")
    assert json.loads(out)["span_f1"] == 1


@pytest.mark.parametrize("command", ["tag", "evaluate"])
def test_brat_without_its_text_or_with_wrong_places_is_refused(capsys, brat, command):
    for old, new, message in (
        ("6 17", "7 17", "the text has 'arie Curie' there, the span says 'Marie Curie'"),
        ("6 17\tMarie Curie", "2 17", "span 2–17 goes past the end of its line"),
        ("27 32\tParis", "99 104", "its spans end at 104, its text at 34"),
        ("PER 6", "PER six", "expected T1, a tab, PER 0 3"),
    ):
        text = brat.read_text()
        brat.write_text(text.replace(old, new))
        code, _, err = run(capsys, command, brat, "--model", "ner")
        is_read = command == "evaluate" or "arie" not in message  # tagging needs no labels
        assert (code, message in err) == (2 * is_read, is_read), err
        brat.write_text(text)
    brat.with_suffix(".txt").unlink()
    code, _, err = run(capsys, command, brat, "--model", "ner")
    assert code == 2
    assert "expected its text beside it, doc.txt" in err


MISFITS = [
    {"text": "Ada Lovelace sang.", "spans": _spans((0, 7, "PER"))},
    {"text": "In Ulm.", "spans": _spans((2, 6, "LOC"))},
    {"text": "In Ulm.", "spans": _spans((0, 6, "ORG"), (3, 6, "LOC"))},
    {"text": "No.", "spans": [], "answer": "reject"},
]


def test_a_span_that_meets_no_borders_of_words_is_listed_and_align_says_what_to_do(
    capsys, tmp_path
):
    path = tmp_path / "file"
    path.write_text("\n".join(map(json.dumps, MISFITS)))
    code, _, err = run(capsys, "evaluate", path, "--model", "ner")
    assert code == 2
    assert (
        "do not begin and end where words do: 1 (line 1: 'Ada Lov', 0–7 (PER): the words there "
        "are 'Ada Lovelace', 0–12); --align expand" in err
    )
    tags = {
        align: [one.tags for one in TaggedFile(path, align=align)] for align in ("expand", "drop")
    }
    assert tags["expand"][0] == ("B-PER", "I-PER", "O", "O")
    assert tags["drop"][0] == ("O", "O", "O", "O")
    for found in tags.values():  # blanks at the end of a span are none of it; the outermost counts
        assert found[1:] == [("O", "B-LOC", "O"), ("B-ORG", "I-ORG", "O")]
    code, _, err = run(capsys, "evaluate", path, "--model", "ner", "--align", "drop")
    assert code == 0
    assert "1 spans overlap others; of these the outermost are read" in err
    assert "1 texts are left out: their answer is not accept" in err


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"spans": [{"start": 0, "end": 99, "label": "PER"}]},
            "expected a place in the text, 0–27",
        ),
        ({"spans": [{"start": 3, "end": 3, "label": "PER"}]}, "span 3–3 (PER): expected a place"),
        ({"label": [[0, "x", "PER"]]}, 'expected spans such as {"start": 0'),
        ({"spans": [{"start": 0, "end": 5, "label": "PER", "text": "Pierr"}]}, "must count charac"),
    ],
)
def test_a_span_that_is_not_in_the_text_is_refused_with_its_line(capsys, tmp_path, fields, message):
    path = tmp_path / "file"
    good = json.dumps({"text": TEXT, next(iter(fields)): []})
    path.write_text(good + "\n" + json.dumps({"text": TEXT, **fields}))
    code, _, err = run(capsys, "evaluate", path, "--model", "ner")
    assert (code, "line 2" in err) == (2, True)
    assert re.search(re.escape(message), err), err


def test_train_takes_spans_with_the_tokeniser_that_the_tagger_gets(capsys, tmp_path, monkeypatch):
    monkeypatch.setitem(SETTINGS, ("ner", False), Settings(sizes=TINY, epochs=1))
    path = tmp_path / "file"
    path.write_text(json.dumps({"text": "Ada's in Ulm", "spans": _spans((0, 3, "PER"))}) + "\n")
    path.write_text(path.read_text() * 20)
    code, _, err = run(capsys, "train", path, path, "--output", tmp_path / "out")
    assert (code, "line 1: 'Ada', 0–3 (PER): the words there are \"Ada's\"" in err) == (2, True)
    options = ["--output", tmp_path / "out", "--tokeniser", "english"]
    code, _, err = run(capsys, "train", path, path, *options)
    assert (code, "split by the tokeniser english" in err) == (0, True), err


def test_a_tagger_of_plain_tags_writes_no_spans(capsys, saved, feed):
    feed(b"the fish\n")
    code, _, err = run(capsys, "tag", "--model", saved, "--format", "spans")
    assert (code, "--format spans: expected a tagger of names" in err) == (2, True)
