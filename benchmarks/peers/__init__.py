"""How well passages are found, against the hybrid search of LlamaIndex, Haystack and txtai: same texts, same vectors.

The peers run in an environment of their own (`environment`); what goes to them and comes back is `protocol`, which
therefore imports nothing but the standard library.
"""
