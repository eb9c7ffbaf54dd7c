"""`crf tag` with many files: one out for each in, order and names kept, a fault in one named."""

import gzip

import pytest

from tests.tagger.conftest import run


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "in"
    (folder / "b").mkdir(parents=True)
    (folder / "a.txt").write_text("the fish\n")
    (folder / "b" / "c.txt").write_text("the man\n")
    (folder / "d.txt.gz").write_bytes(gzip.compress(b"they row\n"))
    (folder / ".hidden").write_text("the can\n")
    return folder


def test_each_file_of_a_folder_goes_out_under_its_name(capsys, saved, folder, tmp_path):
    out_dir = tmp_path / "out"
    given = ["tag", folder, "--model", saved, "--output", out_dir]
    assert run(capsys, *given)[0] == 0
    found = {p.relative_to(out_dir).as_posix(): p.read_text() for p in out_dir.rglob("*.txt")}
    assert found == {
        "a.txt": "the/DET fish/NOUN\n",
        "b/c.txt": "the/DET man/NOUN\n",
        "d.txt": "they/PRON row/VERB\n",
    }
    assert len([path for path in out_dir.rglob("*") if path.is_file()]) == 3
    (folder / "a.txt").write_text("the boat\n")  # again, one has changed
    assert run(capsys, *given)[0] == 0
    assert (out_dir / "a.txt").read_text() == "the/DET boat/NOUN\n"


def test_a_fault_in_one_is_named_and_the_others_are_done(capsys, saved, folder, tmp_path):
    bad, none, out_dir = folder / "bad.txt", tmp_path / "none", tmp_path / "out"
    bad.write_bytes(b"caf\xe9 the\n")
    files = [folder / "b" / "c.txt", bad, none, folder / "a.txt"]
    code, out, err = run(capsys, "tag", *files, "--model", saved)
    assert (code, out) == (1, "the/DET man/NOUN\nthe/DET fish/NOUN\n")
    assert f"{bad}, line 1: expected UTF-8 text" in err
    assert f"{none}: No such file" in err
    code, _, _ = run(capsys, "tag", *files, "--model", saved, "--output", out_dir)
    assert code == 1
    assert sorted(path.name for path in out_dir.iterdir() if path.is_file()) == ["a.txt", "c.txt"]


def test_brats_texts_are_read_by_their_ann(capsys, tmp_path):
    folder, out_dir = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    (folder / "x.txt").write_text("She lives in London.\n")
    (folder / "x.ann").write_text("")
    options = ["--model", "ner", "--format", "spans", "--output", out_dir]
    code, _, err = run(capsys, "tag", folder, *options)
    assert code == 0, err
    assert [path.name for path in out_dir.iterdir()] == ["x.ann"]
    assert "LOC 13 19\tLondon\n" in (out_dir / "x.ann").read_text()


def test_what_would_be_lost_is_refused(capsys, saved, folder, tmp_path):
    same = folder / "b" / "a.txt"
    same.write_text("x\n")
    given = ["tag", folder / "a.txt", same, "--model", saved, "--output"]
    code, _, err = run(capsys, *given, tmp_path / "out")
    assert (code, "a.txt: expected files of different names, got 2" in err) == (2, True)
    code, _, err = run(capsys, *given, folder / "a.txt")
    assert (code, "expected a folder for several files" in err) == (2, True)
    code, _, err = run(capsys, "tag", folder, "--model", saved, "--output", folder)
    assert (code, "expected another folder than its own" in err) == (1, True)
    assert (folder / "a.txt").read_text() == "the fish\n"
    (tmp_path / "empty").mkdir()
    code, _, err = run(capsys, "tag", tmp_path / "empty", "--model", saved)
    assert (code, "expected a folder with files, got none" in err) == (2, True)


def test_the_least_sure_of_many_files(capsys, saved, folder):
    code, out, _ = run(capsys, "tag", folder, "--model", saved, "--unsure", "2")
    assert (code, len(out.splitlines())) == (0, 2)
