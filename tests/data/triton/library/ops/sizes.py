"""What launches are computed with."""

import triton


def settings(n):
    block = triton.next_power_of_2(n)
    return block, 8 if block >= 2048 else 4
