"""`perflint launches`: what is read of every launch, and what kernels are tried with."""
