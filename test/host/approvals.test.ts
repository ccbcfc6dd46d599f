import assert from "node:assert/strict";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ApprovalAnswer, ApprovalDecision, ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import { permissionLedger } from "../../agent-host/protocol/approval/ledger.ts";
import { didChangeTrust } from "../../agent-host/protocol/host/host.ts";
import type { CommandRule } from "../../agent-host/protocol/settings/policy-settings.ts";
import { threadRead, threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { turnInterrupt, turnStart } from "../../agent-host/protocol/thread/turn.ts";
import type { Script } from "../support/fake-model.ts";
import { calls, callsAll, says } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, runTurn } from "../support/host-process.ts";
import { inputLines } from "../support/request-page.ts";
import { type SharedTest, shareHost } from "./rig/share-host.ts";
import { type HostTestOptions, withHost } from "./rig/with-host.ts";

const ASK = { settings: { permissions: { mode: "ask" } } } as const satisfies HostTestOptions;

/** A command that leaves a mark each time it runs. */
const MARKS = { command: "echo ran >> marks.txt", reason: "The user already agreed to this." };
const touch = () => calls("run_command", MARKS);

function answer(decision: ApprovalDecision, more: Partial<ApprovalAnswer> = {}) {
	return ({ digest }: ApprovalRequest): ApprovalAnswer => ({ decision, digest, ...more });
}

type Approve = NonNullable<HostTestOptions["approve"]>;

let approveNow: Approve = answer("deny");
const withShared = shareHost({ ...ASK, approve: (request) => approveNow(request) });

/** A host that asks before every command, with nothing run yet. */
function withAnswer(t: TestContext, approve: Approve, script: Script, body: (test: SharedTest) => Promise<void>) {
	approveNow = approve;
	return withShared(t, script, (test) => {
		rmSync(join(test.world.workspace, "marks.txt"), { force: true });
		return body(test);
	});
}

const withoutUser = shareHost({});

/** A host whose client cannot ask anybody, with nothing run yet. */
function withNobody(t: TestContext, script: Script, body: (test: SharedTest) => Promise<void>) {
	return withoutUser(t, script, (test) => {
		rmSync(join(test.world.workspace, "marks.txt"), { force: true });
		return body(test);
	});
}

function marksIn(workspace: string): number {
	const path = join(workspace, "marks.txt");
	return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
}

test("an allowed command runs once, in the sandbox, and the approval showed exactly what ran", (t) => {
	const asked: ApprovalRequest[] = [];
	const approve = (request: ApprovalRequest) => {
		asked.push(request);
		return answer("allow")(request);
	};
	return withAnswer(t, approve, [touch(), says("Done.")], async ({ host, model, world }) => {
		const threadId = await aThread(host);
		const { end } = await runTurn(host, threadId, "Run it.");
		assert.equal(end.status, "completed");
		assert.equal(marksIn(world.workspace), 1);
		const subject = asked[0]?.subject;
		assert.equal(asked.length, 1);
		assert.ok(subject?.kind === "command");
		assert.deepEqual([subject.shell, subject.cwd, subject.why], [MARKS.command, world.workspace, MARKS.reason]);
		assert.match(subject.policyDigest ?? "", /^[0-9a-f]{64}$/);
		assert.doesNotMatch(subject.sandbox, /[0-9a-f]{12}/, "what a reader sees has no digest in it");
		assert.equal(asked[0]?.reason, "The mode is Ask First: every command needs approval.");
		const { events } = await host.request(threadRead, { threadId });
		const types = events.map(({ event }) => event.type).filter((type) => type.startsWith("approval"));
		assert.deepEqual(types, ["approvalRequested", "approvalResolved"]);
		assert.match(inputLines(model.requests[1] ?? assert.fail()).at(-1) ?? "", /output/);
	});
});

test("a call is on disk before the user is asked about it, and so before it runs", (t) => {
	let onDisk = "";
	let home = "";
	const approve = (request: ApprovalRequest) => {
		onDisk = readFileSync(join(home, "threads", `${request.threadId}.jsonl`), "utf8");
		assert.ok(onDisk.includes(request.callId));
		return answer("allow")(request);
	};
	return withAnswer(t, approve, [touch(), says("Done.")], async ({ host, world }) => {
		home = world.home;
		await runTurn(host, await aThread(host), "Run it.");
		const kinds = onDisk.split("\n").map((line) => /"body":\{"kind":"(\w+)"/.exec(line)?.[1]);
		assert.match(onDisk.split("\n")[kinds.lastIndexOf("items")] ?? "", /"kind":"toolCall".*marks\.txt/);
		assert.equal(marksIn(world.workspace), 1);
	});
});

test("the model reads the note of a refusal, and nothing ran", (t) => {
	const approve = answer("deny", { note: "Use make instead." });
	return withAnswer(t, approve, [touch(), says("All right.")], async ({ host, model, world }) => {
		await runTurn(host, await aThread(host), "Run it.");
		assert.equal(marksIn(world.workspace), 0);
		const last = inputLines(model.requests[1] ?? assert.fail()).at(-1) ?? "";
		assert.match(last, /The user denied this with a note: Use make instead\./);
	});
});

test("an approval request repeats its subject's fields at the top level, and an answer without a digest decides it", (t) => {
	const asked: ApprovalRequest[] = [];
	const approve = (request: ApprovalRequest) => {
		asked.push(request);
		return { decision: "allow" } as const;
	};
	return withAnswer(t, approve, [touch(), says("Done.")], async ({ host, world }) => {
		await runTurn(host, await aThread(host), "Run it.");
		assert.equal(marksIn(world.workspace), 1);
		const [request = assert.fail()] = asked;
		assert.deepEqual({ ...request, ...request.subject }, request);
	});
});

test("a granted rule applies from the next turn on, and only a rule that was offered is saved", (t) => {
	const asked: string[] = [];
	const approve = ({ subject }: ApprovalRequest) => {
		asked.push(subject.kind === "command" ? subject.argv.join(" ") : subject.kind);
		return { decision: "allowRule" as const, rulesOffered: [{ prefix: ["rm"] }] };
	};
	const run = (...command: string[]) => calls("run_command", { command });
	const script = [...[run("touch", "a"), says("ok"), run("touch", "b"), says("ok")], ...[run("rm", "a"), says("ok")]];
	return withHost(t, { ...ASK, approve, script }, async ({ host, model }) => {
		const threadId = await aThread(host);
		for (const prompt of ["one", "two", "three"]) await runTurn(host, threadId, prompt);
		assert.deepEqual(asked, ["touch a", "rm a"]);
		const told = (index: number) => inputLines(model.requests[index] ?? assert.fail());
		assert.match(told(2).join("\n"), /approved-prefixes: Added: . - touch/);
		const permissions = [1, 2, 4].map(
			(index) => told(index).filter((line) => line.startsWith("developer/permissions")).length,
		);
		assert.deepEqual(permissions, [1, 1, 1], "what the permissions say has not changed");
	});
});

test("a command chain offers the rules its parts lack, saves them for the folder, and then runs there unasked", (t) => {
	const asked: (readonly CommandRule[] | undefined)[] = [];
	const approve = (request: ApprovalRequest) => {
		const { subject } = request;
		asked.push(subject.kind === "command" ? subject.rulesOffered : undefined);
		return answer("allowFolder")(request);
	};
	const run = (command: string) => calls("run_command", { command });
	const first = [run("touch one && mkdir two"), says("ok")];
	const script = [
		...first,
		run("cd . && touch one && mkdir two/three"),
		says("ok"),
		run("touch /tmp/x; touch y"),
		says("ok"),
	];
	const settings: HostTestOptions["settings"] = { permissions: { mode: "ask", rules: [{ prefix: ["mkdir"] }] } };
	return withHost(t, { settings, approve, script }, async ({ host, model, world }) => {
		const threadId = await aThread(host);
		for (const prompt of ["one", "two", "three"]) await runTurn(host, threadId, prompt);
		assert.deepEqual(asked, [[{ prefix: ["touch"] }], undefined], "the second chain runs, the script is asked about");
		assert.ok(existsSync(join(world.workspace, "two", "three")));
		const told = inputLines(model.requests[2] ?? assert.fail()).join("\n");
		assert.match(told, /approved-prefixes: Added: . - touch \(in \//);
	});
});

test("a command that a rule denies never runs and the model reads why; one that may contain it needs approval", (t) => {
	const asked: string[] = [];
	const approve = (request: ApprovalRequest) => {
		asked.push(request.reason);
		return answer("allow")(request);
	};
	const run = (command: string) => calls("run_command", { command });
	const script = [run("touch a"), run("true && touch b"), run("env touch c"), run("mkdir d | cat"), says("ok")];
	const rules = [{ prefix: ["touch"] }, { prefix: ["touch"], decision: "deny" as const }];
	const settings = { permissions: { mode: "workspaceWrite", rules } } as const;
	return withHost(t, { settings, approve, script }, async ({ host, model, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Go.");
		assert.deepEqual(asked, ["A saved rule denies touch, and this command may run it."]);
		const made = ["a", "b", "c", "d"].map((name) => existsSync(join(world.workspace, name)));
		assert.deepEqual(made, [false, false, true, true]);
		assert.match(inputLines(model.requests[1] ?? assert.fail()).at(-1) ?? "", /A saved rule denies touch\./);
		const { entries } = await host.request(permissionLedger, { threadId });
		assert.deepEqual(
			entries.map(({ what, decision, by }) => `${what} | ${decision} | ${by}`),
			[
				"Run mkdir d | cat | allow | policy",
				"Run env touch c | allow | user",
				"Run true && touch b | deny | rule",
				"Run touch a | deny | rule",
			],
		);
	});
});

test("a rule for a folder is about the folder itself, whatever links lead out of it or to it", (t) => {
	const run = (command: string, cwd = ".") => calls("run_command", { command, cwd });
	const allowed = [run("mkdir a"), run("mkdir b", "link"), run("cd link && mkdir c")];
	const script = [
		...allowed,
		run("touch d", "link"),
		run("cd link && touch e"),
		run(`${"cd .;".repeat(30)}cd link;touch f`),
		says("ok"),
	];
	const other = mkdtempSync(join(tmpdir(), "vitrine-other-"));
	t.after(() => rmSync(other, { recursive: true }));
	return withHost(t, { ...ASK, approve: answer("deny"), script }, async ({ host, world }) => {
		symlinkSync(other, join(world.workspace, "link"));
		const threadId = await aThread(host);
		const rules: CommandRule[] = [
			{ prefix: ["mkdir"], folder: world.workspace },
			{ prefix: ["touch"], folder: other, decision: "deny" },
		];
		const permissions = { mode: "ask" as const, rules, writableRoots: [other] };
		await host.request(threadSettings, { threadId, settings: { permissions } });
		await runTurn(host, threadId, "Go.");
		const { entries } = await host.request(permissionLedger, { threadId });
		assert.deepEqual(
			entries.toReversed().map(({ what, decision, by }) => `${what} | ${decision} | ${by}`),
			[
				"Run mkdir a | allow | rule",
				"Run mkdir b | deny | user",
				"Run cd link && mkdir c | deny | user",
				"Run touch d | deny | rule",
				"Run cd link && touch e | deny | rule",
				`Run ${"cd .;".repeat(30)}cd link;touch f | deny | rule`,
			],
		);
		assert.deepEqual(readdirSync(other), []);
	});
});

test("an edit allowed for the thread needs approval again under other permissions", (t) => {
	const asked: ApprovalRequest[] = [];
	const approve = (request: ApprovalRequest) => {
		asked.push(request);
		return answer("allowThread")(request);
	};
	const add = () => calls("apply_patch", { patch: "*** Begin Patch\n*** Add File: new.txt\n+text\n*** End Patch" });
	const script = [add(), says("ok"), add(), says("ok"), add(), says("ok")];
	return withAnswer(t, approve, script, async ({ host, world }) => {
		const threadId = await aThread(host);
		const addAgain = async () => {
			await runTurn(host, threadId, "Add it.");
			rmSync(join(world.workspace, "new.txt"));
			return asked.length;
		};
		assert.deepEqual([await addAgain(), await addAgain()], [1, 1]);
		await host.request(threadSettings, { threadId, settings: { permissions: { network: "on" } } });
		assert.equal(await addAgain(), 2);
	});
});

const REFUSALS: readonly (readonly [what: string, approve: (request: ApprovalRequest) => ApprovalAnswer])[] = [
	[
		"for something else",
		({ digest }) => ({ decision: "allow", digest: digest.replace(/^./, (d) => (d === "0" ? "1" : "0")) }),
	],
	["with a choice that was not offered", ({ digest }) => ({ decision: "allowRule", digest })],
];

for (const [what, approve] of REFUSALS) {
	test(`an answer ${what} is no consent`, (t) =>
		withAnswer(t, approve, [touch(), says("ok")], async ({ host, world }) => {
			await runTurn(host, await aThread(host), "Run it.");
			assert.equal(marksIn(world.workspace), 0);
		}));
}

test("a client that cannot ask is no consent", (t) =>
	withNobody(t, [touch(), says("ok")], async ({ host, world }) => {
		const { end } = await runTurn(host, await aThread(host, ASK), "Run it.");
		assert.deepEqual([end.status, marksIn(world.workspace)], ["completed", 0]);
	}));

test("a command allowed for the thread needs no approval there, but does in another thread and after a restart", (t) => {
	let questions = 0;
	const approve = (request: ApprovalRequest) => {
		questions += 1;
		return answer("allowThread")(request);
	};
	const script = [touch(), touch(), says("ok"), touch(), says("ok"), touch(), says("ok")];
	return withAnswer(t, approve, script, async ({ host, another, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Twice.");
		assert.deepEqual([questions, marksIn(world.workspace)], [1, 2]);
		await runTurn(host, await aThread(host), "Elsewhere.");
		assert.deepEqual([questions, marksIn(world.workspace)], [2, 3]);
		await host.close();
		await runTurn(await another(), threadId, "Again.");
		assert.deepEqual([questions, marksIn(world.workspace)], [3, 4]);
	});
});

test("a grant for the thread covers that exact command under that exact policy, and never leaving the sandbox", (t) => {
	const asked: (readonly [what: string, choices: readonly ApprovalDecision[]])[] = [];
	const approve = (request: ApprovalRequest) => {
		const { subject, choices } = request;
		asked.push([subject.kind === "command" ? subject.argv.join(" ") : subject.kind, choices]);
		return answer(choices.includes("allowThread") ? "allowThread" : "allow")(request);
	};
	const run = (...command: string[]) => calls("run_command", { command });
	const outside = () => calls("run_command", { command: ["touch", "out"], escalate: { reason: "It needs more." } });
	const first = [run("touch", "a"), run("touch", "b"), run("touch", "a"), outside(), outside(), says("ok")];
	const script = [...first, run("touch", "a"), says("ok")];
	return withAnswer(t, approve, script, async ({ host }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "All of it.");
		// The approval would show the same command.
		await host.request(threadSettings, { threadId, settings: { permissions: { denyRead: ["/repo/private"] } } });
		await runTurn(host, threadId, "Again.");
		const [usual, once] = [
			["allow", "allowThread", "allowFolder", "allowRule", "deny", "abort"],
			["allow", "deny", "abort"],
		];
		assert.deepEqual(asked, [
			["touch a", usual],
			["touch b", usual],
			["touch out", once],
			["touch out", once],
			["touch a", usual],
		]);
	});
});

test("what would be deleted is counted again after the answer, and anything beyond what was shown is not deleted", (t) => {
	let workspace = "";
	const approve = (request: ApprovalRequest) => {
		writeFileSync(join(workspace, "much", "one-more.txt"), "");
		return answer("allow")(request);
	};
	const script = [calls("run_command", { command: ["rm", "-r", "much"] }), says("ok")];
	return withAnswer(t, approve, script, async ({ host, model, world }) => {
		workspace = world.workspace;
		mkdirSync(join(workspace, "much"));
		writeFileSync(join(workspace, "much", "one.txt"), "");
		t.after(() => rmSync(join(workspace, "much"), { recursive: true, force: true }));
		await runTurn(host, await aThread(host), "Delete it.");
		assert.deepEqual(readdirSync(join(workspace, "much")), ["one-more.txt", "one.txt"]);
		assert.match(inputLines(model.requests[1] ?? assert.fail()).at(-1) ?? "", /The request changed after the approval/);
	});
});

test("with nobody to ask, neither a command that needs approval nor a tool that was not offered runs", (t) => {
	const patch = "*** Begin Patch\n*** Add File: marks.txt\n+ran\n*** End Patch\n";
	const script = [touch(), calls("apply_patch", { patch }), says("ok")];
	const settings = { permissions: { mode: "ask" }, approval: "never" } as const;
	return withNobody(t, script, async ({ host, model, world }) => {
		await runTurn(host, await aThread(host, { settings: { ...settings, tools: { applyPatch: false } } }), "Run it.");
		assert.equal(marksIn(world.workspace), 0);
		const outputs = inputLines(model.requests[2] ?? assert.fail()).filter((line) => line.includes("output"));
		assert.match(outputs[0] ?? "", /Approvals are off/);
		assert.match(outputs[1] ?? "", /The tool apply_patch is not available\./);
	});
});

test("a turn stopped while an approval waits runs nothing, even when the answer arrives later", (t) => {
	const asked = Promise.withResolvers<void>();
	const late = Promise.withResolvers<ApprovalAnswer>();
	let digest = "";
	const approve = (request: ApprovalRequest) => {
		digest = request.digest;
		asked.resolve();
		return late.promise;
	};
	return withAnswer(t, approve, [touch()], async ({ host, world }) => {
		const threadId = await aThread(host);
		const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Run it." }] });
		await asked.promise;
		await host.request(turnInterrupt, { threadId });
		late.resolve({ decision: "allow", digest });
		const { end } = await endOfTurn(host, threadId, turnId);
		const { events } = await host.request(threadRead, { threadId });
		assert.deepEqual([end.status, marksIn(world.workspace)], ["interrupted", 0]);
		const resolved = events.flatMap(({ event }) => (event.type === "approvalResolved" ? [event.by] : []));
		assert.deepEqual(resolved, ["host"]);
	});
});

test("the user can end the turn with their answer", (t) =>
	withAnswer(t, answer("abort"), [touch()], async ({ host, world }) => {
		const { end } = await runTurn(host, await aThread(host), "Run it.");
		assert.deepEqual([end.status, marksIn(world.workspace)], ["interrupted", 0]);
	}));

test("a file that changes by a single byte between the question and the answer is not patched", (t) => {
	const patch = "*** Begin Patch\n*** Update File: note.txt\n@@\n-one\n+two\n*** End Patch\n";
	let workspace = "";
	const approve = (request: ApprovalRequest) => {
		writeFileSync(join(workspace, "note.txt"), "one\n!");
		return answer("allow")(request);
	};
	const script = [calls("read_file", { path: "note.txt" }), calls("apply_patch", { patch }), says("ok")];
	return withAnswer(t, approve, script, async ({ host, model, world }) => {
		workspace = world.workspace;
		writeFileSync(join(workspace, "note.txt"), "one\n");
		await runTurn(host, await aThread(host), "Patch it.");
		assert.equal(readFileSync(join(workspace, "note.txt"), "utf8"), "one\n!");
		assert.match(inputLines(model.requests[2] ?? assert.fail()).at(-1) ?? "", /changed/);
	});
});

test("losing trust while an approval waits voids the answer", (t) => {
	let lose: () => void = () => undefined;
	const approve = (request: ApprovalRequest) => {
		lose();
		return answer("allow")(request);
	};
	return withAnswer(t, approve, [touch(), says("ok")], async ({ host, world }) => {
		lose = () => host.notify(didChangeTrust, { trusted: false });
		await runTurn(host, await aThread(host), "Run it.");
		assert.equal(marksIn(world.workspace), 0);
		host.notify(didChangeTrust, { trusted: true });
	});
});

test("several approvals of one step are asked one by one, and each answer applies only to its own", (t) => {
	const approve = (request: ApprovalRequest) =>
		answer(request.subject.kind === "command" && request.subject.shell?.includes("yes") ? "allow" : "deny")(request);
	const both = callsAll([
		["run_command", { command: "echo yes >> marks.txt" }],
		["run_command", { command: "echo no >> marks.txt" }],
	]);
	return withAnswer(t, approve, [both, says("ok")], async ({ host, world }) => {
		await runTurn(host, await aThread(host), "Both.");
		assert.equal(readFileSync(join(world.workspace, "marks.txt"), "utf8"), "yes\n");
	});
});

test("in the default mode a sandboxed command needs no approval, and writes only in the workspace", (t) => {
	const command = "echo ran >> marks.txt; echo out > ../outside-mark.txt; cat $HOME/.ssh/* ; env";
	return withNobody(t, [calls("run_command", { command }), says("ok")], async ({ host, model, world }) => {
		await runTurn(host, await aThread(host), "Run it.");
		assert.equal(marksIn(world.workspace), 1);
		const output = inputLines(model.requests[1] ?? assert.fail()).at(-1) ?? "";
		assert.doesNotMatch(output, /VITRINE_(?!NODE=)|SECRET/);
	});
});

test("a call that a server repeats under its old id does not run again, and the user is told why nothing follows", (t) => {
	const once = touch();
	return withNobody(t, [once, says("Done."), once], async ({ host, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Run it.");
		const { end, published } = await runTurn(host, threadId, "And again.");
		assert.deepEqual([end.status, marksIn(world.workspace)], ["completed", 1]);
		const warnings = published.flatMap(({ event }) => (event.type === "warning" ? [event.code] : []));
		assert.deepEqual(warnings, ["repeated-call"]);
	});
});
