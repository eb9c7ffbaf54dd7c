"""The recipe of docs/several-machines.md: two processes give what one gives."""

import re

import pytest

from crf.__main__ import main
from crf.tagger.bundled import sample
from crf.tagger.reading import TaggedFile
from tests.tagger.conftest import ROOT, python

RECIPE = ROOT / "docs" / "several-machines.md"
pytestmark = pytest.mark.thorough
pytest.importorskip("distributed", reason="dask[distributed] is not installed")


def test_two_processes_give_what_one_gives_and_load_the_tagger_once_each(tmp_path, capsys):
    (code,) = re.findall(r"```python\n(.*?)```", RECIPE.read_text(encoding="utf-8"), re.DOTALL)
    counted = code.replace(
        "    torch.set_num_threads(1)\n", "    print('LOADED', file=sys.stderr)\n"
    )
    script = tmp_path / "tag_corpus.py"
    script.write_text(counted, encoding="utf-8")
    sentences = [" ".join(one.words) for one in TaggedFile(sample("train.conllu"))]
    text = tmp_path / "text"
    text.write_text("".join(f"{line}\n" for line in (sentences * 8)[:2600]), encoding="utf-8")
    done = python(script, text, tmp_path / "tagged")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("LOADED") == 2
    assert main(["tag", str(text), "--model", "local"]) == 0
    assert (tmp_path / "tagged").read_text(encoding="utf-8") == capsys.readouterr().out
