"""Makes links of the documents to files outside `docs` lead to the repository: the site has only `docs`, and made pages.

A comment `<!-- site: ... -->` is text of the site alone. Its links `[text][name.html]` lead to pages that `.ci/site` has put into
`target/site-pages`. It stays a comment where one of them was not made.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

SITE_ALONE = re.compile(r"<!-- site: (.*?) -->", re.DOTALL)
MADE_LINK = re.compile(r"\]\[([^]]+\.html)\]")
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
ROOT = Path(__file__).parents[2]
MADE = ROOT / "target" / "site-pages"


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Add the made pages to the files of the site."""
    for path in sorted(MADE.glob("*.html")):
        files.append(File.generated(config, path.name, abs_src_path=str(path)))
    return files


def on_page_markdown(text: str, page: Any, config: Any, **_: Any) -> str:
    """Return the text of a page with its links to other files of the repository."""

    def led(match: re.Match[str]) -> str:
        page_folder = posixpath.dirname(page.file.src_uri)
        target = posixpath.normpath(posixpath.join("docs", page_folder, match[1]))
        if target.startswith("docs/") and ((ROOT / target).is_file() or (MADE / target[len("docs/") :]).is_file()):
            return match[0]
        if not (ROOT / target).exists():
            raise ValueError(f"{page.file.src_uri}: {match[1]} leads nowhere")
        return f"]({config.repo_url.rstrip('/')}/blob/main/{target}"

    def shown(match: re.Match[str]) -> str:
        is_made = all((MADE / name).is_file() for name in MADE_LINK.findall(match[1]))
        return MADE_LINK.sub(r"](\1)", match[1]) if is_made else match[0]

    return LINK.sub(led, SITE_ALONE.sub(shown, text))
