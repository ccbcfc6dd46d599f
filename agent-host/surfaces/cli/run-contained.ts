import type { ChosenCommand, CommandName } from "./choose-command.ts";
import type { Command } from "./cli-command.ts";

// Each is loaded on demand.
const COMMANDS: Readonly<Record<CommandName, () => Promise<Command>>> = {
	"apply-patch": async () => (await import("./apply-patch-command.ts")).applyPatchCommand,
	compact: async () => (await import("./compact-command.ts")).compactCommand,
	doctor: async () => (await import("./doctor-command.ts")).doctorCommand,
	exec: async () => (await import("./exec-command.ts")).execCommand,
	replay: async () => (await import("./replay-command.ts")).replayCommand,
	sandbox: async () => (await import("./sandbox-command.ts")).sandboxCommand,
};

export async function runCommand({ name, args }: ChosenCommand): Promise<number> {
	const { stdin, stdout, stderr } = process;
	const command = await COMMANDS[name]();
	return command(args, { stdin, stdout, stderr, cwd: process.cwd() });
}
