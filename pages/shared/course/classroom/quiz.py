"""Five questions for the end of a lecture."""

from pages.shared.course.classroom.ballot import Ballot

TAGS, WORDS = 5, 8


def questions() -> list[Ballot]:
    """They, in their order.

    >>> [ballot.options[ballot.right] for ballot in questions()][:2]
    ['390,625', 'four times']
    """
    paths = [TAGS * WORDS, WORDS * TAGS**2, WORDS**TAGS, TAGS**WORDS]
    return [
        Ballot(
            f"There are {TAGS} tags and {WORDS} words. How many tag sequences are there?",
            tuple(f"{number:,}" for number in paths),
            right=paths.index(TAGS**WORDS),
            why=f"Each of {WORDS} words can have each of {TAGS} tags: {TAGS} to the power {WORDS}.",
            key="quiz.1",
        ),
        Ballot(
            "Twice as many tags: how much more work is the forward recursion?",
            ("as much", "twice", "four times", "two to the number of words"),
            right=2,
            why="Every cell adds up a term for each tag before it, so the work grows as |S|².",
            key="quiz.2",
        ),
        Ballot(
            "What does α of a word and a tag hold?",
            (
                "the probability of that tag",
                "the sum over all prefixes that end there",
                "the best prefix that ends there",
                "the sum over all whole paths through there",
            ),
            right=1,
            why="It has not seen the words that follow; β adds these.",
            key="quiz.3",
        ),
        Ballot(
            "Which of these is always true?",
            (
                "log Z is at most 0",
                "the best path has more than half of the probability",
                "the best path takes the most probable tag of every word",
                "log Z is at least the score of the best path",
            ),
            right=3,
            why="Z adds up all paths, the best one among them, and no term is negative.",
            key="quiz.4",
        ),
        Ballot(
            "The right tag of a word has probability 0.9 in the model. What is the gradient of "
            "the log-likelihood by its emission?",
            ("0.1", "0.9", "−0.1", "0"),
            right=0,
            why="Observed less expected: 1 − 0.9.",
            key="quiz.5",
        ),
    ]
