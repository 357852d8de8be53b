"""Words, sentences and figures of a text. Pure; the sentence splitter is imported only when used."""
