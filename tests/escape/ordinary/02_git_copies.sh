#!/bin/bash
# needs: git
set -e
export GIT_AUTHOR_DATE='2024-01-02T03:04:05Z' GIT_COMMITTER_DATE='2024-01-02T03:04:05Z'
export GIT_AUTHOR_NAME=Op GIT_AUTHOR_EMAIL=op@example GIT_COMMITTER_NAME=Op GIT_COMMITTER_EMAIL=op@example
git init -q -b main origin.src
git -C origin.src commit -q --allow-empty -m root
git clone -q --bare origin.src origin.git
git clone -q origin.git copy
cd copy
git worktree add -q ../side -b side
echo x > ../side/x
git -C ../side add x
git -C ../side commit -q -m side
git merge -q --no-ff -m merge side
git push -q origin main side
git log --graph --oneline
git cherry-pick --allow-empty -x side~1 2>&1 | tail -1
git rebase -q side && git log -1 --format=%s
git bundle create -q ../all.bundle main
git clone -q -b main ../all.bundle ../from_bundle
git -C ../from_bundle rev-parse main
git -c protocol.file.allow=always submodule --quiet add ../origin.git sub
cat .gitmodules
git archive --format=tar main | tar -tf -
printf '#!/bin/sh\necho the hook ran\n' > .git/hooks/pre-commit
chmod +x .git/hooks/pre-commit
git commit -q -m submodule
cd ..
rm -rf copy origin.src origin.git side from_bundle all.bundle
