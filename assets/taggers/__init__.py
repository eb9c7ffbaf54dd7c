"""Taggers, tagged sentences and word clusters, as data; `crf.tagger.bundled` finds them.

They were made from Universal Dependencies English EWT and Universal NER: treat them as CC BY-SA
4.0, with the attribution in the model cards. Names among the word clusters are under CC BY 4.0.
"""
