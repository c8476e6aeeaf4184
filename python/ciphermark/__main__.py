"""The ``ciphermark`` command. ``sim`` starts without the rest of the package: it is run in loops."""

import gc
import sys


def main() -> None:
    if sys.argv[1:2] == ["sim"]:
        from ciphermark.cli import sim, sim_parser

        if not sim_parser.asks_for_help(sys.argv[2:]):
            sys.exit(sim.main(sys.argv[2:]))
    # What is imported stays: to look for garbage among it takes up to a fifth of the start.
    gc.disable()
    from ciphermark.cli.app import main as command_line

    gc.freeze()
    gc.enable()
    command_line()


if __name__ == "__main__":
    main()
