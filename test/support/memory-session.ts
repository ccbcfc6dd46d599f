import type { TurnEnvelope } from "../../agent-host/envelope/envelope.ts";
import { createServerMemory } from "../../agent-host/model/memory.ts";
import { HostError } from "../../agent-host/protocol/errors.ts";
import type { ThreadId, TurnId } from "../../agent-host/protocol/ids.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import type { PublishedEvent } from "../../agent-host/protocol/thread/events.ts";
import { NOTHING_BROUGHT } from "../../agent-host/session/brought/brought.ts";
import type { Ports } from "../../agent-host/session/ports/ports.ts";
import { createSession, type Session } from "../../agent-host/session/session.ts";
import { sealTurn } from "../../agent-host/session/start/seal-turn.ts";
import { createFullAccess } from "../../agent-host/session/thread/full-access.ts";
import { openDayLedger } from "../../agent-host/store/home/day-ledger.ts";
import type { Disk } from "../../agent-host/store/home/disk.ts";
import { openHome } from "../../agent-host/store/home/home.ts";
import { NO_DOCUMENTS } from "../../agent-host/workspace/apply/open-documents.ts";
import { NO_EDITOR, NO_EDITOR_TOOLS } from "./no-editor.ts";

// Never the same twice, like the real ones, also across sessions on one disk.
let nextId = 1;

/** What a test wants otherwise than described below. */
export interface SessionChange {
	readonly folders?: readonly string[];
	/** Of the session; the disk need not be a real one. */
	readonly home?: string;
	readonly settings?: PartialSettings;
	readonly ask?: Ports["ask"];
	readonly setTimer?: Ports["setTimer"];
	readonly pursuesGoals?: boolean;
	readonly editorModels?: Ports["editorModels"];
	readonly published?: (event: PublishedEvent, threadId: ThreadId) => void;
}

/** A session in this process, on any disk, with the demo model and no folder, whose clock stands still and whose pauses take no time. */
export async function aSession(
	disk: Disk,
	change: SessionChange = {},
): Promise<{
	readonly session: Session;
	readonly published: readonly PublishedEvent[];
	/** Runs one turn to its end; the ids of what was acknowledged. */
	readonly runTurn: (threadId: ThreadId, text: string) => Promise<TurnId>;
	/** What a turn of the thread that began now would be bound to. */
	readonly contractOf: (threadId: ThreadId) => Promise<TurnEnvelope>;
}> {
	const published: PublishedEvent[] = [];
	const home = await openHome(disk, async () => ({ release: () => undefined }), change.home ?? "/home");
	const ports: Ports = {
		now: () => 1_800_000_000_000,
		pause: async () => undefined,
		setTimer: change.setTimer ?? (() => () => undefined),
		random: () => 0.5,
		newId: () => `id-${nextId++}`,
		secret: async () => undefined,
		ask: change.ask ?? (() => Promise.reject(new Error("nobody is there to be asked"))),
		question: () => Promise.reject(new Error("nobody is there to be asked")),
		serverInput: async () => undefined,
		signIn: {
			credentials: async () => ({}),
			keepCredentials: async () => ({}),
			redirect: () => Promise.reject(new Error("There is no browser.")),
			authorize: async () => ({}),
		},
		editorModels: change.editorModels ?? {
			list: async () => [],
			stream: async () => ({ status: "failed", code: "unavailable", message: "" }),
			countTokens: async () => 0,
		},
		servers: createServerMemory({ servers: {} }, () => undefined, Date.now),
		dailySpending: openDayLedger(home),
		publish: (threadId, event) => {
			published.push(event);
			change.published?.(event, threadId);
		},
		waitForDrain: () => undefined,
		log: () => undefined,
		processesChanged: () => undefined,
		serversChanged: () => undefined,
		statusChanged: () => undefined,
		warn: () => undefined,
		documents: NO_DOCUMENTS,
		editor: NO_EDITOR,
		editorTools: NO_EDITOR_TOOLS,
	};
	const facts = {
		folders: change.folders ?? [],
		closedFolders: [],
		worktrees: { list: [] },
		trusted: true,
		// Room for prompts that do not fit in a line of the file.
		settings: change.settings ?? { model: { contextWindow: 10_000_000 } },
		documents: new Map(),
		environment: "local" as const,
		pursuesGoals: change.pursuesGoals ?? true,
		asksUser: false,
		knowsLanguages: false,
		hasTools: false,
		surface: { name: "test", version: "1" },
	};
	const session = createSession({ home, facts, ripgrep: undefined, ports });
	const state = { kind: "bubblewrap" } as const;
	const sandbox = { look: async () => state, glance: async () => state };
	const observeServers = async () => ({ offers: { listed: [], found: [] }, tools: [], prompts: [] });
	const observeBrought = async () => NOTHING_BROUGHT;
	const world = {
		facts,
		home: home.folder,
		ports,
		full: createFullAccess(facts),
		sandbox,
		observeServers,
		observeBrought,
		parentRights: async () => undefined,
		readWorktrees: async () => undefined,
	};
	return {
		session,
		published,
		contractOf: async (threadId) => {
			const thread = await session.threads.open(threadId);
			return (await sealTurn(thread.state(), {}, world)).envelope;
		},
		runTurn: async (threadId, text) => {
			const turnId = await session.startTurn({ threadId, input: [{ kind: "text", text }] });
			await (await session.threads.open(threadId)).running?.ended;
			return turnId;
		},
	};
}

export function isStorageFailure(error: unknown): boolean {
	return error instanceof HostError && error.kind === "storage-unavailable";
}
