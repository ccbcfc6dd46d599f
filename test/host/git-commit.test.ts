import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { withHost } from "./rig/with-host.ts";

const COMMIT = "git add new.txt && git commit -qm second";

function git(folder: string, ...args: readonly string[]): string {
	return execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: "pipe" });
}

function makeRepository(folder: string): void {
	git(folder, "init", "-q", "-b", "main");
	git(folder, "config", "user.name", "A");
	git(folder, "config", "user.email", "a@example.org");
	git(folder, "commit", "-q", "--allow-empty", "-m", "first");
	writeFileSync(join(folder, "new.txt"), "new\n");
}

test("git add and git commit need approval and then work; with a configuration option they fail without one", (t) => {
	const asked: ApprovalRequest[] = [];
	const approve = (request: ApprovalRequest) => {
		asked.push(request);
		return { decision: asked.length === 1 ? ("deny" as const) : ("allow" as const), digest: request.digest };
	};
	const commands = ["git -c core.editor=true commit --allow-empty -qm second", COMMIT, COMMIT, "git status --short"];
	const script = [...commands.map((command) => calls("run_command", { command })), says("done")];
	return withHost(t, { script, approve }, async ({ host, world }) => {
		const folder = world.workspace;
		makeRepository(folder);
		await runTurn(host, await aThread(host), "Commit it.");
		assert.equal(asked.length, 2);
		assert.match(asked[0]?.reason ?? "", /It would change .*\.git: its index, branches and history/);
		const { subject } = asked[1] ?? {};
		assert.ok(subject?.kind === "command");
		assert.match(subject.sandbox, /can write the index, branches and history in .*\.git/);
		assert.equal(git(folder, "log", "--format=%s"), "second\nfirst\n");
		assert.equal(git(folder, "status", "--short", "new.txt"), "");
	});
});

test("with nobody to ask, a commit is refused with a reason", (t) => {
	const script = [calls("run_command", { command: COMMIT }), says("done")];
	return withHost(t, { script, settings: { approval: "never" } }, async ({ host, world, model }) => {
		makeRepository(world.workspace);
		await runTurn(host, await aThread(host), "Commit it.");
		assert.match(JSON.stringify(model.requests.at(-1)?.body), /index, branches and history.*Approvals are off/);
		assert.equal(git(world.workspace, "log", "--format=%s"), "first\n");
	});
});
