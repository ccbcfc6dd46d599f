import assert from "node:assert/strict";
import { test } from "node:test";
import { hostStatus } from "../../../../agent-host/protocol/host/host.ts";
import { threadVerify } from "../../../../agent-host/protocol/thread/thread.ts";
import { call, isCancelled } from "../../../../extension/host/call.ts";
import { type Cancelling, createNewestRequest } from "../../../../extension/host/newest-request.ts";

function aSource(): Cancelling & { readonly did: string[] } {
	const did: string[] = [];
	const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => undefined }) };
	return {
		did,
		token,
		cancel: () => {
			did.push("cancel");
			token.isCancellationRequested = true;
		},
		dispose: () => void did.push("dispose"),
	};
}

test("a newer request cancels the one before it, and ending cancels the last", () => {
	const sources: ReturnType<typeof aSource>[] = [];
	const newest = createNewestRequest(() => {
		const source = aSource();
		sources.push(source);
		return source;
	});
	const [first, second] = [newest.begin(), newest.begin()];
	assert.deepEqual([first.isCancellationRequested, second.isCancellationRequested], [true, false]);
	newest.end();
	newest.end();
	assert.deepEqual(
		sources.map(({ did }) => did),
		[
			["cancel", "dispose"],
			["cancel", "dispose"],
		],
	);
});

test("a request carries its cancellation token, and a progress token only if progress is followed", async () => {
	const { token } = aSource();
	const sent: unknown[] = [];
	const client = {
		sendRequest: async (...all: readonly unknown[]) => {
			sent.push(all);
			return { threads: 0, verified: 0, problems: [] };
		},
	};
	await call(client as never, threadVerify, {}, { token });
	await call(client as never, threadVerify, {}, { workDoneToken: "w" });
	assert.deepEqual(sent, [
		[threadVerify.name, {}, token],
		[threadVerify.name, { workDoneToken: "w" }],
	]);
	await assert.rejects(call(client as never, hostStatus, {}, {}));
});

test("a cancelled request is distinguished from a failed one", () => {
	const failed = (code: number) => Object.assign(new Error("no"), { code });
	assert.deepEqual([failed(-32_800), failed(1_006), "no"].map(isCancelled), [true, false, false]);
});
