import { isAbsolute } from "node:path";
import type { McpServer } from "@agentclientprotocol/sdk";
import { describeIssue } from "../../protocol/describe-issue.ts";
import { HostError } from "../../protocol/errors.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import { quote, say } from "../../protocol/say.ts";
import { ServersSettings } from "../../protocol/settings/server-settings.ts";
import type { PartialSettings } from "../../protocol/settings/settings.ts";
import type { Session } from "../../session/session.ts";
import { isFolder } from "../../workspace/files/small-file.ts";
import { createHandlers, type Handlers } from "../handlers.ts";

type Servers = NonNullable<PartialSettings["servers"]>;

/** A session for one set of folders: a thread can write in its own folders only, never in those of another one. */
export interface FolderHost {
	readonly session: Session;
	readonly handlers: Handlers;
}

export interface Hosts {
	/** The host for a thread in these folders, with the servers that the editor brings. */
	readonly open: (folders: readonly string[], servers: readonly McpServer[]) => Promise<FolderHost>;
	/** Lets a thread be used in that host only. */
	readonly assign: (threadId: ThreadId, host: FolderHost) => void;
	/** Takes a thread out of any other host; throws while it works there, because nobody could stop it any more. */
	readonly release: (threadId: ThreadId, to: FolderHost) => Promise<void>;
	/** The host of a thread that was opened here. */
	readonly find: (threadId: string) => FolderHost;
	/** The same, or the one without folders. */
	readonly findAny: (threadId: string) => Promise<FolderHost>;
	readonly forget: (threadId: string) => void;
	readonly close: () => Promise<void>;
}

export function createHosts(openSession: (folders: readonly string[], servers: Servers) => Promise<Session>): Hosts {
	const hosts = new Map<string, Promise<FolderHost>>();
	const threads = new Map<string, FolderHost>();
	const hostsOf: Hosts = {
		async open(folders, servers) {
			for (const folder of folders) {
				if (!isAbsolute(folder) || !isFolder(folder)) throw refuse(`${folder} is not a folder.`);
			}
			const named = readServers(servers);
			const key = JSON.stringify([[...new Set(folders)].sort(), named]);
			const known = hosts.get(key) ?? openSession(folders, named).then(toHost);
			hosts.set(key, known);
			known.catch(() => hosts.delete(key));
			return known;
		},
		assign: (threadId, host) => void threads.set(threadId, host),
		async release(threadId, to) {
			const before = threads.get(threadId);
			if (before === undefined || before === to) return;
			const thread = before.session.threads.all().find((live) => live.state().threadId === threadId);
			if (thread?.running !== undefined || thread?.isStarting === true)
				throw new HostError("turn-in-progress", say("turn-runs"));
			await before.session.threads.close(threadId);
		},
		findAny: async (threadId) => threads.get(threadId) ?? hostsOf.open([], []),
		forget: (threadId) => void threads.delete(threadId),
		find(threadId) {
			const host = threads.get(threadId);
			if (host === undefined) throw new HostError("thread-not-found", quote(`The session ${threadId} is not open.`));
			return host;
		},
		async close() {
			const all = await Promise.allSettled(hosts.values());
			await Promise.all(all.map((host) => (host.status === "fulfilled" ? host.value.session.close() : undefined)));
		},
	};
	return hostsOf;
}

function toHost(session: Session): FolderHost {
	return { session, handlers: createHandlers(session) };
}

/** Servers of the editor count as the user's: in the sandbox, and each call needs approval. */
function readServers(servers: readonly McpServer[]): Servers {
	const taken = new Set<string>();
	const named = servers.map((server) => {
		const name = nameServer(server.name, taken);
		taken.add(name);
		const pairs = (all: readonly { readonly name: string; readonly value: string }[]) =>
			Object.fromEntries(all.map(({ name, value }) => [name, value]));
		if ("command" in server) return [name, { command: server.command, args: server.args, env: pairs(server.env) }];
		return [name, { type: server.type, url: server.url, headers: pairs(server.headers) }];
	});
	const read = ServersSettings.safeParse(Object.fromEntries(named));
	if (read.success) return read.data;
	const [issue] = read.error.issues;
	const [name = "", ...field] = issue?.path.map(String) ?? [];
	const problem = issue === undefined ? "it is not valid" : `${field.join(".") || "it"} ${describeIssue(issue)}`;
	throw refuse(`The MCP server ${name} cannot be used: ${problem}.`);
}

const MAX_NAME_CHARS = 60;

/** An editor names servers for people; in tools and settings a name is one word, and each server has its own. */
function nameServer(given: string, taken: ReadonlySet<string>): string {
	const word = given.replaceAll(/[^\w.-]+/g, "-").slice(0, MAX_NAME_CHARS) || "server";
	if (!taken.has(word)) return word;
	let number = 2;
	while (taken.has(`${word}-${number}`)) number += 1;
	return `${word}-${number}`;
}

function refuse(sentence: string): HostError {
	return new HostError("settings-refused", quote(sentence));
}
