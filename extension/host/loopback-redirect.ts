import { createServer } from "node:http";

/** Where the browser comes back to unless a service knows another path only. */
const PATH = "/signed-in";
const MAX_QUERY_CHARS = 12_000;

export interface LoopbackRedirect {
	readonly address: string;
	readonly close: () => void;
}

/** A page on this machine that the browser comes back to; `receive` says whether what it brings was expected. */
export async function openLoopbackRedirect(
	{ port, path: own = PATH }: { readonly port?: number | undefined; readonly path?: string | undefined },
	receive: (query: string) => boolean,
	pages: { readonly done: string; readonly unexpected: string },
): Promise<LoopbackRedirect> {
	const server = createServer((request, response) => {
		// A value may hold another question mark.
		const [, path, query = ""] = /^([^?]*)\??(.*)$/s.exec(request.url ?? "") ?? [];
		const isHere = request.method === "GET" && path === own && query.length <= MAX_QUERY_CHARS;
		const isExpected = isHere && receive(query);
		response.writeHead(isExpected ? 200 : 404, {
			"content-type": "text/plain; charset=utf-8",
			// The address has the code in it: no page of anybody else may see it.
			"referrer-policy": "no-referrer",
			"cache-control": "no-store",
			connection: "close",
		});
		response.end(isExpected ? pages.done : pages.unexpected);
	});
	await new Promise<void>((resolve, reject) => {
		server.once("error", reject);
		server.listen(port ?? 0, "127.0.0.1", resolve);
	});
	const opened = server.address();
	const actual = typeof opened === "object" && opened !== null ? opened.port : port;
	return { address: `http://127.0.0.1:${actual}${own}`, close: () => void server.close() };
}
