import { type AddressInfo, createServer } from "node:net";
import type { AskHost, HostRule } from "../../network/host-rules.ts";
import { SYSTEM_NETWORK } from "../../network/network-ports.ts";
import type { CommandProxy } from "../../network/proxy.ts";
import { createCredentials } from "../../network/proxy-credentials.ts";

/** The only way out of one command, which shares the host's loopback with every other program of the machine. */
export interface LocalProxy extends Pick<CommandProxy, "refusedHosts" | "close"> {
	readonly port: number;
	/** With the credentials of this command; a connection without them gets nowhere. */
	readonly url: string;
}

export async function openLocalProxy(rules: readonly HostRule[], ask: AskHost | undefined): Promise<LocalProxy> {
	// Loaded on demand, as few commands need it.
	const { createProxy } = await import("../../network/proxy.ts");
	const credentials = createCredentials();
	const proxy = createProxy(rules, SYSTEM_NETWORK, undefined, ask, credentials);
	const listener = createServer(proxy.accept);
	await new Promise<void>((resolve, reject) => {
		listener.once("error", reject).listen(0, "127.0.0.1", resolve);
	});
	listener.unref();
	const { port } = listener.address() as AddressInfo;
	return {
		port,
		url: credentials.urlAt(port),
		refusedHosts: proxy.refusedHosts,
		close: () => {
			listener.close();
			proxy.close();
		},
	};
}
