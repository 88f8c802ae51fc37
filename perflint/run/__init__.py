"""`perflint run`: a whole CUDA program on the simulator, without a GPU.

The program is the user's, linked with a libcudart of perflint's making (`native`, built once by
`library`). It talks to `server` over a socket; device memory is a file in memory that both map.
"""
