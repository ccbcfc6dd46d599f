import assert from "node:assert/strict";
import { test } from "node:test";
import { didChangeTrust } from "../../../../agent-host/protocol/host/host.ts";
import type { createHostClient, HostClient } from "../../../../extension/host/host-client.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

const State = { Stopped: 1, Running: 2, Starting: 3 };

/** Starts when the test says so. As with the library's own, what is sent to a client that starts waits until it has. */
class PaperClient {
	readonly #changed = new PaperEmitter();
	readonly onDidChangeState = this.#changed.event;
	readonly started = Promise.withResolvers<void>();
	readonly sent: unknown[] = [];
	#isRunning = false;
	#starting: Promise<void> | undefined;
	start(): Promise<void> {
		this.#starting ??= this.#start();
		return this.#starting;
	}
	async #start(): Promise<void> {
		this.#changed.fire({ newState: State.Starting });
		await this.started.promise;
		this.#isRunning = true;
		this.#changed.fire({ newState: State.Running });
	}
	isRunning(): boolean {
		return this.#isRunning;
	}
	async sendNotification(name: string, params: unknown): Promise<void> {
		if (this.#starting === undefined) throw new Error("Client is not running");
		await this.#starting;
		this.sent.push({ name, params });
	}
	onNotification(): void {}
	onRequest(): void {}
}

async function createOverPaper(): Promise<{ readonly host: HostClient; readonly clients: readonly PaperClient[] }> {
	const clients: PaperClient[] = [];
	const LanguageClient = function LanguageClient() {
		const made = new PaperClient();
		clients.push(made);
		return made;
	};
	const { createHostClient: create } = await loadOverPaper<{ readonly createHostClient: typeof createHostClient }>(
		["extension/host/host-client.ts"],
		{ EventEmitter: PaperEmitter, languageClient: { LanguageClient, State, TransportKind: {} } },
	);
	const log = { warn: () => undefined, error: () => undefined };
	return { host: create({ log, extensionPath: "/", codeCache: "/", trace: () => undefined } as never), clients };
}

test("a change during the host's start is sent again afterwards, since it may have missed the first settings", async () => {
	const { host, clients } = await createOverPaper();
	host.notify(didChangeTrust, { trusted: false });
	const ready = host.start();
	const starting = Promise.withResolvers<void>();
	host.onDidChangeState(({ state }) => state === "starting" && starting.resolve());
	await starting.promise;
	host.notify(didChangeTrust, { trusted: true });
	assert.deepEqual(clients[0]?.sent, []);
	clients[0]?.started.resolve();
	await ready;
	await new Promise(setImmediate);
	assert.deepEqual(clients[0]?.sent, [{ name: didChangeTrust.name, params: { trusted: true } }]);
});
