"""PTX: the grammar, the model a parsed module is made of, and the table of instructions."""
