from pathlib import Path
from skillnet_parser.domain.draft import DraftDocument
def read_docx(path: Path) -> DraftDocument:
    raise NotImplementedError
