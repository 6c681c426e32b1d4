"""The programs of the page for users do what it says."""

import pathlib
import re
import subprocess
import sys

import pytest

PAGE = pathlib.Path(__file__).parents[2] / "docs/how-to/use-official-sdks.md"
SNIPPET = re.compile(r"```(python|sh)\n((?:(?!```).)*)```\n\n```text\n(.*?)```\n", re.DOTALL)


def snippets():
    page = PAGE.read_text()
    found = []
    for match in SNIPPET.finditer(page):
        line = page.count("\n", 0, match.start()) + 1
        found.append(pytest.param(*match.groups(), id=f"line-{line}"))
    return found


@pytest.mark.parametrize("language, program, output", snippets())
def test_a_program_of_the_page(language, program, output):
    command = [sys.executable, "-c", program] if language == "python" else ["bash", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)

    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip() == output.rstrip()
