"""The worked examples of the page "Tag a sentence": each with one line on why it is instructive.

Every claim is checked against the shipped taggers by tests/pages/test_examples.py.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """A sentence, the tagger that the claim is about, and what to look at."""

    name: str
    sentence: str
    tagger: str
    why: str


EXAMPLES = (
    Example(
        "Garden path",
        "The old man the boat.",
        "bilstm",
        "A garden path: here ‘man’ is the verb, and ‘the old’ are those who man the boat. The "
        "tagger takes the bait. Set ‘man’ to VERB: ‘old’ stays an adjective, with no noun after "
        "it. Set ‘old’ to NOUN, too, and the reading stands: what is it worth to the tagger?",
    ),
    Example(
        "One word, two tags",
        "They book a room to read a book.",
        "local",
        "The local tagger sees one word at a time, so both ‘book’ get the same emission scores, "
        "and by greedy decoding the same tag. Transitions alone tell the verb from the noun.",
    ),
    Example(
        "A new verb",
        "We need to google the new iPhone.",
        "local",
        "Taken alone, ‘google’ looks like a name, and greedy decoding says so. After ‘to’, the "
        "transitions make it a verb.",
    ),
    Example(
        "They can fish",
        "They can fish.",
        "bilstm",
        "May they go fishing, or do they put fish into cans? The two best sequences differ in one "
        "tag, that of ‘fish’.",
    ),
    Example(
        "Right the wrong",
        "She will right the wrong.",
        "local",
        "To the local tagger ‘right’ alone looks so much like an adverb that the transition from "
        "AUX to VERB cannot mend it. The BiLSTM has read what follows: switch to it, and compare.",
    ),
    Example(
        "That that",
        "He said that that was that.",
        "bilstm",
        "One spelling, two uses: the first ‘that’ joins two clauses, the others stand for things. "
        "The BiLSTM sees the difference before the CRF has its say.",
    ),
    Example(
        "Refuse permit",
        "They refuse to permit us to obtain the refuse permit.",
        "local",
        "Taken one by one, PART is likelier for the first ‘to’, and posterior decoding picks "
        "it. The best sequence as a whole has ADP there: best parts need not make the best whole.",
    ),
    Example(
        "Jabberwocky",
        "Twas brillig, and the slithy toves did gyre and gimble in the wabe.",
        "bilstm",
        "Dotted words never occurred in training. Endings and neighbours still make ‘toves’ a noun "
        "and ‘gyre’ a verb; what they cannot give is certainty.",
    ),
    Example(
        "Contractions",
        "Don't you think that's what we're gonna need?",
        "bilstm",
        "A word on paper may be two words to a grammar: ‘do’ and ‘n't’, ‘gon’ and ‘na’. The text "
        "is split first, as the treebank splits it.",
    ),
)
BY_NAME = {example.name: example for example in EXAMPLES}
BY_SENTENCE = {example.sentence: example for example in EXAMPLES}
