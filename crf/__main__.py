"""The command line: `python -m crf fetch|train|evaluate|tag|show|doctor`; each has `--help`."""

import argparse
import errno
import importlib.util
import os
import sys
from importlib import metadata
from pathlib import Path
from typing import TextIO

EXAMPLE = """\
From nothing to a tagger of your own:
  python -m crf fetch ud-english-ewt --directory data
  python -m crf train data/en_ewt-ud-train.conllu data/en_ewt-ud-dev.conllu --output my-tagger \
    --language en
  python -m crf evaluate data/en_ewt-ud-dev.conllu --model my-tagger
  echo "Time flies like an arrow." | python -m crf tag --model my-tagger
  python -m crf show "They can fish." --figure viterbi --output fish.html
Names instead of parts of speech:
  python -m crf train train.iob2 dev.iob2 --output my-names
  echo "Marie Curie was born in Warsaw." | python -m crf tag --model ner
On two processes, each with half of every batch; a large file, tagged in shards:
  torchrun --nproc-per-node 2 -m crf train TRAIN DEV --output my-tagger
  torchrun --nproc-per-node 2 -m crf tag FILE --output FILE.tagged
"""


_ANOTHER = (
    "the module crf beside this file is not ours, or lacks a part; pytorch-crf up to 0.7.2 brings "
    "a stray crf/__init__.py: install linear-chain-crf again, with --force-reinstall"
)


def parser() -> argparse.ArgumentParser:
    """The arguments of all commands."""
    top = argparse.ArgumentParser(
        prog="python -m crf",
        description="Train, measure and use a tagger with a CRF: parts of speech, or names.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"%(prog)s {_version()}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, summary: str, details: str = "") -> argparse.ArgumentParser:
        return commands.add_parser(name, help=summary, description=f"{summary}. {details}")

    def add_model(to: argparse.ArgumentParser) -> None:
        to.add_argument(
            "--model",
            default="bilstm",
            metavar="DIR",
            help="the tagger: a directory that `train` wrote; a model of others: a Hugging Face "
            "folder, pytorch-crf weights with a sentence’s emissions, a CRFsuite model; or one "
            "that comes with the package: bilstm (the default), local, ner, ner-softmax",
        )
        add_device(to)

    def add_device(to: argparse.ArgumentParser) -> None:
        to.add_argument(
            "--device",
            choices=("auto", "cpu", "cuda", "mps"),
            default="auto",
            help="where the network computes; auto: a CUDA GPU if there is one; mps: Apple’s GPU",
        )
        to.add_argument("--threads", type=_count, default=1, metavar="N", help="default: 1")

    def add_encoding(to: argparse.ArgumentParser) -> None:
        to.add_argument(
            "--encoding", default="utf-8", metavar="NAME", help="of the text (default: utf-8)"
        )

    def add_reading(to: argparse.ArgumentParser) -> None:
        how = to.add_argument_group("how files are read (default: as their content says)")
        how.add_argument(
            "--column",
            default="",
            metavar="NAME",
            help="of the labels: XPOS, FEATS, …, a number, or the key of a JSON list",
        )
        how.add_argument(
            "--labels",
            default="",
            metavar="NAMES",
            help="for labels that are numbers, in order: O,B-PER,… or a file with one on each line",
        )
        how.add_argument(
            "--scheme",
            default="",
            metavar="NAME",
            help="IO, IOB1, BIO (IOB2), BIOES, BILOU, BMES, or none for plain tags",
        )
        how.add_argument(
            "--repair",
            action="store_true",
            help="read labels that break their scheme as conlleval does, instead of refusing them",
        )
        add_encoding(how)  # pyright: ignore[reportArgumentType]

    train = command(
        "train",
        "Train a tagger on tagged sentences",
        "Takes about ten minutes for UD English EWT on one CPU core. A run that was stopped goes "
        "on from its last whole epoch when the same command is given again. Under torchrun, each "
        "process takes its share of every batch.",
    )
    train.add_argument(
        "train", type=Path, metavar="TRAIN", help="CoNLL-U, columns or JSON lines; may be gzipped"
    )
    train.add_argument("dev", type=Path, metavar="DEV", help="file that chooses the epoch")
    train.add_argument(
        "--output", type=Path, required=True, metavar="DIR", help="where the tagger goes"
    )
    train.add_argument(
        "--task",
        choices=("auto", "pos", "ner"),
        default="auto",
        help="settings for parts of speech or for names (default: by the labels)",
    )
    add_reading(train)
    train.add_argument(
        "--tokeniser",
        choices=("unicode", "english", "spaces"),
        help="how the tagger splits a text: at Unicode's word boundaries (the default), as English "
        "treebanks do (with --language en), or at spaces",
    )
    train.add_argument(
        "--language", default="", metavar="CODE", help="of the sentences, for the card: en, de, …"
    )
    train.add_argument(
        "--licence", default="", metavar="TEXT", help="of the sentences, for the card"
    )
    train.add_argument(
        "--hints",
        type=Path,
        metavar="FILE",
        help="CoNLL-U file with the sentences of TRAIN: the encoder learns its other columns too",
    )
    train.add_argument(
        "--clusters",
        type=Path,
        metavar="FILE",
        help="table of word clusters: path, tab, word (default: none; with --language en English "
        "ones, but for parts of speech with --local, and for --plain)",
    )
    kind = train.add_argument_group("which model")
    kind.add_argument(
        "--plain",
        action="store_true",
        help="the textbook's: word embedding, one BiLSTM, linear layer, CRF, plain Adam",
    )
    kind.add_argument(
        "--local", action="store_true", help="no LSTM: each emission sees its own word only"
    )
    kind.add_argument(
        "--softmax", action="store_true", help="no transitions: each tag chosen by itself"
    )
    kind.add_argument(
        "--unconstrained", action="store_true", help="a CRF that may learn any label sequence"
    )
    kind.add_argument(
        "--twin-of",
        type=Path,
        metavar="DIR",
        help="with --softmax: put the figures into the card of this tagger, trained alike",
    )
    sizes = train.add_argument_group("sizes (0 switches a feature off)")
    for name, what in (
        ("embedding", "size of a word's vector"),
        ("affixes", "size of an affix's vector"),
        ("characters", "filters of the character convolution"),
        ("hidden", "LSTM units per direction"),
        ("layers", "of the LSTM"),
    ):
        sizes.add_argument(f"--{name}", type=_size, metavar="N", help=what)
    how = train.add_argument_group("how to train (default: the settings found best)")
    how.add_argument("--epochs", type=_count, metavar="N", help="passes over TRAIN, at most")
    how.add_argument(
        "--patience", type=_count, metavar="N", help="stop after N epochs without a better one"
    )
    how.add_argument("--batch-size", type=_count, metavar="N", help="sentences, of each process")
    how.add_argument("--lr", type=float, metavar="RATE", help="learning rate of Adam")
    how.add_argument("--dropout", type=float, metavar="SHARE", help="from 0 to below 1")
    how.add_argument("--seed", type=_size, metavar="N", help="of all randomness (default: 0)")
    how.add_argument(
        "--bf16", action="store_true", help="the network in bfloat16; the CRF stays in float32"
    )
    train.add_argument("--quiet", action="store_true", help="no progress bar")
    add_device(train)

    evaluate = command(
        "evaluate",
        "Compare a tagger with tagged sentences",
        "Prints the share of tokens, of whole sentences and of unknown words tagged right, and the "
        "mean negative log-likelihood of a sentence's gold tags in nats; for names precision, "
        "recall and F1 of exact spans, and how many labels break their scheme; then the same for "
        "each tag or type. A tag that the tagger has never seen counts as wrong.",
    )
    evaluate.add_argument(
        "file", type=Path, metavar="FILE", help="CoNLL-U, columns or JSON lines; may be gzipped"
    )
    add_model(evaluate)
    add_reading(evaluate)
    evaluate.add_argument(
        "--constraints",
        choices=("bio", "bioes", "bilou", "bmes"),
        help="forbid at decoding what this scheme forbids, whatever the tagger was trained with",
    )
    evaluate.add_argument("--json", action="store_true", help="one line of JSON; shares are 0 to 1")

    tag = command(
        "tag",
        "Tag text, or sentences that are split into words",
        "Standard input is answered as it comes. Under torchrun the processes share FILE's lines; "
        "with --output, a run that was stopped goes on where it was.",
    )
    tag.add_argument("file", type=Path, nargs="?", metavar="FILE", help="default: standard input")
    add_model(tag)
    tag.add_argument("--output", type=Path, metavar="FILE", help="default: standard output")
    tag.add_argument(
        "--format",
        choices=("text", "json", "columns", "conllu"),
        default="text",
        help="word/TAG pairs (the default); a line of JSON with tokens, tags, offsets, log_prob in "
        "nats, and entities with their probabilities; columns; CoNLL-U",
    )
    tag.add_argument("--json", action="store_true", help="the same as --format json")
    tag.add_argument(
        "--input",
        choices=("auto", "text", "tokenised", "columns", "conllu", "jsonl"),
        default="auto",
        help="text: a sentence on each line (the default); the others are split already; "
        "auto also recognises CoNLL-U, columns of labels and JSON lines",
    )
    tag.add_argument(
        "--tokenised", action="store_true", help="the words of each line stand between spaces"
    )
    add_encoding(tag)

    lab = command("lab", "Check an implementation of your own, cell by cell")
    from .lab.command import add_arguments

    add_arguments(lab)

    show = command(
        "show",
        "Draw a sentence's chain",
        "Writes one HTML file that works offline and can be put into a page in an iframe.",
    )
    show.add_argument("text", metavar="TEXT", help="one sentence, in quotes")
    add_model(show)
    show.add_argument(
        "--figure",
        choices=("flow", "forward", "backward", "viterbi", "marginals", "scores"),
        default="flow",
        help="flow: all readings at once (the default); forward, backward, viterbi: step by step",
    )
    show.add_argument("--output", type=Path, required=True, metavar="FILE", help="ends in .html")

    fetch = command("fetch", "Download a treebank, with its checksums verified")
    fetch.add_argument("name", metavar="NAME", help="ud-english-ewt")
    fetch.add_argument(
        "--directory", type=Path, metavar="DIR", help="where to (default: the user's cache)"
    )
    command(
        "doctor",
        "Say which code computes here, and why",
        "The results are the same with each engine; the kernels in C take less time.",
    )
    return top


def doctor() -> str:
    """Which engines there are, one to a line, and which one "auto" takes."""
    import torch

    from . import engines

    kernels = "no: the folder crf/kernels is missing"
    if engines.kernels is not None:
        kernels = f"{'yes' if engines.has_kernels() else 'no'}: {engines.kernels.about}"
    triton = "yes" if importlib.util.find_spec("triton") else "no: triton is not installed"
    gpu = "there is a GPU" if torch.cuda.is_available() else "but there is no GPU here"
    return "\n".join(
        (
            f"linear-chain-crf {_version()}",
            f"torch {torch.__version__}, {torch.get_num_threads()} threads",
            "plain    yes: the code of the textbook",
            f"kernels  {kernels}",
            f"triton   {triton}" + (f", {gpu}" if triton == "yes" else ""),
            f"auto     {'kernels' if engines.has_kernels() else 'plain'} on a CPU, plain elsewhere",
        )
    )


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit code is 0, 2 for a bad file or argument, 130 if interrupted."""
    options = parser().parse_args(arguments)
    try:
        if options.command == "doctor":
            print(doctor())
            return 0
        if options.command == "lab":
            from .lab import command as lab

            return lab.run(options)
        _look_at_files(options)
        from .tagger import commands  # only now: --help need not wait for torch

        getattr(commands, options.command)(options)
    except ModuleNotFoundError as error:
        return _complain(options.command, _missing(error), 2)
    except ImportError as error:
        return _complain(options.command, f"{_ANOTHER} ({error})", 2)
    except KeyboardInterrupt:
        return _complain(options.command, "interrupted", 130)
    except MemoryError:
        return _complain(options.command, "the memory is full; give smaller files or sizes", 2)
    except BrokenPipeError:  # `… | head`: the reader has had enough
        _silence(sys.stdout)
        return 0
    except (ValueError, OSError) as error:
        if isinstance(error, OSError) and error.strerror:  # bare, it reads "[Errno 28] No space …"
            stream = "standard output" if error.errno == errno.ENOSPC else ""  # files have names
            where = error.filename or stream
            fault = f"{where}: {error.strerror}" if where else error.strerror
            return _complain(options.command, fault, 2)
        return _complain(options.command, str(error), 2)
    return 0


def _look_at_files(options: argparse.Namespace) -> None:
    """Refuse a file that is no text before torch is imported, which takes seconds."""
    from .tagger.lines import TextSource

    for name in ("train", "dev", "file"):
        path = getattr(options, name, None)
        if path is not None and path.is_file():
            source = TextSource(path, encoding=options.encoding)
            with source.explained():
                source.head()


def _complain(command: str, fault: str, code: int) -> int:
    """Say in one sentence what went wrong."""
    print(f"python -m crf {command}: {fault}", file=sys.stderr)
    _silence(sys.stdout)  # what could not be written must not fail once more at exit
    return code


def _silence(stream: TextIO) -> None:
    try:
        stream.flush()
    except (OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _version() -> str:
    try:
        version = metadata.version("linear-chain-crf")
    except metadata.PackageNotFoundError:
        version = "(not installed)"
    return f"{version}, in {Path(__file__).parent}"


def _missing(error: ModuleNotFoundError) -> str:
    extra = "fetch" if error.name in ("pooch", "requests") else "tagger"
    return (
        f"it needs the package {error.name}, which is not installed; the extra [{extra}] brings "
        f"it: pip install 'linear-chain-crf[{extra}]', or in a clone pip install '.[{extra}]'"
    )


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got {text!r}")
    return int(text)


def _size(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number from 0, got {text!r}")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
