import pytest

from crf.tagger import DataFileError, TaggingDataset, sample


def test_words_and_tags_without_ranges_and_empty_nodes(conllu):
    dataset = TaggingDataset.read(conllu)
    assert [sentence.words for sentence in dataset] == [
        ("They", "do", "n't", "fish", "."),
        ("Sue", "likes", "coffee", "and", "Bill", "tea"),
    ]
    assert dataset[0].tags == ("PRON", "AUX", "PART", "VERB", "PUNCT")
    assert dataset.tags == ("AUX", "CCONJ", "NOUN", "PART", "PRON", "PROPN", "PUNCT", "VERB")
    assert len(dataset) == 2


def test_the_other_columns_are_hints_with_the_relation_without_its_subtype(conllu):
    text = conllu.read_text(encoding="utf-8").replace("\tNNP\t_\t", "\tNNP\tNumber=Sing|X=Y\t")
    conllu.write_text(text.replace("\tnsubj\t", "\tnsubj:pass\t"), encoding="utf-8")
    hints = TaggingDataset.read(conllu)[1].hints
    assert hints[0] == ("NNP", "Number=Sing|X=Y", "nsubj")
    assert hints[1] == ("VBZ", "_", "root")


@pytest.mark.parametrize(
    ("old", "new", "line", "fault"),
    [
        ("1\tThey\tthey\t", "1\tThey\t", 3, "10 columns separated by tabs, got 9"),
        ("4\tfish", "four\tfish", 7, "not a valid ID"),
        ("4\tfish", "5\tfish", 7, "expected token 4, got 5"),
        ("\n\n# sent_id = 2\n", "\n", 9, "expected token 6, got 1"),
        ("tea\tNOUN", "tea\t_", 17, "UPOS is empty"),
        ("tea\tNOUN", "tea\t", 17, "UPOS is empty"),
        ("6\ttea", "6\t", 17, "FORM is empty"),
        ("6\ttea", "free text\n6\ttea", 17, "got 1"),
    ],
)
def test_a_malformed_line_is_reported_with_its_number(conllu, old, new, line, fault):
    text = conllu.read_text(encoding="utf-8")
    assert text.count(old) == 1
    conllu.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(DataFileError, match=rf"tiny\.conllu, line {line}: .*{fault}"):
        TaggingDataset.read(conllu)


def test_a_missing_file_and_a_directory_are_reported(tmp_path):
    with pytest.raises(DataFileError, match="No such file"):
        TaggingDataset.read(tmp_path / "none.conllu")
    with pytest.raises(DataFileError, match="Is a directory"):
        TaggingDataset.read(tmp_path)


def test_a_file_that_no_memory_holds_is_reported_before_it_is_read(tmp_path):
    path = tmp_path / "huge.conllu"
    with path.open("wb") as file:
        file.truncate(1 << 30)  # takes no room on the disk
    with pytest.raises(DataFileError, match=r"at most 512 MiB, .* got 1,024; train on a part"):
        TaggingDataset.read(path)


def test_the_sample_has_parts_of_speech_and_names_of_the_same_sentences():
    for split, sentences in (("train", 400), ("dev", 100)):
        tagged = TaggingDataset.read(sample(f"{split}.conllu"))
        named = TaggingDataset.read(sample(f"{split}.iob2"))
        assert len(tagged) == len(named) == sentences
        same = sum(a.words == b.words for a, b in zip(tagged, named, strict=True))
        assert same >= 0.98 * sentences
        assert named.tags == ("B-LOC", "B-ORG", "B-PER", "I-LOC", "I-ORG", "I-PER", "O")
    assert sum(file.stat().st_size for file in sample("dev.iob2").parent.iterdir()) <= 300_000
