import type { PolicyAttempt } from "../../protocol/host/health.ts";
import type { Act } from "./attempts.ts";

/**
 * The command line of a shell that tries one act after the other. It needs no other program, except Node for a
 * connection.
 */
export function probeArgv(acts: readonly Act[]): readonly string[] {
	return ["/bin/sh", "-c", SCRIPT, "probe", ...acts.flatMap(toWords)];
}

/** The outcome of each act, from the lines that the script wrote. */
export function readOutcomes(output: string, count: number): readonly PolicyAttempt["happened"][] {
	const said = new Map<number, PolicyAttempt["happened"]>();
	for (const [, index, word] of output.matchAll(/^(\d+) (allowed|refused)$/gm))
		said.set(Number(index), word === "allowed" ? "allowed" : "refused");
	return Array.from({ length: count }, (_, index) => said.get(index) ?? "untried");
}

/** Three words per act. */
function toWords(act: Act): readonly [string, string, string] {
	switch (act.kind) {
		case "read":
		case "create":
			return [act.kind, act.path, ""];
		case "connect":
			return [act.kind, act.node, CONNECT];
		case "process":
			return [act.kind, String(act.pid), act.processStartTime];
		case "signal":
			return [act.kind, String(act.pid), ""];
		case "variable":
			return [act.kind, act.name, ""];
		case "interfaces":
		case "privilege":
			return [act.kind, "", ""];
	}
}

/** Connects a datagram socket to an unassigned address: that sends nothing, and fails if there is no network. */
const CONNECT = `try {
	const socket = require("node:dgram").createSocket("udp4");
	socket.on("error", () => process.exit(3));
	socket.connect(9, "192.0.2.1", (error) => process.exit(error ? 3 : 0));
} catch { process.exit(3) }`;

/**
 * `set -C`: an existing file is never overwritten. Every act runs in its own shell, which it may end. If Node does not
 * start, nothing was tried.
 */
const SCRIPT = `set -C
try() {
	case $1 in
		read) : < "$2" ;;
		create) : > "$2" ;;
		connect) ELECTRON_RUN_AS_NODE=1 "$2" -e "$3" ;;
		interfaces) while read -r name _; do case $name in lo:*) ;; *:*) exit 0 ;; esac; done < /proc/net/dev; exit 3 ;;
		process) read -r stat < "/proc/$2/stat" && began=$3 && set -- \${stat##*) } && test "\${20}" = "$began" ;;
		signal) kill -0 "$2" ;;
		privilege) while read -r key value; do test "$key" = CapEff: && case $value in *[!0]*) exit 0 ;; esac; done < /proc/self/status; exit 3 ;;
		variable) eval "test -n \\"\\\${$2+set}\\"" ;;
	esac
}
index=0
while [ $# -gt 0 ]; do
	(try "$1" "$2" "$3") > /dev/null 2>&1
	case "$1 $?" in
		*" 0") echo "$index allowed" ;;
		"connect 3") echo "$index refused" ;;
		connect*) ;;
		*) echo "$index refused" ;;
	esac
	index=$((index + 1))
	shift 3
done
`;
