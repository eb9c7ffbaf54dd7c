"""What stands between the network and Streamlit, each part for one purpose.

stack.py       all middleware in its order; app.py gives it to Streamlit
first_style.py changes Streamlit's own page; first_picture.py: the still that it shows at first
streamlit_files.py sends Streamlit's scripts and styles gzipped
connections.py bounds the connections of one phone, and of all
descriptors.py raises the limit of open files; a log that stays short
body.py        reads a request's body, of a bounded size
headers.py     content security policy and the like; metrics for this machine only
own_names.py   refuses requests for another host, or from another site's page
moved.py       leads from the addresses of beats that stand elsewhere now
uploads.py     bounds the files that sessions keep
shares.py      places for requests that cost much, so that nobody takes those of others
worker.py      a process for work that takes seconds; stopping.py: what ends before the server does
refusals.py    answers to what is refused, whether it came as HTTP or as a WebSocket; text.md
"""
