/** What sends over TLS. */
export interface Tls {
	readonly request: typeof import("node:https").request;
	readonly startTls: typeof import("node:tls").connect;
}

/** Loaded when something is first sent: Node takes as long for it as for much of a host's start. */
export async function loadTls(): Promise<Tls> {
	const [{ request }, { connect }] = await Promise.all([import("node:https"), import("node:tls")]);
	return { request, startTls: connect };
}
