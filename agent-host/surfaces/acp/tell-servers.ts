import type { ListedServer } from "../../protocol/host/servers.ts";
import { SYSTEM_PORTS } from "../../session/ports/system-ports.ts";
import type { OpenedSession } from "./agent-session.ts";

/** A start that takes no longer needs no word. */
const PATIENCE_MS = 1_000;

/** What the sessions of each host were told. */
const told = new WeakMap<OpenedSession["host"], Set<string>>();

/**
 * Tells about MCP servers while a turn is started: which ones it waits for, and afterwards which ones cannot be used, each
 * reason once in a session. Without a word, a prompt would seem to hang, and tools would be missing.
 */
export async function tellServers<T>(
	{ host, threadId }: OpenedSession,
	tell: (text: string) => void,
	start: () => Promise<T>,
): Promise<T> {
	const list = async () => (await host.session.toolServers.list().catch(() => [])).filter(isUsersOwn);
	const tellOnce = (sentences: readonly string[]): void => {
		const known = told.get(host) ?? new Set();
		told.set(host, known);
		for (const sentence of sentences) {
			const key = `${threadId} ${sentence}`;
			if (!known.has(key)) tell(sentence);
			known.add(key);
		}
	};
	let isWaiting = true;
	const tellWaiting = async (): Promise<void> => {
		const names = (await list()).filter(({ state }) => state === "starting").map(({ name }) => name);
		if (isWaiting && names.length > 0) tellOnce([`Waiting for MCP servers to start: ${names.join(", ")}.`]);
	};
	const cancel = SYSTEM_PORTS.setTimer(PATIENCE_MS, () => void tellWaiting());
	try {
		return await start();
	} finally {
		isWaiting = false;
		cancel();
		tellOnce((await list()).flatMap(describeMissing));
	}
}

/** Those of the workspace are not started before the user has agreed to them. */
function isUsersOwn({ file }: ListedServer): boolean {
	return file === undefined;
}

function describeMissing({ name, state, reason }: ListedServer): readonly string[] {
	switch (state) {
		case "failed":
			return [`The MCP server ${name} cannot be used: ${reason ?? "It has failed."}`];
		case "signIn":
			return [`The MCP server ${name} cannot be used: it needs a sign-in, which is only possible in VS Code.`];
		case "starting":
			return [`The MCP server ${name} is still starting. Its tools can be used from a later prompt on.`];
		case "off":
		case "unasked":
		case "idle":
		case "running":
			return [];
	}
}
