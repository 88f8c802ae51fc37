#!/bin/sh
# ptxas for programs that call it and load what it makes (Triton): the PTX itself, which can be simulated.
from= to= next=
for each in "$@"; do
  case "$next$each" in
    --version) echo "perflint's ptxas, release 13.0"; exit 0 ;;
    =*) to=${each} next= ;;
    -o | --output-file) next== ;;
    *.ptx) from=$each ;;
  esac
done
[ -n "$from" ] && [ -n "$to" ] && exec cp "$from" "$to"
echo "perflint's ptxas: give FILE.ptx -o FILE" >&2
exit 1
