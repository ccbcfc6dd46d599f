import type { CheckedFetch } from "../../../network/fetch-checked.ts";
import type { DiscoverOptions } from "./discover-issuer.ts";

/** What the client does for a sign-in; `state` tells one from another. */
export interface SignInEffects extends DiscoverOptions {
	readonly fetch: CheckedFetch;
	/** An address that leads back to the client. */
	readonly redirect: (state: string, kind: "editor" | "loopback", port?: number) => Promise<string>;
	/** Opens the service in the browser; the query that it came back with, or undefined if it did not. */
	readonly authorize: (state: string, url: string) => Promise<string | undefined>;
	readonly newState: () => string;
	readonly now: () => number;
}
