import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { PartialSettings } from "../../../agent-host/protocol/settings/settings.ts";
import {
	checkCanaries,
	plantCanaries,
	removeCanaries,
	type Watch,
	type World,
	watchProcesses,
} from "../../support/canaries.ts";
import type { FakeEditorModels } from "../../support/fake-editor-models.ts";
import { type FakeModel, type Script, startFakeModel } from "../../support/fake-model.ts";
import {
	type HostProcess,
	type HostSpec,
	initialize,
	launchHost,
	type SecretAnswer,
	type SecretAsk,
} from "../../support/host-process.ts";

export interface HostTestOptions {
	/** Starts a fake model with this script and points the host at it; without it the host has its demo model. */
	readonly script?: Script;
	readonly settings?: PartialSettings;
	readonly trusted?: boolean;
	readonly transport?: "stdio" | "ipc";
	/** `none`: the client has no key to give. */
	readonly key?: "planted" | "none";
	/** Another answer to `secret/get`. */
	readonly secret?: (ask: SecretAsk) => SecretAnswer;
	readonly approve?: HostSpec["approve"];
	readonly answer?: HostSpec["answer"];
	readonly serverInput?: HostSpec["serverInput"];
	readonly signIn?: HostSpec["signIn"];
	readonly asksUser?: boolean;
	readonly language?: HostSpec["language"];
	readonly unsaved?: HostSpec["unsaved"];
	readonly editorTools?: HostSpec["editorTools"];
	readonly folders?: (world: World) => readonly string[];
	readonly env?: Readonly<Record<string, string>>;
	readonly editorModels?: FakeEditorModels;
	/** Models as the fake server lists them. */
	readonly models?: readonly { readonly id: string; readonly [field: string]: unknown }[];
	/** Files that are in the home folder before the host starts. */
	readonly home?: Readonly<Record<string, string>>;
	/** Another program in the host's place, such as one that starts it in surroundings of its own. */
	readonly program?: (world: World) => string;
}

export interface HostTest {
	readonly world: World;
	readonly model: FakeModel;
	readonly host: HostProcess;
	/** Another host on the same world: after a crash, or beside the first one. */
	another(changes?: Partial<HostSpec>): Promise<HostProcess>;
	/** A process that was told nothing yet. */
	launch(changes?: Partial<HostSpec>): HostProcess;
}

/** Runs `body` with a real host in a world full of bait, then checks that none of it was touched. */
export function withHost(
	t: TestContext,
	options: HostTestOptions,
	body: (test: HostTest) => Promise<void>,
): Promise<void> {
	return withWorld(t, options, async (rig) => body({ ...rig, host: await rig.another() }));
}

/** The same for whoever starts every host on their own. */
export async function withWorld(
	t: TestContext,
	options: HostTestOptions,
	body: (test: Omit<HostTest, "host">) => Promise<void>,
): Promise<void> {
	const rig = await openRig(options);
	t.after(rig.remove);
	try {
		await body(rig);
		await rig.close();
	} catch (error) {
		for (const line of rig.logs()) t.diagnostic(line);
		throw error;
	} finally {
		await rig.kill();
	}
	await rig.check();
}

export interface HostRig extends Omit<HostTest, "host"> {
	/** Ends all hosts in peace; each must have listened nowhere. */
	close(): Promise<void>;
	kill(): Promise<void>;
	/** Call when no host runs any more. */
	check(): Promise<void>;
	remove(): Promise<void>;
	logs(): readonly string[];
}

/** A world with no host in it yet. */
export async function openRig(options: HostTestOptions): Promise<HostRig> {
	const world = plantCanaries();
	for (const [name, text] of Object.entries(options.home ?? {})) {
		mkdirSync(world.home, { recursive: true });
		writeFileSync(join(world.home, name), text);
	}
	const model = await startFakeModel(
		options.script ?? [],
		options.models === undefined ? {} : { models: options.models },
	);
	const spec = specFor(world, model, options);
	const hosts: HostProcess[] = [];
	const started: HostProcess[] = [];
	const watches: Watch[] = [];
	const launch = (changes: Partial<HostSpec> = {}) => {
		const host = launchHost({ ...spec, ...changes });
		hosts.push(host);
		watches.push(watchProcesses(host.pid));
		return host;
	};
	return {
		world,
		model,
		launch,
		async another(changes) {
			const host = launch(changes);
			await initialize(host, { ...spec, ...changes });
			started.push(host);
			return host;
		},
		async close() {
			for (const watch of watches) watch.stop();
			for (const host of started) await host.close();
		},
		async kill() {
			for (const host of hosts) await host.killHard();
		},
		async check() {
			await checkCanaries(world, {
				hosts,
				requests: [...model.requests, ...model.others],
				seen: watches.flatMap((watch) => [...watch.seen]),
				graceMs: 2_000,
			});
			if (model.unexpected.length > 0)
				throw new Error(`${model.unexpected.length} requests came that the script has no step for.`);
		},
		async remove() {
			await model.stop();
			removeCanaries(world);
		},
		logs: () => hosts.flatMap(({ received }) => [...received.logs, received.stderr()]),
	};
}

function specFor(world: World, model: FakeModel, options: HostTestOptions): HostSpec {
	const { transport = "stdio", trusted = true, key = "planted" } = options;
	const settings = options.script ? pointAt(model, options.settings) : (options.settings ?? {});
	return {
		home: world.home,
		folders: options.folders?.(world) ?? [world.workspace],
		settings,
		trusted,
		transport,
		env: { ...world.env, ...options.env },
		...(key === "planted" ? { secret: world.key } : {}),
		...(options.secret === undefined ? {} : { secret: options.secret }),
		...(options.approve === undefined ? {} : { approve: options.approve }),
		...(options.answer === undefined ? {} : { answer: options.answer }),
		...(options.signIn === undefined ? {} : { signIn: options.signIn }),
		...(options.serverInput === undefined ? {} : { serverInput: options.serverInput }),
		...(options.asksUser === undefined ? {} : { asksUser: options.asksUser }),
		...(options.language === undefined ? {} : { language: options.language }),
		...(options.unsaved === undefined ? {} : { unsaved: options.unsaved }),
		...(options.editorTools === undefined ? {} : { editorTools: options.editorTools }),
		...(options.editorModels === undefined ? {} : { editorModels: options.editorModels }),
		...(options.program === undefined ? {} : { program: options.program(world) }),
	};
}

/** Settings for the fake model; pauses between attempts are short, since no test is about their length. */
export function pointAt(model: FakeModel, settings: PartialSettings = {}): PartialSettings {
	return {
		...settings,
		model: { provider: "compatible", baseUrl: model.baseUrl, id: "fake-1", ...settings.model },
		retry: { baseDelayMs: 5, ...settings.retry },
	};
}
