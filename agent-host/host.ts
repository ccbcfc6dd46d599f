import type { Upkeep } from "./start/upkeep.ts";
import { chooseCommand } from "./surfaces/cli/choose-command.ts";
import { ensureHome } from "./surfaces/ensure-home.ts";
import { VERSION } from "./version.ts";

const USAGE = [
	"Usage: agent-host --stdio | --node-ipc [--code-cache DIR] | --version",
	"       agent-host sandbox --policy FILE [--cwd DIR] -- CMD…",
	"       agent-host exec|threads|compact|mcp|acp|replay|doctor|completion|apply-patch …, as the command line `vitrine` has them",
].join("\n");

/** Loads only what the arguments ask for. */
export async function run(args: readonly string[], upkeep: Upkeep): Promise<void> {
	ensureHome();
	const command = chooseCommand({ argv0: process.argv0, script: process.argv[1] ?? "" }, args);
	if (command !== undefined) {
		const { runCommand } = await import("./surfaces/cli/run-contained.ts");
		process.exitCode = await runCommand(command);
	} else if (args.includes("--version")) console.log(VERSION);
	else if (args.includes("--node-ipc") || args.includes("--stdio")) {
		await import("./surfaces/editor/interpret-schemas.ts");
		const { serveEditor } = await import("./surfaces/editor/serve.ts");
		serveEditor(args.includes("--node-ipc") ? "ipc" : "stdio", upkeep);
	} else {
		console.error(USAGE);
		process.exitCode = 2;
	}
}
