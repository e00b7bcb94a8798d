#!/bin/bash
# needs: make
set -e
cat > Makefile <<'M'
all: a.out1 b.out1 c.out1
	@cat $^ > all
%.out1:
	@echo making $@ > $@
.PHONY: all
M
make -j2
make -j2 --output-sync
cat all
make nothing || echo "status $?"
