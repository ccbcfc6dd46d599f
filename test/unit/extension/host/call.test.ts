import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import {
	createMessageConnection,
	ErrorCodes,
	type MessageConnection,
	ResponseError,
	StreamMessageReader,
	StreamMessageWriter,
} from "vscode-jsonrpc/node";
import { describeFailure } from "../../../../extension/host/call.ts";

const LOST = "The agent host ended before it answered. Try again.";

function aConnection(): MessageConnection {
	const connection = createMessageConnection(
		new StreamMessageReader(new PassThrough()),
		new StreamMessageWriter(new PassThrough()),
	);
	connection.listen();
	return connection;
}

async function failureOf(request: () => Promise<unknown>): Promise<string> {
	try {
		await request();
	} catch (error) {
		return describeFailure(error);
	}
	return assert.fail("The request was answered.");
}

test("a request says what to do if its host ends before the answer, has ended, or is just ending", async () => {
	const connection = aConnection();
	const asked = failureOf(() => connection.sendRequest("turn/start"));
	connection.dispose();
	const stopping = new ResponseError(ErrorCodes.ConnectionInactive, "Client is not running");
	assert.deepEqual(
		[await asked, await failureOf(() => connection.sendRequest("turn/start")), describeFailure(stopping)],
		[LOST, LOST, LOST],
	);
});

test("the host's own message about a failure is not replaced", () => {
	assert.equal(describeFailure(new ResponseError(-32_602, "Choose a folder.")), "Choose a folder.");
});
