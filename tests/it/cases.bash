
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
# Starts a server, and prints its port.
serve() { command flow api start PORT=0 --json "$@" | grep --only-matching --max-count=1 '"port":[0-9]*' | sed 's/.*://'; }
# Replaces a file at once with what is piped, and waits until the server has recorded a change.
put() {
  local before
  before=$(command flow wait change --timeout 0 2>&1 | sed -n 's/^cursor *//p')
  mkdir -p "$(dirname "$1")" && cat >"$1.new" && mv "$1.new" "$1"
  command flow wait change --since "$before" --timeout 20 >"$HOME/told"
}
# Repeats a command until it prints a text.
until_says() {
  local text=$1
  shift
  for ((n = 0; n < 400; n++)); do
    "$@" 2>&1 | grep --quiet --fixed-strings -e "$text" && return
    sleep 0.05
  done
  echo "waited in vain: $text"
}
# Halts a process, and returns when all of its threads are stopped.
halt() {
  kill -STOP "$1"
  until_says halted bash -c "[[ -z \$(grep -L 'State:.T' /proc/$1/task/*/status) ]] && echo halted"
}
# Asks the server on $port, and prints the head and the body of its answer.
http() {
  exec 4<> "/dev/tcp/127.0.0.1/$port"
  printf 'GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n' "$1" >&4
  tr -d '\r' <&4
}
# Asks the program over MCP, and prints the value that a tool gives, or the whole answer.
ask_mcp() {
  local meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}'
  echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$1\",\"params\":${2%\}},$meta}}" | command flow mcp \
    | sed -E 's/.*"structuredContent":(.*),"isError":false\}\}$/\1/; s/^\{"jsonrpc":"2.0","id":1,/{/'
}
call_tool() { ask_mcp tools/call "{\"name\":\"$1\",\"arguments\":${2:-{\}}}"; }
commit() { git add --all --force && git commit --quiet --allow-empty --message x; }
source "$0"
