$ runbookctl completion zsh
#compdef runbookctl
# zsh completion for runbookctl; made by `runbookctl completion zsh`
autoload -U +X bashcompinit && bashcompinit
# bash completion for runbookctl; made by `runbookctl completion bash`
_runbookctl() {
  local cur="${COMP_WORDS[COMP_CWORD]}" verb="${COMP_WORDS[1]}"
  COMPREPLY=()
  _filedir_or_default() { COMPREPLY=($(compgen -f -- "$cur")); }
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "init check open close list show run ps logs attach wait stop events session record doctor completion version help" -- "$cur"))
    return
  fi
  case "$verb" in
    session)
      if [[ $COMP_CWORD -eq 2 ]]; then COMPREPLY=($(compgen -W "start note show log list env end" -- "$cur")); return; fi
      verb="$verb ${COMP_WORDS[2]}" ;;
    record)
      if [[ $COMP_CWORD -eq 2 ]]; then COMPREPLY=($(compgen -W "list show verify" -- "$cur")); return; fi
      verb="$verb ${COMP_WORDS[2]}" ;;
  esac
  case "$verb" in
    "init")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--title --markdown --session --json --quiet --help" -- "$cur")); else _filedir_or_default; fi ;;
    "check")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--strict --session --json --quiet --help" -- "$cur")); else _filedir_or_default; fi ;;
    "open")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--session --json --quiet --help" -- "$cur")); else _filedir_or_default; fi ;;
    "close")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--stop --session --json --quiet --help" -- "$cur")); else COMPREPLY=($(compgen -f -W "$(runbookctl list 2>/dev/null | tail -n +2 | cut -d' ' -f1)" -- "$cur")); fi ;;
    "list")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--session --json --quiet --help" -- "$cur")); else COMPREPLY=($(compgen -d -- "$cur")); fi ;;
    "show")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--source --raw --print --blocks --width --session --json --quiet --help" -- "$cur")); else COMPREPLY=($(compgen -f -W "$(runbookctl list 2>/dev/null | tail -n +2 | cut -d' ' -f1)" -- "$cur")); fi ;;
    "run")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--input --inputs --profile --work --with --read --write --socket --new --timeout --keep-going --detach --verbatim --session --json --quiet --help" -- "$cur")); else COMPREPLY=($(compgen -f -W "$(runbookctl list 2>/dev/null | tail -n +2 | cut -d' ' -f1)" -- "$cur")); fi ;;
    "ps")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--all --everywhere --session --json --quiet --help" -- "$cur")); else :; fi ;;
    "logs")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--follow --latest --session --json --quiet --help" -- "$cur")); else COMPREPLY=($(compgen -W "$(runbookctl ps --all 2>/dev/null | tail -n +2 | cut -d' ' -f1)" -- "$cur")); fi ;;
    "attach")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--latest --session --json --quiet --help" -- "$cur")); else COMPREPLY=($(compgen -W "$(runbookctl ps --all 2>/dev/null | tail -n +2 | cut -d' ' -f1)" -- "$cur")); fi ;;
    "wait")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--latest --session --json --quiet --help" -- "$cur")); else COMPREPLY=($(compgen -W "$(runbookctl ps --all 2>/dev/null | tail -n +2 | cut -d' ' -f1)" -- "$cur")); fi ;;
    "stop")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--grace --latest --session --json --quiet --help" -- "$cur")); else COMPREPLY=($(compgen -W "$(runbookctl ps --all 2>/dev/null | tail -n +2 | cut -d' ' -f1)" -- "$cur")); fi ;;
    "events")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--follow --from --session --json --quiet --help" -- "$cur")); else :; fi ;;
    "session start")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--as --why --session --json --quiet --help" -- "$cur")); else :; fi ;;
    "session note")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--session --json --quiet --help" -- "$cur")); else :; fi ;;
    "session show")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--session --json --quiet --help" -- "$cur")); else :; fi ;;
    "session log")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--follow --session --json --quiet --help" -- "$cur")); else :; fi ;;
    "session list")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--session --json --quiet --help" -- "$cur")); else :; fi ;;
    "session env")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--from-here --session --json --quiet --help" -- "$cur")); else :; fi ;;
    "session end")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--session --json --quiet --help" -- "$cur")); else :; fi ;;
    "record list")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--session --json --quiet --help" -- "$cur")); else :; fi ;;
    "record show")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--session --json --quiet --help" -- "$cur")); else :; fi ;;
    "record verify")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--anchor --session --json --quiet --help" -- "$cur")); else :; fi ;;
    "doctor")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--session --json --quiet --help" -- "$cur")); else :; fi ;;
    "completion")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--session --json --quiet --help" -- "$cur")); else COMPREPLY=($(compgen -W "bash zsh fish" -- "$cur")); fi ;;
    "version")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--session --json --quiet --help" -- "$cur")); else :; fi ;;
    "help")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--session --json --quiet --help" -- "$cur")); else COMPREPLY=($(compgen -W "init check open close list show run ps logs attach wait stop events session record doctor completion version help" -- "$cur")); fi ;;
  esac
}
complete -o filenames -F _runbookctl runbookctl
[exit status 0]
