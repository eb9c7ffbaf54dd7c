"""ASGI middleware between the network and Streamlit, each part for one purpose.

stack.py       all of them in their order; app.py gives them to Streamlit
compression.py gzips Streamlit's scripts and styles
connections.py bounds the connections of one phone, and of all
descriptors.py raises the limit of open files; a log that stays short
body.py        reads a request's body, of a bounded size
headers.py     content security policy and the like; metrics for this machine only
own_names.py   refuses requests for another host, or from another site's page
uploads.py     bounds the files that sessions keep
refusals.py    answers to what is refused, whether it came as HTTP or as a WebSocket; text.md
"""
