"""The metrics of a tagger as text."""

from .evaluation import Evaluation, SpanScores


def sentence(measured: Evaluation) -> str:
    """The headline metrics as a sentence."""
    names = ", ".join(sorted(measured.unseen)[:5])
    count = sum(measured.unseen.values())
    unseen = f"; {count:,} tokens have tags the tagger has never seen ({names})" if count else ""
    headline = measured.headline
    if isinstance(headline, SpanScores):
        precision, recall, f1, invalid = headline
        return (
            f"spans: precision {100 * precision:.2f} %, recall {100 * recall:.2f} %, "
            f"F1 {100 * f1:.2f} %; {invalid:,} of {measured.tokens:,} labels break their scheme "
            f"in {measured.sentences:,} sentences{unseen}"
        )
    tokens, sentences, unknown = headline
    share = f"{100 * unknown:.2f} % of" if unknown is not None else "none of"
    return (
        f"{100 * tokens:.2f} % of {measured.tokens:,} tokens right, "
        f"{100 * sentences:.2f} % of {measured.sentences:,} sentences wholly right, "
        f"{share} {measured.unknown_words:,} unknown words right; "
        f"mean NLL {measured.nll:.4f} nats per sentence{unseen}"
    )


def table(measured: Evaluation) -> str:
    """The scores of each type of span or tag, as a table."""
    width = max([5, *map(len, measured.classes)])
    head = f"{'type' if measured.spans else 'tag':{width}}  precision  recall      F1  support"
    rows = [
        f"{name:{width}}  {100 * p:9.2f}  {100 * r:6.2f}  {100 * f1:6.2f}  {support:7,}"
        for name, (p, r, f1, support) in measured.classes.items()
    ]
    return "\n".join([head, *rows])
