import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { TestContext } from "node:test";
import type { Command } from "../../../agent-host/surfaces/cli/cli-command.ts";
import { type FakeModel, type Script, startFakeModel } from "../../support/fake-model.ts";

export function makeRoot(): string {
	return mkdtempSync(join(realpathSync(tmpdir()), "vitrine-desk-"));
}

/** A home, a folder and a model for commands that run in the process of the test. */
export interface Desk {
	readonly home: string;
	readonly workspace: string;
	readonly model: FakeModel;
	/** Options that lead a new thread to the model. */
	readonly server: readonly string[];
}

/** `root`: a folder of the test, which is emptied first. */
export async function setUpDesk(t: TestContext, script: Script, root = makeRoot()): Promise<Desk> {
	const [home, workspace] = [join(root, "home"), join(root, "work")];
	for (const folder of [home, workspace]) rmSync(folder, { recursive: true, force: true });
	mkdirSync(workspace);
	const model = await startFakeModel(script);
	t.after(async () => {
		await model.stop();
		rmSync(root, { recursive: true, force: true });
	});
	return { home, workspace, model, server: ["--base-url", model.baseUrl, "--model", "fake-1", "--home", home] };
}

export interface Ran {
	readonly status: number;
	readonly stdout: string;
	readonly stderr: string;
}

/** Runs a command as its program would. `typed` is what a person at the terminal answers; `stdin` what a pipe holds. */
export async function runHere(
	command: Command,
	args: readonly string[],
	{ cwd, typed, stdin = "" }: { readonly cwd: string; readonly typed?: readonly string[]; readonly stdin?: string },
): Promise<Ran> {
	const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
	const answers = [...(typed ?? [])];
	let [stdout, stderr] = ["", ""];
	output.on("data", (chunk: Buffer) => {
		stdout += chunk.toString("utf8");
	});
	errors.on("data", (chunk: Buffer) => {
		stderr += chunk.toString("utf8");
		// A prompt ends in a colon; a line of the log does not.
		if (typed !== undefined && /: $/.test(chunk.toString("utf8"))) input.write(`${answers.shift() ?? ""}\n`);
	});
	if (typed === undefined) input.end(stdin);
	const io = { stdin: input, stdout: output, stderr: errors, cwd, canAsk: typed !== undefined, isShown: false };
	return { status: await command(args, io), stdout, stderr };
}
