import assert from "node:assert/strict";
import { test } from "node:test";
import { createTypedPrompt, type Typed } from "../../../../extension/panel/typed-prompt.ts";
import type { ToWebview } from "../../../../media/wire.ts";

function aPrompt(isReady: boolean) {
	const asked: ToWebview[] = [];
	const toInput = async ({ text }: Typed) => [{ kind: "text" as const, text }];
	const typed = createTypedPrompt({ isReady: () => isReady, post: (message) => void asked.push(message), toInput });
	return { asked, typed };
}

test("what is typed is what the page answers, for all who ask", async () => {
	const { asked, typed } = aPrompt(true);
	const both = [typed.read(), typed.read()];
	typed.receive({ type: "typed", text: "Why?" });
	const input = [{ kind: "text", text: "Why?" }];
	assert.deepEqual(await Promise.all(both), [input, input]);
	assert.deepEqual(asked, [{ type: "readTyped" }, { type: "readTyped" }]);
});

test("nothing is typed in a page that is not loaded, or does not answer", async (t) => {
	t.mock.timers.enable({ apis: ["setTimeout"] });
	const absent = aPrompt(false);
	assert.deepEqual([await absent.typed.read(), absent.asked], [[], []]);
	const silent = aPrompt(true).typed.read();
	t.mock.timers.tick(60_000);
	assert.deepEqual(await silent, []);
});
