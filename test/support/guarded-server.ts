import type { IncomingMessage, ServerResponse } from "node:http";
import { listen, type SignInService } from "./sign-in-service.ts";

/** An MCP server behind a sign-in: reading needs one scope, writing another. */
export interface GuardedServer {
	readonly origin: string;
	readonly close: () => void;
}

/** `named`: where it says that its users sign in. */
export async function startGuardedServer(
	service: SignInService,
	named: () => readonly string[] = () => [service.issuer],
): Promise<GuardedServer> {
	const { server, origin } = await listen((request, response) => void serve(request, response));

	async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const answer = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
			response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
		};
		if (request.url?.startsWith("/.well-known/oauth-protected-resource")) {
			return answer(200, { resource: `${origin}/mcp`, authorization_servers: named(), scopes_supported: ["read"] });
		}
		if (request.url !== "/mcp") return answer(404, {});
		let text = "";
		for await (const chunk of request) text += chunk;
		const token = await service.find((request.headers.authorization ?? "").replace("Bearer ", ""));
		const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
		if (token === undefined) return answer(401, {}, { "www-authenticate": `${challenge}, scope="read"` });
		if (request.method !== "POST") return answer(405, {});
		const { id, method, params } = JSON.parse(text);
		if (params?.name === "write" && !token.scope.split(" ").includes("write")) {
			return answer(403, {}, { "www-authenticate": `${challenge}, error="insufficient_scope", scope="write"` });
		}
		if (id === undefined) return void response.writeHead(202).end();
		const tool = (name: string) => ({ name, inputSchema: { type: "object" } });
		const results: Readonly<Record<string, unknown>> = {
			initialize: {
				protocolVersion: params?.protocolVersion,
				capabilities: { tools: {} },
				serverInfo: { name: "web", version: "1" },
			},
			"tools/list": { tools: [tool("read"), tool("write")] },
			"tools/call": { content: [{ type: "text", text: `${params?.name} as ${token.accountId}` }] },
		};
		answer(200, { jsonrpc: "2.0", id, result: results[method] ?? {} });
	}

	return { origin, close: () => void server.close() };
}
