import assert from "node:assert/strict";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { git } from "../support/plantings.ts";
import { withHost } from "./rig/with-host.ts";

/** Each a way to write what a protected name stands for, in the workspace of `arrange`. */
const WAYS: Readonly<Record<string, string>> = {
	"through a link of that name": ".vscode/launch.json",
	"where such a link leads": "config/vscode/launch.json",
	"through a link to such a link": "alias/launch.json",
	"through a link of that name further down": "packages/one/.vscode/launch.json",
	"where such a link leads, if nothing is there": "docs/agents.md",
};

function arrange(folder: string): void {
	for (const path of ["config/vscode", "packages/one", "packages/settings"])
		mkdirSync(join(folder, path), { recursive: true });
	symlinkSync("config/vscode", join(folder, ".vscode"));
	symlinkSync("docs/agents.md", join(folder, "CLAUDE.md"));
	symlinkSync(".vscode", join(folder, "alias"));
	symlinkSync("../settings", join(folder, "packages/one/.vscode"));
	writeFileSync(join(folder, "config/plain.txt"), "plain\n");
}

test("a patch needs approval when a protected name leads to its target, whichever name the patch uses (H3)", (t) => {
	const paths = Object.values(WAYS);
	const patchOf = (path: string) => `*** Begin Patch\n*** Add File: ${path}\n+{}\n*** End Patch`;
	const asked: ApprovalRequest[] = [];
	const approve = (request: ApprovalRequest) => {
		asked.push(request);
		return { decision: "deny" as const, digest: request.digest };
	};
	const script = [
		...[...paths, "config/new.txt"].map((path) => calls("apply_patch", { patch: patchOf(path) })),
		says("done"),
	];
	return withHost(t, { script, approve }, async ({ host, world }) => {
		arrange(world.workspace);
		await runTurn(host, await aThread(host), "Write it all.");
		for (const [way, path] of Object.entries(WAYS)) {
			const about = asked.find(({ reason }) => reason.startsWith(`${path} `));
			assert.match(about?.reason ?? "not asked", /can change what other programs run/, way);
		}
		assert.equal(asked.length, paths.length);
		assert.ok(existsSync(join(world.workspace, "config/new.txt")));
	});
});

/** Each a file that decides what Git runs, in the repositories of `arrangeRepositories`. */
const OF_GIT: Readonly<Record<string, string>> = {
	"in the folder of hooks that the configuration names": "tools/hooks/pre-commit",
	"where a hook leads": "scripts/check",
	"that the configuration includes": "more.gitconfig",
	"that the configuration would include if it existed": "missing.gitconfig",
	"where a pointer file leads": "store/config",
	"in a bare repository": "bare/config",
	"of a bare repository that is not there yet": "bare/hooks/pre-receive",
};

function arrangeRepositories(folder: string): void {
	const at = (path: string) => join(folder, path);
	for (const path of ["tools/hooks", "scripts", "nested", "store"]) mkdirSync(at(path), { recursive: true });
	for (const path of [".git", "bare"]) git(folder, "init", "-q", ...(path === "bare" ? ["--bare", path] : []));
	git(folder, "config", "core.hooksPath", "tools/hooks");
	for (const path of ["../more.gitconfig", "../missing.gitconfig"])
		git(folder, "config", "--add", "include.path", path);
	mkdirSync(at(".git/hooks"), { recursive: true });
	symlinkSync("../../scripts/check", at(".git/hooks/post-commit"));
	for (const path of ["tools/hooks/pre-commit", "scripts/check", "more.gitconfig", "store/config"])
		writeFileSync(at(path), "");
	writeFileSync(at("nested/.git"), "gitdir: ../store\n");
	writeFileSync(at("bare/config"), "");
}

test("a patch of what decides what Git runs needs approval, wherever that lies", (t) => {
	const paths = Object.values(OF_GIT);
	const patchOf = (path: string) => `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch`;
	const asked: ApprovalRequest[] = [];
	const approve = (request: ApprovalRequest) => {
		asked.push(request);
		return { decision: "deny" as const, digest: request.digest };
	};
	const script = [
		...[...paths, "scripts/new"].map((path) => calls("apply_patch", { patch: patchOf(path) })),
		says("done"),
	];
	return withHost(t, { script, approve }, async ({ host, world }) => {
		arrangeRepositories(world.workspace);
		await runTurn(host, await aThread(host), "Write it all.");
		for (const [way, path] of Object.entries(OF_GIT)) {
			const about = asked.find(({ reason }) => reason.startsWith(`${path} `));
			assert.match(about?.reason ?? "not asked", /can change what other programs run/, way);
		}
		assert.equal(asked.length, paths.length);
		assert.ok(existsSync(join(world.workspace, "scripts/new")));
	});
});

test("a grant that leads through a workspace link opens nothing, and the user is told once per thread", (t) => {
	const settings = { permissions: { filesystem: [{ path: ":workspace/data", access: "write" as const }] } };
	const patch = "*** Begin Patch\n*** Add File: data/new.txt\n+x\n*** End Patch";
	const asked: ApprovalRequest[] = [];
	const approve = (request: ApprovalRequest) => {
		asked.push(request);
		return { decision: "deny" as const, digest: request.digest };
	};
	const script = [calls("apply_patch", { patch }), says("done"), says("again")];
	return withHost(t, { script, approve, settings }, async ({ host, world }) => {
		const outside = join(world.workspace, "../outside-data");
		mkdirSync(outside);
		symlinkSync(outside, join(world.workspace, "data"));
		const threadId = await aThread(host);
		const { published } = await runTurn(host, threadId, "Write it.");
		const later = await runTurn(host, threadId, "Again.");
		const warnings = [...published, ...later.published].flatMap(({ event }) =>
			event.type === "warning" ? [event.message] : [],
		);
		const place = join(world.workspace, "data");
		assert.deepEqual(warnings, [
			`${place} is a link in a folder that commands can change, so your settings open nothing there. Name the folder that it leads to instead.`,
		]);
		assert.equal(asked.length, 1);
		assert.equal(existsSync(join(outside, "new.txt")), false);
	});
});
