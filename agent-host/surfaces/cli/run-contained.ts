import { HostError } from "../../protocol/errors.ts";
import { makeVisibleLine } from "../visible.ts";
import { asksForHelp, type ChosenCommand, type CommandName } from "./choose-command.ts";
import type { Command } from "./cli-command.ts";
import { describeUsage } from "./command-words.ts";

// Each is loaded on demand.
const COMMANDS: Readonly<Record<CommandName, () => Promise<Command>>> = {
	acp: async () => (await import("./acp-command.ts")).acpCommand,
	"apply-patch": async () => (await import("./apply-patch-command.ts")).applyPatchCommand,
	compact: async () => (await import("./compact-command.ts")).compactCommand,
	completion: async () => (await import("./completion-command.ts")).completionCommand,
	doctor: async () => (await import("./doctor-command.ts")).doctorCommand,
	exec: async () => (await import("./exec-command.ts")).execCommand,
	mcp: async () => (await import("./mcp-command.ts")).mcpCommand,
	replay: async () => (await import("./replay-command.ts")).replayCommand,
	sandbox: async () => (await import("./sandbox-command.ts")).sandboxCommand,
	threads: async () => (await import("./threads-command.ts")).threadsCommand,
};

const FAILED = 1;

export async function runCommand({ name, args }: ChosenCommand): Promise<number> {
	const { stdin, stdout, stderr } = process;
	// Until there is a status: a process that ends because it waits for nothing has not completed anything.
	process.exitCode = FAILED;
	// Without a listener, a reader that is gone, such as `head`, would end the process in the middle of its work.
	stderr.on("error", () => undefined);
	stdout.on("error", (error: NodeJS.ErrnoException) => {
		if (error.code === "EPIPE") return;
		// It may come after everything else.
		process.once("exit", () => {
			process.exitCode ||= FAILED;
		});
		stderr.write(`The output could not be written: ${error.message}\n`);
	});
	if (asksForHelp(args)) {
		stdout.write(`${describeUsage(name)}\n`);
		return 0;
	}
	const cwd = findCurrentFolder();
	if (cwd === undefined) {
		stderr.write("The current folder no longer exists. Change to another folder.\n");
		return FAILED;
	}
	const command = await COMMANDS[name]();
	const canAsk = stdin.isTTY === true && stderr.isTTY === true;
	const io = { stdin, stdout, stderr, cwd, canAsk, isShown: stdout.isTTY === true };
	try {
		return await command(args, io);
	} catch (error) {
		if (!(error instanceof HostError || isOfSystem(error))) throw error;
		stderr.write(`${makeVisibleLine(error.message)}\n`);
		return FAILED;
	}
}

/** A file or folder that the system refuses is no bug, so nobody needs a stack trace. */
function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
	return error instanceof Error && "syscall" in error;
}

function findCurrentFolder(): string | undefined {
	try {
		return process.cwd();
	} catch {
		return undefined;
	}
}
