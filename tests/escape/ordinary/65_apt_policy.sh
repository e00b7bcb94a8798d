#!/bin/bash
# needs: apt-cache
apt-cache policy bash | grep -E '^  Installed'
apt-cache policy bash | grep -E '^  Candidate'
apt-mark showhold
