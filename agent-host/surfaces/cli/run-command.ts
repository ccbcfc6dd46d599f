import type { ChosenCommand, CommandName } from "./arg0.ts";
import type { Command } from "./command.ts";

// Each is loaded only when it is asked for.
const COMMANDS: Readonly<Record<CommandName, () => Promise<Command>>> = {
	"apply-patch": async () => (await import("./apply-patch.ts")).applyPatchCommand,
	compact: async () => (await import("./compact.ts")).compactCommand,
	doctor: async () => (await import("./doctor.ts")).doctorCommand,
	exec: async () => (await import("./exec.ts")).execCommand,
	replay: async () => (await import("./replay.ts")).replayCommand,
	sandbox: async () => (await import("./sandbox.ts")).sandboxCommand,
};

export async function runCommand({ name, args }: ChosenCommand): Promise<number> {
	const { stdin, stdout, stderr } = process;
	const command = await COMMANDS[name]();
	return command(args, { stdin, stdout, stderr, cwd: process.cwd() });
}
