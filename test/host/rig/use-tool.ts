import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { isCall } from "../../../agent-host/protocol/thread/item.ts";
import type { World } from "../../support/canaries.ts";
import { calls, type Step, says } from "../../support/fake-model-steps.ts";
import { aThread, type HostProcess, runTurn } from "../../support/host-process.ts";
import { bodyOf } from "../../support/request-page.ts";
import { type SharedTest, shareHost } from "./share-host.ts";
import { type HostTestOptions, withHost } from "./with-host.ts";

export interface ToolUse {
	readonly name: string;
	readonly args: object | string | ((world: World) => object);
	/** Sets the stage before the model calls. */
	readonly prepare?: (world: World, host: HostProcess) => void | Promise<void>;
	readonly options?: HostTestOptions;
}

export interface ToolResult {
	readonly status: string;
	readonly output: string;
	readonly title: string;
	readonly world: World;
}

/** Has the model call one tool. Whatever comes of it, the model must read the result and the turn must complete. */
export function useTool(t: TestContext, use: ToolUse, check: (result: ToolResult) => void): Promise<void> {
	const steps: Step[] = [];
	const options = { ...withRoom(use.options), script: steps };
	return withHost(t, options, async (test) => check(await callTool(test, steps, use)));
}

/** The same on one host for several tests, none of which minds what the others put into the workspace. */
export function shareToolHost(options: HostTestOptions = {}) {
	const withShared = shareHost(withRoom(options));
	return (t: TestContext, use: Omit<ToolUse, "options">, check: (result: ToolResult) => void): Promise<void> => {
		const steps: Step[] = [];
		return withShared(t, steps, async (test) => check(await callTool(test, steps, use)));
	};
}

/** Room for the longest arguments; no call here is about a window that fills up. */
function withRoom(options: HostTestOptions = {}): HostTestOptions {
	return {
		...options,
		settings: { ...options.settings, model: { contextWindow: 2_000_000, ...options.settings?.model } },
	};
}

async function callTool(
	test: Pick<SharedTest, "host" | "model" | "world">,
	steps: Step[],
	use: ToolUse,
): Promise<ToolResult> {
	const { host, model, world } = test;
	await use.prepare?.(world, host);
	steps.push(calls(use.name, typeof use.args === "function" ? use.args(world) : use.args), says("Done."));
	const { end, text, published } = await runTurn(host, await aThread(host), "Use the tool.");
	assert.deepEqual([end.status, text], ["completed", "Done."]);

	const item = published.flatMap(({ event }) => (event.type === "itemCompleted" ? [event.item] : [])).find(isCall);
	assert.ok(item?.output !== undefined, "the call has an output");
	const second = model.requests[1];
	assert.ok(second);
	const answer = bodyOf(second).input.find((entry) => entry.type === "function_call_output");
	assert.equal(answer?.output, item.output, "the model reads what the user sees");
	return { status: item.status, output: item.output, title: item.title, world };
}
