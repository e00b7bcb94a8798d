#!/bin/bash
name=world
cat <<EOF
hello $name $((1 + 1))
EOF
cat <<'EOF'
$name stays
EOF
cat <<-EOF
	without tabs
EOF
cat <<< "here string"
bash -s arg <<'EOF'
echo "inner $1"
EOF
python3 - <<'EOF'
print("python from a heredoc")
EOF
head -c 200000 /dev/zero | tr '\0' x | cat - <(cat <<< end) | tail -c 5
