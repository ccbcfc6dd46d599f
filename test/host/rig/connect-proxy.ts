import { createServer, request as forward } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { TestContext } from "node:test";

export interface ConnectProxy {
	readonly address: string;
	/** Where it was asked to go. */
	readonly asked: readonly string[];
	/** What who asked called itself. */
	readonly credentials: readonly (string | undefined)[];
	/** All bytes that it carried towards the server. */
	carried(): string;
	/** Wherever it is asked to go, it goes to this port of this machine. */
	lead(port: number): void;
}

/** A proxy that carries encrypted bytes and understands none of them, as those of companies do. */
export async function startConnectProxy(t: TestContext): Promise<ConnectProxy> {
	const asked: string[] = [];
	const credentials: (string | undefined)[] = [];
	const carried: Buffer[] = [];
	let target = 0;
	// What is not encrypted it reads and passes on.
	const proxy = createServer((request, response) => {
		const { host, pathname, search } = new URL(String(request.url));
		asked.push(`${host}:80`);
		const { method, headers } = request;
		const up = forward({ port: target, path: pathname + search, method, headers }, (answer) => {
			response.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(response);
		});
		up.on("error", () => response.destroy());
		request.pipe(up);
	});
	proxy.on("connect", ({ url, headers }, socket) => {
		asked.push(String(url));
		credentials.push(headers["proxy-authorization"]);
		const up = connect(target, "127.0.0.1", () => {
			socket.write("HTTP/1.1 200 OK\r\n\r\n");
			socket.on("data", (bytes: Buffer) => carried.push(bytes));
			socket.pipe(up).pipe(socket);
		});
		for (const end of [up, socket]) end.on("error", () => socket.destroy());
	});
	proxy.listen(0, "127.0.0.1");
	await new Promise((resolve) => proxy.once("listening", resolve));
	t.after(() => proxy.close());
	return {
		address: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
		asked,
		credentials,
		carried: () => Buffer.concat(carried).toString("latin1"),
		lead: (port) => {
			target = port;
		},
	};
}
