// Import the namespace: with a named import, an older Node would fail with an unclear error.
import * as nodeModule from "node:module";
import { refuseOldNode } from "./surfaces/check-node.ts";
import { chooseCommand } from "./surfaces/cli/choose-command.ts";
import { ensureHome } from "./surfaces/ensure-home.ts";
import { VERSION } from "./version.ts";

const USAGE = [
	"Usage: agent-host --stdio | --node-ipc [--compile-cache DIR] | --version",
	"       agent-host sandbox --policy FILE [--cwd DIR] -- CMD…",
	"       agent-host exec|threads|compact|replay|doctor|completion|apply-patch …, as the command line `vitrine` has them",
].join("\n");

const refusal = refuseOldNode(process.versions.node);
if (refusal !== undefined) {
	console.error(refusal);
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
	await import("./surfaces/editor/interpret-schemas.ts");
	const { serveEditor } = await import("./surfaces/editor/serve.ts");
	serveEditor(args.includes("--node-ipc") ? "ipc" : "stdio");
} else {
	console.error(USAGE);
	process.exitCode = 2;
}
