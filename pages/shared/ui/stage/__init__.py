"""The stage: one front-end module that draws a whole beat from one JSON, and its server part.

index.js      draws a beat: headline, figure, sentence, pad; the other scripts are its parts
scores.py     the scores of a state's base, from examples and taggers
view.py       a beat in a state, as one JSON
draw.py       POST /draw/<lesson>/<beat> answers with it
beat_page.py  GET /beat/<lesson>/<beat>: the stage on a page of its own, for course sites
reader.py     the stage in a page of Streamlit
"""
