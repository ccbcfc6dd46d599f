import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** What tells one command from every other program where all of them reach the same loopback. */
export interface ProxyCredentials {
	/** The address of the proxy with its password, as programs read it from a variable. */
	readonly urlAt: (port: number) => string;
	readonly areIn: (request: { readonly headers: { readonly "proxy-authorization"?: string | undefined } }) => boolean;
}

const USER = "vitrine";
const PASSWORD_BYTES = 24;

/** New ones, which nothing else knows. */
export function createCredentials(): ProxyCredentials {
	const password = randomBytes(PASSWORD_BYTES).toString("base64url");
	const wanted = digest(`Basic ${Buffer.from(`${USER}:${password}`).toString("base64")}`);
	return {
		urlAt: (port) => `http://${USER}:${password}@127.0.0.1:${port}`,
		areIn: ({ headers }) => timingSafeEqual(digest(headers["proxy-authorization"] ?? ""), wanted),
	};
}

/** Of one length, so that a comparison takes the same time whatever was sent. */
function digest(text: string): Buffer {
	return createHash("sha256").update(text).digest();
}
