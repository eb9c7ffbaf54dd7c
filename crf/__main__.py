"""The command line: `crf train|evaluate|tag|lab|show|fetch|doctor`; each has `--help`."""

import argparse
import errno
import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from . import doctor
from .tagger.decoders import DECODERS

EXAMPLE = r"""
Train a tagger of your own and use it:
  crf fetch ud-english-ewt --directory data
  crf train data/en_ewt-ud-train.conllu data/en_ewt-ud-dev.conllu --output my-tagger --language en
  crf evaluate data/en_ewt-ud-dev.conllu --model my-tagger
  echo "Time flies like an arrow." | crf tag --model my-tagger
  crf show "They can fish." --figure viterbi --output fish.html
Find names instead of parts of speech:
  crf train train.iob2 dev.iob2 --output my-names
  echo "Marie Curie was born in Warsaw." | crf tag --model ner
Train on two processes, each with half of every batch:
  torchrun --nproc-per-node 2 -m crf train TRAIN DEV --output my-tagger
"""


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got {text!r}")
    return int(text)


def _size(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number from 0, got {text!r}")
    return int(text)


def _path(metavar: str, **more: Any) -> dict[str, Any]:
    return {"type": Path, "metavar": metavar, **more}


def _text(metavar: str, default: str = "") -> dict[str, Any]:
    return {"default": default, "metavar": metavar}


def _among(*choices: str, **more: Any) -> dict[str, Any]:
    return {"choices": choices, **more}


def _number(metavar: str, kind: Callable[[str], float]) -> dict[str, Any]:
    return {"type": kind, "metavar": metavar}


_OPTION_OF = {  # setting → option, where their names differ
    "learning_rate": "lr",
    "word_dim": "embedding",
    "affix_dim": "affixes",
    "char_filters": "characters",
    "path": "output",
}
_FLAG: dict[str, Any] = {"action": "store_true"}
CommandOption = tuple[str, str, dict[str, Any]]  # name, help, arguments of `add_argument`
Groups = Mapping[str, Sequence[CommandOption]]  # title → options; "" has the command's own

# fmt: off
_HOW_READ = "how files are read"
_ENCODING: CommandOption = ("--encoding", "text encoding (default: utf-8)", _text("NAME", "utf-8"))
_WORDS: CommandOption = (
    "--words", "column that holds the words: a number, a name, or a key of JSON objects "
    "(default: recognised)", _text("N|NAME"),
)
_READING: list[CommandOption] = [
    ("--column", "column that holds the labels: XPOS, FEATS, MISC:NER, …, a number, or a key "
     "of JSON objects (default: recognised)", _text("NAME")),
    _WORDS,
    ("--labels", "names of labels that are numbers, in order: O,B-PER,… or a file with one "
     "name on each line (default: none)",
     _text("NAMES")),
    ("--scheme", "label scheme: IO, IOB1, BIO (also called IOB2), BIOES, BILOU, BMES, or none "
     "for plain tags (default: recognised)", _text("NAME")),
    ("--align", "spans of characters that do not begin and end where words do: strict refuses the "
     "file, expand takes the words that they touch, drop leaves them out (default: strict)",
     _among("strict", "expand", "drop", default="strict")),
    ("--repair", "read labels that break their scheme as conlleval does, instead of refusing them",
     _FLAG),
    _ENCODING,
]
_DEVICE: list[CommandOption] = [
    ("--device", "device on which the network computes; auto: a CUDA GPU if there is one; mps: "
     "Apple’s GPU (default: auto)",
     _among("auto", "cpu", "cuda", "mps", default="auto")),
    ("--threads", "CPU threads for PyTorch (default: 1)", _number("N", _count) | {"default": 1}),
]
_MODEL: list[CommandOption] = [
    ("--model", "tagger: a directory that `crf train` wrote, a Hugging Face folder, or one "
     "that comes with the package: bilstm, local, ner, ner-softmax (default: bilstm)",
     _text("DIR", "bilstm")),
    *_DEVICE,
]
_DECODER: CommandOption = (
    "--decoder", "rule that chooses the tags; viterbi gives the most probable path (default: "
    "viterbi)",
    _among(*DECODERS, default="viterbi"),
)
_TRAIN: Groups = {
    "": [
        ("train", "file to train on: CoNLL-U, columns or JSON lines; may be gzipped",
         _path("TRAIN")),
        ("dev", "development file; the epoch that scores best on it is kept", _path("DEV")),
        ("--output", "directory to write the tagger to", _path("DIR", required=True)),
        ("--from", "tagger whose training continues, a directory or a name as for --model; new "
         "words and labels are added to its own (default: a new tagger)", _text("DIR")),
        ("--encoder", "folder of a network of Hugging Face, which takes the place of ours below "
         "the CRF; needs the extra [transformers] (default: ours)", _path("FOLDER")),
        ("--task", "kind of labels, which chooses the settings: parts of speech or names "
         "(default: auto, by the labels)",
         _among("auto", "pos", "ner", default="auto")),
        ("--tokeniser", "rule that splits a text into words: unicode, at Unicode’s word "
         "boundaries; english, as English treebanks do; spaces (default: unicode, with "
         "--language en english)",
         _among("unicode", "english", "spaces")),
        ("--language", "language of the sentences (en, de, …); with en, word clusters are "
         "added (default: none)",
         _text("CODE")),
        ("--vectors", "file of word vectors, as word2vec and fastText write them as text; words "
         "are put into clusters by them, as with --language en (default: none)", _path("FILE")),
        ("--licence", "licence of the training data, copied to the model card (default: none)",
         _text("TEXT")),
        ("--hints", "CoNLL-U file with the sentences of TRAIN; the network also learns its "
         "other columns (default: none)", _path("FILE")),
        ("--quiet", "print nothing during training", _FLAG),
        *_DEVICE,
    ],
    _HOW_READ: _READING,
    "which model": [
        ("--plain", "use the textbook’s model: word embeddings, one BiLSTM, a linear layer, a "
         "CRF, plain Adam",
         _FLAG),
        ("--local", "use no LSTM: each emission sees only its own word", _FLAG),
        ("--softmax", "use no transitions: each tag is chosen by itself", _FLAG),
        ("--unconstrained", "let the CRF learn any label sequence, also those that break the "
         "scheme", _FLAG),
        ("--twin-of", "CRF tagger that was trained with the same settings; with --softmax, its "
         "model card gets the metrics of both (default: none)",
         _path("DIR")),
    ],
    "sizes (0 switches a feature off)": [
        ("--embedding", "size of a word’s vector "
         "(default: 64; names 48; --local 32; --plain 100)",
         _number("N", _size)),
        ("--affixes", "size of an affix’s vector (default: 16; --plain 0)",
         _number("N", _size)),
        ("--characters", "number of filters of the character convolution "
         "(default: 64; --plain 0)", _number("N", _size)),
        ("--hidden", "number of LSTM units per direction "
         "(default: 256; names 128; --plain 128)", _number("N", _size)),
        ("--layers", "number of LSTM layers (default: 1)", _number("N", _size)),
    ],
    "how to train": [
        ("--epochs", "largest number of passes over TRAIN (default: 14; names 9; --plain 14)",
         _number("N", _count)),
        ("--patience", "stop after N epochs without improvement (default: 4)",
         _number("N", _count)),
        ("--batch-size", "sentences per step and process "
         "(default: 32; names 64; --plain 32; less for few sentences)",
         _number("N", _count)),
        ("--lr", "learning rate of Adam (default: 0.003; names 0.004; --plain 0.001)",
         _number("RATE", float)),
        ("--dropout", "share of values that dropout sets to 0, from 0 to below 1 (default: 0.5)",
         _number("SHARE", float)),
        ("--seed", "seed of the initial weights, the data order and dropout (default: 0)",
         _number("N", _size)),
        ("--bf16", "compute the network in bfloat16; the CRF stays in float32", _FLAG),
    ],
}
_EVALUATE: Groups = {
    "": [
        ("file", "tagged file: CoNLL-U, columns or JSON lines; may be gzipped", _path("FILE")),
        *_MODEL,
        ("--constraints", "scheme whose forbidden steps are forbidden at decoding, whatever "
         "the tagger was trained with (default: the tagger’s own)",
         _among("bio", "bioes", "bilou", "bmes")),
        _DECODER,
        ("--errors", "file to list each wrong name or word in, with gold, predicted, their "
         "probabilities and the sentence, by tabs; the kinds of errors are printed (default: none)",
         _path("FILE")),
        ("--json", "print one line of JSON; shares are from 0 to 1", _FLAG),
    ],
    _HOW_READ: _READING,
}
_TAG: Groups = {"": [
    ("file", "file to tag, may be gzipped; or several, or a folder (default: standard input)",
     _path("FILE", nargs="*")),
    *_MODEL,
    ("--output", "file to write; for several, a folder in which each keeps its name (default: "
     "standard output)", _path("FILE")),
    ("--format", "output: text, word/TAG pairs; json, a line with text, tokens, tags, offsets, "
     "log_prob in nats, and entities with their probabilities; spans, as annotation tools read "
     "them; columns; conllu (default: text)",
     _among("text", "json", "spans", "columns", "conllu", default="text")),
    ("--json", "write the same as --format json", _FLAG),
    ("--unsure", "write only the N sentences that would teach most if they were annotated, the "
     "least sure first, in the form spans or, for plain tags, json (default: write all)",
     _number("N", _count)),
    ("--by", "measure for --unsure: entropy of the tag sequences per word; least-confident, 1 − "
     "the probability of the best one; margin, by which it beats the second one (default: entropy)",
     _among("entropy", "least-confident", "margin", default="entropy")),
    _DECODER,
    ("--input", "input: text, a sentence on each line; tokenised, columns, conllu or jsonl, "
     "which are split into words; auto: detect, else text (default: auto)",
     _among("auto", "text", "tokenised", "columns", "conllu", "jsonl", default="auto")),
    ("--tokenised", "take the words of each line as they stand between spaces", _FLAG),
    _WORDS,
    _ENCODING,
]}
_SHOW: Groups = {"": [
    ("text", "sentence, in quotes", {"metavar": "TEXT"}),
    *_MODEL,
    ("--figure", "figure to draw; flow: all paths at once; forward, backward, viterbi: step by "
     "step (default: flow)",
     _among("flow", "forward", "backward", "viterbi", "marginals", "scores", default="flow")),
    ("--output", "HTML file to write; its name ends in .html", _path("FILE", required=True)),
]}
_FETCH: Groups = {"": [
    ("name", "treebank: ud-english-ewt", {"metavar": "NAME"}),
    ("--directory", "directory to download to (default: the user’s cache)", _path("DIR")),
]}
# fmt: on

COMMANDS: dict[str, tuple[str, str, Groups]] = {  # each with a summary, and what more there is
    "train": (
        "Train a tagger on tagged sentences",
        "Takes about ten minutes for UD English EWT on one CPU core. A run that was stopped "
        "continues from its last whole epoch when you give the same command again. Under torchrun, "
        "each process takes its share of every batch.",
        _TRAIN,
    ),
    "evaluate": (
        "Measure a tagger’s accuracy",
        "Prints the share of tokens, of whole sentences and of unknown words tagged right, and the "
        "mean negative log-likelihood of a sentence’s gold tags in nats; for names precision, "
        "recall and F1 of exact spans, and how many labels break their scheme; then the same for "
        "each tag or type. A tag that the tagger has never seen counts as wrong. With --errors: "
        "errors of type (the right words), of border (the right type), of both, missed, invented.",
        _EVALUATE,
    ),
    "tag": (
        "Tag text, or sentences that are split into words",
        "Standard input is answered line by line. With --output, a run that was stopped continues "
        "when you give the same command again.",
        _TAG,
    ),
    "lab": ("Check your own implementation, cell by cell", "", {}),  # has its own table
    "show": (
        "Draw a sentence's chain",
        "Writes one HTML file that works offline and can be embedded in a page with an iframe.",
        _SHOW,
    ),
    "fetch": ("Download a treebank and verify its checksums", "", _FETCH),
    "doctor": (
        "Say whether the package is whole, which code computes here, and why",
        "The results are the same with each engine; the kernels in C take less time.",
        {},
    ),
}


def parser(lab: bool = True) -> argparse.ArgumentParser:
    """The arguments of all commands, or of all but `lab`, whose table takes time to import."""
    top = argparse.ArgumentParser(
        prog="crf",
        description="Train, measure and use taggers with a CRF, for parts of speech or names.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"%(prog)s {doctor.version()}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (summary, details, groups) in COMMANDS.items():
        to = commands.add_parser(name, help=summary, description=f"{summary}. {details}")
        for title, options in groups.items():
            place = to.add_argument_group(title) if title else to
            for option, text, how in options:
                place.add_argument(option, help=text, **how)
    if lab:
        from .lab.command import add_arguments

        add_arguments(commands.choices["lab"])
    return top


def main(arguments: list[str] | None = None) -> int:
    """Run one command.

    The exit code is 0; 2 for a bad file or argument, 1 if one of many files is bad; 130 if it was
    interrupted.
    """
    if sys.stderr is None:  # closed, as by `2>&-`
        sys.stderr = open(os.devnull, "w")
    if sys.stdout is None:
        print("crf: standard output is closed, so there is nowhere to write", file=sys.stderr)
        return 2
    arguments = sys.argv[1:] if arguments is None else arguments
    options = parser(lab=arguments[:1] == ["lab"]).parse_args(arguments)
    try:
        if options.command == "doctor":
            return doctor.run()
        if options.command == "lab":
            from .lab import command as lab

            return lab.run(options)
        _look_at_files(options)
        pauses = gc.isenabled() and "torch" not in sys.modules
        if pauses:
            gc.disable()  # because the import makes many objects that stay
        try:
            from .tagger import commands  # imported here, because --help need not wait for torch
        finally:
            if pauses:
                gc.freeze()
                gc.enable()
        return getattr(commands, options.command)(options) or 0
    except ModuleNotFoundError as error:
        return _complain(options.command, _missing(error), 2)
    except ImportError as error:
        return _complain(options.command, doctor.fault() or str(error), 2)
    except KeyboardInterrupt:
        return _complain(options.command, "interrupted", 130)
    except MemoryError:
        return _complain(options.command, "the memory is full; give smaller files or sizes", 2)
    except BrokenPipeError:  # because `… | head` closes the pipe early
        _silence(sys.stdout)
        return 0
    except (ValueError, OSError) as error:
        if isinstance(error, OSError) and error.strerror:  # because str(error) has [Errno …]
            stream = "standard output" if error.errno == errno.ENOSPC else ""  # has no name
            where = error.filename or stream
            fault = f"{where}: {error.strerror}" if where else error.strerror
            return _complain(options.command, fault, 2)
        remedy = getattr(error, "remedy", "")
        fault = f"{error}; {remedy}" if remedy else str(error)
        return _complain(options.command, _as_typed(fault, options), 2)


def _look_at_files(options: argparse.Namespace) -> None:
    """Refuse a file that is not text, before the slow import of torch."""
    from .tagger.lines import TextSource

    files = getattr(options, "file", [])
    files = files if isinstance(files, list) else [files]
    for path in [getattr(options, "train", None), getattr(options, "dev", None), *files]:
        if path is not None and path.is_file() and len(files) < 2:
            source = TextSource(path, encoding=options.encoding)
            with source.explained():
                source.head()


def _as_typed(fault: str, options: argparse.Namespace) -> str:
    """Replace a setting's name in an error by the option that was typed."""
    setting, _, rest = fault.partition(": ")
    name = _OPTION_OF.get(setting, setting)
    if rest.startswith("expected") and getattr(options, name, None) not in (None, "", False):
        return f"--{name.replace('_', '-')}: {rest}"
    return fault


def _complain(command: str, fault: str, code: int) -> int:
    """Say in one sentence what went wrong."""
    print(f"crf {command}: {fault}", file=sys.stderr)
    _silence(sys.stdout)  # because unwritten output would fail again at exit
    return code


def _silence(stream: TextIO) -> None:
    try:
        stream.flush()
    except (OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _missing(error: ModuleNotFoundError) -> str:
    if error.name == "crf_taggers":
        return str(error)
    extra = "fetch" if error.name in ("pooch", "requests") else "tagger"
    return (
        f"it needs the package {error.name}, which is not installed; the extra [{extra}] brings "
        f"it: pip install 'linear-chain-crf[{extra}]', or in a clone pip install '.[{extra}]'"
    )


if __name__ == "__main__":
    sys.exit(main())
