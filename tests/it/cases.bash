
exec 3>&1 2>&1 </dev/null
flow() {
  local messages code line
  messages=$HOME/messages.$BASHPID
  if [[ $1 == skill && $2 != install ]]; then set -- "$@" --now "$NOW"; fi
  command flow "$@" 2>"$messages"
  code=$?
  {
    while IFS= read -r line || [[ $line ]]; do printf '! %s\n' "$line"; done <"$messages"
    echo "[exit $code]"
  } >&3
  return $code
}
get() {
  find . -type f -exec touch -d "$NOW" {} +
  flow api get "$@" | sed '$a\'
}
commit() { git add --all --force && git commit --quiet --allow-empty --message x; }
source "$0"
