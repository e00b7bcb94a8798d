#!/bin/bash
# differs: workspace: http_proxy and its kin don't pass, so behind a proxy nothing is reached
echo "${https_proxy:-none} ${no_proxy:-none}"
