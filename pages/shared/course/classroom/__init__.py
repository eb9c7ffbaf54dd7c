"""A class in the room: what is shown to it, what it is asked, what it answers.

    store.py         what is kept; tables.py, sqlite_tables.py, redis_tables.py: where
    classroom.py     who may do what: the join code, the lecturer's token, students, votes
    ballot.py        a question to the class, and how an answer to it is judged
    tally.py         counted answers, by option or by diagnosis; as CSV
    quiz.py          five questions for the end of a lecture
    network.py       the addresses at which this machine can be reached

There is a class only if the app was started with `--class`. No Streamlit here.
"""
