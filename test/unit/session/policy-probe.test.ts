import assert from "node:assert/strict";
import { test } from "node:test";
import type { HostWarning } from "../../../agent-host/protocol/host/host.ts";
import { ThreadId } from "../../../agent-host/protocol/ids.ts";
import type { Sandbox } from "../../../agent-host/sandbox/backend.ts";
import { createPolicyProbing } from "../../../agent-host/session/health/policy-probe.ts";
import { aPolicy } from "../../support/a-policy.ts";
import { anEnvelope } from "../../support/an-envelope.ts";
import { createFakeClock } from "../../support/fake-clock.ts";

const THREAD = ThreadId.parse("thread-1");

/** Probing over a sandbox that lets through as much as `lets` says. */
function aProbing(lets: { now: "nothing" | "everything" }, trusted = true) {
	const warnings: HostWarning[] = [];
	const clock = createFakeClock();
	let trials = 0;
	let started = 0;
	const ended = (text: string) => ({
		...{ state: "ended" as const, exitCode: 0, notes: [], refusedHosts: [], bound: "none" as const },
		output: { text, bytes: text.length, dropped: 0 },
	});
	const sandbox: Sandbox = {
		kind: "bubblewrap",
		probe: async () => ({ ok: true }),
		doubt: () => undefined,
		missing: async () => undefined,
		compile: async () => [],
		start: async () => {
			started += 1;
			return { state: "refused", code: "bad-cwd", reason: "started" };
		},
		run: async ({ argv }) => {
			trials += 1;
			const word = lets.now === "everything" ? "allowed" : "refused";
			return ended(argv.map((_, index) => `${index} ${word}`).join("\n"));
		},
	};
	const probing = createPolicyProbing({
		sandbox,
		environment: {},
		contractOf: async () => anEnvelope({ workspace: { trusted } }),
		ports: {
			...clock,
			newId: () => "fresh",
			warn: (warning) => warnings.push(warning),
			log: () => undefined,
		},
		changed: () => undefined,
	});
	const start = (policy = aPolicy()) => probing.guarded.start({ policy } as never, {} as never);
	return { probing, warnings, clock, start, trials: () => trials, started: () => started };
}

test("once a trial finds a hole no command starts and the user is told, until a later trial holds", async () => {
	const lets: { now: "nothing" | "everything" } = { now: "everything" };
	const { probing, warnings, start, started } = aProbing(lets);
	assert.equal((await probing.probe(THREAD)).state, "broken");
	const refused = await start();
	assert.match(
		refused.state === "refused" ? refused.reason : "",
		/^The sandbox does not enforce the policy\. A command could: .* Commands can't run until this is fixed\.$/,
	);
	assert.deepEqual([started(), warnings.map(({ code }) => code)], [0, ["policy-broken"]]);
	// Commands that the user lets run without a sandbox do not depend on one.
	await start({ ...aPolicy(), noSandbox: "bwrap-missing" });
	assert.equal(started(), 1);
	lets.now = "nothing";
	await probing.probe(THREAD);
	await start();
	assert.equal(started(), 2);
});

test("a host that ran no command never runs a trial unasked; one that did runs one after a quiet period", async () => {
	const { probing, clock, start, trials } = aProbing({ now: "nothing" });
	probing.turnEnded(THREAD);
	assert.equal(clock.waiting, 0);
	await start({ ...aPolicy(), noSandbox: "bwrap-missing" });
	probing.turnEnded(THREAD);
	assert.equal(clock.waiting, 0, "there is no sandbox to try");
	await start();
	probing.turnEnded(THREAD);
	probing.turnBegan();
	assert.equal(clock.waiting, 0, "a turn that begins goes first");
	probing.turnEnded(THREAD);
	clock.advance(4_999);
	assert.deepEqual([clock.waiting, trials()], [1, 0]);
	clock.advance(1);
	while (probing.last() === undefined) await new Promise(setImmediate);
	assert.deepEqual([trials(), probing.last()?.state], [1, "held"]);
	probing.turnEnded(THREAD);
	assert.equal(clock.waiting, 0);
});

test("a turn that ends while the host closes is followed by no trial, which would hold up the end of the process", async () => {
	const { probing, clock, start } = aProbing({ now: "nothing" });
	await start();
	probing.close();
	probing.turnEnded(THREAD);
	assert.equal(clock.waiting, 0);
});

test("in a workspace that is not trusted no command runs, so nothing is tried", async () => {
	const { probing, trials } = aProbing({ now: "nothing" }, false);
	const { state, attempts, reason } = await probing.probe(THREAD);
	assert.deepEqual([state, attempts, /nothing to test/.test(reason ?? ""), trials()], ["notRun", [], true, 0]);
});
