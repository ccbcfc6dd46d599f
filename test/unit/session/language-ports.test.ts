import assert from "node:assert/strict";
import { test } from "node:test";
import type { EditorKnowledge } from "../../../agent-host/session/ports/ports.ts";
import { createLanguagePorts } from "../../../agent-host/session/tools/language-ports.ts";
import { aPolicy } from "../../support/a-policy.ts";
import { NO_EDITOR } from "../../support/no-editor.ts";

const never = new AbortController().signal;
const PLACE = { path: "/repo/a.ts", position: { line: 0, character: 0 } };

/** The ports of a turn, and what ends the time of the request that runs. */
function aTurn(editor: Partial<EditorKnowledge>) {
	const timers = new Set<() => void>();
	const language = createLanguagePorts({
		bound: async () => aPolicy(),
		editor: { ...NO_EDITOR, ...editor },
		setTimer: (_ms, work) => {
			timers.add(work);
			return () => timers.delete(work);
		},
		peek: async () => ({ ok: true, text: "one\ntwo" }),
		refuseOpening: async () => undefined,
	});
	const passTime = (): void => {
		for (const work of timers) work();
	};
	return { language, timers, passTime };
}

/** A server that never answers, and gives up only when it is told to. */
const silent = (_params: unknown, signal: AbortSignal) =>
	new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

test("a server that does not answer in time is asked twice per turn, then skipped; other languages are still asked", async () => {
	let asks = 0;
	const turn = aTurn({
		locate: (params, signal) => {
			asks += 1;
			return silent(params, signal);
		},
	});
	const ask = async (path: string) => {
		const told = turn.language.locate("definition", { ...PLACE, path }, never);
		// The request begins when the policy is known.
		await new Promise((resolve) => setImmediate(resolve));
		turn.passTime();
		const { ok, reason } = (await told) as { readonly ok: boolean; readonly reason: string };
		return [ok, reason];
	};
	const late = [false, "The editor gave no answer. It took longer than 20 s."];
	assert.deepEqual([await ask("/repo/a.ts"), await ask("/repo/b.ts")], [late, late]);
	assert.deepEqual(await ask("/repo/a.ts"), [false, "The editor gave no answer. It was too slow twice in this turn."]);
	assert.deepEqual(await ask("/repo/a.css"), late);
	assert.deepEqual([asks, turn.timers.size], [3, 0]);
});

test("a turn that is stopped does not wait for the editor", async () => {
	const stop = new AbortController();
	const told = aTurn({ outline: silent }).language.outline("/repo/a.ts", stop.signal);
	stop.abort();
	await assert.rejects(told, { name: "AbortError" });
});

test("problems and symbols of files outside the workspace, and other schemes, are left out", async () => {
	const symbol = { name: "x", kind: "function", line: 0, endLine: 0, depth: 0 };
	const problem = { position: PLACE.position, severity: "error" as const, message: "Odd." };
	const paths = ["/repo/a.ts", "/elsewhere/b.ts", "git:/repo/a.ts"];
	const { language } = aTurn({
		problems: async () => ({ problems: paths.map((path) => ({ ...problem, path })), more: 0, unchecked: [], mark: 1 }),
		symbols: async () => ({ symbols: paths.map((path) => ({ ...symbol, path })), more: 0 }),
		locate: async () => ({ locations: paths.map((path) => ({ path, line: 1 })), more: 0 }),
	});
	const problems = await language.problems({}, never);
	assert.deepEqual(problems.ok && problems.problems.map(({ path }) => path), ["/repo/a.ts"]);
	const symbols = await language.symbols("x", undefined, never);
	assert.deepEqual(symbols.ok && symbols.symbols.map(({ path }) => path), ["/repo/a.ts"]);
	const located = await language.locate("references", PLACE, never);
	assert.deepEqual(located.ok && located.hits, [
		{ path: "/repo/a.ts", line: 1, text: "two" },
		{ path: "/elsewhere/b.ts", line: 1, isOutside: true },
		{ path: "git:/repo/a.ts", line: 1, isOutside: true },
	]);
});
