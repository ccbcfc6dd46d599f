import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import {
	type ClientContext,
	client,
	methods,
	ndJsonStream,
	type RequestPermissionRequest,
	type SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { Desk } from "./command-here.ts";
import { VITRINE } from "./vitrine.ts";

/** An editor that speaks the Agent Client Protocol, with a user who chooses as the test says. */
export interface AcpEditor {
	readonly agent: ClientContext;
	readonly updates: readonly SessionUpdate[];
	readonly asked: readonly RequestPermissionRequest[];
	/** Everything that the agent has written, as text. */
	readonly wire: () => string;
	close(): Promise<void>;
}

export async function openAcpEditor(
	{ home, model }: Desk,
	choose: (request: RequestPermissionRequest) => string | undefined,
	options: readonly string[] = [],
): Promise<AcpEditor> {
	const args = [VITRINE, "acp", "--base-url", model.baseUrl, "--model", "fake-1", "--home", home, ...options];
	const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
	let wire = "";
	child.stdout.on("data", (chunk: Buffer) => {
		wire += chunk.toString("utf8");
	});
	const updates: SessionUpdate[] = [];
	const asked: RequestPermissionRequest[] = [];
	const connection = client({ name: "test" })
		.onRequest(methods.client.session.requestPermission, ({ params }) => {
			asked.push(params);
			const optionId = choose(params);
			return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
		})
		.onNotification(methods.client.session.update, ({ params }) => {
			updates.push(params.update);
		})
		.connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>));
	return {
		agent: connection.agent,
		updates,
		asked,
		wire: () => wire,
		async close() {
			const gone = once(child, "exit");
			connection.close();
			child.stdin.end();
			await gone;
		},
	};
}
