"""Sentences whose words fit several tags; their scores are made by hand, to one decimal."""

from pages.shared.course.examples.example import Example, p, scored, spoken

OLD_MAN = Example(
    "old-man",
    "The old man the boat",
    scored(
        "DET ADJ NOUN VERB",
        "The old man the boat",
        "5 -3 -3 -3 \n -3 2 .5 -3 \n -3 -3 2 .5 \n 5 -3 -3 -3 \n -3 -3 2 -1",
        "-3 .5 1 -3 \n -3 -.5 1.5 -2 \n -2.5 -1 0 1 \n 1.5 0 .5 -2",
    ),
    "Of the first three words alone the best reading is {before} (probability {p_before}). The "
    "rest of the sentence overturns it: {best} wins with {p_best}, while tagging word by word "
    "stays on the garden path, {greedy} ({p_greedy}).",
    lambda r: {
        "before": spoken(r.first(3).viterbi), "p_before": p(r.first(3), r.first(3).viterbi),
        "best": spoken(r.viterbi), "p_best": p(r, r.viterbi),
        "greedy": spoken(r.greedy), "p_greedy": p(r, r.greedy),
    },
    {
        "the best prefix is overturned": lambda r: r.first(3).viterbi != r.viterbi[:3],
        "both greedy decoders agree": lambda r: r.greedy == r.left_to_right != r.viterbi,
        "and keep to the best prefix": lambda r: r.greedy[:3] == r.first(3).viterbi,
    },
)  # fmt: skip

TIME_FLIES = Example(
    "time-flies",
    "Time flies like an arrow",
    scored(
        "NOUN VERB ADP DET",
        "Time flies like an arrow",
        "2.5 1 -3 -3 \n 1 1.5 -3 -3 \n -2 1.2 1.5 -3 \n -3 -3 -2 4 \n 3 -1 -3 -3",
        ".3 1 -.5 -1.5 \n -.5 -1.5 .5 1.2 \n .5 -3 -2 1.5 \n 1.5 -2 -3 -3",
        ".5 -.5 0 .5",
    ),
    "Time passes like an arrow ({best}, probability {p_best}), or flies of some kind are fond of "
    "one ({second}, {p_second}). “flies” and “like” change their tags together, which decisions "
    "made word by word cannot express.",
    lambda r: {
        "best": spoken(r.viterbi), "p_best": p(r, r.viterbi),
        "second": spoken(r.best(2)[1]), "p_second": p(r, r.best(2)[1]),
    },
    {
        "time passes": lambda r: r.viterbi == ("NOUN", "VERB", "ADP", "DET", "NOUN"),
        "or flies are fond": lambda r: r.best(2)[1] == ("NOUN", "NOUN", "VERB", "DET", "NOUN"),
        "the mixtures come after both": lambda r: all(
            (path[1] == "VERB") != (path[2] == "ADP") for path in r.best(4)[2:]
        ),
    },
)  # fmt: skip

CAN_FISH = Example(
    "can-fish",
    "They can fish",
    scored(
        "PRON AUX VERB NOUN",
        "They can fish",
        "4 -3 -3 -3 \n -3 2.5 2 .5 \n -3 -3 1 1.4",
        "-3 1 1 -2 \n -1 -2 1.5 -2 \n .5 -2 -1.5 1.4 \n -1 .5 .5 0",
    ),
    "They are able to fish ({best}, probability {p_best}), or they put fish into cans ({second}, "
    "{p_second}): nearly a tie, and Viterbi alone does not say so. Greedy decoding mixes the two "
    "into {greedy} ({p_greedy}).",
    lambda r: {
        "best": spoken(r.viterbi), "p_best": p(r, r.viterbi), "second": spoken(r.best(2)[1]),
        "p_second": p(r, r.best(2)[1]), "greedy": spoken(r.greedy), "p_greedy": p(r, r.greedy),
    },
    {
        "able to fish": lambda r: r.viterbi == ("PRON", "AUX", "VERB"),
        "or fish in cans": lambda r: r.best(2)[1] == ("PRON", "VERB", "NOUN"),
        "nearly a tie": lambda r: 1 < r.p(r.viterbi) / r.p(r.best(2)[1]) < 1.3,
        "greedy mixes them": lambda r: r.greedy == ("PRON", "AUX", "NOUN") and r.p(r.greedy) < 0.1,
    },
)  # fmt: skip

FISH = Example(
    "fish",
    "Fish fish fish",
    scored(
        "NOUN VERB", "Fish fish fish", "1 .4 \n 1 .4 \n 1 .4", "-.5 1 \n 1.2 -1.5"
    ),
    "Three times the same word with the same scores: only the transitions tell noun from verb. "
    "Viterbi gives {best}, decoding by emissions alone {greedy}. After two words {before} was "
    "ahead.",
    lambda r: {
        "best": spoken(r.viterbi), "greedy": spoken(r.greedy), "before": spoken(r.first(2).viterbi)
    },
    {
        "the emissions are equal": lambda r: len(set(r.problem.emissions)) == 1,
        "fish eat fish": lambda r: r.viterbi == ("NOUN", "VERB", "NOUN"),
        "emissions say noun": lambda r: r.greedy == ("NOUN", "NOUN", "NOUN"),
        "an order is ahead": lambda r: (
            r.first(2).p("VERB NOUN") > 1.1 * r.first(2).p(r.first(2).best(2)[1])
        ),
    },
)  # fmt: skip

BOOK = Example(
    "book",
    "Book a park",
    scored(
        "DET NOUN VERB", "Book a park", "-3 1.5 1 \n 4 -3 -3 \n -3 .8 1.2",
        "-3 1.5 -2 \n -1 .2 .6 \n 1.5 .3 -1.5", ".2 .3 .3",
    ),
    "Word by word, “Book” looks like a noun and “park” like a verb: {greedy} (probability "
    "{p_greedy}). Going left to right mends “park”, but cannot take back “Book”: {left}. Viterbi "
    "mends both: {best} ({p_best}).",
    lambda r: {
        "greedy": spoken(r.greedy), "p_greedy": p(r, r.greedy), "left": spoken(r.left_to_right),
        "best": spoken(r.viterbi), "p_best": p(r, r.viterbi),
    },
    {
        "greedy errs at both ends": lambda r: r.greedy == ("NOUN", "DET", "VERB"),
        "left to right at one": lambda r: r.left_to_right == ("NOUN", "DET", "NOUN"),
        "Viterbi at none": lambda r: r.viterbi == ("VERB", "DET", "NOUN"),
    },
)  # fmt: skip

SENTENCES = (OLD_MAN, TIME_FLIES, CAN_FISH, FISH, BOOK)
