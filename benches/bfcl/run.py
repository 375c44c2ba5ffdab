#!/usr/bin/env python3
"""Makes the figures of docs/benchmarks.md: programs and tokens over the data of BFCL, and times of lmthing and other tools.

    python3 benches/bfcl/run.py --bin target/release/lmthing [--only programs,tokens,speed] [--sample]

Python 3.10 or newer. The data and the other tools are fetched with pip and npm into a cache folder outside the repository.
`--sample` takes the small data of this repository instead, needs no network, and prints in place of writing the page.
"""

import argparse
import sys
from pathlib import Path

import correctness
import page
import tokens
from data import MULTI_TURN, SAMPLE, SINGLE_TURN, Data, default_cache, fetch

PARTS = ['programs', 'tokens', 'speed']
# Of the single-turn categories, those that differ in the number of functions and calls.
SHAPES = ['simple_python', 'multiple', 'parallel', 'parallel_multiple', 'live_multiple']


def write(options, name, text):
    """Puts a part into the page, or prints it."""
    if options.sample or options.print:
        print(f'## {name}\n\n{text}\n')
    else:
        page.replace(name, text)


def run_programs(options, data):
    """Reference programs and planted faults. Returns whether everything was as it should be."""
    counts, reasons, examples, surprises = correctness.measure(options.bin, data, SINGLE_TURN + MULTI_TURN)
    counts = {category: count for category, count in counts.items() if count.tasks}
    first, second, third = page.programs(counts, reasons, examples)
    write(options, 'programs', first)
    write(options, 'faults', second)
    write(options, 'contradictions', third)
    for name, code, message in surprises:
        print(f'{name}: {message}\n{code}\n', file=sys.stderr)
    return not surprises


def run_tokens(options, data):
    """Tokens of conversations and of single turns."""
    tokenizer = 'approximate' if options.sample else 'o200k_base'
    categories = [category for category in options.categories.split(',') if data.tasks(category)]
    result, untyped = tokens.measure(options, data, categories, tokenizer)
    write(options, 'tokens', page.tokens(result))
    single = tokens.measure_single(options, data, [name for name in SHAPES if data.tasks(name)], tokenizer)
    write(options, 'single turns', page.single(single))
    if untyped:
        print(f"Their results are not as documented, so these declare none: {', '.join(untyped)}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', type=Path, required=True, help='the lmthing that is measured')
    parser.add_argument('--only', default=','.join(PARTS), help=f"some of {', '.join(PARTS)}, separated by commas")
    parser.add_argument('--cache', type=Path, default=default_cache(), help='where packages are kept')
    parser.add_argument('--sample', action='store_true', help='the small data of this repository; prints')
    parser.add_argument('--categories', default=','.join(MULTI_TURN), help='the multi-turn categories whose tokens are counted')
    parser.add_argument('--prompt-bytes', type=int, default=8192, help='bytes of declarations before they are on demand')
    parser.add_argument('--print', action='store_true', help='print in place of writing the page')
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    if not options.bin.exists():
        parser.error(f'{options.bin} is not there')
    if options.sample:
        options.prompt_bytes = min(options.prompt_bytes, 400)
    parts = options.only.split(',')
    if wrong := [part for part in parts if part not in PARTS]:
        parser.error(f"--only: {', '.join(wrong)} is none of {', '.join(PARTS)}")
    is_right = True
    if 'programs' in parts or 'tokens' in parts:
        data = Data(SAMPLE if options.sample else fetch(options.cache))
        if 'programs' in parts:
            is_right = run_programs(options, data)
        if 'tokens' in parts:
            run_tokens(options, data)
    if 'speed' in parts and not options.sample:
        import speed
        write(options, 'speed', speed.measure(options.bin, options.cache))
    return 0 if is_right else 1


if __name__ == '__main__':
    sys.exit(main())
