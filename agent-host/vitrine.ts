import { homedir } from "node:os";
import { join } from "node:path";
import { asksForHelp, chooseCommand } from "./surfaces/cli/choose-command.ts";
import { COMMAND_WORDS } from "./surfaces/cli/command-words.ts";
import { findEditorHome } from "./surfaces/cli/find-editor-home.ts";
import { ensureHome } from "./surfaces/ensure-home.ts";
import { makeVisibleLine } from "./surfaces/visible.ts";
import { VERSION } from "./version.ts";

const HELP = [
	"Usage: vitrine COMMAND [OPTION…]",
	"",
	...Object.entries(COMMAND_WORDS).map(([name, { about }]) => `  ${name.padEnd(14)}${about}`),
	"",
	"`vitrine COMMAND --help` lists the options of a command.",
].join("\n");

export async function run(typed: readonly string[]): Promise<void> {
	ensureHome();
	if (!process.env.VITRINE_HOME) {
		const { platform, env } = process;
		const shared = await findEditorHome({ platform, home: homedir(), environment: env });
		if (shared !== undefined) process.env.VITRINE_HOME = shared;
	}
	const args = typed[0] === "help" ? [...typed.slice(1), "--help"] : typed;
	const command = chooseCommand({ argv0: process.argv0, script: process.argv[1] ?? "" }, args);
	if (command !== undefined) {
		// npm starts the program through a link; what belongs to it is beside the program itself.
		process.argv[1] = join(import.meta.dirname, "vitrine.cjs");
		const { runCommand } = await import("./surfaces/cli/run-contained.ts");
		process.exitCode = await runCommand(command);
	} else if (args.includes("--version")) console.log(VERSION);
	else if (args.length === 0 || asksForHelp([args[0] ?? ""])) console.log(HELP);
	else {
		console.error(`There is no command ${makeVisibleLine(args[0] ?? "")}.\n\n${HELP}`);
		process.exitCode = 2;
	}
}
