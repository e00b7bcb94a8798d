#!/bin/bash
echo "${https_proxy:-none} ${no_proxy:-none}"
