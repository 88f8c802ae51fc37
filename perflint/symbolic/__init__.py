"""What a run hangs on: beside a concrete run, the condition of each branch as an expression.

`trace` follows a run, `terms` and `conjuncts` say what single warps asked, `solver` asks z3.
"""
