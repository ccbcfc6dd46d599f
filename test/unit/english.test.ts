import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ResponseError } from "vscode-jsonrpc/node";
import { HostError } from "../../agent-host/protocol/errors.ts";
import { say } from "../../agent-host/protocol/say.ts";
import { asResponseError } from "../../agent-host/surfaces/editor/parse.ts";
import { describeFailure, failureKind } from "../../extension/host/call.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/** These read the words of others, who have no codes. */
const FOREIGN = ["extension/host/editor-models.ts"];

/** Two words of English, which no name, path or mark of a format has, but for those of a patch. */
const WORDS = String.raw`[A-Za-z]{2,} (?:[a-z]{2,}|\()`;
const COMPARED = [
	new RegExp(
		String.raw`\.(?:startsWith|endsWith|includes|indexOf|split|replace|replaceAll)\(\s*"(?!\*\*\* )[^"]*${WORDS}[^"]*"`,
		"g",
	),
	new RegExp(`[!=]== "[A-Z][^"]*${WORDS}[^"]*"`, "g"),
	new RegExp(String.raw`/[^/\n*]*${WORDS}[^/\n]*/[a-z]*\.(?:test|exec)\(`, "g"),
	new RegExp(String.raw`\.(?:match|matchAll|search|replace|replaceAll)\(\s*/[^/\n]*${WORDS}`, "g"),
];

test("neither the extension nor its page looks for English sentences: what they act on are codes and values", () => {
	const files = ["extension", "media"].flatMap((room) =>
		readdirSync(join(ROOT, room), { recursive: true, encoding: "utf8" })
			.map((file) => join(room, file))
			.filter((file) => /\.tsx?$/.test(file) && !file.startsWith("media/dist") && !FOREIGN.includes(file)),
	);
	assert.ok(files.length > 100);
	const found = files.flatMap((file) => {
		const text = readFileSync(join(ROOT, file), "utf8");
		return COMPARED.flatMap((pattern) => [...text.matchAll(pattern)].map(([match]) => `${file}: ${match}`));
	});
	assert.deepEqual(found, []);
	const planted = [
		'reason.startsWith("There is no thread")',
		"/^Still running after [0-9]/.test(first)",
		'x === "Not found here"',
	];
	for (const one of planted)
		assert.ok(
			COMPARED.some((pattern) => one.search(pattern) >= 0),
			one,
		);
});

test("a failure reaches the client with its kind and values, and only the host's own kinds are recognized", () => {
	const failure = asResponseError(
		new HostError("thread-not-found", { ...say("thread-gone", { threadId: "t1" }), text: "Es gibt keinen Thread t1." }),
	);
	assert.deepEqual(failure.data, { kind: "thread-not-found", sentence: "thread-gone", values: { threadId: "t1" } });
	assert.equal(failureKind(failure), "thread-not-found");
	assert.equal(describeFailure(failure), "Thread t1 was not found. It may have been deleted.");
	assert.equal(describeFailure(new ResponseError(-32_603, "Something else.", { sentence: 1 })), "Something else.");
	for (const other of [
		new ResponseError(-32_603, "Thread t1 was not found.", { kind: "toString" }),
		new ResponseError(-32_603, "Thread t1 was not found."),
		new ResponseError(-32_603, "x", null),
		new Error("Thread t1 was not found."),
		"thread-not-found",
		undefined,
	])
		assert.equal(failureKind(other), undefined);
});
