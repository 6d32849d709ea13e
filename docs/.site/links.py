"""Makes links of the documents to files outside `docs` lead to the repository: the site has only `docs`."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
ROOT = Path(__file__).parents[2]


def on_page_markdown(text: str, page: Any, config: Any, **_: Any) -> str:
    """Return the text of a page with its links to other files of the repository."""

    def led(match: re.Match[str]) -> str:
        page_folder = posixpath.dirname(page.file.src_uri)
        target = posixpath.normpath(posixpath.join("docs", page_folder, match[1]))
        if target.startswith("docs/") and (ROOT / target).is_file():
            return match[0]
        if not (ROOT / target).exists():
            raise ValueError(f"{page.file.src_uri}: {match[1]} leads nowhere")
        return f"]({config.repo_url.rstrip('/')}/blob/main/{target}"

    return LINK.sub(led, text)
