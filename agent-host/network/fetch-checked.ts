import { request as requestPlain } from "node:http";
import type { Duplex } from "node:stream";
import { dialChecked } from "./dial-checked.ts";
import { parseHost, type Target } from "./host-name.ts";
import { ruleNaming } from "./host-rules.ts";
import { loadTls, type Tls } from "./load-tls.ts";
import type { NetworkPorts } from "./network-ports.ts";

const TIME_MS = 20_000;
const MAX_BODY_BYTES = 256 * 1024;

/** What is wrong with an address: itself, that it redirects, or that it describes something else than was asked. */
export type Refusal = "address" | "redirect" | "resource";

/** An address that is not used any further. */
export class RefusedAddress extends Error {
	readonly host: string;
	readonly refusal: Refusal;

	constructor(host: string, refusal: Refusal, reason: string) {
		super(`${host}: ${reason}.`);
		this.host = host;
		this.refusal = refusal;
	}
}

/** What may be asked: `own` is a host that the user named, which may be private. */
export type Judged = { readonly kind: "public" | "own" } | { readonly kind: "refused"; readonly reason: string };

export type CheckedFetch = (target: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` for addresses that somebody else names: each is judged, resolved once and reached at the address that was
 * checked. Redirects are not followed, and answers are small.
 */
export function createCheckedFetch(judge: (url: URL) => Judged, ports: NetworkPorts): CheckedFetch {
	return async (target, init) => {
		const sent = new Request(target, init);
		const url = new URL(sent.url);
		const judged = judge(url);
		if (judged.kind === "refused") throw new RefusedAddress(url.host, "address", judged.reason);
		const body = Buffer.from(await sent.arrayBuffer());
		// Before it is dialled: a socket that fails needs its listener at once.
		const tls = url.protocol === "https:" ? await loadTls() : undefined;
		const upstream = await (judged.kind === "own" ? dialOwn(url, ports) : dialPublic(url, ports));
		const signal = AbortSignal.any([sent.signal, AbortSignal.timeout(TIME_MS)]);
		const response = await exchange({ url, method: sent.method, headers: sent.headers, body, upstream, tls, signal });
		if (response.status >= 300 && response.status < 400) {
			throw new RefusedAddress(url.host, "redirect", "it redirects");
		}
		return response;
	};
}

function readTarget(url: URL): Target {
	const host = parseHost(url.hostname);
	if (host === undefined) throw new RefusedAddress(url.host, "address", "not a usable address");
	return { host, port: Number(url.port || (url.protocol === "https:" ? "443" : "80")) };
}

async function dialPublic(url: URL, ports: NetworkPorts): Promise<Duplex> {
	const target = readTarget(url);
	const rule = ruleNaming(target);
	const dialled = await dialChecked(target, rule === undefined ? [] : [rule], ports);
	if (dialled.kind === "refused") throw new RefusedAddress(url.host, "address", dialled.reason);
	if (dialled.kind === "silent") throw new Error(`${url.host} does not answer.`);
	return dialled.upstream;
}

async function dialOwn(url: URL, ports: NetworkPorts): Promise<Duplex> {
	const { host, port } = readTarget(url);
	const found =
		host.kind === "name" ? await ports.lookup(host.name).catch(() => []) : [host.text.replace(/^\[|\]$/g, "")];
	for (const address of found) {
		const upstream = await ports.dial(address, port).catch(() => undefined);
		if (upstream !== undefined) return upstream;
	}
	throw new Error(`${url.host} does not answer.`);
}

interface Exchange {
	readonly url: URL;
	readonly method: string;
	readonly headers: Headers;
	readonly body: Buffer;
	readonly upstream: Duplex;
	/** Absent for a plain connection. */
	readonly tls: Tls | undefined;
	readonly signal: AbortSignal;
}

function exchange({ url, method, headers, body, upstream, tls, signal }: Exchange): Promise<Response> {
	const socket = tls?.startTls({ socket: upstream, servername: url.hostname }) ?? upstream;
	const send = tls?.request ?? requestPlain;
	const done = Promise.withResolvers<Response>();
	const sent = send(url, {
		method,
		createConnection: () => socket,
		signal,
		headers: { ...Object.fromEntries(headers), "accept-encoding": "identity", "content-length": body.length },
	});
	sent.once("error", done.reject);
	sent.once("response", (response) => {
		const parts: Buffer[] = [];
		let size = 0;
		response.on("data", (part: Buffer) => {
			size += part.length;
			parts.push(part);
			if (size > MAX_BODY_BYTES) done.reject(new Error(`${url.host} answers with more than is needed.`));
		});
		response.once("error", done.reject);
		response.once("end", () => {
			const { statusCode: status = 502, headers: given } = response;
			const pairs = Object.entries(given).map(([name, value]) => [name, String(value)] as [string, string]);
			const isEmpty = size === 0 || status === 204 || status === 304;
			done.resolve(new Response(isEmpty ? null : Buffer.concat(parts), { status, headers: pairs }));
		});
	});
	sent.end(body);
	return done.promise.finally(() => socket.destroy());
}
