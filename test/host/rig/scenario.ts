import assert from "node:assert/strict";
import type { World } from "../../support/canaries.ts";
import type { FakeModel } from "../../support/fake-model.ts";
import { bodyOf, matchesPage, renderPage, type Volatile } from "../../support/request-page.ts";

/** The input of each request begins with all bytes of the one before, so that a provider's cache holds. */
export function assertPrefixes(
	model: FakeModel,
	{ toolsFrom = 0, toolsChange = false }: { readonly toolsFrom?: number; readonly toolsChange?: boolean } = {},
): void {
	const inputs = model.requests.map(({ text }) => inputBytes(text));
	for (const [index, input] of inputs.entries()) {
		const before = inputs[index - 1] ?? "[";
		assert.ok(input.startsWith(before.replace(/\]$/, "")), `request ${index + 1} changes what was said before`);
	}
	const fixed = model.requests.map((request, index) => {
		const body = { ...bodyOf(request), input: [], ...(toolsChange ? { tools: [] } : {}) };
		return index < toolsFrom ? { ...body, tools: bodyOf(model.requests[toolsFrom] ?? request).tools } : body;
	});
	for (const body of fixed) assert.deepEqual(body, fixed[0]);
}

/** The array after "input": as it stands in the request. */
export function inputBytes(text: string): string {
	const input = JSON.stringify((JSON.parse(text) as { input: unknown }).input);
	assert.ok(text.includes(`"input":${input}`), "the request is written without spaces, as JSON.stringify does");
	return input;
}

/** Compares what the model was sent with the committed page of that name; one label a request. */
export function matchesRequests(name: string, model: FakeModel, world: World, labels: readonly string[]): void {
	const volatile: readonly Volatile[] = [
		[world.workspace, "<CWD>"],
		[world.root, "<ROOT>"],
		[/(?<=Exit code \d+ after )\d+\.\d(?= s)/g, "<TIME>"],
	];
	assert.equal(model.requests.length, labels.length);
	const requests = model.requests.map((request, index) => ({ label: labels[index] ?? "", request }));
	matchesPage(name, renderPage(requests, volatile));
}
