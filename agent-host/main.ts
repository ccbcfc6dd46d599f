import { chooseCommand } from "./surfaces/cli/arg0.ts";
import { VERSION } from "./version.ts";

const USAGE = [
	"Usage: agent-host --stdio | --node-ipc | --version",
	"       agent-host sandbox --policy FILE [--cwd DIR] -- CMD…",
	"       agent-host exec [--cwd DIR] [--base-url URL] [--model ID] [--json] PROMPT",
	"       agent-host replay [--home DIR] THREAD",
	"       agent-host apply-patch [--cwd DIR] [--dry-run] < PATCH",
].join("\n");

const args = process.argv.slice(2);
const command = chooseCommand({ argv0: process.argv0, script: process.argv[1] ?? "" }, args);
// Only what is asked for is loaded.
if (command !== undefined) {
	const { runCommand } = await import("./surfaces/cli/run-command.ts");
	process.exitCode = await runCommand(command);
} else if (args.includes("--version")) console.log(VERSION);
else if (args.includes("--node-ipc") || args.includes("--stdio")) {
	const { serveEditor } = await import("./surfaces/editor/serve.ts");
	serveEditor(args.includes("--node-ipc") ? "ipc" : "stdio");
} else {
	console.error(USAGE);
	process.exitCode = 2;
}
