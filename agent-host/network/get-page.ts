import type { Duplex } from "node:stream";
import { dialChecked } from "./dial-checked.ts";
import { parseHost, type Target } from "./host-name.ts";
import { isPlainlyPrivate, type Ruling } from "./host-rules.ts";
import { loadTls, type Tls } from "./load-tls.ts";
import type { NetworkPorts } from "./network-ports.ts";

/** An address can carry data out, so it must be short enough to be shown whole. */
const MAX_URL_CHARS = 450;
const MAX_QUERY_CHARS = 200;
const MAX_REDIRECTS = 5;
const MAX_BODY_BYTES = 5 * 1024 * 1024;
const TIME_MS = 20_000;
const HTTPS_PORT = 443;

export interface GetOptions {
	readonly ports: NetworkPorts;
	/** Whether this host may be asked; also called for each host that a redirect leads to. */
	readonly allow: (target: Target) => Promise<Ruling>;
	/** Authorities to trust besides the usual ones. */
	readonly ca?: string;
	readonly signal: AbortSignal;
}

/** What a server sent, or why there is nothing, in a sentence. */
export type Got =
	| { readonly ok: true; readonly url: string; readonly type: string; readonly text: string }
	| { readonly ok: false; readonly reason: string };

/**
 * Gets one page over https: no cookies, no credentials, no private addresses, also not through a name or a redirect. Each
 * host is resolved once and reached at the address that was checked.
 */
export async function getPage(address: string, options: GetOptions): Promise<Got> {
	let read = readAddress(address);
	// Before anything is dialled: a socket that fails needs its listener at once.
	const tls = await loadTls();
	for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
		if (typeof read === "string") return { ok: false, reason: read };
		const { url, target } = read;
		const ruling = await options.allow(target);
		if (ruling.kind === "deny") return { ok: false, reason: `${url.hostname} is ${ruling.reason}.` };
		const dialled = await dialChecked(target, [ruling.rule], options.ports);
		if (dialled.kind === "refused") return { ok: false, reason: `${url.hostname} is ${dialled.reason}.` };
		if (dialled.kind === "silent") return { ok: false, reason: `${url.hostname} does not answer.` };
		const answer = await getOnce(url, dialled.upstream, tls, options).catch((error: unknown): Got => {
			options.signal.throwIfAborted();
			return { ok: false, reason: `${url.hostname} could not be read: ${describe(error)}` };
		});
		if (!("location" in answer)) return answer;
		read = readAddress(answer.location, url);
	}
	return { ok: false, reason: `The address redirects more than ${MAX_REDIRECTS} times.` };
}

/** An address that may be asked for, or why not. */
function readAddress(text: string, base?: URL): { readonly url: URL; readonly target: Target } | string {
	if (!URL.canParse(text, base)) return "That is not an address.";
	const url = new URL(text, base);
	url.hash = "";
	const host = parseHost(url.hostname);
	if (url.protocol !== "https:" || url.port !== "") return "Only https:// addresses on the usual port can be fetched.";
	if (url.username !== "" || url.password !== "") return "An address with a user name or password cannot be fetched.";
	const isPublicName = host?.kind === "name" && host.name.includes(".") && !isPlainlyPrivate(host);
	if (host === undefined || !isPublicName) return "Only public sites can be fetched, by their names.";
	if (url.href.length > MAX_URL_CHARS || url.search.length > MAX_QUERY_CHARS) {
		return `The address is too long: at most ${MAX_URL_CHARS} characters, with a query of at most ${MAX_QUERY_CHARS}.`;
	}
	return { url, target: { host, port: HTTPS_PORT } };
}

function getOnce(
	url: URL,
	upstream: Duplex,
	{ request, startTls }: Tls,
	{ ca, signal }: GetOptions,
): Promise<Got | { readonly location: string }> {
	const socket = startTls({ socket: upstream, servername: url.hostname, ...(ca !== undefined && { ca }) });
	return new Promise((resolve, reject) => {
		const sent = request(url, {
			createConnection: () => socket,
			signal: AbortSignal.any([signal, AbortSignal.timeout(TIME_MS)]),
			headers: {
				accept: "text/markdown, text/plain, text/html;q=0.9, application/json;q=0.8",
				"accept-encoding": "identity",
				"user-agent": "Vitrine",
			},
		});
		sent.once("error", reject);
		sent.once("response", (response) => {
			const { statusCode = 0, headers } = response;
			const end = (answer: Got | { readonly location: string }): void => {
				response.destroy();
				resolve(answer);
			};
			if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
				return end({ location: headers.location });
			}
			if (statusCode !== 200) return end({ ok: false, reason: `${url.hostname} answered with status ${statusCode}.` });
			const type = headers["content-type"] ?? "text/plain";
			if (!isText(type)) return end({ ok: false, reason: `${url.href} is ${type.slice(0, 80)}, not text.` });
			if ((headers["content-encoding"] ?? "identity") !== "identity") {
				return end({ ok: false, reason: `${url.hostname} only sends compressed text.` });
			}
			const parts: Buffer[] = [];
			let size = 0;
			response.on("data", (part: Buffer) => {
				size += part.length;
				parts.push(part);
				if (size > MAX_BODY_BYTES) end({ ok: false, reason: "The page is larger than 5 MB." });
			});
			response.once("error", reject);
			response.once("end", () => resolve({ ok: true, url: url.href, type, text: decode(Buffer.concat(parts), type) }));
		});
		sent.end();
	}).finally(() => socket.destroy()) as Promise<Got | { readonly location: string }>;
}

function isText(type: string): boolean {
	return /^(?:text\/|application\/(?:[\w.+-]+\+)?(?:json|xml|xhtml\+xml|javascript)\b)/i.test(type);
}

function decode(bytes: Buffer, type: string): string {
	const [, charset = "utf-8"] = /charset="?([\w-]+)/i.exec(type) ?? [];
	try {
		return new TextDecoder(charset).decode(bytes);
	} catch {
		return bytes.toString("utf8");
	}
}

function describe(error: unknown): string {
	const { code, message } = error as NodeJS.ErrnoException;
	return code ?? message;
}
