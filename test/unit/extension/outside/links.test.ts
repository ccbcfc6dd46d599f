import assert from "node:assert/strict";
import { test } from "node:test";
import { createPendingSignIns } from "../../../../extension/host/pending-sign-ins.ts";
import type { handleLinks } from "../../../../extension/outside/handle-links.ts";
import { cleanPrefill } from "../../../../extension/outside/prefill-text.ts";
import { readLink } from "../../../../extension/outside/read-link.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

test("a link opens a thread or fills in a prompt, and does nothing else", () => {
	assert.deepEqual(readLink({ path: "/open", query: "thread=abc-1" }), { kind: "open", threadId: "abc-1" });
	assert.deepEqual(readLink({ path: "/prefill", query: "text=Fix%20it%0Aplease&send=1" }), {
		kind: "prefill",
		text: "Fix it\nplease&send=1",
	});
	for (const path of ["", "/", "/send", "/settings", "/open/x", "/prefill/", "/PREFILL"]) {
		assert.throws(() => readLink({ path, query: "text=x&thread=abc" }), /only open a thread or fill in a prompt/, path);
	}
	for (const thread of ["", "../x", "A", "a b", "a".repeat(65)]) {
		assert.throws(() => readLink({ path: "/open", query: `thread=${encodeURIComponent(thread)}` }), /names no thread/);
	}
	assert.throws(() => readLink({ path: "/prefill", query: "" }), /no text/);
});

test("filled-in text is shown in full and is never a command", () => {
	assert.equal(cleanPrefill(" Fix\u202E it\u200B\r\n\u0007now 👩‍💻 "), "Fix it\nnow 👩‍💻");
	for (const text of ["!ls", " /compact", "\u200B!ls", "\n\t/x"])
		assert.throws(() => cleanPrefill(text), /not a command/);
	for (const text of ["", "  \n", "\u200B\u2060", undefined, 7, null])
		assert.throws(() => cleanPrefill(text), /no text/);
	assert.equal(cleanPrefill("x".repeat(4_000)).length, 4_000);
	assert.throws(() => cleanPrefill("x".repeat(4_001)), /longer than 4,000 characters/);
});

test("the text of a link is taken as the editor delivers it, with its escapes already decoded", () => {
	for (const text of ["Why C++ and not C?", "npm ci && npm test", "Is 100% == 1?", "x=1&text=2 or y?"]) {
		const query = decodeURIComponent(`text=${encodeURIComponent(text)}`);
		assert.deepEqual(readLink({ path: "/prefill", query }), { kind: "prefill", text });
	}
	assert.deepEqual(readLink({ path: "/prefill", query: "text=Fix+it!" }), { kind: "prefill", text: "Fix it!" });
});

test("a sign-in that comes back through the editor keeps every character of its code", async () => {
	let handle: (uri: object) => Promise<void> = async () => assert.fail("It is not registered.");
	const { handleLinks: handleAll } = await loadOverPaper<{ readonly handleLinks: typeof handleLinks }>(
		["extension/outside/handle-links.ts"],
		{
			l10n: {},
			window: {
				registerUriHandler: ({ handleUri }: { readonly handleUri: typeof handle }) => {
					handle = handleUri;
				},
			},
		},
	);
	const pending = createPendingSignIns();
	handleAll({} as never, pending);
	const state = "s".repeat(64);
	pending.begin(state, () => undefined);
	const code = "4/0Ab+cd==";
	const query = decodeURIComponent(`code=${encodeURIComponent(code)}&state=${state}`);
	await handle({ path: "/signed-in", query });
	assert.equal(new URLSearchParams(await pending.wait(state)).get("code"), code);
});
