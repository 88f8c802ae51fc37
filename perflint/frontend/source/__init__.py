"""Source facts: what one `.cu` file says, read without a compiler."""
