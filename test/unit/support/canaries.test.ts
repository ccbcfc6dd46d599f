import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import {
	checkCanaries,
	type LeftBehind,
	plantCanaries,
	removeCanaries,
	type World,
	watchProcesses,
} from "../../support/canaries.ts";
import type { RecordedRequest } from "../../support/fake-model-request.ts";
import type { HostProcess } from "../../support/host-process.ts";

const nothing: LeftBehind = { hosts: [], requests: [], seen: [], graceMs: 200 };

test("an untouched world passes", async (t) => {
	await checkCanaries(aWorld(t), nothing);
});

test("bait that was read or written is noticed", async (t) => {
	const read = aWorld(t);
	readFileSync(read.links.file);
	await assert.rejects(checkCanaries(read, nothing), /was not read/);
	const written = aWorld(t);
	writeFileSync(written.outside, "x");
	await assert.rejects(checkCanaries(written, nothing), /was not written/);
});

test("a secret is noticed in a message, on stderr, in a file and in a request, the key everywhere but in its header", async (t) => {
	const world = aWorld(t);
	const { key } = world;
	const secret = world.secrets[0] ?? "";
	await assert.rejects(checkCanaries(world, { ...nothing, hosts: [aHost({ messages: [`a ${key}`] })] }), /a message/);
	await assert.rejects(checkCanaries(world, { ...nothing, hosts: [aHost({ stderr: () => secret })] }), /stderr/);
	await assert.rejects(checkCanaries(world, { ...nothing, hosts: [aHost({ stray: () => "noise" })] }), /stdout/);
	await assert.rejects(checkCanaries(world, { ...nothing, requests: [aRequest({ "x-key": key })] }), /a request/);
	await assert.rejects(checkCanaries(world, { ...nothing, requests: [aRequest({ authorization: secret })] }), /header/);
	await checkCanaries(world, { ...nothing, requests: [aRequest({ authorization: `Bearer ${key}` })] });
	mkdirSync(join(world.home, "threads"), { recursive: true });
	writeFileSync(join(world.home, "threads", "one"), key);
	await assert.rejects(checkCanaries(world, nothing), /threads/);
});

test("a process that listens is noticed, also when a child of a child does", async (t) => {
	const listen = `require("net").createServer().listen(0, "127.0.0.1", () => console.log("ready"))`;
	const watch = watchProcesses((await started(t, nested(listen), {})).pid ?? 0);
	assert.throws(() => watch.stop(), /must not listen/);
	const path = join(aWorld(t).root, "s");
	const unix = `require("net").createServer().listen(${JSON.stringify(path)}, () => console.log("ready"))`;
	const onPath = watchProcesses((await started(t, unix, {})).pid ?? 0);
	assert.throws(() => onPath.stop(), /must not listen/);
});

test("a process that survives is noticed by its environment or by having been seen", async (t) => {
	const idle = `console.log("ready"); setInterval(() => {}, 1000)`;
	const world = aWorld(t);
	await started(t, idle, world.env);
	await assert.rejects(checkCanaries(world, nothing), /outlives/);
	const other = aWorld(t);
	const watch = watchProcesses((await started(t, nested(idle), {})).pid ?? 0);
	watch.stop();
	assert.equal(watch.seen.size, 2);
	await assert.rejects(checkCanaries(other, { ...nothing, seen: [...watch.seen] }), /outlives/);
});

function aWorld(t: TestContext): World {
	const world = plantCanaries();
	t.after(() => removeCanaries(world));
	return world;
}

async function started(t: TestContext, script: string, env: Readonly<Record<string, string>>): Promise<ChildProcess> {
	const child = spawn(process.execPath, ["-e", script], { env, stdio: ["pipe", "pipe", "inherit"] });
	t.after(() => child.kill("SIGKILL"));
	await once(child.stdout, "data");
	return child;
}

/** A script that runs another in a child; the child ends with it. */
function nested(script: string): string {
	const inner = JSON.stringify(`process.stdin.on("end", () => process.exit()).resume(); ${script}`);
	return `require("child_process").spawn(process.execPath, ["-e", ${inner}], { stdio: ["pipe", "inherit", "inherit"] })`;
}

function aHost(received: Partial<HostProcess["received"]>): HostProcess {
	const empty = { messages: [], stray: () => "", stderr: () => "" };
	return { received: { ...empty, ...received } } as unknown as HostProcess;
}

function aRequest(headers: Readonly<Record<string, string>>): RecordedRequest {
	return { headers, text: "{}", path: "/v1/responses" } as unknown as RecordedRequest;
}
