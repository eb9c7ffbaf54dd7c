import pytest

from crf.tagger import DataFileError, TaggingDataset, sample
from tests.tagger.conftest import CONLLU


def test_words_tags_and_hints_without_ranges_and_empty_nodes(tmp_path):
    text = CONLLU.replace("\tNNP\t_\t", "\tNNP\tNumber=Sing|X=Y\t")
    text = text.replace("\tnsubj\t", "\tnsubj:pass\t")
    (tmp_path / "x").write_text(text, encoding="utf-8")
    dataset = TaggingDataset.read(tmp_path / "x")
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
def test_a_malformed_line_is_reported_with_its_number(tmp_path, old, new, line, fault):
    assert CONLLU.count(old) == 1
    (tmp_path / "tiny.conllu").write_text(CONLLU.replace(old, new), encoding="utf-8")
    with pytest.raises(DataFileError, match=rf"tiny\.conllu, line {line}: .*{fault}"):
        TaggingDataset.read(tmp_path / "tiny.conllu")


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
