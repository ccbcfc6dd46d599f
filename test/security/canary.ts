import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A listener that nobody should ever reach. */
export interface Canary extends AsyncDisposable {
	readonly origin: string;
	/** Counts connections too that asked for nothing. */
	readonly connections: () => number;
	/** What was asked for, in order. */
	readonly paths: readonly string[];
}

export async function startCanary(): Promise<Canary> {
	const paths: string[] = [];
	let connections = 0;
	const server = createServer((request, response) => {
		paths.push(request.url ?? "");
		response.writeHead(200, { "access-control-allow-origin": "*" }).end();
	});
	server.on("connection", () => connections++);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		connections: () => connections,
		paths,
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
