import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as z from "zod";
import { hostStatus } from "../../agent-host/protocol/host/host.ts";
import { measureBundle } from "../bench/bundle.ts";
import { aThread, HOST_BUNDLE, initialize, type RpcError } from "../support/host-process.ts";
import { filesUnder } from "./rig/files.ts";
import { withHost, withWorld } from "./rig/with-host.ts";

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as {
	version: string;
};

const InitializeResult = z.looseObject({
	capabilities: z.looseObject({
		textDocumentSync: z.looseObject({ openClose: z.literal(true), change: z.literal(2) }),
		workspace: z.looseObject({
			workspaceFolders: z.looseObject({
				supported: z.literal(true),
				changeNotifications: z.union([z.string(), z.literal(true)]),
			}),
		}),
	}),
	serverInfo: z.object({ name: z.string(), version: z.string() }),
});

for (const transport of ["stdio", "ipc"] as const) {
	test(`initialize over ${transport} offers documents and folders and names the version`, (t) =>
		withHost(t, { transport }, async ({ host, world, launch }) => {
			const other = launch();
			const result = InitializeResult.parse(await initialize(other, { home: world.home }));
			assert.equal(result.serverInfo.version, version);
			await other.close();

			const status = await host.request(hostStatus, {});
			assert.deepEqual(
				{ ...status, search: "?", model: status.model.provider },
				{
					version,
					pid: host.pid,
					home: world.home,
					trusted: true,
					folders: [world.workspace],
					model: "demo",
					search: "?",
					openDocuments: 0,
				},
			);
		}));
}

test("a request before initialize is refused, and the host can still be initialized", (t) =>
	withWorld(t, {}, async ({ launch, world }) => {
		const host = launch();
		await assert.rejects(host.requestRaw("host/status", {}), (error: RpcError) => error.code === -32002);
		await initialize(host, { home: world.home });
		assert.equal((await host.request(hostStatus, {})).pid, host.pid);
		await host.close();
	}));

test("messages sent right behind initialize are handled in order, once the host has loaded", (t) =>
	withWorld(t, {}, async ({ launch, world }) => {
		const host = launch();
		const initialized = initialize(host, { home: world.home, trusted: false });
		const before = host.request(hostStatus, {});
		host.notifyRaw("workspace/didChangeTrust", { trusted: true });
		const after = host.request(hostStatus, {});
		await initialized;
		assert.deepEqual([(await before).trusted, (await after).trusted], [false, true]);
		await host.close();
	}));

test("initialize is answered before most of the host is loaded", () => {
	const { atStart, later } = measureBundle(HOST_BUNDLE);
	const inAll = later.reduce((sum, { bytes }) => sum + bytes, atStart.bytes);
	assert.ok(atStart.bytes < inAll / 4, `${atStart.bytes} of ${inAll} bytes are loaded first`);
});

test("shutdown and exit end the process with status 0, exit alone with 1", (t) =>
	withHost(t, {}, async ({ host, another }) => {
		await host.requestRaw("shutdown", null);
		await assert.rejects(host.requestRaw("thread/start", {}), (error: RpcError) => error.code === -32600);
		assert.deepEqual(await host.close(), { code: 0, signal: null });
		const rude = await another();
		rude.notifyRaw("exit", null);
		assert.deepEqual(await rude.exited, { code: 1, signal: null });
	}));

test("bad initialization options are refused with the name of the field", (t) =>
	withWorld(t, {}, async ({ launch, world }) => {
		const host = launch();
		const settings = { model: { provider: "nobody" } };
		await assert.rejects(
			host.requestRaw("initialize", {
				processId: null,
				rootUri: null,
				capabilities: {},
				initializationOptions: { home: world.home, settings },
			}),
			(error: RpcError) => error.code === -32602 && error.message.includes("settings.model.provider"),
		);
		await host.killHard();
	}));

test("nothing is written to disk before the first turn", (t) =>
	withHost(t, {}, async ({ host, world }) => {
		await aThread(host);
		await host.close();
		assert.deepEqual(
			filesUnder(world.home).filter((path) => path.includes("thread")),
			[],
		);
	}));

test("--version prints the version and ends", () => {
	assert.equal(execFileSync(process.execPath, [HOST_BUNDLE, "--version"], { encoding: "utf8" }).trim(), version);
});

test("an unknown argument is refused with usage on stderr and status 2", () => {
	const run = () => execFileSync(process.execPath, [HOST_BUNDLE, "--nonsense"], { encoding: "utf8", stdio: "pipe" });
	assert.throws(run, (error: { status: number; stdout: string; stderr: string }) => {
		return error.status === 2 && error.stdout === "" && error.stderr.includes("--stdio");
	});
});
