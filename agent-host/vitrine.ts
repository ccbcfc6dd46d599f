#!/usr/bin/env node
import { homedir } from "node:os";
import { refuseOldNode } from "./surfaces/check-node.ts";
import { chooseCommand } from "./surfaces/cli/choose-command.ts";
import { COMMAND_WORDS } from "./surfaces/cli/command-words.ts";
import { findEditorHome } from "./surfaces/cli/find-editor-home.ts";
import { ensureHome } from "./surfaces/ensure-home.ts";
import { VERSION } from "./version.ts";

const HELP = [
	"Usage: vitrine COMMAND [OPTION…]",
	"",
	...Object.entries(COMMAND_WORDS).map(([name, { about }]) => `  ${name.padEnd(14)}${about}`),
	"",
	"`vitrine COMMAND --help` lists the options of a command.",
].join("\n");

const refusal = refuseOldNode(process.versions.node);
if (refusal !== undefined) {
	console.error(refusal);
	process.exit(1);
}

ensureHome();
if (!process.env.VITRINE_HOME) {
	const { platform, env } = process;
	const shared = await findEditorHome({ platform, home: homedir(), environment: env });
	if (shared !== undefined) process.env.VITRINE_HOME = shared;
}
const args = process.argv.slice(2);
const command = chooseCommand({ argv0: process.argv0, script: process.argv[1] ?? "" }, args);
if (command !== undefined) {
	// npm starts this file through a link; what belongs to it is beside the file itself.
	process.argv[1] = import.meta.filename;
	const { runCommand } = await import("./surfaces/cli/run-contained.ts");
	process.exitCode = await runCommand(command);
} else if (args.includes("--version")) console.log(VERSION);
else if (args.length === 0 || args.includes("--help")) console.log(HELP);
else {
	console.error(HELP);
	process.exitCode = 2;
}
