import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startFakeModel } from "../support/fake-model.ts";
import { calls, callsAll, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn, startHost } from "../support/host-process.ts";
import { bodyOf } from "../support/request-page.ts";

const PATCH = "*** Begin Patch\n*** Update File: src\\a.txt\n@@\n one\n-two\n+zwei\n*** End Patch";

/** Run by a workflow on a real Windows, and here on a host that runs as on Windows. */
test("on Windows a turn reads, patches and runs a command, and the thread continues after a restart", async (t) => {
	const root = mkdtempSync(join(realpathSync.native(tmpdir()), "vitrine-"));
	t.after(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
	const workspace = join(root, "work");
	mkdirSync(join(workspace, "src"), { recursive: true });
	writeFileSync(join(workspace, "src", "a.txt"), "one\r\ntwo\r\n");
	const model = await startFakeModel([
		callsAll([
			["list_files", {}],
			["read_file", { path: "SRC\\A.txt" }],
		]),
		calls("apply_patch", { patch: PATCH }),
		calls("run_command", { command: "echo it-ran" }),
		says("Done."),
		says("Again."),
	]);
	t.after(() => model.stop());
	const spec = {
		home: join(root, "home"),
		folders: [workspace],
		settings: { model: { provider: "compatible" as const, baseUrl: model.baseUrl, id: "fake-1" } },
		secret: "key",
		env: process.platform === "win32" ? windowsVariables() : {},
		approve: ({ digest }: { readonly digest: string }) => ({ decision: "allow" as const, digest }),
	};
	const host = await startHost(spec);
	const threadId = await aThread(host);
	await runTurn(host, threadId, "Work.");
	const outputs = bodyOf(model.requests[3] ?? assert.fail()).input.flatMap(({ output }) =>
		output ? [String(output)] : [],
	);
	assert.match(outputs[0] ?? "", /src\/a\.txt/);
	assert.match(outputs[1] ?? "", /one[\s\S]*two/);
	assert.match(outputs[3] ?? "", /Exit code 0[\s\S]*it-ran/);
	assert.equal(readFileSync(join(workspace, "src", "a.txt"), "utf8"), "one\r\nzwei\r\n");
	await host.close();
	const second = await startHost(spec);
	await runTurn(second, threadId, "Go on.");
	assert.match(JSON.stringify(bodyOf(model.requests[4] ?? assert.fail()).input), /Work\..*Done\..*Go on\./);
	await second.close();
});

/** A process on Windows finds neither libraries nor folders without these. */
function windowsVariables(): Readonly<Record<string, string>> {
	const names = [
		"SystemRoot",
		"TEMP",
		"TMP",
		"USERPROFILE",
		"LOCALAPPDATA",
		"APPDATA",
		"ComSpec",
		"PATHEXT",
		"ProgramFiles",
	];
	return Object.fromEntries(names.map((name) => [name, process.env[name] ?? ""]));
}
