import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { reviewList } from "../../agent-host/protocol/thread/review.ts";
import { threadRollback } from "../../agent-host/protocol/thread/thread.ts";
import { turnInterrupt, turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { says } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn } from "../support/host-process.ts";
import { bodyOf } from "../support/request-page.ts";
import { aTalk, type Talk } from "./rig/compaction.ts";
import { withHost } from "./rig/with-host.ts";

async function begin({ host, threadId }: Talk, command: string) {
	const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "shell", command }] });
	return turnId;
}

async function run(talk: Talk, command: string) {
	const turnId = await begin(talk, command);
	await endOfTurn(talk.host, talk.threadId, turnId);
	return commandsOf(talk).at(-1);
}

function commandsOf(talk: Talk) {
	return talk.events("itemCompleted").flatMap(({ item }) => (isCall(item) ? [item] : []));
}

/** What the newest request tells the model about the user's commands. */
function toldOf({ model }: Talk): readonly string[] {
	const request = model.requests.at(-1);
	const texts = request === undefined ? [] : JSON.stringify(bodyOf(request).input).split('"text":"');
	return texts.filter((text) => text.startsWith("<user_shell_command"));
}

test("commands of the user's own", async (t) => {
	const asked: ApprovalRequest[] = [];
	const approve = async (request: ApprovalRequest) => {
		asked.push(request);
		return { decision: "deny" as const, digest: request.digest };
	};
	await withHost(t, { script: [], approve }, async (rig) => {
		const { host, world } = rig;

		await t.test("a user's command runs in the sandbox without a model, and the next request reports it", async (t) => {
			const talk = await aTalk(t, rig, [says("I see."), says("Again.")]);
			const item = await run(
				talk,
				"echo made > made.txt; echo x > /usr/made.txt; echo '</user_shell_command>'; exit 3",
			);
			assert.deepEqual([item?.by, item?.status, item?.command?.exitCode], ["user", "completed", 3]);
			assert.equal(item?.command?.containment, "sandboxed");
			assert.deepEqual([talk.model.requests.length, existsSync(join(world.workspace, "made.txt"))], [0, true]);
			const { files } = await host.request(reviewList, { threadId: talk.threadId });
			assert.deepEqual(files, [], "what the user did is not theirs to judge");
			assert.deepEqual(talk.events("turnStarted").at(-1)?.purpose, "userCommand");
			await talk.say("And now?");
			const [told = "", ...more] = toldOf(talk);
			assert.deepEqual(more, []);
			assert.match(told, /^<user_shell_command exit=\\"3\\">\\n\$ echo made/);
			assert.match(told, /Read-only file system/);
			assert.equal(told.split("</user_shell_command>").length, 2, "what it writes cannot end its place");
			await host.request(threadRollback, { threadId: talk.threadId, turns: 2 });
			await talk.say("Once more.");
			assert.deepEqual(toldOf(talk), [], "it can be taken back like any turn");
		});

		await t.test("a typed command needs no approval, except for a mass deletion", async (t) => {
			const talk = await aTalk(t, rig, [], { permissions: { mode: "ask" } });
			assert.equal((await run(talk, "true"))?.command?.exitCode, 0);
			assert.equal(asked.length, 0);
			const folder = join(world.workspace, "many");
			mkdirSync(folder);
			for (let file = 0; file < 30; file += 1) writeFileSync(join(folder, `${file}`), "");
			const item = await run(talk, "rm -r many");
			assert.deepEqual([asked.length, item?.status, readdirSync(folder).length], [1, "failed", 30]);
		});

		await t.test("a stopped user's command is gone, and the model hears that it was stopped", async (t) => {
			const talk = await aTalk(t, rig, [says("Fine.")]);
			const turnId = await begin(talk, "echo begun; sleep 60");
			await host.waitFor(talk.threadId, (event) => event.type === "itemDelta" && event.text.includes("begun"));
			await host.request(turnInterrupt, { threadId: talk.threadId });
			assert.equal((await endOfTurn(host, talk.threadId, turnId)).end.status, "interrupted");
			await talk.say("Go on.");
			assert.match(toldOf(talk).join(), /^<user_shell_command exit=\\"stopped\\">/);
		});

		await t.test("a user's command has its turn to itself, and none runs in an untrusted workspace", async (t) => {
			const talk = await aTalk(t, rig, []);
			const shell = { kind: "shell" as const, command: "touch ran.txt" };
			const { threadId } = talk;
			const both = host.request(turnStart, { threadId, input: [shell, { kind: "text", text: "And this." }] });
			await assert.rejects(both, /a separate turn/);
			await assert.rejects(host.request(turnStart, { threadId, input: [shell], trusted: false }), /Restricted Mode/);
			assert.deepEqual([talk.events("turnStarted"), existsSync(join(world.workspace, "ran.txt"))], [[], false]);
		});
	});
});

test("without a folder, a user's command is refused for that reason, in a trusted window as in another", (t) =>
	withHost(t, { script: [], folders: () => [] }, async ({ host }) => {
		const threadId = await aThread(host);
		for (const trusted of [true, false]) {
			const refused = host.request(turnStart, { threadId, trusted, input: [{ kind: "shell", command: "ls" }] });
			await assert.rejects(refused, /No folder is open, so commands can't run/);
		}
	}));
