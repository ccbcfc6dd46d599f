import assert from "node:assert/strict";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { withHost } from "./rig/with-host.ts";

/** Each a way to write what a protected name stands for, in the workspace of `arrange`. */
const WAYS: Readonly<Record<string, string>> = {
	"through a link of that name": ".vscode/launch.json",
	"where such a link leads": "config/vscode/launch.json",
	"through a link to such a link": "alias/launch.json",
	"through a link of that name further down": "packages/one/.vscode/launch.json",
};

function arrange(folder: string): void {
	for (const path of ["config/vscode", "packages/one", "packages/settings"])
		mkdirSync(join(folder, path), { recursive: true });
	symlinkSync("config/vscode", join(folder, ".vscode"));
	symlinkSync(".vscode", join(folder, "alias"));
	symlinkSync("../settings", join(folder, "packages/one/.vscode"));
	writeFileSync(join(folder, "config/plain.txt"), "plain\n");
}

test("a patch is asked about when a protected name leads to what it writes, whichever of the names it uses (H3)", (t) => {
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
