import type { AuthorizationServerMetadata } from "@modelcontextprotocol/client";
import { type CheckedFetch, type Judged, RefusedAddress } from "../../../network/fetch-checked.ts";
import type { Challenge } from "./authorize-fetch.ts";

/** Where the user of a server signs in. */
export interface Issuer {
	readonly metadata: AuthorizationServerMetadata;
	/** The server as the service knows it. */
	readonly resource?: string;
	/** What a sign-in allows if the server asks for nothing in particular. */
	readonly scopes: readonly string[];
}

export interface DiscoverOptions {
	readonly fetch: CheckedFetch;
	readonly judge: (url: URL) => Judged;
}

/**
 * What a server says about signing in (RFC 9728), then what the service says about itself (RFC 8414, OpenID). A service
 * must name itself as it was named, and every address that it names is judged before anything is sent. Undefined if
 * there is none.
 */
export async function discoverIssuer(
	server: URL,
	{ metadataUrl }: Partial<Challenge>,
	{ fetch, judge }: DiscoverOptions,
): Promise<Issuer | undefined> {
	const library = await import("@modelcontextprotocol/client");
	const described = await library
		.discoverOAuthProtectedResourceMetadata(server, { ...(metadataUrl && { resourceMetadataUrl: metadataUrl }) }, fetch)
		.catch((error: unknown) => {
			if (error instanceof RefusedAddress) throw error;
			// Servers from before RFC 9728 are their own service.
			return undefined;
		});
	if (described !== undefined && !isResourceOf(described.resource, server)) {
		throw new RefusedAddress(server.host, "resource", "it describes another server");
	}
	const issuer = described?.authorization_servers?.[0] ?? server.origin;
	const metadata = await library
		.discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch })
		.catch((error: unknown) => {
			if (!(error instanceof library.IssuerMismatchError)) throw error;
			throw new RefusedAddress(new URL(issuer).host, "resource", "it describes another service");
		});
	if (metadata === undefined) return undefined;
	const { authorization_endpoint, token_endpoint, registration_endpoint } = metadata;
	for (const named of [authorization_endpoint, token_endpoint, registration_endpoint]) {
		if (named !== undefined) checkNamed(named, judge);
	}
	return {
		metadata,
		...(described && { resource: described.resource }),
		scopes: described?.scopes_supported ?? [],
	};
}

/** A server is described as itself, or as a folder of its own origin. */
function isResourceOf(resource: string, server: URL): boolean {
	if (!URL.canParse(resource)) return false;
	const { origin, pathname } = new URL(resource);
	const folder = pathname.endsWith("/") ? pathname : `${pathname}/`;
	return origin === server.origin && `${server.pathname}/`.startsWith(folder);
}

function checkNamed(named: string, judge: (url: URL) => Judged): void {
	if (!URL.canParse(named)) throw new RefusedAddress(named.slice(0, 200), "address", "not a usable address");
	const url = new URL(named);
	const judged = judge(url);
	if (judged.kind === "refused") throw new RefusedAddress(url.host, "address", judged.reason);
}
