import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Findings } from "../../agent-host/protocol/thread/finding.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { calls, callsAll, says } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, type HostProcess, runTurn } from "../support/host-process.ts";
import { aPatch } from "../support/patch-files.ts";
import { bodyOf } from "../support/request-page.ts";
import { agent, play, whoAsks } from "./rig/play-agents.ts";
import { matchesRequests } from "./rig/scenario.ts";
import { shareHost } from "./rig/share-host.ts";

const asked: string[] = [];
const withReviewer = shareHost({
	approve: ({ subject, digest }) => {
		asked.push(subject.kind);
		return { decision: "allow", digest };
	},
});

const FINDING = {
	severity: "error",
	path: "src/total.ts",
	line: 12,
	title: "The last item is left out",
	reason: "The loop ends before the last index, so a list of one item sums to 0.",
} as const;

async function review(host: HostProcess, threadId: Awaited<ReturnType<typeof aThread>>) {
	const overrides = { settings: { modes: { collaboration: "review" as const } } };
	const input = [{ kind: "text" as const, text: "Review the uncommitted changes." }];
	const { turnId } = await host.request(turnStart, { threadId, input, overrides });
	const { published, end } = await endOfTurn(host, threadId, turnId);
	const items = published.flatMap(({ event }) => (event.type === "itemCompleted" ? [event.item] : []));
	return { end, made: items.filter(isCall) };
}

test("a review reports its findings as data, and the next turn can make changes again", (t) =>
	withReviewer(
		t,
		[calls("report_findings", { findings: [FINDING] }), says("One bug."), says("Fixed.")],
		async ({ host, model, world }) => {
			const threadId = await aThread(host);
			const { made, end } = await review(host, threadId);
			assert.equal(end.status, "completed");
			assert.deepEqual(
				made.map(({ name, status, output }) => [name, status, output]),
				[["report_findings", "completed", "The user sees them."]],
			);
			assert.deepEqual(Findings.parse(JSON.parse(made[0]?.arguments ?? "")), { findings: [FINDING] });
			await runTurn(host, threadId, "Fix it.");
			const offered = model.requests.map((request) => new Set(bodyOf(request).tools.map(({ name }) => name)));
			for (const tool of ["apply_patch", "report_findings"])
				assert.deepEqual(
					offered.map((names) => names.has(tool)),
					tool === "apply_patch" ? [false, false, true] : [true, true, false],
				);
			matchesRequests("review-mode", model, world, ["the review", "its findings", "next turn"]);
		},
	));

test("a review changes nothing, whatever is allowed: no patch, no command, no approval", (t) => {
	const patch = aPatch("*** Add File: made.txt", "+made");
	return withReviewer(
		t,
		[
			callsAll([
				["apply_patch", { patch }],
				["run_command", { command: "echo made > made.txt" }],
				["run_command", { command: "echo made > made.txt", escalate: { reason: "Please." } }],
			]),
			calls("report_findings", { findings: [{ ...FINDING, severity: "terrible" }] }),
			says("Nothing."),
		],
		async ({ host, world }) => {
			asked.length = 0;
			const threadId = await aThread(host, { settings: { permissions: { mode: "workspaceWrite" } } });
			const { made } = await review(host, threadId);
			assert.deepEqual(asked, []);
			assert.equal(existsSync(join(world.workspace, "made.txt")), false);
			const outputs = made.map(({ output }) => output ?? "");
			assert.match(outputs[0] ?? "", /apply_patch is not available in review mode/);
			assert.match(outputs[2] ?? "", /Review mode allows no changes/);
			assert.match(outputs[3] ?? "", /Bad arguments for report_findings/);
		},
	);
});

test("a review's sub-agent runs commands, changes nothing, and reports to its parent", (t) => {
	const write = { command: "echo made > made.txt", escalate: { reason: "Please." } };
	const plays = {
		root: [
			callsAll([agent("one", { role: "review" }), agent("two", { role: "implement" })]),
			...Array(3).fill(says("Ok.")),
		],
		one: [calls("run_command", { command: "echo read" }), says("Fine.")],
		two: [calls("run_command", write), says("Refused.")],
	};
	return withReviewer(t, play(plays), async ({ host, model, world }) => {
		asked.length = 0;
		const settings = { model: { contextWindow: 1_000_000 }, permissions: { mode: "workspaceWrite" as const } };
		await review(host, await aThread(host, { settings }));
		assert.deepEqual([asked, existsSync(join(world.workspace, "made.txt"))], [[], false]);
		const last = (who: string) => model.requests.findLast((request) => whoAsks(request) === who)?.text ?? "";
		assert.match(last("one"), /Review mode is on for this turn.*Report all findings in your last message.*read\\n/);
		assert.match(last("two"), /Review mode allows no changes/);
	});
});
