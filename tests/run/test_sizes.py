import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.notation.sizes import LARGEST, format_size, parse_size, parse_sizes


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("16", (16,)),
        ("4K", (4096,)),
        ("1M", (1048576,)),
        ("16..128", (16, 32, 64, 128)),
        ("1K..4K", (1024, 2048, 4096)),
        ("16,64..256,64", (16, 64, 128, 256)),
        (["16", "1K"], (16, 1024)),
        (64, (64,)),
    ],
)
def test_grammar(text: str, sizes: tuple[int, ...]) -> None:
    assert parse_sizes(text) == sizes


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not a size"),
        ("4k", "K is 1024"),
        ("0", "outside"),
        ("2048G", "outside"),
        ("64..16", "downwards"),
        ("16..100", "does not meet 100: 128 is next"),
        ("1..2..4", "not a size"),
        ("-16", "not a size"),
    ],
)
def test_mistakes_are_named(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        parse_sizes(text)


@given(st.integers(1, LARGEST))
def test_format_is_the_inverse_of_parse(size: int) -> None:
    assert parse_size(format_size(size)) == size
