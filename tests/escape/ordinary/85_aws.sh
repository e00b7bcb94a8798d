#!/bin/bash
# grant: --with aws
# says: AWS_REGION
echo "region ${AWS_REGION:?isn\'t set}"
cat ~/.aws/config
