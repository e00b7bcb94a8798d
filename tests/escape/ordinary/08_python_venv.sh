#!/bin/bash
# needs: python3
set -e
python3 -m venv --without-pip venv
venv/bin/python -c 'import sys; print(sys.prefix); print(sys.prefix != sys.base_prefix)'
. venv/bin/activate
python -c 'import site; print(site.getsitepackages())'
command -v python
deactivate
