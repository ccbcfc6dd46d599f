import { isLocalServer } from "../../local-server.ts";

/** Node's `fetch` takes it beside the standard options. */
interface Patience {
	readonly dispatcher?: object;
}

/** Where Node keeps the agent of its own `fetch`; the class is not exported otherwise. */
const AGENT = Symbol.for("undici.globalDispatcher.1");

let patient: Patience | undefined;

/**
 * Options for `fetch` without Node's limit of five minutes to the first byte: a local server may read a prompt for
 * longer, and how long a request may stay silent is decided above.
 */
export function patienceFor(url: string): Patience {
	if (!isLocalServer(url)) return {};
	patient ??= createPatience();
	return patient;
}

function createPatience(): Patience {
	const agent: unknown = Reflect.get(globalThis, AGENT);
	if (typeof agent !== "object" || agent === null) return {};
	const Agent = agent.constructor as new (options: object) => object;
	// A proxy's agent takes other options; a local server is not behind one.
	return Agent.name === "Agent" ? { dispatcher: new Agent({ headersTimeout: 0, bodyTimeout: 0 }) } : {};
}
