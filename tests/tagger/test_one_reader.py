"""`crf train`, `crf evaluate` and `crf tag` recognise a file by the same code, and say the same."""

import gzip
import json
import re

import pytest

from crf.tagger import Settings
from crf.tagger.commands import SETTINGS
from crf.tagger.encodings import likely_encodings
from tests.tagger.conftest import TINY, run
from tests.tagger.test_reading import FORMATS

ADA = ["Ada", "sang"]
HIPE = (
    "TOKEN\tNE-COARSE-LIT\tNE-NESTED\tMISC\n# document_id = 1\n"
    "New\tB-LOC\tO\t_\nYork\tI-LOC\tB-LOC\t_\n\nAda\tB-PER\tO\t_\n"
)
CONLLU = (
    "# text = Ada sang\n1\tAda\tAda\tPROPN\tNNP\t_\t2\tnsubj\t_\tNER=B-PER\n"
    "2\tsang\tsing\tVERB\tVBD\t_\t0\troot\t_\tX=Y|NER=O\n"
)
COLUMNS = "Ada NNP B-PER\nsang VBD O\n\nBob NNP B-PER\n"


@pytest.mark.parametrize(
    ("content", "options", "sentences", "report"),
    [
        ('{"tokens": ["Ada", "sang"]}', [], [ADA], "read as JSON lines: words from column tokens"),
        ('{"tokens": ["Ada", "sang"]}\n{"tokens": []}\n', [], [ADA, []], "column tokens"),
        ('[{"tokens": ["Ada", "sang"]}, {"tokens": ["Bob"]}]', [], [ADA, ["Bob"]], "column tokens"),
        ('[\n {"words": [\n  "Ada", "]"],\n "n": {}}\n]\n', [], [["Ada", "]"]], "column words"),
        (
            '{"text": "Ada, a song."}',
            [],
            [["Ada", ",", "a", "song", "."]],
            "words from column text",
        ),
        ('{"body": ["Ada", "sang"]}', ["--words", "body"], [ADA], "words from column body"),
        ("# id 1\nAda NNP B-PER\nsang VBD O\n", [], [ADA], "separated by spaces: words from colum"),
        ("# id 1\n1 Ada B-PER\n2 sang O\n\n1 Bob B-PER\n", [], [ADA, ["Bob"]], "from column 2"),
        ("B-PER\tAda\nO\tsang\n", [], [ADA], "read as columns separated by tabs: words from colu"),
        ("B-PER Ada NNP\nO sang VBD\n", [], [ADA], "words from column 2"),
        (" Ada NNP O\n sang VBD O\n", [], [ADA], "words from column 1"),
        ("# global.columns = FORM NER\nAda\tB-PER\nsang\tO\n", [], [ADA], "from column FORM"),
        (
            "# global.columns = ID LEMMA FORM NER\n1\tADA\tAda\tB-PER\n2\tsing\tsang\tO\n",
            [],
            [ADA],
            "words from column FORM",
        ),
        ("New York\tB-LOC\nsang\tO\n", [], [["New York", "sang"]], "separated by tabs: words from"),
        ("0\tAda\tB-PER\n1\tsang\tO\n\n0\tBob\tB-PER\n", [], [ADA, ["Bob"]], "words from column 2"),
        ("1\tAda\tB-PER\n2\tsang\tO\n\n3\tBob\tB-PER\n", [], [ADA, ["Bob"]], "words from column 2"),
        ("7 0 Ada O\n7 1 sang O\n\n8 0 Bob O\n", [], [ADA, ["Bob"]], "words from column 3"),
        ("0 3 Ada O\n4 8 sang O\n\n9 12 Bob O\n", [], [ADA, ["Bob"]], "words from column 3"),
        (
            "#begin document (x)\nbc/x 0 0 Ada NNP * - O\nbc/x 0 1 sang VBD * - O\n",
            [],
            [ADA],
            "words from column 4",
        ),
        ("Ada NNP B-PER\n", [], [["Ada"]], "words from column 1"),
        ("LONDON B-LOC\nFRIDAY O\n", [], [["LONDON", "FRIDAY"]], "words from column 1"),
        ("Ada\tNNP\tO\r", [], [["Ada"]], "words from column 1"),
        ("Ada O\rsang B-PER\r", [], [ADA], "words from column 1"),
        ("Ada O\nsang B-PER", [], [ADA], "words from column 1"),
        ("[" + '\n{"tokens": ["Ada"]},' * 1500 + '\n{"tokens": []}]', [], [["Ada"]] * 1500, "colu"),
        ("\ufeff\ufeffAda O\nsang B-PER\n", [], [ADA], "words from column 1"),
        ("\tAda\tB-PER\t\n\tsang\tO\t\n", [], [ADA], "words from column 2"),
        ("1\tAda\n2\tsang\n", [], [ADA], "words from column 2"),
        ("x Ada NNP O\ny sang VBD O\n", ["--words", "2"], [ADA], "words from column 2"),
        (CONLLU, ["--words", "lemma"], [["Ada", "sing"]], "words from column LEMMA"),
        (HIPE, [], [["New", "York"], ["Ada"]], "words from column TOKEN"),
        (HIPE.replace("\t", " "), ["--words", "TOKEN"], [["New", "York"], ["Ada"]], "line 1 names"),
        ("Ada,\tB_PER\nsang\tO\n", [], [["Ada,", "sang"]], "words from column 1"),
        (COLUMNS, ["--input", "text"], [["Ada", "NNP", "B", "-", "PER"], ["sang", "VBD", "O"]], ""),
        ("fish fly\nbirds sing\n", ["--input", "columns"], [["fish", "birds"]], "from column 1"),
        (gzip.compress(COLUMNS.encode(), mtime=0), [], [ADA, ["Bob"]], "words from column 1"),
        ("\ufeff" + COLUMNS.replace("\n", "\r\n"), [], [ADA, ["Bob"]], "words from column 1"),
    ],
)
@pytest.mark.parametrize("by_stdin", [False, True])
def test_tag_finds_the_words(
    capsys, saved, tmp_path, feed, content, options, sentences, report, by_stdin
):
    content = content if isinstance(content, bytes) else content.encode()
    path = tmp_path / "file"
    path.write_bytes(content)
    feed(content)
    given = [] if by_stdin else [path]
    code, out, err = run(capsys, "tag", *given, "--model", saved, "--json", *options)
    assert code == 0, err
    assert [json.loads(line)["tokens"] for line in out.splitlines()][: len(sentences)] == sentences
    assert report in err


@pytest.mark.parametrize("row", FORMATS, ids=lambda row: row[0])
def test_tag_and_evaluate_report_the_same_words_for_the_examples_of_the_page(
    capsys, saved, tmp_path, row
):
    path = tmp_path / "file"
    text = row[1].replace("<br>", "\n").replace("`", "").replace("→", "\t")
    path.write_text(text, encoding="utf-8")
    options = [word for option in re.findall("`(--[^`]+)`", row[0]) for word in option.split()]
    code, _, told = run(capsys, "evaluate", path, "--model", saved, *options)
    assert code == 0, told
    options = options if "--words" in options else []  # the others are about labels
    code, out, err = run(capsys, "tag", path, "--model", saved, "--json", *options)
    assert code == 0, err
    words = re.compile(r": (read as .*: words from column \w+)")
    assert words.findall(err) == words.findall(told) != []
    first = re.findall("the first sentence: (.*)", told)[0]
    tokens = json.loads(out.splitlines()[0])["tokens"]
    assert tokens == [pair.rpartition("/")[0] for pair in first.split(" ")]


ONE_LINE = "write one word on each line, a tab, its label"


@pytest.mark.parametrize(
    ("content", "commands", "message"),
    [
        (
            CONLLU.replace("\t_\tX=Y", "\tX=Y"),
            "tag evaluate",
            "line 3: expected 10 columns separat",
        ),
        (CONLLU * 2, "tag evaluate", "line 5: expected token 3, got 1; a blank line must follow"),
        (CONLLU.replace("sing\t", "sing\n"), "tag evaluate", "line 3: expected 10 columns"),
        ("Ada NNP B-PER\nsang\nVBD O\nBob NNP O\n", "tag evaluate", "line 2: expected 3 columns"),
        ("Ada sang\tPER-B O\n", "tag evaluate", f"line 1: a whole sentence and its la… {ONE_LINE}"),
        ("Ada/B-PER sang/O\n", "tag evaluate", f"joined by a slash on this line; {ONE_LINE}"),
        ("Ada\tB-PER\nsang O\n", "tag evaluate", "line 2: … it has spaces where the other lines h"),
        (
            "Ada B-PER\nsang O\n\nBob\tO\n",
            "tag evaluate",
            "line 4: … a tab where the other lines h",
        ),
        (
            "Ada\tNNP B-PER\nsang\tVBD O\n",
            "evaluate",
            "line 1: expected one label, got 'NNP B-PER'",
        ),
        ("Ada,B-PER\nsang,O\n", "tag evaluate", "line 1: the columns are separated by ','; separa"),
        (
            "Ada\tNNP\tO\nsang\tO\nBob\tNNP\tB-X\tI-X\n",
            "tag evaluate",
            "line 2: expected 3 columns",
        ),
        ("Ada|B-PER\nsang|O\n", "tag evaluate", "line 1: the columns are separated by '|'; separa"),
        ("Ada\u00a0B-PER\nsang\u00a0O\n", "tag evaluate", "the columns are separated by '\\xa0'"),
        (
            "1\tAda sang.\n2\tBob wept.\n",
            "tag evaluate",
            "line 1: expected a word in column 2, got",
        ),
        ("-DOCSTART- -X- O O\n\n", "tag evaluate", "no sentence in it"),
        ("# global.columns = ID LEMMA\n1\ta\n", "tag evaluate", "line 1: expected a column FORM"),
        (
            "w" * 1001 + "\tO\nb\tO\n",
            "tag evaluate",
            "line 1: expected words of at most 1,000 char",
        ),
        (
            '{"tokens": ["", "a"], "tags": ["O", "O"]}',
            "tag evaluate",
            "line 1: column tokens is empty",
        ),
        ("Ada O\nsang,O\nBob O\n", "tag evaluate", "line 2: … it has commas where"),
        ("Ada O\nsang B PER\nBob O\n", "tag evaluate", "line 2: … separate the columns of all lin"),
        (
            '{"tokens": ["Ada"], "tags": ["O"]}\n{"tok',
            "tag evaluate",
            "line 2: expected a whole JSON",
        ),
        (
            '[{"tokens": ["Ada"], "tags": ["O"]}',
            "tag evaluate",
            "line 1: the JSON array does not e",
        ),
        ('{"tokens": [17, 4]}', "tag", "line 1: …expected …list"),
        (
            "他在北京大学读书。\tO\n".encode("gb18030"),
            "tag evaluate",
            "it looks like gb18030: use --encoding gb18030",
        ),
        (
            "他在北京大學讀書。\tO\n".encode("big5"),
            "tag evaluate",
            "it looks like big5: use --encoding big5",
        ),
        (
            b"Ada\tO\ncaf\xe9\tO\n",
            "tag evaluate",
            "line 2: expected UTF-8 text…it looks like cp1252",
        ),
        (
            "Ada\tO\n".encode("utf-16-le"),
            "tag evaluate",
            "line 1: … a NUL character; if it is UTF-1",
        ),
        ("# text = Ada sang\n# id = 1\n", "tag evaluate", "no sentence in it"),
        ("Ada sang.\nBob wept a lot.\n", "evaluate", "got what reads like plain text"),
        (
            '{"text": "Ada sang."}\n',
            "evaluate",
            "expected an object a line with lists of equal leng",
        ),
    ],
)
def test_a_format_that_breaks_is_refused_with_its_line(
    capsys, saved, tmp_path, feed, content, commands, message
):
    path, out_dir = tmp_path / "file", tmp_path / "out"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    pattern = ".*".join(map(re.escape, message.split("…")))
    given = [[command, path, "--model", saved] for command in commands.split()]
    given.append(["train", path, path, "--output", out_dir])
    if "tag" in commands:
        feed(path.read_bytes())
        given.append(["tag", "--model", saved])
    for command in given:
        code, out, err = run(capsys, *command)
        assert code == 2, command
        assert not out or command[1] == "--model"  # what came before on standard input
        assert re.search(pattern, err.splitlines()[-1]), err


@pytest.mark.parametrize(
    "text",
    [
        "They fish.\nBirds sing.\n",
        "I fish\nI swim\n",
        "10:00 INFO it started\n10:01 WARN it stopped\n",
        "They fish .\nIn the USA .\n",
        "The US said it was bad and so on it went .\n( I hope that it was bad and so on yes .\n",
        "a " * 50_000 + "\n" + "O " * 50_000,
        "a\t" * 100_000 + "\nb\tO\n",
        "Ich nehme die S-Bahn\nDu liest die E-Mail\n",
        "STOCKS RISE\nBONDS FALL\n",
        "#fish is a hashtag\n",
        "# A title\n\nSome text under it.\n",
        "Hello, World\nHello, USA\n",
        "\tA paragraph that is indented.\nAnd its second line.\n",
        '{ "a brace" }\n'.replace("{ ", "{x "),
        "1. and/or\n",
        "[sic] he said\n",
        "\n",
        "",
    ],
)
def test_what_looks_like_no_format_is_text(capsys, saved, tmp_path, text):
    path = tmp_path / "file"
    path.write_text(text)
    code, out, err = run(capsys, "tag", path, "--model", saved, "--json")
    assert (code, err) == (0, "")
    words = [json.loads(line)["tokens"] for line in out.splitlines()]
    assert ["".join(line) for line in words] == [
        "".join(line.split()) for line in text.splitlines()
    ]


def test_text_that_may_be_columns_is_said_to_be_read_as_text(capsys, saved, tmp_path):
    path = tmp_path / "file"
    path.write_text("ada noun\nsang verb\n" * 6)
    code, _, err = run(capsys, "tag", path, "--model", saved)
    assert code == 0
    assert "read as text, a sentence on each line, although most lines have 2 columns" in err
    assert "--input columns reads a word on each line" in err


def test_a_taggers_own_tags_tell_columns_from_text(capsys, saved, tmp_path):
    path = tmp_path / "file"
    path.write_text("the x DET\nman y NOUN\n")
    _, _, err = run(capsys, "tag", path, "--model", saved)
    assert "words from column 1" in err


@pytest.mark.parametrize("written", ["B_PER", "PER-B", "PER_B", "B:PER", "B/PER", "PER.B"])
def test_labels_with_another_separator_or_order_are_bio(capsys, tmp_path, monkeypatch, written):
    """ "New York, Rome" is one name beside another, which IO would count as one."""
    bio = "New B-LOC\nYork I-LOC\nRome B-LOC\nsang O\n\n"
    other = re.sub(
        "([BI])-(LOC)",
        lambda m: written.replace("PER", "§").replace("B", m[1]).replace("§", m[2]),
        bio,
    )
    path, out_dir = tmp_path / "names", tmp_path / "out"
    path.write_text(other * 20)
    _, out, err = run(capsys, "evaluate", path, "--model", "ner", "--json")
    assert json.loads(out)["types"]["LOC"]["support"] == 40
    monkeypatch.setitem(SETTINGS, ("ner", False), Settings(sizes=TINY, epochs=1))
    code, _, err = run(capsys, "train", path, path, "--output", out_dir)
    assert code == 0, err
    assert f"labels written as {written} are read as B-PER" in err
    assert "label scheme BIO" in err
    contents = json.loads((out_dir / "tagger.json").read_text())
    assert (contents["scheme"], contents["tags"]) == ("BIO", ["B-LOC", "I-LOC", "O"])


@pytest.mark.parametrize(
    ("content", "column"),
    [
        ("New\tB-LOC\tO\nYork\tI-LOC\tB-LOC\nAda\tB-PER\tO\n", "2"),
        ("New B-LOC O\nYork I-LOC O\nAda B-PER O\n", "2"),
        (HIPE, "NE-COARSE-LIT"),
        ("Ada NNP B-NP B-PER\nsang VBD B-VP O\n. . O O\n", "4"),  # chunks are no names
    ],
)
def test_of_two_columns_of_labels_the_one_with_most_spans_is_read_and_the_counts_are_said(
    capsys, tmp_path, content, column
):
    path = tmp_path / "file"
    path.write_text(content)
    code, _, err = run(capsys, "evaluate", path, "--model", "ner")
    assert code == 0
    assert f"labels from column {column}" in err
    assert re.search(f"in several columns: column {column} has [12]; column [\\w-]+ has \\d", err)
    assert "--column names another" in err
    code, _, err = run(capsys, "evaluate", path, "--model", "ner", "--column", "3", "--repair")
    assert "labels from column " + ("NE-NESTED" if "NE" in column else "3") in err


def test_a_header_is_no_word_of_plain_tags(capsys, saved, tmp_path):
    path = tmp_path / "file"
    path.write_text("WORD TAG\nthe DET\nman NOUN\n\nText NE\n")
    code, out, err = run(capsys, "evaluate", path, "--model", saved, "--scheme", "none", "--json")
    assert (code, json.loads(out)["tokens"]) == (0, 3), err


def test_names_in_misc_are_read_as_they_are_written(capsys, tmp_path, monkeypatch):
    text, path = tmp_path / "text", tmp_path / "names.conllu"
    text.write_text("Ada Lovelace lived in London.\nNobody sang.\n")
    _, out, _ = run(capsys, "tag", text, "--model", "ner", "--format", "conllu")
    path.write_text(out)
    _, plain, _ = run(capsys, "tag", text, "--model", "ner", "--format", "columns")
    assert "B-LOC" in plain
    for options in ([], ["--column", "misc:ner"]):
        code, out, err = run(capsys, "evaluate", path, "--model", "ner", *options)
        assert code == 0, err
        assert "labels from column MISC:NER" in err
        assert "F1 100.00 %" in out
    monkeypatch.setitem(SETTINGS, ("ner", False), Settings(sizes=TINY, epochs=1))
    path.write_text(path.read_text() * 10)
    code, _, err = run(capsys, "train", path, path, "--output", tmp_path / "out")
    assert code == 0, err
    assert "labels from column MISC:NER" in err
    for form in ("json", "columns"):
        _, out, _ = run(capsys, "tag", text, "--model", "ner", "--format", form)
        path.write_text(out)
        _, out, err = run(capsys, "evaluate", path, "--model", "ner")
        assert "F1 100.00 %" in out, err


def test_the_names_of_some_words_only_are_read_from_misc(capsys, tmp_path):
    path = tmp_path / "file"
    path.write_text(CONLLU.replace("|NER=O", ""))
    code, out, err = run(
        capsys, "evaluate", path, "--model", "ner", "--json", "--column", "MISC:NER"
    )
    assert code == 0, err
    assert json.loads(out)["types"]["PER"]["support"] == 1


@pytest.mark.parametrize(
    ("content", "model", "expected"),
    [
        (
            "# global.columns = FORM NER\n# x\nthe\tO\nman\tO\n\nthe\tO\n",
            "saved",
            "# global.columns = FORM NER UPOS\n# x\nthe\tO\tDET\nman\tO\tNOUN\n\nthe\tO\tDET\n\n",
        ),
        (
            "# global.columns = ID LEMMA FORM UPOS\n1-2\t_\tx\t_\n1\tx\tthe\t_\n2\tx\tman\t_\n",
            "saved",
            "# global.columns = ID LEMMA FORM UPOS\n1-2\t_\tx\t_\n1\tx\tthe\tDET\n"
            "2\tx\tman\tNOUN\n\n",
        ),
        (
            "# global.columns = ID FORM\n1\tLondon\n1.1\tx\n",
            "ner",
            "# global.columns = ID FORM MISC\n1\tLondon\tNER=B-LOC\n1.1\tx\t_\n\n",
        ),
    ],
)
def test_conllu_plus_goes_out_with_its_own_columns(
    capsys, saved, tmp_path, content, model, expected
):
    path = tmp_path / "file"
    path.write_text(content)
    model = saved if model == "saved" else model
    code, out, err = run(capsys, "tag", path, "--model", model, "--format", "conllu")
    assert (code, out) == (0, expected), err


def test_a_file_of_nothing_but_o_is_measured(capsys, tmp_path):
    path = tmp_path / "file"
    path.write_text("Ada O\nsang O\n")
    code, out, err = run(capsys, "evaluate", path, "--model", "ner")
    assert (code, "F1" in out) == (0, True), err


def test_a_bad_byte_on_standard_input_is_refused_after_what_came_before(capsys, saved, feed):
    feed(b"the fish\ncaf\xe9 the\nthe man\n")
    code, out, err = run(capsys, "tag", "--model", saved)
    assert (code, out) == (2, "the/DET fish/NOUN\n")
    assert "standard input, line 2: expected UTF-8 text, got" in err


def test_a_stream_of_utf_16_is_read(capsys, saved, feed):
    feed("the fish\r\nthe man\n".encode("utf-16"))
    code, out, _ = run(capsys, "tag", "--model", saved, "--encoding", "utf-16")
    assert (code, out) == (0, "the/DET fish/NOUN\nthe/DET man/NOUN\n")


ALPHABETS = {
    "gb18030": "他在北京大学读书，今年毕业以后想去上海工作。这是一个很长的句子。",
    "big5": "他在北京大學讀書，今年畢業以後想去上海工作。這是一個很長的句子。",
    "shift_jis": "これは日本語の文です。東京に住んでいます。",
    "euc_jp": "これは日本語の文です。東京に住んでいます。",
    "cp949": "나는 서울에서 살고 있습니다. 오늘은 날씨가 좋습니다.",
    "cp1251": "Он живёт в Москве и работает в университете.",
    "koi8-r": "Он живёт в Москве и работает в университете.",
    "cp874": "สวัสดีครับ ผมชื่อสมชาย",
    "cp1250": "Łódź jest piękna i zażółcona, a książka leży tu.",
    "cp1253": "Η Αθήνα είναι πρωτεύουσα της Ελλάδας.",
    "cp1252": "Der Käse schmeckt über alles „gut“, naïve café.",
    "utf-16": "Ada sang.",
}


@pytest.mark.parametrize(("encoding", "text"), ALPHABETS.items())
def test_the_remedy_names_the_encoding_of_the_text(encoding, text):
    assert likely_encodings((text + "\n").encode(encoding))[0] == encoding


def test_the_remedy_names_no_encoding_that_reads_everything():
    assert likely_encodings(bytes(range(128, 256))) == []
    assert likely_encodings(b"\x80\x81\x8d\x90 \x9d\xff\xfe") == []
