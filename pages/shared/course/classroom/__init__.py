"""A class in the room: what is shown to it, what it is asked, what it answers.

    store.py         what is kept; tables.py, sqlite_tables.py, redis_tables.py: where
    classroom.py     who may do what: the join code, the lecturer's token, students, votes
    ballot.py        a question to the class, how an answer to it is judged; the exit quiz
    tally.py         counted answers, by option or by diagnosis; as CSV
    network.py       the addresses at which this machine can be reached

There is a class only if the app was started with `--class`. No Streamlit here.
"""
