"""A class that follows its lecturer and votes, on phones that have no session of Streamlit.

store.py     what a class keeps, in an SQLite file
room.py      who may do what: the code, the lecturer's token, phones, votes; what is shown
pictures.py  what phones are sent of a beat, and how its answers are counted
news.py      one event stream for each phone, and what it is told
door.py      how one comes in: /join for students, /lead for the lecturer
server.py    the class's part of the server; app.py asks for it, only with `--class`
network.py   the addresses at which this machine can be reached
lead.py      the lecturer's browser: it says what it presents, and draws what the class answers
phone.html, phone.js, cell.js   a phone's page: the stage, fed by the event stream
"""
