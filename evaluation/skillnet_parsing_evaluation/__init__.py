"""How well documents are read: `make eval-parsing`. Every figure is measured on files whose truth is known."""
