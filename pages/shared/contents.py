"""The course as one table: what the menu says, in the order in which it is read.

A lesson is a folder in pages/ with a script page.py, and a line here.
"""

from pathlib import Path
from typing import NamedTuple

PAGES = Path(__file__).resolve().parents[1]
ROOT = PAGES.parent


class Entry(NamedTuple):
    """A lesson in the table of contents."""

    section: str  # of the menu; "": none
    folder: str  # in pages/, and its address unless `url` says otherwise
    title: str  # what the menu calls it, and its heading
    question: str  # the question that it answers
    url: str = ""  # its address; "": its folder's name

    @property
    def address(self) -> str:
        """Its part of the address."""
        return self.url or self.folder

    @property
    def script(self) -> Path:
        """What runs when it is opened."""
        return PAGES / self.folder / "page.py"


COURSE = (
    Entry(
        "", "tag", "Tag a sentence",
        "Which tags fit the whole sentence best, and how sure is the model?", "start",
    ),
    Entry(
        "The model", "scores", "Scores",
        "How well does a tag sequence fit, and how probable is it?",
    ),
    Entry("The model", "structure", "Why structure", "Why not simply tag each word by itself?"),
    Entry(
        "Recursions", "forward", "Forward", "How can one add up all paths without listing them?"
    ),
    Entry(
        "Recursions", "backward", "Backward and marginals",
        "How probable is each tag, when every path counts?",
    ),
    Entry(
        "Recursions", "viterbi", "Viterbi",
        "Which tag sequence is best, and how is it found without trying them all?",
    ),
    Entry("Learning", "learning", "Learning", "How do the scores come to fit the right tags?"),
    Entry(
        "Learning", "tagger", "From words to scores",
        "How does a network turn words into emission scores?",
    ),
    Entry(
        "Learning", "check", "Check your code",
        "Where does a program of my own go wrong?",
    ),
    Entry(
        "In practice", "stability", "Numerical stability",
        "What goes wrong when one multiplies a thousand numbers?",
    ),
    Entry(
        "In practice", "batches", "Batches",
        "How do many sentences go through one recursion?",
    ),
    Entry(
        "In practice", "constraints", "Constraints",
        "How is a CRF told which tags may not follow each other?",
    ),
    Entry(
        "In practice", "cost", "Cost and parallel time",
        "Why is it cheap, and can time be parallelised?",
    ),
    Entry(
        "Background", "graphs", "Graphs and label bias",
        "What does the model assume, and how do HMM, MEMM and CRF differ?",
    ),
    Entry("Background", "glossary", "Glossary", "What does each term mean?"),
)  # fmt: skip
TEACHING = (
    Entry(
        "Teaching", "lecture", "My lecture", "Which stops do you show, in which order, how long?"
    ),
    Entry("Teaching", "homework", "Homework", "What can you work out on paper?"),
)  # no lessons: what a lecturer prepares
FIRST = COURSE[0]
FIRST_SENTENCE = "The kindly guide his horse."  # that the front page begins with
CLASS = Entry(
    "", "class", "Your class", "Who is in the room, what do you ask them, and what did they answer?"
)  # the lecturer's own page, in no menu; only where the app was started with a class
ALIASES = {FIRST.address: FIRST, "tag": FIRST}  # the first lesson also stands at "/"


def entry(address: str) -> Entry:
    """The page with this address; the first lesson for any that there is not."""
    return next((e for e in (*COURSE, *TEACHING, CLASS) if e.address == address), FIRST)


def neighbours(address: str) -> tuple[Entry | None, Entry | None]:
    """The lessons before and after one, in the order of the course; a page beside it has none."""
    if entry(address) in (*TEACHING, CLASS):
        return None, None
    k = COURSE.index(entry(address))
    return (COURSE[k - 1] if k else None), (COURSE[k + 1] if k + 1 < len(COURSE) else None)
