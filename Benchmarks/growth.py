"""Draws how a figure grows, as text."""

import math


def draw(rows, name, values):
    """A bar for each number of rows; four times as much is eight characters more."""
    print(f"\n```\n{rows:>13}   {name}")
    lowest = min(values.values())
    for count, value in values.items():
        bar = "#" * (1 + round(4 * math.log2(max(value / lowest, 1))))
        print(f"{count:>13,}   {bar} {value:,.0f}")
    print("```")
