import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Provider, { errors, type FoundToken } from "oidc-provider";

/** Listens on this machine, at a port of its own. */
export async function listen(
	answer: (request: IncomingMessage, response: ServerResponse) => void,
	host = "127.0.0.1",
): Promise<{ readonly server: Server; readonly origin: string }> {
	const server = createServer(answer);
	await new Promise<void>((resolve) => server.listen(0, host, resolve));
	return {
		server,
		origin: `http://${host.includes(":") ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`,
	};
}

/** A real authorization server where everybody is Ada and allows what is asked. */
export interface SignInService {
	readonly issuer: string;
	readonly find: (token: string) => Promise<FoundToken | undefined>;
	/** What was asked for, as "METHOD /path". */
	readonly asked: string[];
	readonly close: () => void;
}

/** `consent`: `page` shows a page with a button that Ada must press. `host`: its address on this machine. */
export async function startSignInService({
	consent = "none",
	host,
}: {
	readonly consent?: "none" | "page";
	readonly host?: string;
} = {}): Promise<SignInService> {
	const asked: string[] = [];
	const { server, origin } = await listen((request, response) => {
		const path = (request.url ?? "").replace(/[?].*/, "");
		asked.push(`${request.method} ${path}`);
		const isPage = consent === "page" && request.method === "GET";
		if (path.startsWith("/interaction/")) void (isPage ? showConsent : agree)(provider, request, response);
		else provider.callback()(request, response);
	}, host);
	const provider = new Provider(origin, {
		cookies: { keys: ["of a test"] },
		scopes: ["openid", "offline_access", "read", "write"],
		features: {
			devInteractions: { enabled: false },
			registration: { enabled: true },
			revocation: { enabled: true },
			resourceIndicators: {
				enabled: true,
				useGrantedResource: () => true,
				getResourceServerInfo: () => ({ scope: "read write", accessTokenFormat: "opaque" }),
			},
		},
		// As most services: no address of a program.
		extraClientMetadata: {
			properties: ["checked"],
			validator: (_: unknown, __: string, ___: unknown, { redirect_uris }: { readonly redirect_uris: string[] }) => {
				if (redirect_uris.some((uri) => !uri.startsWith("http"))) throw new errors.InvalidRedirectUri();
			},
		},
		interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
		findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
	});
	return { issuer: origin, asked, find: (token) => provider.AccessToken.find(token), close: () => void server.close() };
}

/** The first prompt is for the account, which needs no page here. */
async function showConsent(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
	const { prompt, params } = await provider.interactionDetails(request, response);
	if (prompt.name === "login") return agree(provider, request, response);
	const page = `<!doctype html><meta name="color-scheme" content="light dark"><title>Sign in</title>
<h1>Allow Vitrine?</h1><p>Ada, it asks for: ${(params.scope ?? "").replaceAll(/[^\w ]/g, "")}</p>
<form method="post"><button>Allow</button></form>`;
	response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
}

async function agree(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
	const { prompt, params } = await provider.interactionDetails(request, response);
	const finish = (result: unknown) =>
		provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
	if (prompt.name === "login") return finish({ login: { accountId: "ada" } });
	const { client_id: clientId = "", scope = "", resource = "" } = params;
	const grant = new provider.Grant({ accountId: "ada", clientId });
	grant.addOIDCScope(scope);
	grant.addResourceScope(resource, scope);
	await finish({ consent: { grantId: await grant.save() } });
}

/** Opens an address as a browser does: with cookies, along redirects. */
export async function browse(address: string): Promise<Response> {
	const cookies = new Map<string, string>();
	let url = new URL(address);
	for (let hop = 0; hop < 12; hop += 1) {
		const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
		const response = await fetch(url, { redirect: "manual", headers: { cookie } });
		for (const line of response.headers.getSetCookie()) {
			const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
			cookies.set(name, value);
		}
		const next = response.headers.get("location");
		if (next === null) return response;
		url = new URL(next, url);
	}
	throw new Error("The browser went round in circles.");
}
