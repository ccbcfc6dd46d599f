import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { says } from "../support/fake-model-steps.ts";
import { type Desk, type Ran, setUpDesk } from "./rig/command-here.ts";
import { VITRINE } from "./rig/vitrine.ts";

type Output = "stdout" | "stderr";

test("a command whose reader is gone ends quietly, and a task goes on if only stderr is closed", async (t) => {
	const desk = await setUpDesk(t, () => says("Hello."));
	const server = ["--base-url", desk.model.baseUrl, "--model", "fake-1"];
	const told = await run(desk, ["exec", ...server, "Hello."], "stderr");
	assert.deepEqual([told.status, told.stdout], [0, "Hello.\n"]);
	for (const args of [["threads"], ["completion", "bash"]]) {
		const { status, stderr } = await run(desk, args, "stdout");
		assert.deepEqual([args[0], status, stderr], [args[0], 0, ""]);
	}
});

test("an output that cannot be written fails the command with that reason", async (t) => {
	const desk = await setUpDesk(t, () => undefined);
	const unwritable = openSync(VITRINE, "r");
	t.after(() => closeSync(unwritable));
	const { status, stderr } = await run(desk, ["completion", "bash"], undefined, unwritable);
	assert.equal(status, 1);
	assert.match(stderr, /^The output could not be written: [^\n]+\n$/);
});

test("a command in a folder that was deleted says so in one sentence", async (t) => {
	const desk = await setUpDesk(t, () => undefined);
	for (const args of [["threads"], ["exec", "Hello."], ["completion", "bash"]]) {
		const folder = mkdtempSync(join(desk.workspace, "gone-"));
		const inside = ["-c", 'rmdir "$PWD" && exec "$@"', "sh", process.execPath, VITRINE, ...args];
		const { status, stdout, stderr } = spawnSync("sh", inside, { cwd: folder, encoding: "utf8" });
		const reason = "The current folder no longer exists. Change to another folder.\n";
		assert.deepEqual([args[0], status, stdout, stderr], [args[0], 1, "", reason]);
	}
});

test("the ACP agent exits when its editor stops reading, although its input is open", async (t) => {
	const desk = await setUpDesk(t, () => undefined);
	const child = spawn(process.execPath, [VITRINE, "acp", "--home", desk.home], { stdio: ["pipe", "pipe", "inherit"] });
	t.after(() => child.kill());
	child.stdout.destroy();
	const hello = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } };
	child.stdin.write(`${JSON.stringify(hello)}\n`);
	assert.deepEqual(await once(child, "exit", { signal: AbortSignal.timeout(30_000) }), [0, null]);
});

/** Runs the program with the reader of one output gone. */
async function run(
	desk: Desk,
	args: readonly string[],
	unread?: Output,
	output: "pipe" | number = "pipe",
): Promise<Ran> {
	const env = { ...process.env, VITRINE_HOME: desk.home };
	const stdio = ["ignore", output, "pipe"] as const;
	const child = spawn(process.execPath, [VITRINE, ...args], { cwd: desk.workspace, env, stdio: [...stdio] });
	const texts = { stdout: "", stderr: "" };
	for (const name of ["stdout", "stderr"] as const) {
		if (name === unread) child[name]?.destroy();
		child[name]?.on("data", (chunk: Buffer) => {
			texts[name] += chunk.toString("utf8");
		});
	}
	const [status] = await once(child, "close");
	return { status, ...texts };
}
