import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import { reviewList } from "../../agent-host/protocol/thread/review.ts";
import { asOnWindows } from "../support/as-windows/as-on-windows.ts";
import { toWindows } from "../support/as-windows/paths.ts";
import type { World } from "../support/canaries.ts";
import { inFairTime } from "../support/fair-time.ts";
import type { FakeModel, Script } from "../support/fake-model.ts";
import { calls, callsAll, says } from "../support/fake-model-steps.ts";
import { aThread, type HostProcess, type HostSpec, runTurn } from "../support/host-process.ts";
import { bodyOf } from "../support/request-page.ts";
import { openRig } from "./rig/with-host.ts";

interface Windows {
	readonly model: FakeModel;
	readonly world: World;
	/** A host on a drive C: that is this machine's disk. */
	readonly start: (changes?: Partial<HostSpec>) => Promise<HostProcess>;
}

/** The built host as on Windows, in a world that is checked afterwards as for every other host. */
async function withWindows(t: TestContext, script: Script, body: (test: Windows) => Promise<void>): Promise<void> {
	const rig = await openRig({ script });
	t.after(rig.remove);
	try {
		const { model, world } = rig;
		await body({
			model,
			world,
			start: (changes) =>
				rig.another(asOnWindows({ home: world.home, folders: [world.workspace], env: world.env, ...changes })),
		});
		await rig.close();
	} catch (error) {
		for (const line of rig.logs()) t.diagnostic(line);
		throw error;
	} finally {
		await rig.kill();
	}
	await rig.check();
}

function allow({ digest }: ApprovalRequest) {
	return { decision: "allow" as const, digest };
}

/** What the model was told of its calls, in order. */
function outputsIn(model: FakeModel): readonly string[] {
	return bodyOf(model.requests.at(-1) ?? assert.fail()).input.flatMap(({ output }) => (output ? [String(output)] : []));
}

test("on Windows a turn begins, its thread continues after a restart, and two hosts do not share it", (t) =>
	withWindows(t, [says("One."), says("Two.")], async ({ model, world, start }) => {
		const first = await start();
		const threadId = await aThread(first);
		await runTurn(first, threadId, "Look.");
		const second = await start();
		await assert.rejects(runTurn(second, threadId, "Me too."), /another window|in use/i);
		await first.close();
		const third = await start();
		await runTurn(third, threadId, "Go on.");
		const said = bodyOf(model.requests[1] ?? assert.fail()).input.map(({ content }) => JSON.stringify(content));
		assert.match(said.join("\n"), /Look\..*One\..*Go on\./s);
		assert.ok(existsSync(join(world.home, "threads", `${threadId}.jsonl`)));
		assert.ok(said.join("\n").replaceAll("\\\\", "\\").includes(toWindows(world.workspace)));
	}));

test("on Windows files are listed, found and read in any case, and none outside, on a share or behind a device", (t) => {
	const read = (path: string) => ["read_file", { path }] as const;
	const closed = [
		"..\\outside\\plan.txt",
		"\\\\server\\share\\x.txt",
		"\\\\.\\pipe\\x",
		"link-to-folder\\plan.txt",
		"nul",
	];
	const script = [
		callsAll([
			["list_files", {}],
			["search_files", { pattern: "greet" }],
			read("SRC\\Main.ts"),
			read("src/main.ts"),
			...closed.map(read),
		]),
		says("Done."),
	];
	return withWindows(t, script, async ({ model, start }) => {
		const host = await start();
		await runTurn(host, await aThread(host), "Look.");
		const [list = "", found = "", ...texts] = outputsIn(model);
		assert.match(list, /src\/main\.ts/);
		assert.match(found, /src\/greet\.ts/);
		for (const text of texts.slice(0, 2)) assert.match(text, /greet\("world"\)/);
		assert.equal(texts.length, 2 + closed.length);
		for (const text of texts.slice(2)) assert.doesNotMatch(text, /canary|does not exist/, text);
	});
});

test("on Windows unsaved text replaces the text on disk, and problems are reported under the same names", (t) => {
	const script = [
		callsAll([
			["search_files", { pattern: "greet" }],
			["problems", {}],
		]),
		says("Done."),
	];
	return withWindows(t, script, async ({ model, world, start }) => {
		const path = toWindows(join(world.workspace, "src/main.ts"));
		const uri = pathToFileURL(path, { windows: true }).href;
		const problem = { path, position: { line: 0, character: 0 }, severity: "error", message: "Odd." };
		const language = () => ({ problems: [problem], more: 0, unchecked: [], mark: 1 });
		const host = await start({ language });
		const textDocument = { uri, languageId: "typescript", version: 1, text: "greet(unsaved)\n" };
		host.notifyRaw("textDocument/didOpen", { textDocument });
		await runTurn(host, await aThread(host), "Look.");
		const [matches = "", problems = ""] = outputsIn(model);
		assert.deepEqual(
			matches.split("\n").filter((line) => /main\.ts/.test(line)),
			["src/main.ts:1: greet(unsaved)"],
		);
		assert.match(problems, /^src\/main\.ts:1:1 error/m);
	});
});

test("on Windows a change in a file with unsaved text is found where it stands in the editor", (t) => {
	const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+TWO\n*** End Patch";
	return withWindows(t, [calls("apply_patch", { patch }), says("Done.")], async ({ world, start }) => {
		const path = join(world.workspace, "a.txt");
		writeFileSync(path, "one\ntwo\n");
		const host = await start();
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Patch it.");
		// As VS Code writes it.
		const uri = pathToFileURL(toWindows(path), { windows: true }).href.replace("/C:/", "/c%3A/");
		const textDocument = { uri, languageId: "plaintext", version: 1, text: "mine\none\nTWO\n" };
		host.notifyRaw("textDocument/didOpen", { textDocument });
		const { files } = await host.request(reviewList, { threadId });
		assert.deepEqual(
			files.map(({ hunks }) => hunks.map(({ line, state }) => [line, state])),
			[[[3, "pending"]]],
		);
	});
});

test("on Windows a patch replaces files a scanner holds briefly, keeps CRLF, and protects .git in any spelling", (t) => {
	const patch = (file: string, lines: string) =>
		calls("apply_patch", { patch: `*** Begin Patch\n*** ${file}\n${lines}\n*** End Patch` });
	const script = [
		patch("Update File: src\\crlf.txt", "@@\n one\n-two\n+zwei"),
		patch("Add File: new/deep/file.txt", "+text"),
		patch("Add File: .GIT\\hooks\\pre-commit", "+evil"),
		patch("Add File: .git.\\config", "+evil"),
		patch("Add File: con.txt", "+evil"),
		says("Done."),
	];
	return withWindows(t, script, async ({ model, world, start }) => {
		mkdirSync(join(world.workspace, ".git", "hooks"), { recursive: true });
		writeFileSync(join(world.workspace, "src/crlf.txt"), "one\r\ntwo\r\nthree\r\n");
		const host = await start();
		await runTurn(host, await aThread(host), "Patch.");
		assert.equal(readFileSync(join(world.workspace, "src/crlf.txt"), "utf8"), "one\r\nzwei\r\nthree\r\n");
		assert.equal(readFileSync(join(world.workspace, "new/deep/file.txt"), "utf8"), "text\n");
		const outputs = outputsIn(model);
		assert.equal(outputs.length, 5);
		assert.ok(!existsSync(join(world.workspace, ".git/hooks/pre-commit")));
		for (const name of [".GIT", ".git.", "con.txt"]) assert.ok(!existsSync(join(world.workspace, name)), name);
	});
});

test("on Windows a command runs after an approval, in PowerShell, with Windows' variables and no secret", (t) => {
	const script = [
		calls("run_command", { command: "echo $SYSTEMROOT; env | cut -d= -f1; pwd" }),
		calls("run_command", { command: ["tool", "a b", "c&d"] }),
		calls("run_command", { command: ["tool", "100%"] }),
		says("Done."),
	];
	return withWindows(t, script, async ({ model, world, start }) => {
		const bin = join(world.root, "bin");
		mkdirSync(bin);
		writeFileSync(join(bin, "tool.cmd"), "@echo off\n");
		const asked: ApprovalRequest["subject"][] = [];
		const approve = (request: ApprovalRequest) => {
			asked.push(request.subject);
			return allow(request);
		};
		const env = { ...world.env, PATH: `${bin}:${process.env.PATH}`, AWS_SECRET_ACCESS_KEY: "bait" };
		const host = await start({ approve, env });
		await runTurn(host, await aThread(host), "Run.");
		const [first = "", second = "", third = ""] = outputsIn(model);
		assert.match(first, /Exit code 0/);
		assert.match(first, /\bUSERPROFILE\b/);
		assert.doesNotMatch(first, /AWS_|VITRINE_HOME|NODE_OPTIONS/);
		assert.match(JSON.stringify(asked[0]), /powershell\.exe.*-NoProfile.*-NonInteractive.*-Command/);
		assert.match(second, /\/d \/s \/v:off \/c ""C:.*tool\.cmd" "a b" "c&d""/);
		assert.match(third, /cannot be given words with a quotation mark, a percent sign/);
	});
});

test("on Windows a command over its time limit ends with every process it started", (t) => {
	const command = "sleep 1000 & echo $! > child.txt; wait";
	const script = [calls("run_command", { command, timeoutMs: 500 }), says("Done.")];
	return withWindows(t, script, async ({ model, world, start }) => {
		const host = await start({ approve: allow });
		await runTurn(host, await aThread(host), "Run it.");
		assert.match(outputsIn(model)[0] ?? "", /time/i);
		const pid = Number(readFileSync(join(world.workspace, "child.txt"), "utf8"));
		await inFairTime(
			() => isGone(pid),
			2_000,
			() => "What the command started still runs.",
		);
	});
});

function isGone(pid: number): boolean {
	try {
		return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
	} catch {
		return true;
	}
}

test("on Windows a link on the way to a new file is followed before the place is judged", (t) => {
	const add = (path: string) =>
		calls("apply_patch", { patch: `*** Begin Patch\n*** Add File: ${path}\n+text\n*** End Patch` });
	return withWindows(t, [add("out\\new.txt"), says("Done.")], async ({ model, world, start }) => {
		symlinkSync(join(world.root, "outside"), join(world.workspace, "out"));
		const host = await start();
		await runTurn(host, await aThread(host), "Add.");
		assert.match(outputsIn(model)[0] ?? "", /link|outside|denied/i);
		assert.ok(!existsSync(join(world.root, "outside/new.txt")));
	});
});
