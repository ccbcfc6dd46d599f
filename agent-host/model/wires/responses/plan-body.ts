/** Requests that a plan pays for take tools in a named group only. */
const GROUP = { type: "namespace", name: "vitrine", description: "The tools of this coding agent." } as const;
const CALLS: readonly unknown[] = ["function_call", "custom_tool_call"];

interface Body {
	readonly input?: unknown;
	readonly tools?: readonly unknown[] | undefined;
}

/** The body of a Responses request as a ChatGPT plan takes it. */
export function toPlanBody<T extends Body>(body: T): object {
	const { tools = [], input } = body;
	const items = Array.isArray(input) ? input.map(nameGroup) : input;
	return { ...body, input: items, ...(tools.length === 0 ? {} : { tools: [{ ...GROUP, tools }] }) };
}

const named = new WeakMap<object, object>();

/** A call goes back under the group that it was made in; the same call as the same object. */
function nameGroup(item: unknown): unknown {
	const call = Object(item);
	if (!CALLS.includes(call.type)) return item;
	const inGroup = named.get(call) ?? { ...call, namespace: GROUP.name };
	named.set(call, inGroup);
	return inGroup;
}
