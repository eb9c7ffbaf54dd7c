"""Files of tagged sentences: what is recognised, what is said, what is refused and how."""

import gzip
import random
import re
import time
import tracemalloc

import pytest

from crf.schemes import spans as spans_of
from crf.schemes import write
from crf.tagger import DataFileError, Sentence, TaggingDataset, sample
from crf.tagger.reading import TaggedFile
from tests.tagger.conftest import ROOT

CONLL = (
    "-DOCSTART- -X- -X- O\n\n"
    "EU NNP B-NP B-ORG\nrejects VBZ B-VP O\nGerman JJ B-NP B-MISC\n. . O O\n\n"
    "Peter NNP B-NP B-PER\nBlackburn NNP I-NP I-PER\n"
)
PLUS = "# global.columns = ID FORM UPOS NER\n1\tAda\tPROPN\tB-PER\n2\tsang\tVERB\tO\n"


def read(text: str | bytes, **options) -> TaggedFile:
    return TaggedFile(text.encode() if isinstance(text, str) else text, "x", **options)


def table(heading: str) -> list[list[str]]:
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8").split(heading)[1]
    rows = text.split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]


FORMATS = table("In the examples → is a tab.\n\n")
SCHEMES = table("`--scheme` overrides.\n\n")


@pytest.mark.parametrize("row", FORMATS, ids=lambda row: row[0])
def test_the_examples_of_the_page_are_read_as_it_says(row):
    name, example, word, label, scheme = (cell.strip("| ") for cell in row)
    text = example.replace("<br>", "\n").replace("`", "").replace("→", "\t")
    options = dict(re.findall(r"`--(\w+) (\S+)`", name))
    options |= {"labels": options["labels"].split(",")} if "labels" in options else {}
    packed = gzip.compress(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    file = read(packed, **options)
    assert file.first == read(text, **options).first
    assert (file.word, file.label, file.scheme or "none") == (word, label, scheme)
    assert file.first.words[0] in ("Ada", "阿")
    assert "labels from column " + label in file.notes[0]
    if scheme != "none":
        assert f"label scheme {scheme}" in file.notes
    assert file.tokens == sum(len(sentence.words) for sentence in file)


@pytest.mark.parametrize("row", SCHEMES, ids=lambda row: row[0])
def test_the_page_writes_the_schemes_as_the_library_does(row):
    scheme, labels = row[0].strip("| "), row[1].strip("`").split()
    names = spans_of(["B-PER", "I-PER", "O", "B-PER", "B-PER", "O"])
    assert labels == write(names, 6, scheme)
    assert write(spans_of(labels), 6, scheme) == labels


@pytest.mark.parametrize(
    ("text", "options", "label", "tags"),
    [
        (CONLL, {}, "4", ("B-ORG", "O", "B-MISC", "O")),
        (CONLL, {"column": "3"}, "3", ("B-NP", "B-VP", "B-NP", "O")),
        (CONLL, {"tags": ("B-VP", "B-NP", "O")}, "3", ("B-NP", "B-VP", "B-NP", "O")),
        (CONLL, {"tags": ("?",)}, "4", ("B-ORG", "O", "B-MISC", "O")),
        (PLUS, {"column": "ner"}, "NER", ("B-PER", "O")),
        (PLUS, {"tags": ("B-PER", "I-PER", "O")}, "NER", ("B-PER", "O")),
    ],
)
def test_the_column_is_chosen(text, options, label, tags):
    file = read(text, **options)
    assert (file.label, file.first.tags) == (label, tags)


def test_the_columns_found_have_examples_for_a_menu():
    columns = read(CONLL).columns
    assert [column.name for column in columns] == ["1", "2", "3", "4"]
    assert columns[3].examples == ("B-ORG", "O", "B-MISC", "B-PER", "I-PER")
    assert [column.is_label_like for column in columns] == [False, False, True, True]
    counts = "labels of spans stand in several columns: column 4 has 3; column 3 has 4"
    assert any(counts in note for note in read(CONLL).notes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# sent_id = 5\n# text = a\na X Y O\n# X Y O\n\n# X Y O\n", [("a", "#"), ("#",)]),
        ("# b\na\tO\n#c\tO\n\n#\tO\n", [("a", "#c"), ("#",)]),
        ("{ O\n} O\n\n[ O\n", [("{", "}"), ("[",)]),
        ("a\u00a0b O\nc\u2028d O\n", [("a\u00a0b", "c\u2028d")]),
        ("a O\n \t\n\n\nb P \n", [("a",), ("b",)]),
    ],
)
def test_signs_are_words_and_comments_are_none(text, words):
    assert [sentence.words for sentence in read(text)] == words


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (CONLL.replace(" B-MISC", " "), {}, "x, line 5: expected 4 columns separated by spaces"),
        (CONLL.replace(" ", "\t").replace("B-MISC", ""), {}, "line 5: column 4 is empty"),
        (CONLL.replace("B-MISC", "MISC"), {}, "line 5: expected a label of the scheme BIO"),
        (CONLL, {"column": "9"}, "--column: expected one of 2, 3, 4, got '9'"),
        (CONLL, {"scheme": "BIOE"}, "scheme: expected one of IO, IOB1, BIO"),
        (CONLL, {"scheme": "IO"}, "scheme IO: 'B-ORG' is no label of it"),
        (CONLL, {"encoding": "utf-9"}, "encoding: expected one that Python knows"),
        ("1\tAda\n2\tsang\n", {}, "got numbers and words"),
        ("The old man the boat.\n", {}, "reads like plain text; nearest are"),
        ("One word\n\nThree words here\nTwo words\n", {}, "line 3: expected 2 columns"),
        ("a " + "T" * 129 + "\nb O\n", {}, "line 1: expected labels of at most 128 printable"),
        ("w" * 1001 + " T\nb O\n", {}, "line 1: expected words of at most 1,000 characters"),
        ("a O\n" * 100_001, {}, "no blank line in 100,000 lines"),
        (PLUS.replace("Ada", "_").replace("sang", "_"), {}, "every FORM is _"),
        (PLUS.replace("PROPN", "_"), {}, "line 2: column UPOS is empty"),
        (PLUS.replace("B-PER", "_").replace("\tO", "\t_"), {"column": "NER"}, "NER is empty"),
        ("# global.columns = ID LEMMA\n1\ta\n", {}, "line 1: expected a column FORM"),
        ('{"tokens": ["a"], "tags": ["X", "Y"]}', {}, "line 1: expected an object a line"),
        ('{"": ["a"], "x": ["X"]}', {}, "line 1: expected an object a line"),
        ('{"tokens": ["a"], "tags": ["X"]}\n{"tokens": ["a"]}', {}, 'line 2: "tags": expected a l'),
        ('{"tokens": ["a"], "tags": ["X"]}\n{"tokens": [], "tags": ["X"]}', {}, "of equal length"),
        ('{"tokens": ["a"], "tags": [3]}', {}, "are numbers without known names"),
        ('{"tokens": ["a"], "tags": [3]}', {"labels": "OX"}, "expected numbers from 0 to 1"),
        ('{"tokens": ["a"], "tags": ["X"]', {}, "line 1: expected a whole JSON object"),
        ('[{"tokens": ["a"], "tags": ["X"]}', {}, "line 1: the JSON array does not end"),
        ('["a", "b"]', {}, "line 1: expected an array of objects"),
        (
            '[["Ada", {"entities": [[0, 3, "PER"]]}]]',
            {},
            "got '\\['; write each text and its spans",
        ),
        ("a X\nb Y\n".encode("utf-16"), {}, r"line 1: .* at byte 0 of the file"),
        ("a X\ncafé Y\n".encode("latin-1"), {}, r"line 2: .* at byte 7 of the file"),
        ("a X\n", {"encoding": "utf-16"}, "UTF-16"),
        (b"\x1f\x8bno gzip", {}, "the gzip file is damaged"),
        ("", {}, "no sentence in it"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(text, options, message):
    with pytest.raises(DataFileError, match=message):
        read(text, **options)


BAD = "a I-X\nb B-Y\n\nc I-Y\nd O\ne I-X\n"


def test_labels_that_break_the_scheme_are_counted_and_shown_and_repaired():
    where = r"scheme BIO: 3 \(line 1: I-X; line 4: I-Y; line 6: I-X\)"
    with pytest.raises(DataFileError, match=where) as raised:
        read(BAD)
    assert "--" not in str(raised.value)  # it is read on a page, too
    assert raised.value.remedy.startswith("--repair reads them")
    file = read(BAD, repair=True)
    assert file.faults == 3
    assert [s.tags for s in file] == [("B-X", "B-Y"), ("B-Y", "O", "B-X")]
    assert file.first.tags == ("B-X", "B-Y")
    assert any("read as conlleval does" in note for note in file.notes)
    with pytest.raises(DataFileError, match=r"BIO: 20 \((line \d+: I-X; ){5}…\)"):
        read("a B-X\nb O\n\n" + "c I-X\nb O\n\n" * 20)
    assert read("a B-X\nb I-X\n\nc L-X\n", repair=True).first.tags == ("B-X", "L-X")


def test_the_scheme_is_that_of_most_labels_of_all_files_and_spans_are_given_in_another():
    text = "a B-X\nb O\n\n" * 50 + "c I-X\nb O\n"  # one bad label does not make it IOB1
    assert read(text, repair=True).scheme == "BIO"
    assert read(text, scheme="IOB1").faults == 0
    assert read(text, scheme="none").scheme is None
    one, other = read("a I-X\nb O\n", settle=False), read("a B-X\nb O\n", settle=False)
    one.statistics.merge(other.statistics)
    with pytest.raises(DataFileError, match="line 1: I-X"):
        one.settle()
    file = read("a I-X\nb B-X\nc O\n")
    assert file.scheme == "IOB1"
    file.rewrite("BIOES")
    assert list(file) == [Sentence(("a", "b", "c"), ("S-X", "S-X", "O"))] == [file.first]


def lines(count: int) -> bytes:
    draw = random.Random(0)
    words = [f"w{n} NN B-NP {draw.choice(['O', 'B-X'])}" for n in range(500)]
    return "\n\n".join("\n".join(draw.choices(words, k=9)) for _ in range(count // 10)).encode()


def test_memory_does_not_grow_with_the_file(tmp_path):
    peaks = []
    for count in (4_000, 12_000):
        path = tmp_path / f"{count}.txt.gz"
        path.write_bytes(gzip.compress(lines(count), 1))
        tracemalloc.start()
        file = TaggedFile(path)
        assert sum(1 for _ in file) == file.sentences == count // 10
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0], peaks


@pytest.mark.parametrize("start", [b'{"tokens": ["', b"a X\n"])
def test_a_line_of_100_mb_is_refused_within_a_second(start, tmp_path):
    path = tmp_path / "line"
    path.write_bytes(start + b"x" * 100_000_000)
    begin = time.process_time()
    with pytest.raises(DataFileError, match="expected at most 1,000,000 characters"):
        TaggedFile(path)
    assert time.process_time() - begin < 1


CONLLU = """\
# sent_id = 1
# text = They don't fish.
1\tThey\tthey\tPRON\tPRP\t_\t4\tnsubj\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tfish\tfish\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_

# sent_id = 2
1\tSue\tSue\tPROPN\tNNP\t_\t2\tnsubj\t_\t_
2\tlikes\tlike\tVERB\tVBZ\t_\t0\troot\t_\t_
3\tcoffee\tcoffee\tNOUN\tNN\t_\t2\tobj\t_\t_
4\tand\tand\tCCONJ\tCC\t_\t5\tcc\t_\t_
5\tBill\tBill\tPROPN\tNNP\t_\t2\tconj\t5.1:nsubj\t_
5.1\tlikes\tlike\tVERB\tVBZ\t_\t_\t_\t2:conj\t_
6\ttea\ttea\tNOUN\tNN\t_\t5\torphan\t5.1:obj\t_
"""


def test_words_tags_and_hints_without_ranges_and_empty_nodes():
    text = CONLLU.replace("\tNNP\t_\t", "\tNNP\tNumber=Sing|X=Y\t")
    dataset = TaggingDataset.read(text.replace("\tnsubj\t", "\tnsubj:pass\t").encode())
    words = ["They do n't fish .", "Sue likes coffee and Bill tea"]
    assert [" ".join(sentence.words) for sentence in dataset] == words
    assert dataset[1].hints[0] == ("NNP", "Number=Sing|X=Y", "nsubj")  # without its subtype
    assert dataset[1].hints[1] == ("VBZ", "_", "root")
    assert dataset[0].tags == ("PRON", "AUX", "PART", "VERB", "PUNCT")
    assert dataset.tags == ("AUX", "CCONJ", "NOUN", "PART", "PRON", "PROPN", "PUNCT", "VERB")


@pytest.mark.parametrize(
    ("old", "new", "line", "fault"),
    [
        ("1\tThey\tthey\t", "1\tThey\t", 3, "10 columns separated by tabs, got 9"),
        ("4\tfish", "four\tfish", 7, "not a valid ID"),
        ("4\tfish", "5\tfish", 7, "expected token 4, got 5"),
        ("\n\n# sent_id = 2\n", "\n", 9, "expected token 6, got 1"),
        ("tea\tNOUN", "tea\t_", 17, "UPOS is empty"),
        ("6\ttea", "6\t", 17, "FORM is empty"),
        ("6\ttea", "free text\n6\ttea", 17, "got 1"),
    ],
)
def test_a_malformed_line_is_reported_with_its_number(old, new, line, fault):
    assert CONLLU.count(old) == 1
    with pytest.raises(DataFileError, match=rf"tiny\.conllu, line {line}: .*{fault}"):
        TaggingDataset.read(CONLLU.replace(old, new).encode(), "tiny.conllu")


def test_what_cannot_be_read_is_reported_before_it_is_read(tmp_path):
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(1 << 30)  # takes no room on the disk
    for name, fault in (
        ("none", "No such file"),
        (".", "Is a directory"),
        ("huge", r"at most 512 MiB, .* got 1,024; train on a part"),
    ):
        with pytest.raises(DataFileError, match=fault):
            TaggingDataset.read(tmp_path / name)


def test_the_sample_has_parts_of_speech_and_names_of_the_same_sentences():
    for split, sentences in (("train", 400), ("dev", 100)):
        tagged = TaggingDataset.read(sample(f"{split}.conllu"))
        named = TaggingDataset.read(sample(f"{split}.iob2"))
        assert len(tagged) == len(named) == sentences
        same = sum(a.words == b.words for a, b in zip(tagged, named, strict=True))
        assert same >= 0.98 * sentences
        assert named.tags == ("B-LOC", "B-ORG", "B-PER", "I-LOC", "I-ORG", "I-PER", "O")
    assert sum(file.stat().st_size for file in sample("dev.iob2").parent.iterdir()) <= 300_000
