# Starts and stops what is compared. Part of benches/compare, which sets $temp, $flow, $helper, $quick and $pids.

# start PROJECT [WRAPPER...]: sets pid and port
start() {
    local project=$1 out=$temp/out.$RANDOM
    shift
    : >"$out"
    "$@" "$flow" api start PORT=0 --foreground --json --project "$project" >"$out" 2>/dev/null &
    pid=$!
    pids+=("$pid")
    for _ in {1..600}; do
        port=$(sed -nE 's/.*"port":([0-9]+).*/\1/p' "$out")
        [[ $port ]] && return
        sleep 0.05
    done
    echo "the server did not start" >&2
    exit 1
}

# start_floor BYTES [WRAPPER...]: the same for bare hyper
start_floor() {
    local bytes=$1 out=$temp/out.$RANDOM
    shift
    : >"$out"
    "$@" "$helper" floor "$bytes" >"$out" 2>/dev/null &
    pid=$!
    pids+=("$pid")
    for _ in {1..600}; do
        port=$(cat "$out")
        [[ $port ]] && return
        sleep 0.05
    done
    echo "bare hyper did not start" >&2
    exit 1
}

stop() {
    kill "$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
}

# The files that nginx serves and the data of json-server are our own answers.
start_others() {
    nginx_port='' json_port=''
    mkdir -p "$temp/www/api"
    "$helper" get "$port" /api/sessions >"$temp/www/api/sessions"
    "$helper" get "$port" /api/stories >"$temp/www/api/stories"
    if has nginx; then
        nginx_port=$("$helper" port)
        cat >"$temp/nginx.conf" <<TEXT
daemon off; worker_processes 2; pid $temp/nginx.pid; error_log /dev/null;
events { worker_connections 256; }
http {
    access_log off; default_type application/json;
    client_body_temp_path $temp/n1; proxy_temp_path $temp/n2; fastcgi_temp_path $temp/n3;
    uwsgi_temp_path $temp/n4; scgi_temp_path $temp/n5;
    server { listen 127.0.0.1:$nginx_port; root $temp/www; keepalive_requests 100000000; }
}
TEXT
        chmod 755 "$temp" "$temp/www" "$temp/www/api"
        nginx -c "$temp/nginx.conf" 2>/dev/null &
        pids+=($!)
    fi
    if [[ ! $quick ]] && has npm; then
        if npm install --silent --prefix "$temp/js" json-server@0.17.4 >/dev/null 2>&1; then
            json_port=$("$helper" port)
            printf '{"sessions":%s,"stories":%s}' "$(<"$temp/www/api/sessions")" \
                "$(<"$temp/www/api/stories")" >"$temp/db.json"
            (cd "$temp" && exec node "$temp/js/node_modules/.bin/json-server" --quiet --host 127.0.0.1 \
                --port "$json_port" db.json >/dev/null 2>&1) &
            pids+=($!)
        else
            note "json-server could not be installed: it is left out."
        fi
    fi
    sleep 2
}
