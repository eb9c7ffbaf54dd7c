"""Clusters from word vectors: words with like vectors have like paths."""

import os

import pytest
import torch

from crf.tagger import DataFileError, Tagger
from crf.tagger.vector_clusters import clusters_of
from tests.tagger.conftest import run


def vectors(path, header=True, groups=4, each=20):
    """Groups of words around centres that are far apart."""
    generator = torch.Generator().manual_seed(0)
    lines = [f"{groups * each} 6"] * header
    for group in range(groups):
        for n in range(each):
            noise = torch.randn(6, generator=generator) * 0.05
            noise[group] += 1
            lines.append(f"W{group}x{n} " + " ".join(f"{x:.4f}" for x in noise.tolist()))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("header", [True, False])
def test_words_of_a_group_share_the_beginning_of_their_paths(tmp_path, header):
    clusters = clusters_of(vectors(tmp_path / "vectors", header))
    assert len(clusters) == 80
    starts = [{clusters[f"w{group}x{n}"][:3] for n in range(20)} for group in range(4)]
    firsts = [{path[:2] for path in start} for start in starts]
    assert sum(len(start) == 1 for start in firsts) >= 2
    for a in range(4):
        for b in range(a):
            assert not starts[a] & starts[b]
    assert clusters == clusters_of(tmp_path / "vectors")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a 1 2\nb 1\n", "line 2: expected a word and as many numbers"),
        ("a 1 2\nb 1 x\n", "line 2: expected a word and as many numbers"),
        ("a 1 nan\n", "line 1: expected finite numbers"),
        ("2 2\n", "no word in it"),
    ],
)
def test_a_file_that_is_no_vectors_is_refused_with_its_line(tmp_path, text, message):
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(DataFileError, match=message):
        clusters_of(path)


def test_a_tagger_is_trained_with_them_and_keeps_them(capsys, treebank, tmp_path):
    out_dir, path = tmp_path / "out", tmp_path / "vectors"
    words = "the they fish can boat old man row . !".split()
    numbers = torch.randn(len(words) * 4, 5, generator=torch.Generator().manual_seed(1)).tolist()
    path.write_text(
        "\n".join(
            f"{words[n % len(words)]}{'x' * (n // len(words))} {' '.join(map(str, row))}"
            for n, row in enumerate(numbers)
        )
    )
    options = ["--output", out_dir, "--epochs", "1", "--hidden", "4", "--vectors", path]
    code, _, err = run(capsys, "train", treebank, treebank, *options)
    assert code == 0, err
    tagger = Tagger.load(out_dir)
    assert tagger.sizes.clusters == 2
    assert tagger.featuriser.clusters == clusters_of(path)
    assert os.path.getsize(out_dir / "tagger.json") < 20_000
    code, _, err = run(capsys, "train", treebank, treebank, *options, "--plain")
    assert (code, "--vectors: expected no --plain beside it" in err) == (2, True)
