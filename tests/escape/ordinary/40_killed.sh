#!/bin/bash
echo before
kill -KILL $$
echo after
