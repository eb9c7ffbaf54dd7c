"""The table of layouts finds each example; what people's files gave wrong comes out right."""

import json
import re

import pytest

from crf.tagger.first_lines import Head
from crf.tagger.layouts import TABLE, nearest, recognise
from crf.tagger.lines import LineError
from tests.tagger.conftest import run


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
@pytest.mark.parametrize("labelled", [True, False])
def test_each_row_of_the_table_is_the_first_that_fits_its_example(row, labelled):
    head = Head(list(enumerate(row.example.splitlines(), 1)), labelled=labelled)
    if row.kind == "text" or row.name.endswith("texts"):
        head.labelled = False
    elif "spans" in row.name:
        head.labelled = True
    if row.read:
        assert next(one for one in TABLE if one.fits(head)) is row
        recognise(head)
        return
    with pytest.raises(LineError) as refusal:
        recognise(head)
    assert row.remedy.partition("{")[0] in refusal.value.fault


def test_an_unknown_layout_is_refused_with_the_two_nearest_rows():
    for text, name in (
        ("Ada:B-PER\nsang:O", "columns separated by"),
        ("{tokens: [Ada]}", "JSON lines"),
        ("1;Ada Ada PROPN NNP _", "columns separated by spaces"),
    ):
        head = Head(list(enumerate(text.splitlines(), 1)))
        assert any(name in row.name for row in nearest(head)), text
        with pytest.raises(LineError, match=f"nearest are .*{name}.* or "):
            recognise(head)


ONE = "1\tHi\t_\tINTJ\t_\t_\t0\troot\t_\tSpaceAfter=No\n"
HI = (
    "# text = Hi, Bob.\n"
    + ONE
    + "2\t,\t_\tPUNCT\t_\t_\t1\tpunct\t_\t_\n"
    + "3\tBob\t_\tPROPN\t_\t_\t1\tvocative\t_\tSpaceAfter=No\n"
    + "4\t.\t_\tPUNCT\t_\t_\t1\tpunct\t_\t_\n"
)
DAMELO = (
    "1-2\tdámelo\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tda\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
    "2\tlo\t_\tPRON\t_\t_\t1\tobj\t_\t_\n"
    "3\tBob\t_\tPROPN\t_\t_\t1\tvocative\t_\t_\n"
)
DONT = DAMELO.replace("dámelo", "don't").replace("\tda\t", "\tdo\t").replace("\tlo\t", "\tn't\t")


@pytest.mark.parametrize(
    ("content", "text", "offsets"),
    [
        (HI, "Hi, Bob.", [[0, 2], [2, 3], [4, 7], [7, 8]]),
        (HI.partition("\n")[2], "Hi, Bob.", [[0, 2], [2, 3], [4, 7], [7, 8]]),
        (HI.replace("Hi, Bob.", "Hi,  Bob."), "Hi,  Bob.", [[0, 2], [2, 3], [5, 8], [8, 9]]),
        (
            HI.replace("# text = Hi, Bob.", "# text = Ho"),
            "Hi, Bob.",
            [[0, 2], [2, 3], [4, 7], [7, 8]],
        ),
        (DAMELO, "dámelo Bob", [[0, 6], [0, 6], [7, 10]]),
        (DONT, "don't Bob", [[0, 2], [2, 5], [6, 9]]),
        (
            '{"text": "Hi,  Bob.", "tokens": ["Hi", ",", "Bob", "."]}',
            "Hi,  Bob.",
            [[0, 2], [2, 3], [5, 8], [8, 9]],
        ),
        ('{"text": "Other", "tokens": ["Hi", "Bob"]}', "Hi Bob", [[0, 2], [3, 6]]),
        ("Hi\tO\nBob\tB-PER\n", "Hi Bob", [[0, 2], [3, 6]]),
    ],
)
def test_offsets_are_those_of_the_text_that_goes_out(capsys, tmp_path, content, text, offsets):
    path = tmp_path / "file"
    path.write_text(content)
    code, out, err = run(capsys, "tag", path, "--model", "ner", "--json")
    assert code == 0, err
    answer = json.loads(out.splitlines()[0])
    assert (answer["text"], answer["offsets"]) == (text, offsets)
    for name in answer["entities"]:
        assert answer["text"][name["start"] : name["end"]] == name["text"]


SPACED = (
    "# text = They buy\n"
    "1    They    they    PRON    PRP    _    2    nsubj    _\t_\n"
    "2    buy    buy    VERB    VBP    _    0    root    _\t_\n"
)
CSV = 'sentence #,word,pos,tag\n1,Ada,NNP,B-per\n,"said, ""hi""",VBD,O\n'
MASKED = "TOKEN\tNE-COARSE-LIT\tNE-FINE-LIT\nAda\t\t\nsang\t\t\n"


@pytest.mark.parametrize(
    ("content", "message", "commands"),
    [
        ("T1\tPER 0 3\tAda\nT2\tLOC 11 15\tRome\n", "annotations of brat, … with its .txt", "tag"),
        (
            "Ada|NNP|B-PER met|VBD|O\nRome|NNP|B-LOC .|.|O\n",
            "joined by a | on this line; write",
            "tag",
        ),
        ("Ada_NNP sang_VBD it_PRP\n", "joined by an underscore on this line; write", "tag"),
        (SPACED, "CoNLL-U with spaces where its tabs should be; put a tab", "tag"),
        (CSV, "separated by ','; separate them by tabs, without quotes", "tag"),
        ("1|t|Ada sang.\n1|a|So.\n1\t0\t3\tAda\tPER\tX\n", "the format is PubTator, … JSON", "tag"),
        (MASKED, "no labels in it: every cell is empty in NE-COARSE-LIT, NE-FINE-LIT", ""),
        ("Ada\tB-PER\n\tO\nsang\tO\n", "line 2: column 1 is empty; … write it as ␣", "tag"),
    ],
)
def test_what_would_be_garbage_is_refused_and_says_what_to_do(
    capsys, tmp_path, content, message, commands
):
    path = tmp_path / "file"
    path.write_text(content)
    for command in ["evaluate", *commands.split()]:
        code, out, err = run(capsys, command, path, "--model", "ner")
        assert (code, out) == (2, ""), (command, out)
        assert re.search(".*".join(map(re.escape, message.split("…"))), err), err


def test_a_column_of_nothing_but_o_is_no_labels_of_a_tagger_that_lacks_the_types(capsys, tmp_path):
    path = tmp_path / "file"
    path.write_text("Ada NN O B-Disease\nsang NN O O\n" * 3)
    code, out, err = run(capsys, "evaluate", path, "--model", "ner")
    assert code == 0, err
    assert "labels from column 4" in err
    assert "the tagger has none of the types of this column: Disease" in err
    assert re.search(r"Disease +0\.00 +0\.00 +0\.00 +3", out)


def test_of_coarse_and_fine_names_for_the_same_spans_the_coarse_are_read(capsys, tmp_path):
    path = tmp_path / "file"
    path.write_text(
        "TOKEN\tNE-COARSE-LIT\tNE-FINE-LIT\nAda\tB-pers\tB-pers.author\nsang\tO\tO\n"
        "Bob\tB-pers\tB-pers.myth\n"
    )
    _, _, err = run(capsys, "evaluate", path, "--model", "ner")
    assert "labels from column NE-COARSE-LIT" in err


def test_names_of_columns_may_be_in_small_letters(capsys, tmp_path):
    path = tmp_path / "file"
    path.write_text("# global.columns = id form upos ner\n1\tAda\tPROPN\tB-PER\n2\tsang\tVERB\tO\n")
    code, _, err = run(capsys, "tag", path, "--model", "ner")
    assert (code, "words from column FORM" in err) == (0, True), err


def test_a_file_without_blank_lines_and_a_script_never_seen_are_said(capsys, tmp_path):
    path = tmp_path / "file"
    path.write_text("Ada\tB-PER\nsang\tO\n" * 200)
    for command in ("evaluate", "tag"):
        code, _, err = run(capsys, command, path, "--model", "ner")
        assert (code, "sentences of 400 words on average in the first lines: a" in err) == (0, True)
    path.write_text("Ada sang.\n東京に行く。\n東京。\n")
    code, _, err = run(capsys, "tag", path, "--model", "ner")
    assert (code, err.count("never seen (Cjk)"), err.count("line 2")) == (0, 1, 2), err


def test_a_training_that_was_cut_is_named(capsys, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "checkpoint.safetensors").write_bytes(b"\0" * 16)
    code, _, err = run(capsys, "tag", "--model", tmp_path / "out")
    assert code == 2
    assert "the training is not finished" in err
    assert "this command continues it: the `crf train` that was stopped" in err
