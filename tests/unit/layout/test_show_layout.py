"""`argus show --layout` draws each element once, and tells what is wrong with a text in one line."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET

import pytest

from argus_smt.cli import main
from argus_smt.layout.distributed import Mfma
from argus_smt.layout.svg import draw


def show(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    return main(["show", *arguments], out, err), out.getvalue(), err.getvalue()


def test_picture_has_each_element_with_its_thread() -> None:
    code, out, _ = show("--layout", "DotOperand(0, Mfma(16, True, waves=(1, 1)), 4) @ 16x16")
    titles = [node.text for node in ET.fromstring(out).iter("{http://www.w3.org/2000/svg}title")]
    assert code == 0
    assert len(titles) == 256
    assert titles[16 + 6] == "[1, 6]: register 2, lane 17, wave 0, program 0"


def test_marked_elements_have_a_red_edge() -> None:
    assert draw(Mfma(16, True, (1, 1)), (16, 16), {(0, 3), (5, 5)}).count('stroke="red"') == 2


@pytest.mark.parametrize(
    "text",
    [
        "Mfma(16, True, (1, 1))",
        "Other(1) @ 16x16",
        "Mfma(16 @ 16x16",
        "3 @ 16x16",
        "Mfma(16, True, (1, 1)) @ 16",
        "Mfma(16) @ 16x16",
    ],
)
def test_wrong_text_is_one_line(text: str) -> None:
    code, out, err = show("--layout", text)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1


def test_neither_file_nor_layout_is_an_error() -> None:
    assert show()[0] == 2
