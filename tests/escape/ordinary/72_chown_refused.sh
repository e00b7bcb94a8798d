#!/bin/bash
# differs: workspace: an id that isn't mapped gives EINVAL where programs expect EPERM
touch plain
chown 0 plain
echo "status $?"
chgrp root plain
echo "status $?"
