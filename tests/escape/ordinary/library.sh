say() { printf 'library: %s\n' "$*"; }
