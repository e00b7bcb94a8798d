// doctest_main.cpp — the one main() of all unit tests, compiled once.   [tests]
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
