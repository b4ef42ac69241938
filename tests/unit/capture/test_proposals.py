"""Proposed signatures: what the text of a launcher shows, what recorded calls show, and that nothing else is claimed."""

from __future__ import annotations

from pathlib import Path

import pytest

from argus_smt.capture.call import parse_signature
from argus_smt.capture.domain import build_domain
from argus_smt.capture.listing import list_file
from argus_smt.capture.proposal import Proposal, propose
from argus_smt.capture.service import proposals_of
from tests.unit.capture.conftest import HEADER

LOUD = "import sys\n"


def static(body: str) -> Proposal:
    listing = list_file("user.py", HEADER + body)
    return propose(listing.launchers[-1], listing)


def recorded(tmp_path: Path, body: str, launcher: str = "launch") -> dict[str, object]:
    path = tmp_path / "user.py"
    path.write_text(HEADER + body)
    (found,) = proposals_of({"file": str(path), "launcher": launcher})
    return found


LAUNCH = "    copy[(1,)](x, y, 1, BLOCK=16)\n"


@pytest.mark.parametrize(
    ("arguments", "body", "text"),
    [
        ("x, y", "    M, K = x.shape\n", "launch(x: f32[M, K], y: f32[y_0] out)"),
        ("x, y", "    M, K = x.shape\n    K2, N = y.shape\n    assert K == K2\n", "launch(x: f32[M, K], y: f32[K2, N] out)"),
        ("x, y", "    assert x.shape[1] == y.shape[0] and x.dim() == 2\n", "launch(x: f32[x_0, x_1], y: f32[x_1] out)"),
        ("x, y", "    n = x.numel()\n    assert n % 8 == 0\n", "launch(x: f32[n], y: f32[y_0] out) where n % 8 == 0"),
        ("x, y", "    assert x.shape[-1] % 4 == 0 and x.ndim == 3\n",
         "launch(x: f32[x_0, x_1, x_2], y: f32[y_0] out) where x_2 % 4 == 0"),
        ("x, y", "    assert x.dtype == torch.bfloat16\n    s = x.stride(0), x.stride(1)\n",
         "launch(x: bf16[x_0, x_1] strided, y: f32[y_0] out)"),
        ("x, y", "    M, N = x.shape\n    s = x.stride(0)\n", "launch(x: f32[M, N]{x_row, 1}, y: f32[y_0] out)"),
        ("x, y", "    M, N = x.shape\n    assert x.is_contiguous()\n    s = x.stride(0)\n",
         "launch(x: f32[M, N], y: f32[y_0] out)"),
        ("x, y, n, eps=1e-5, k: int = 3, flag=True, mode='a', none=None", "    n = x.size(0)\n",
         "launch(x: f32[n], y: f32[y_0] out, n: int, eps: float, k: int = 3, flag: bool, mode: str = 'a')"),
    ],
)  # fmt: skip
def test_from_the_text(arguments: str, body: str, text: str) -> None:
    found = static(f"def launch({arguments}):\n{body}{LAUNCH}")
    assert found.text == text
    build_domain(parse_signature(found.text))
    assert all(p.because for p in found.parts)


TESTS = """
import pytest

def launch(x, y, rows, ids, w, scale, eps, mode="sum", bias=None):
    y = y.to(x.device)
    assert x.is_cuda and x.device.type == "cuda"
    copy[(triton.cdiv(rows, 16),)](x, y, rows, BLOCK=16)
    torch.cuda.synchronize()
    return y

@pytest.mark.parametrize("m", [3, 8, 21])
@pytest.mark.parametrize("n", [pytest.param(16), pytest.param(32, id="wide")])
def test_launch(m, n):
    x = torch.randn(n, m, device="cuda", dtype=torch.bfloat16).t()
    ids = torch.arange(m, dtype=torch.int32, device=x.device) % 2
    out = launch(x, torch.empty(m, n // 2, device="cuda"), m, ids, torch.ones(m + 1, 64, 2 * n), 0.5, eps=1e-5)
    assert out.sum() == x.sum()

def test_that_skips():
    pytest.skip("no device")

def test_that_fails():
    launch(1 / 0)

def bench_forever():
    while True:
        pass

def test_that_exits():
    sys.exit(3)

if __name__ == "__main__":
    print("loud")
    test_launch(5, 64)
"""


def test_from_recorded_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("argus_smt.capture.recorded.SECONDS", 1.0)
    found = recorded(tmp_path, LOUD + TESTS)
    assert found["text"] == (
        "launch(x: bf16[x_0, x_1] strided, y: f32[x_0, x_1 // 2] out, rows: int = x_0, ids: i32[x_0] in [0, x_0), "
        "w: f32[x_0 + 1, 64, 2 * x_1], scale: float, eps: float, mode: str = 'sum')"
    )
    assert found["calls"] == 7
    doubts = found["doubts"]
    assert isinstance(doubts, tuple)
    assert "the range [0, x_0) of `ids` is read off the recorded calls only" in doubts
    assert "loud" not in capsys.readouterr().out
    build_domain(parse_signature(str(found["text"])))


def test_calls_that_differ_are_told(tmp_path: Path) -> None:
    body = f"""
def launch(x, y, mode, mask=None):
    M, N = x.shape
    assert M == N or True
{LAUNCH}

def test_one():
    launch(torch.ones(3, 3), torch.ones(9), "a")

def test_two():
    launch(torch.ones(4, 5).half(), torch.ones(2, 10), "b", mask=torch.ones(2, dtype=torch.bool))

def test_three():
    launch(torch.ones(5, 5), torch.ones(25), "a", mask=None)
"""
    found = recorded(tmp_path, body)
    text = str(found["text"])
    assert text.startswith("launch(x: f32[M, N], y: f32[")
    doubts = "\n".join(map(str, found["doubts"]))  # type: ignore[call-overload]
    assert "`x` is also f16 in some calls" in doubts
    assert "`y` also has 2 dimensions in some calls" in doubts
    assert "`mode` is also 'b'" in doubts
    assert "`mask` is None in some calls" in doubts


def test_an_equality_that_a_call_contradicts_is_dropped(tmp_path: Path) -> None:
    body = f"""
def launch(x, y):
    if x.is_cuda:
        M, K = x.shape
    else:
        K, M = y.shape
{LAUNCH}

def test_it():
    launch(torch.ones(3, 4), torch.ones(5, 6))
"""
    found = recorded(tmp_path, body)
    sizes = parse_signature(str(found["text"]))
    one, two = (a.type for a in sizes.arguments)
    assert len({*one.dims, *two.dims}) == 4  # type: ignore[union-attr]


def test_proposals_for_the_examples_parse(root: Path) -> None:
    for path in sorted((root / "examples" / "triton").glob("*.py")):
        listing = list_file(str(path), path.read_text())
        for f in listing.launchers:
            build_domain(parse_signature(propose(f, listing).text))
