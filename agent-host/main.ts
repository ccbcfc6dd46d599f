// Import the namespace: with a named import, an older Node would fail with an unclear error.
import * as nodeModule from "node:module";
import { chooseCommand } from "./surfaces/cli/choose-command.ts";
import { ensureHome } from "./surfaces/ensure-home.ts";
import { VERSION } from "./version.ts";

const USAGE = [
	"Usage: agent-host --stdio | --node-ipc [--compile-cache DIR] | --version",
	"       agent-host sandbox --policy FILE [--cwd DIR] -- CMD…",
	"       agent-host exec [--cwd DIR] [--base-url URL] [--wire responses|chat] [--model ID] [--policy FILE] [--home DIR] [--json] PROMPT",
	"       agent-host compact [--focus TEXT] [--base-url URL] [--wire responses|chat] [--model ID] [--home DIR] [--json] THREAD",
	"       agent-host replay [--home DIR] THREAD",
	"       agent-host doctor [--json] [--home DIR] [--cwd DIR]",
	"       agent-host apply-patch [--cwd DIR] [--dry-run] < PATCH",
].join("\n");

/** The first version with everything the host needs; SQLite's locks came last. */
const OLDEST_NODE = [22, 13] as const;
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
	console.error(`Vitrine's agent host needs Node ${OLDEST_NODE.join(".")} or later; this is ${process.versions.node}.`);
	process.exit(1);
}

ensureHome();
const args = process.argv.slice(2);
const cache = args.indexOf("--compile-cache");
// Node caches compiled code here for the next start. Write access to this folder controls what this process runs, so it
// must be one that no command of the agent can reach.
if (cache !== -1) nodeModule.enableCompileCache(args[cache + 1]);
const command = chooseCommand({ argv0: process.argv0, script: process.argv[1] ?? "" }, args);
// Load only the requested command.
if (command !== undefined) {
	const { runCommand } = await import("./surfaces/cli/run-contained.ts");
	process.exitCode = await runCommand(command);
} else if (args.includes("--version")) console.log(VERSION);
else if (args.includes("--node-ipc") || args.includes("--stdio")) {
	const { serveEditor } = await import("./surfaces/editor/serve.ts");
	serveEditor(args.includes("--node-ipc") ? "ipc" : "stdio");
} else {
	console.error(USAGE);
	process.exitCode = 2;
}
