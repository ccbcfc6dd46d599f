import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { TestContext } from "node:test";
import { eventually } from "../host/rig/files.ts";
import { findRipgrepFolder } from "../host/rig/find-ripgrep.ts";
import {
	allProcesses,
	commandLine,
	describeProcess,
	isRunning,
	isStillRunning,
	nameOf,
	type ProcessName,
	treeOf,
} from "../host/rig/processes.ts";
import { pointAt } from "../host/rig/with-host.ts";
import { checkCanaries, plantCanaries, removeCanaries, type World } from "./canaries.ts";
import { inFairTime } from "./fair-time.ts";
import { type FakeModel, type Script, startFakeModel } from "./fake-model.ts";
import { type HostProcess, type HostSpec, startHost } from "./host-process.ts";

/** How long what a host has started may outlive it, on a quiet machine. */
const GRACE_MS = 2_000;

/** One world in which hosts come and go by the hundred. */
export interface KillWorld {
	readonly world: World;
	/** A model server of its own for each lane that runs beside others. */
	model(script: Script): Promise<FakeModel>;
	specFor(model: FakeModel): HostSpec;
	start(spec: HostSpec): Promise<HostProcess>;
}

/** Runs `body`, then checks that no bait was touched and nothing that hosts have started still runs. */
export async function withKillWorld(t: TestContext, body: (kill: KillWorld) => Promise<void>): Promise<void> {
	const world = plantCanaries();
	t.after(() => removeCanaries(world));
	const ripgrep = findRipgrepFolder();
	assert.ok(ripgrep, "ripgrep is needed, so that there are processes to leave behind");
	const path = [ripgrep, process.env.PATH ?? ""].join(delimiter);
	const models: FakeModel[] = [];
	const hosts: HostProcess[] = [];
	try {
		await body({
			world,
			async model(script) {
				const model = await startFakeModel(script);
				models.push(model);
				return model;
			},
			specFor: (model) => ({
				home: world.home,
				folders: [world.workspace],
				settings: pointAt(model),
				env: { ...world.env, PATH: path },
				secret: world.key,
			}),
			async start(spec) {
				const host = await startHost(spec);
				hosts.push(host);
				return host;
			},
		});
	} finally {
		for (const host of hosts) await host.killHard();
		for (const model of models) await model.stop();
	}
	await waitUntilNobodyNames(world.root);
	const requests = models.flatMap((model) => [...model.requests, ...model.others]);
	await checkCanaries(world, { hosts, requests, seen: [], graceMs: GRACE_MS });
}

/** The spec of a host whose model has room for anything, so that nothing is compacted. */
export function withRoom(spec: HostSpec): HostSpec {
	return { ...spec, settings: { ...spec.settings, model: { ...spec.settings?.model, contextWindow: 100_000_000 } } };
}

/** Runs `lane` several times side by side. All have ended, also when one failed, before the world is taken down. */
export async function runLanes(count: number, lane: (index: number) => Promise<void>): Promise<void> {
	const results = await Promise.allSettled(Array.from({ length: count }, (_, index) => lane(index)));
	for (const result of results) if (result.status === "rejected") throw result.reason;
}

/** SIGKILL. Resolves when the host, and all that hung on it at that moment, is gone. */
export async function killWithFamily(host: HostProcess): Promise<void> {
	const family = familyOf(host.pid);
	await host.killHard();
	await waitUntilGone(family);
}

export function familyOf(pid: number): readonly ProcessName[] {
	return treeOf(pid).flatMap((one) => nameOf(one) ?? []);
}

/** Fails when one of them outlives its host for longer than is allowed. */
export function waitUntilGone(family: readonly ProcessName[]): Promise<void> {
	const left = () => family.filter(isStillRunning);
	const describe = () => `processes outlive their host: ${left().map(describeProcess).join("; ")}`;
	return inFairTime(() => left().length === 0, GRACE_MS, describe);
}

/** The spec with a ripgrep that never ends by itself, so that only its host can end it. */
export function withHangingSearch(world: World, spec: HostSpec): HostSpec {
	const folder = join(world.root, "programs");
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "rg"), "#!/bin/sh\nexec sleep 600\n", { mode: 0o755 });
	return { ...spec, env: { ...spec.env, PATH: [folder, process.env.PATH ?? ""].join(delimiter) } };
}

/** The host and its search, once bubblewrap has started the program. */
export async function waitForSearch(pid: number): Promise<readonly ProcessName[]> {
	const isSearching = () => treeOf(pid).some((one) => commandLine(one).startsWith("sleep\0"));
	await eventually(isSearching, 5_000, "no search was started", () => treeOf(pid).map(describeProcess));
	return familyOf(pid);
}

/** Searches run without a mark in their environment, but their arguments name the workspace. */
function waitUntilNobodyNames(folder: string): Promise<void> {
	const named = () => allProcesses().filter((pid) => commandLine(pid).includes(folder) && isRunning(pid));
	const describe = () => `searches outlive their host: ${named().map(describeProcess).join("; ")}`;
	return inFairTime(() => named().length === 0, GRACE_MS, describe);
}
