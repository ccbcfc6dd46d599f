import assert from "node:assert/strict";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PROJECT } from "../support/editor-paths.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { withHost } from "./rig/with-host.ts";

test("the demo model does what the sample's README asks for: reads, edits, runs the tests, asks and reports", (t) => {
	const asked: string[] = [];
	const approve = ({ subject, digest }: { readonly subject: { readonly kind: string }; readonly digest: string }) => {
		asked.push(subject.kind);
		return { decision: "allow", digest } as const;
	};
	return withHost(t, { approve }, async ({ host, world }) => {
		cpSync(join(PROJECT, "test", "sample-workspace"), world.workspace, { recursive: true });
		const threadId = await aThread(host);
		const { end } = await runTurn(host, threadId, "Fix the bug in the README");
		assert.equal(end.status, "completed", end.error?.message);
		assert.deepEqual(asked, ["patch"], "only what the editor would run needs an approval");
		const at = (name: string) => join(world.workspace, name);
		assert.match(readFileSync(at("src/basket.js"), "utf8"), /pieces >= DISCOUNT_FROM/);
		assert.ok(existsSync(at(".vscode/tasks.json")));
		const answers = host.events(threadId).flatMap(({ event }) => {
			return event.type === "itemCompleted" && event.item.kind === "agentMessage" ? [event.item.text] : [];
		});
		assert.match(answers.at(-1) ?? "", /^The bug is fixed, and the tests pass\.[\s\S]*added, with your approval/);
		await runTurn(host, threadId, "Fix the discount: exactly ten apples should get it");
		const later = host.events(threadId).flatMap(({ event }) => {
			return event.type === "itemCompleted" && event.item.kind === "agentMessage" ? [event.item.text] : [];
		});
		assert.match(later.at(-1) ?? "", /nothing to fix/);
	});
});
