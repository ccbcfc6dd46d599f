import { spawn } from "node:child_process";
import { once } from "node:events";
import { pathToFileURL } from "node:url";
import type { Method, ParamsOf, ResultOf } from "../../agent-host/protocol/method.ts";
import { PublishedEvent } from "../../agent-host/protocol/thread/events.ts";
import { connectStdio, type Message } from "../host/rig/wire.ts";
import { within } from "../support/fake-model-wait.ts";
import { CODE_CACHE, HOST_BUNDLE, type HostSpec } from "../support/host-process.ts";

/** A client that can stop reading, as an editor does whose extension host is busy. */
export interface StallingClient {
	readonly pid: number;
	readonly events: readonly PublishedEvent[];
	/** How often the host has asked for the key. */
	readonly keyRequests: () => number;
	request<M extends Method>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>>;
	/** Leaves all that comes in the pipe. */
	stall(): void;
	readAgain(): void;
	stop(): Promise<void>;
}

export interface ClientHabits {
	/** `never`: the host waits for its key for ever. */
	readonly answersKey: "at once" | "never";
}

const PATIENCE_MS = 30_000;

export async function startStallingClient(spec: HostSpec, habits: ClientHabits): Promise<StallingClient> {
	const child = spawn(process.execPath, [HOST_BUNDLE, "--stdio", "--code-cache", CODE_CACHE], {
		env: { PATH: process.env.PATH, LANG: "C.UTF-8", ...spec.env },
		stdio: ["pipe", "pipe", "inherit"],
	});
	const wire = connectStdio(child);
	const events: PublishedEvent[] = [];
	const pending = new Map<number, PromiseWithResolvers<unknown>>();
	let lastId = 0;
	let keyRequests = 0;

	wire.listen((text) => {
		const { id, method, params, result, error } = JSON.parse(text) as Message;
		if (method === "thread/event") events.push(PublishedEvent.parse(params));
		else if (method === "secret/get" && typeof id === "number") {
			keyRequests += 1;
			if (habits.answersKey === "at once") wire.send({ jsonrpc: "2.0", id, result: { value: spec.secret } });
		} else if (method === undefined && error) pending.get(Number(id))?.reject(new Error(error.message));
		else if (method === undefined) pending.get(Number(id))?.resolve(result);
	});

	const requestRaw = (method: string, params: unknown): Promise<unknown> => {
		lastId += 1;
		const reply = Promise.withResolvers<unknown>();
		pending.set(lastId, reply);
		wire.send({ jsonrpc: "2.0", id: lastId, method, params });
		return within(reply.promise, PATIENCE_MS, () => `no reply to ${method}`);
	};
	await requestRaw("initialize", {
		processId: process.pid,
		rootUri: null,
		capabilities: {},
		workspaceFolders: (spec.folders ?? []).map((path) => ({ uri: pathToFileURL(path).href, name: path })),
		initializationOptions: { home: spec.home, trusted: true, settings: spec.settings },
	});
	return {
		pid: child.pid ?? 0,
		events,
		keyRequests: () => keyRequests,
		async request(method, params) {
			return method.result.parse(await requestRaw(method.name, params)) as ResultOf<typeof method>;
		},
		stall: () => child.stdout?.pause(),
		readAgain: () => child.stdout?.resume(),
		async stop() {
			if (child.exitCode !== null || child.signalCode !== null) return;
			const gone = once(child, "exit");
			child.kill("SIGKILL");
			await gone;
		},
	};
}
