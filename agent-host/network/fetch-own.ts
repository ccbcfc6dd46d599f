import { type CheckedFetch, RefusedAddress } from "./fetch-checked.ts";

const TIME_MS = 20_000;
const MAX_BODY_BYTES = 256 * 1024;

/**
 * A `fetch` for one service that we name ourselves, through the user's proxy if there is one. It asks no other origin,
 * follows no redirect, and waits neither long nor for much.
 */
export function createOwnFetch(origin: string, timeMs: number = TIME_MS): CheckedFetch {
	return async (target, init) => {
		const url = new URL(target);
		if (url.origin !== origin) throw new RefusedAddress(url.host, "address", "another site");
		const response = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(timeMs) });
		if (response.status >= 300 && response.status < 400) {
			await response.body?.cancel();
			throw new RefusedAddress(url.host, "redirect", "it redirects");
		}
		const { status, headers } = response;
		const isEmpty = status === 204 || status === 205;
		return new Response(isEmpty ? null : await readBounded(response, url.host), { status, headers });
	};
}

async function readBounded(response: Response, host: string): Promise<Uint8Array<ArrayBuffer>> {
	const parts: Uint8Array[] = [];
	let size = 0;
	for await (const part of response.body ?? []) {
		size += part.length;
		// Leaving the loop lets the connection go.
		if (size > MAX_BODY_BYTES) throw new Error(`${host} answers with more than is needed.`);
		parts.push(part);
	}
	return new Uint8Array(Buffer.concat(parts));
}
