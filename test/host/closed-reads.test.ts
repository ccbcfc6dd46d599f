import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ApprovalDecision, ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import type { World } from "../support/canaries.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { endsIn } from "./rig/ends-in.ts";
import { shareHost } from "./rig/share-host.ts";
import type { HostTestOptions } from "./rig/with-host.ts";

const FILE = "~/.config/tool/rc";
const cat = { command: "cat ~/.config/tool/rc" };
const reading = { ...cat, read: [FILE] };

function plant({ env }: World): void {
	const file = join(env.HOME ?? "", ".config/tool/rc");
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, "opened\n");
}

let approveNow: NonNullable<HostTestOptions["approve"]> = () => ({ decision: "deny" });
const ASKING: HostTestOptions = { approve: (request) => approveNow(request) };
const withShared = shareHost(ASKING);
const withAnother = shareHost(ASKING);

/** Runs one turn with these calls; says what each put out and what was asked. */
function runCalls(
	t: TestContext,
	decision: ApprovalDecision,
	commands: readonly (object | "next turn")[],
	check: (outputs: readonly string[], asked: readonly ApprovalRequest[]) => void,
	settings: HostTestOptions["settings"] = {},
) {
	const asked: ApprovalRequest[] = [];
	approveNow = (request) => {
		asked.push(request);
		return { decision, digest: request.digest };
	};
	const script = commands.map((args) => (args === "next turn" ? says("Done.") : calls("run_command", args)));
	// An always allowed read applies to all threads of a home.
	const withHere = decision === "allowRule" ? withAnother : withShared;
	return withHere(t, [...script, says("Done.")], async ({ host, world }) => {
		plant(world);
		const threadId = await aThread(host, { settings });
		const outputs: string[] = [];
		for (let turns = commands.filter((args) => args === "next turn").length; turns >= 0; turns -= 1) {
			const { published } = await runTurn(host, threadId, "Read it.");
			outputs.push(...endsIn(published).map(({ output }) => output));
		}
		check(outputs, asked);
	});
}

test("a read that the closed home refused is offered for approval; what the user allows once is read once", (t) =>
	runCalls(t, "allow", [cat, reading, cat, reading], ([refused, opened, again, asked], questions) => {
		assert.match(refused ?? "", /No such file/);
		assert.match(refused ?? "", /run the same command again with read: \["~\/\.config\/tool\/rc"\]/);
		assert.match(opened ?? "", /\nopened\n/);
		assert.match(again ?? "", /No such file/);
		assert.match(asked ?? "", /\nopened\n/);
		assert.deepEqual(
			questions.map(({ subject, choices, reason }) => [subject, choices, reason]),
			Array.from({ length: 2 }, () => [
				{ kind: "permission", read: [FILE], command: "cat ~/.config/tool/rc" },
				["allow", "allowThread", "allowRule", "deny", "abort"],
				`Commands cannot read ${FILE}.`,
			]),
		);
	}));

test("a read allowed for the thread is asked about once, in later turns too", (t) =>
	runCalls(
		t,
		"allowThread",
		[reading, { ...reading, command: "head -1 ~/.config/tool/rc" }, "next turn", reading],
		(outputs, asked) => {
			assert.deepEqual(
				outputs.map((output) => /\nopened\n/.test(output)),
				[true, true, true],
			);
			assert.equal(asked.length, 1);
		},
	));

test("an always allowed read needs no approval again, and from the next turn on no request either", (t) =>
	runCalls(t, "allowRule", [reading, reading, "next turn", cat], (outputs, asked) => {
		assert.deepEqual(
			outputs.map((output) => /\nopened\n/.test(output)),
			[true, true, true],
		);
		assert.equal(asked.length, 1);
	}));

test("when the user denies a read, the command does not run", (t) =>
	runCalls(t, "deny", [{ ...reading, command: "cat ~/.config/tool/rc; echo ran" }], (outputs, asked) => {
		assert.match(outputs.join(), /^The user denied this/);
		assert.equal(asked.length, 1);
	}));

const NEVER_OPENED: readonly (readonly [what: string, read: string, settings?: HostTestOptions["settings"]])[] = [
	["keys", "~/.ssh/id_ed25519"],
	["the host's own folder, through dots", "~/../home/threads"],
	["what the user has closed", ":workspace", { permissions: { denyRead: ["~/.config/tool"] } }],
	["anything, when nobody can be asked", FILE, { approval: "never" }],
];

for (const [what, read, settings] of NEVER_OPENED) {
	test(`${what}: refused without a question`, (t) => {
		const path = read === ":workspace" ? FILE : read;
		return runCalls(
			t,
			"allow",
			[{ command: `cat ${path}; echo ran`, read: [path] }],
			(outputs, asked) => {
				assert.deepEqual(asked, []);
				assert.equal(outputs.length, 1);
				assert.doesNotMatch(outputs.join(), /ran$/m);
			},
			settings,
		);
	});
}

test("the approval of a read through a link names where the link leads", (t) => {
	const asked: ApprovalRequest[] = [];
	approveNow = (request) => {
		asked.push(request);
		return { decision: "allow", digest: request.digest };
	};
	const script = [calls("run_command", { command: "cat ~/notes", read: ["~/notes", "~/.ssh-link"] }), says("Done.")];
	return withShared(t, script, async ({ host, world }) => {
		plant(world);
		const at = (path: string) => join(world.env.HOME ?? "", path);
		symlinkSync(at(".config/tool/rc"), at("notes"));
		symlinkSync(at(".ssh"), at(".ssh-link"));
		await runTurn(host, await aThread(host), "Read it.");
		assert.deepEqual(
			asked.map(({ subject }) => subject.kind === "permission" && subject.read),
			[[FILE]],
			"the second leads to keys, about which nobody is asked",
		);
	});
});
