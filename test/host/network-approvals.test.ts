import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { domainToASCII } from "node:url";
import type { ApprovalAnswer, ApprovalDecision, ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import { permissionLedger, permissionRevoke } from "../../agent-host/protocol/approval/ledger.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import { turnInterrupt, turnStart } from "../../agent-host/protocol/thread/turn.ts";
import type { World } from "../support/canaries.ts";
import type { Script } from "../support/fake-model.ts";
import { calls, callsAll, holds, says, together } from "../support/fake-model-steps.ts";
import {
	aThread,
	CODE_CACHE,
	endOfTurn,
	HOST_BUNDLE,
	type HostProcess,
	runTurn,
	startHeldTurn,
} from "../support/host-process.ts";
import { inputLines } from "../support/request-page.ts";
import { type SharedTest, shareHost } from "./rig/share-host.ts";
import { type HostTestOptions, withHost } from "./rig/with-host.ts";

/** As it is resolved: the name that a reader would take for another one. */
const PUNYCODE = domainToASCII("shóp.test");

/** Names that this test's machine knows. All lead to this machine, which is reached only where the list names its address. */
const NAMES = [
	"shop.test",
	"other.test",
	"rule.test",
	"ledger.test",
	PUNYCODE,
	`${"long-".repeat(11)}name.${"x".repeat(60)}.test`,
];

/** A host on a machine whose file of names has these. */
function aHostKnowing(world: World): string {
	const hosts = join(world.root, "hosts");
	writeFileSync(hosts, NAMES.map((name) => `127.0.0.1 ${name}\n`).join(""));
	const options = ["--dev-bind", "/", "/", "--ro-bind", hosts, "/etc/hosts", "--die-with-parent", "--"];
	const host = [process.execPath, HOST_BUNDLE, "--stdio", "--code-cache", CODE_CACHE];
	const program = join(world.root, "knowing.mjs");
	const args = JSON.stringify([...options, ...host]);
	writeFileSync(program, `import{spawn}from"node:child_process";spawn("/usr/bin/bwrap",${args},{stdio:"inherit"});\n`);
	return program;
}

let reached: string[] = [];
const server = createServer((request, response) => {
	reached.push(String(request.headers.host));
	response.end("hello from the server");
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
// A host that cannot start ends the file before it is closed.
server.unref();
after(() => server.close());
const { port } = server.address() as AddressInfo;

function urlOf(name: string): string {
	return `http://${name}:${port}/`;
}

/** Asks the proxy for addresses, all at once, and prints what it answers. */
function get(...urls: readonly string[]): readonly [name: string, args: object] {
	const one = `const get=u=>new Promise(r=>require("http").get({host:"127.0.0.1",port:3128,path:u,headers:{host:new URL(u).host}},a=>{let s="";a.on("data",d=>s+=d).on("end",()=>r(a.statusCode+" "+s.trim()))}).on("error",e=>r(e.code)))`;
	const script = `${one};Promise.all(process.argv.slice(1).map(get)).then(all=>console.log(all.join("\\n")))`;
	return ["run_command", { command: [process.execPath, "-e", script, ...urls] }];
}

function commandOf(url: string): string {
	const [, { command }] = get(url) as readonly [string, { readonly command: readonly string[] }];
	return command.map((word) => `'${word}'`).join(" ");
}

type Answer = (request: ApprovalRequest) => ApprovalAnswer | Promise<ApprovalAnswer>;

function answer(decision: ApprovalDecision): Answer {
	return () => ({ decision });
}

interface Net {
	readonly host: HostProcess;
	readonly asked: readonly ApprovalRequest[];
	/** Names under which the server was reached. */
	readonly reached: readonly string[];
	/** What the model read at the end of its request with this number. */
	readonly read: (request: number) => string;
}

let decide: Answer = answer("deny");

/** A host whose commands may reach one address and no name. */
const OPTIONS = {
	program: aHostKnowing,
	approve: (request) => decide(request),
	settings: { permissions: { network: "allowList", allowedDomains: [`127.0.0.1:${port}`] } },
} as const satisfies HostTestOptions;
const share = shareHost(OPTIONS);

interface NetOptions {
	readonly answer: Answer;
	readonly script: Script;
	/** A host of its own: settings given at a host's start apply to all its threads. */
	readonly alone?: PartialSettings;
}

function withNetwork(t: TestContext, options: NetOptions, body: (net: Net) => Promise<void>): Promise<void> {
	const { script, alone } = options;
	const asked: ApprovalRequest[] = [];
	decide = (request) => {
		asked.push(request);
		return options.answer(request);
	};
	reached = [];
	const run = ({ host, model }: Pick<SharedTest, "host" | "model">) =>
		body({
			host,
			asked,
			reached,
			read: (request) => inputLines(model.requests[request - 1] ?? assert.fail()).at(-1) ?? "",
		});
	if (alone === undefined) return share(t, script, run);
	const permissions = { ...OPTIONS.settings.permissions, ...alone.permissions };
	return withHost(t, { ...OPTIONS, script, settings: { ...alone, permissions } }, run);
}

test("an unlisted host waits for the user's approval, and one approval covers many connections", (t) => {
	const script = [calls(...get(...Array.from({ length: 12 }, () => urlOf("shop.test")))), says("ok")];
	return withNetwork(t, { answer: answer("allow"), script }, async ({ host, asked, reached, read }) => {
		await runTurn(host, await aThread(host), "Get it.");
		assert.equal(read(2).match(/200 hello from the server/g)?.length, 12);
		assert.deepEqual([asked.length, reached.length], [1, 12]);
		const [{ subject, reason, choices } = assert.fail()] = asked;
		assert.ok(subject.kind === "network");
		const { process: program, ...rest } = subject;
		assert.deepEqual(rest, { kind: "network", host: "shop.test", port, rule: `shop.test:${port}` });
		assert.match(program, /^\S*node/);
		assert.equal(reason, `shop.test:${port} is not an allowed site.`);
		assert.deepEqual(choices, ["allow", "allowThread", "allowRule", "deny", "abort"]);
	});
});

test("a command's time limit pauses while the user decides about a host", (t) => {
	const timeoutMs = 4_000;
	const [name, args] = get(urlOf("shop.test"));
	const sleep = calls("run_command", { command: "sleep 60", timeoutMs });
	const script = [calls(name, { ...args, timeoutMs }), sleep, says("ok"), says("ok")];
	let answering: () => Promise<unknown> = () => assert.fail("nothing is known yet");
	const decide: Answer = () => answering().then(() => ({ decision: "allow" }));
	return withNetwork(t, { answer: decide, script }, async ({ host, asked, reached, read }) => {
		// Another command begins after the question and is stopped at the same limit; only then is the question answered.
		answering = async () => runTurn(host, await aThread(host), "Sleep.");
		await runTurn(host, await aThread(host), "Get it.");
		assert.match(read(3), /time limit|timed out|stopped/i);
		assert.match(read(4), /200 hello from the server/);
		assert.deepEqual([asked.length, reached.length], [1, 1]);
	});
});

const ANSWERS: readonly (readonly [decision: ApprovalDecision, questions: number])[] = [
	["allow", 3],
	["allowThread", 1],
	["allowRule", 1],
];

for (const [decision, questions] of ANSWERS) {
	test(`a host answered with ${decision} needs ${questions} approvals over three commands in two turns`, (t) => {
		// A saved answer applies to all threads of the host.
		const name = decision === "allowRule" ? "rule.test" : "shop.test";
		const once = () => calls(...get(urlOf(name)));
		const script = [once(), once(), says("ok"), once(), says("ok")];
		return withNetwork(t, { answer: answer(decision), script }, async ({ host, asked, reached }) => {
			const threadId = await aThread(host);
			await runTurn(host, threadId, "Get it twice.");
			await runTurn(host, threadId, "Get it again.");
			assert.deepEqual([asked.length, reached.length], [questions, 3]);
		});
	});
}

test("a host granted to a thread needs approval in another one and once revoked; the ledger shows the saved grant", (t) => {
	const script = Array.from({ length: 4 }, () => [calls(...get(urlOf("ledger.test"))), says("ok")]).flat();
	let decision: ApprovalDecision = "allowThread";
	return withNetwork(t, { answer: () => ({ decision }), script }, async ({ host, asked }) => {
		const [one, two] = [await aThread(host), await aThread(host)];
		await runTurn(host, one, "Get it.");
		await runTurn(host, two, "Get it.");
		assert.equal(asked.length, 2);
		const { entries } = await host.request(permissionLedger, { threadId: one });
		const [entry = assert.fail()] = entries.filter(({ grant }) => grant === "inForce");
		assert.equal(entry.what, `Connect to ledger.test:${port}`);
		await host.request(permissionRevoke, { threadId: one, digest: entry.digest });
		decision = "allowRule";
		await runTurn(host, one, "Get it.");
		assert.equal(asked.length, 3);
		const saved = await host.request(permissionLedger, { threadId: one });
		const lasting = saved.entries.flatMap(({ host: line }) => line ?? []);
		assert.ok(lasting.includes(`ledger.test:${port}`), lasting.join(", "));
		await runTurn(host, two, "Get it.");
		assert.equal(asked.length, 3);
	});
});

test("a thread with its own host list offers no saved rule, as the settings would not apply there", (t) => {
	const once = () => calls(...get(urlOf("shop.test")));
	const script = [once(), once(), says("ok"), once(), says("ok")];
	const last = (request: ApprovalRequest) => request.choices.filter((choice) => choice.startsWith("allow")).at(-1);
	const decide: Answer = (request) => ({ decision: last(request) ?? "deny" });
	return withNetwork(t, { answer: decide, script }, async ({ host, asked, reached }) => {
		const allowedDomains = [`127.0.0.1:${port}`];
		const threadId = await aThread(host, { settings: { permissions: { allowedDomains } } });
		await runTurn(host, threadId, "Get it twice.");
		await runTurn(host, threadId, "And once more.");
		assert.deepEqual(
			asked.map(({ choices }) => choices),
			[["allow", "allowThread", "deny", "abort"]],
		);
		assert.equal(reached.length, 3);
	});
});

const REFUSALS: readonly (readonly [
	what: string,
	answer: Answer,
	settings: PartialSettings | undefined,
	asked: number,
	why: RegExp,
])[] = [
	["denied", answer("deny"), undefined, 1, /and the user denied it/],
	["met with approval never", answer("allow"), { approval: "never" }, 0, /and approvals are not possible/],
	[
		"met while nothing is listed and approval is never",
		answer("allow"),
		{ approval: "never", permissions: { allowedDomains: [] } },
		0,
		/ECONNREFUSED/,
	],
];

for (const [what, decide, settings, count, why] of REFUSALS) {
	test(`a host that is ${what} is refused at once and never contacted`, (t) => {
		const script = [calls(...get(urlOf("shop.test"), urlOf("shop.test"))), says("ok")];
		return withNetwork(t, { answer: decide, script }, async ({ host, asked, reached, read }) => {
			await runTurn(host, await aThread(host, settings && { settings }), "Get it.");
			assert.deepEqual([asked.length, reached.length], [count, 0]);
			assert.match(read(2), why);
		});
	});
}

test("with an empty list every host needs approval, and a local address stays closed whatever the answer", (t) => {
	const settings = { permissions: { allowedDomains: [] } };
	const script = [calls(...get(urlOf("shop.test"), urlOf("127.0.0.1"))), says("ok")];
	return withNetwork(
		t,
		{ answer: answer("allowRule"), script, alone: settings },
		async ({ host, asked, reached, read }) => {
			await runTurn(host, await aThread(host), "Get it.");
			assert.deepEqual(
				asked.map(({ subject }) => subject.kind === "network" && subject.host),
				["shop.test"],
			);
			assert.match(read(2), /shop\.test:\d+ \(its address 127\.0\.0\.1 is private/);
			assert.match(read(2), /127\.0\.0\.1:\d+ \(not an allowed site\)/);
			assert.equal(reached.length, 0);
		},
	);
});

test("an approval shows a host's name in the letters that are resolved, and what they stand for", (t) => {
	const names = [PUNYCODE, NAMES.at(-1) ?? ""];
	const script = [calls(...get(...names.map(urlOf))), says("ok")];
	return withNetwork(t, { answer: answer("deny"), script }, async ({ host, asked }) => {
		await runTurn(host, await aThread(host), "Get it.");
		const shown = asked.flatMap(({ subject }) => (subject.kind === "network" ? [[subject.host, subject.letters]] : []));
		assert.deepEqual(
			shown.toSorted(),
			[
				[names[1], undefined],
				[PUNYCODE, "shóp.test"],
			].toSorted(),
		);
	});
});

test("stopping withdraws the approval: no connection is made, whatever is answered later", (t) => {
	const { promise: wasAsked, resolve: noteAsked } = Promise.withResolvers<void>();
	const { promise: late, resolve: answerLate } = Promise.withResolvers<ApprovalAnswer>();
	const decide = () => {
		noteAsked();
		return late;
	};
	const script = [calls(...get(urlOf("shop.test"))), says("ok")];
	return withNetwork(t, { answer: decide, script }, async ({ host, reached }) => {
		const threadId = await aThread(host);
		const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Get it." }] });
		await wasAsked;
		await host.request(turnInterrupt, { threadId });
		answerLate({ decision: "allowRule" });
		const { end } = await endOfTurn(host, threadId, turnId);
		assert.equal(end.status, "interrupted");
		const types = host.events(threadId).map(({ event }) => event.type);
		assert.ok(types.indexOf("approvalResolved") < types.indexOf("turnCompleted"));
		assert.equal(reached.length, 0);
	});
});

/** A user who is asked and never answers. */
function nobody() {
	const { promise: wasAsked, resolve } = Promise.withResolvers<void>();
	const decide = () => {
		resolve();
		return new Promise<ApprovalAnswer>(() => undefined);
	};
	return { wasAsked, decide };
}

test("a command stopped while its approval waits withdraws it, and the turn goes on", (t) => {
	const { wasAsked, decide } = nobody();
	const [held, stopped] = [holds("It waits", "."), holds("Stop", "ped.")];
	const [name, args] = get(urlOf("shop.test"));
	const stop = calls("stop_command", { processId: "p1" });
	const script = [calls(name, { ...args, yieldMs: 0 }), together(held, stop), stopped];
	return withNetwork(t, { answer: decide, script }, async ({ host, reached }) => {
		const { threadId, turnId } = await startHeldTurn(host, held);
		await wasAsked;
		held.release();
		await host.waitFor(threadId, ({ type }) => type === "approvalResolved");
		stopped.release();
		const { text } = await endOfTurn(host, threadId, turnId);
		assert.equal(text, "Stopped.");
		const resolved = host.events(threadId).flatMap(({ event }) => (event.type === "approvalResolved" ? [event] : []));
		assert.deepEqual(
			resolved.map(({ decision, by }) => [decision, by]),
			[["deny", "host"]],
		);
		assert.equal(reached.length, 0);
	});
});

test("once its turn ended, a command cannot ask: a waiting approval is withdrawn, and new connections are refused", (t) => {
	const { wasAsked, decide } = nobody();
	const held = holds("It goes", " on.");
	const [first, later] = [commandOf(urlOf("shop.test")), commandOf(urlOf("other.test"))];
	const script = [
		calls("run_command", { command: `${first}; read -r go; ${later}`, yieldMs: 0 }),
		held,
		calls("write_command_input", { processId: "p1", text: "go\n", waitMs: 30_000 }),
		says("ok"),
	];
	return withNetwork(t, { answer: decide, script, alone: {} }, async ({ host, asked, reached, read }) => {
		const { threadId, turnId } = await startHeldTurn(host, held);
		await wasAsked;
		held.release();
		await endOfTurn(host, threadId, turnId);
		await runTurn(host, threadId, "Go on.");
		assert.deepEqual([asked.length, reached.length], [1, 0]);
		assert.match(read(4), /shop\.test:\d+ \(not an allowed site, and there was no answer\)/);
		assert.match(
			read(4),
			/other\.test:\d+ \(not an allowed site, and its turn has ended, so approval is not possible\)/,
		);
	});
});

test("two hosts of one command need two approvals", (t) => {
	const script = [callsAll([get(urlOf("shop.test"), urlOf("other.test"), urlOf("other.test"))]), says("ok")];
	const decide: Answer = ({ subject }) => ({
		decision: subject.kind === "network" && subject.host === "other.test" ? "deny" : "allow",
	});
	return withNetwork(t, { answer: decide, script }, async ({ host, asked, reached, read }) => {
		await runTurn(host, await aThread(host), "Get both.");
		assert.deepEqual([asked.length, reached], [2, [`shop.test:${port}`]]);
		assert.match(read(2), /network: blocked other\.test:\d+ \(not an allowed site, and the user denied it\)/);
	});
});

test("a web page is fetched after the user allows its site, and never from a private address", (t) => {
	const fetch = (url: string) => calls("fetch_page", { url });
	const script = [
		fetch("https://shop.test/a?b=1"),
		fetch("https://localhost/"),
		fetch("https://127.0.0.1/"),
		says("ok"),
	];
	return withNetwork(t, { answer: answer("allow"), script }, async ({ host, asked, reached, read }) => {
		await runTurn(host, await aThread(host), "Read it.");
		assert.deepEqual(
			asked.map(({ subject }) => subject),
			[{ kind: "network", host: "shop.test", port: 443, process: "Fetch https://shop.test/a?b=1", rule: "shop.test" }],
		);
		assert.match(read(2), /shop\.test is .*(?:private|local|not public|this machine)/);
		assert.match(read(3), /Only public sites can be fetched/);
		assert.match(read(4), /Only public sites can be fetched/);
		assert.deepEqual(reached, []);
	});
});

test("a denied site is not even resolved, and the tool is absent where nothing may be asked or reached", (t) => {
	const script = [calls("fetch_page", { url: "https://other.test/" }), says("ok"), says("ok"), says("ok"), says("ok")];
	return withNetwork(t, { answer: answer("deny"), script }, async ({ host, asked, read }) => {
		await runTurn(host, await aThread(host), "Read it.");
		assert.match(read(2), /other\.test is not an allowed site, and the user denied it/);
		assert.equal(asked.length, 1);
		for (const settings of [
			{ approval: "never" },
			{ permissions: { network: "off" } },
			{ modes: { collaboration: "plan" } },
		] as const) {
			const { published } = await runTurn(host, await aThread(host, { settings }), "What can you do?");
			const started = published.flatMap(({ event }) => (event.type === "turnStarted" ? [event.envelope.tools] : []));
			assert.equal(started[0]?.includes("fetch_page"), false);
		}
	});
});
