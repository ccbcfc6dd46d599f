import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { answerSocket, answerText, carryRequest, carryTunnel } from "./carry.ts";
import { carriesTlsOnly, judgeOpening } from "./client-hello.ts";
import { type Dialled, dialChecked } from "./dial-checked.ts";
import { type Target, targetText } from "./host-name.ts";
import { type AskHost, type HostRule, judgeTarget, NOT_LISTED, type RefusedHost } from "./host-rules.ts";
import type { NetworkPorts } from "./network-ports.ts";
import { createPendingApprovals } from "./pending-approvals.ts";
import type { ProxyCredentials } from "./proxy-credentials.ts";
import { readHead } from "./request-head.ts";

/** The network access of one command: opens what the rules allow, and remembers what it refused. */
export interface CommandProxy {
	readonly accept: (client: Socket) => void;
	readonly refusedHosts: () => readonly RefusedHost[];
	/** Ends all connections. */
	readonly close: () => void;
}

export const MAX_CONNECTIONS = 128;
const MAX_CONNECTIONS_IN_ALL = 20_000;
const MAX_REFUSED = 50;
const MAX_HEAD_BYTES = 16_384;

export interface ProxyLimits {
	/** Time limit for a connection's request head, and for the first message of a tunnel. */
	readonly headMs: number;
	readonly idleMs: number;
	/** How long the user may take to decide about a host. */
	readonly holdMs?: number;
}

const NO_CREDENTIALS = "This proxy belongs to one command, which has a password for it.\n";
const ASKS_FOR_THEM = { "Proxy-Authenticate": 'Basic realm="vitrine"' };

const LIMITS: ProxyLimits = { headMs: 15_000, idleMs: 300_000 };
/** Shorter than a connection's idle limit, so that a waiting client gets an answer. */
const HOLD_MS = 240_000;

/** Without `ask`, an unlisted host is refused at once. Without `credentials`, all that can connect may use it. */
export function createProxy(
	rules: readonly HostRule[],
	ports: NetworkPorts,
	limits = LIMITS,
	ask?: AskHost,
	credentials?: ProxyCredentials,
): CommandProxy {
	const approvals = ask && createPendingApprovals(ask, limits.holdMs ?? HOLD_MS, ports.nearby);
	const refused = new Map<string, RefusedHost>();
	const refuse = (target: Target, reason: string): void => {
		const host = targetText(target);
		if (refused.size < MAX_REFUSED) refused.set(`${host} ${reason}`, { host, reason });
	};
	const dial = async (target: Target): Promise<Dialled> => {
		const dialled = await dialAsking(target);
		if (dialled.kind === "refused") refuse(target, dialled.reason);
		return dialled;
	};
	const dialAsking = async (target: Target): Promise<Dialled> => {
		const ruling = judgeTarget(rules, target);
		if (approvals === undefined || ruling.kind === "allow" || ruling.reason !== NOT_LISTED) {
			return dialChecked(target, rules, ports);
		}
		const asked = await approvals.decide(target);
		if (asked.kind === "deny") return { kind: "refused", reason: asked.reason };
		return dialChecked(target, [...rules, asked.rule], ports);
	};
	const { server, serveHead } = createHeadServer(limits.headMs);
	server.on("connect", (from: IncomingMessage, client: Duplex, head: Buffer) => {
		client.unshift(head);
		void tunnel(from, client).catch(() => client.destroy());
	});
	server.on("request", (from, to) => {
		if (credentials?.areIn(from) === false) return answerText(to, 407, NO_CREDENTIALS, ASKS_FOR_THEM);
		const read = readHead(toHead(from));
		if (read.kind !== "forward") return answerText(to, 400, `${read.kind === "bad" ? read.reason : ""}\n`);
		void dial(read.target)
			.then((dialled) => {
				if (dialled.kind === "open") carryRequest(read, from, to, dialled.upstream);
				else answerText(to, dialled.kind === "refused" ? 403 : 502, sentence(read.target, dialled));
			})
			.catch(() => to.destroy());
	});

	async function tunnel(from: IncomingMessage, client: Duplex): Promise<void> {
		if (credentials?.areIn(from) === false) return answerSocket(client, 407, NO_CREDENTIALS, ASKS_FOR_THEM);
		const read = readHead(toHead(from));
		if (read.kind !== "tunnel") return answerSocket(client, 400, `${read.kind === "bad" ? read.reason : ""}\n`);
		const { target } = read;
		const dialled = await dial(target);
		if (dialled.kind !== "open") {
			return answerSocket(client, dialled.kind === "refused" ? 403 : 502, sentence(target, dialled));
		}
		if (client.destroyed) return void dialled.upstream.destroy();
		const late = carriesTlsOnly(target, dialled.rule) ? setTimeout(() => client.destroy(), limits.headMs) : undefined;
		await carryTunnel(client, dialled.upstream, (bytes) => {
			const judged = judgeOpening(bytes, target, dialled.rule);
			if (judged.kind !== "wait") clearTimeout(late);
			if (judged.kind === "deny") refuse(target, judged.reason);
			return judged.kind;
		});
		clearTimeout(late);
	}

	const clients = new Set<Socket>();
	let accepted = 0;
	return {
		accept: (client) => {
			accepted += 1;
			if (clients.size >= MAX_CONNECTIONS || accepted > MAX_CONNECTIONS_IN_ALL) return void client.destroy();
			clients.add(client);
			// A client may disconnect at any moment.
			client.on("error", () => undefined).once("close", () => clients.delete(client));
			client.setTimeout(limits.idleMs, () => client.destroy());
			serveHead(client);
		},
		refusedHosts: () => [...refused.values()],
		close: () => {
			approvals?.close();
			for (const client of clients) client.destroy();
		},
	};
}

/** Node's own strict parser for connections that are handed to it: one head each, within a time limit. */
function createHeadServer(headMs: number): { readonly server: Server; readonly serveHead: (client: Socket) => void } {
	const late = new WeakMap<Socket, NodeJS.Timeout>();
	const server = createServer({ maxHeaderSize: MAX_HEAD_BYTES });
	server.maxRequestsPerSocket = 1;
	for (const event of ["connect", "request"]) {
		server.on(event, ({ socket }: IncomingMessage) => clearTimeout(late.get(socket)));
	}
	server.on("clientError", (_, client) => answerSocket(client, 400, "The request is not valid.\n"));
	const serveHead = (client: Socket): void => {
		const timer = setTimeout(() => client.destroy(), headMs);
		late.set(client, timer);
		client.once("close", () => clearTimeout(timer));
		server.emit("connection", client);
	};
	return { server, serveHead };
}

function toHead({ method = "", url = "", rawHeaders }: IncomingMessage) {
	return { method, url, rawHeaders };
}

function sentence(target: Target, dialled: Exclude<Dialled, { kind: "open" }>): string {
	const host = targetText(target);
	return dialled.kind === "refused"
		? `${host} was blocked: ${dialled.reason}.\n`
		: `${host} is allowed but does not respond.\n`;
}
