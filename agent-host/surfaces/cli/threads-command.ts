import { resolve } from "node:path";
import { HostError } from "../../protocol/errors.ts";
import { HostOptions } from "../../protocol/host/host-options.ts";
import type { ThreadSummary } from "../../protocol/thread/thread.ts";
import { VERSION } from "../../version.ts";
import { createHandlers, type Handlers } from "../handlers.ts";
import { matchFolder } from "../match-folder.ts";
import { openSession } from "../open-session.ts";
import { makeVisible, makeVisibleLine } from "../visible.ts";
import { checkHome, refuseMissingHome } from "./check-home.ts";
import type { CommandIo } from "./cli-command.ts";
import { clientlessPorts } from "./clientless-ports.ts";
import { COMMAND_WORDS } from "./command-words.ts";
import { describeMisuse, readArguments, readThreadId } from "./read-arguments.ts";

const DONE = 0;
const FAILED = 1;
const MISUSED = 2;
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;
const MAX_TITLE_CHARS = 60;

export const THREADS_OPTIONS = {
	search: { type: "string" },
	cwd: { type: "string" },
	archived: { type: "boolean", default: false },
	limit: { type: "string" },
	json: { type: "boolean", default: false },
	home: { type: "string" },
} as const;

type Action = "list" | (typeof COMMAND_WORDS.threads.first)[number];
const ACTIONS: readonly string[] = COMMAND_WORDS.threads.first;

/** Lists and manages the threads of this machine, which an editor shares. */
export async function threadsCommand(args: readonly string[], io: CommandIo): Promise<number> {
	const options = await readOptions(args, io.cwd);
	if (typeof options === "string") {
		io.stderr.write(`${makeVisible(options)}\n`);
		return MISUSED;
	}
	const rejectQuestion = () => Promise.reject(new Error("Approvals are not available."));
	const ports = { ...clientlessPorts(io.stderr), ask: rejectQuestion, publish: () => undefined };
	const { home } = options;
	const surface = { name: "threads", version: VERSION };
	const hostOptions = HostOptions.parse({ ...(home === undefined ? {} : { home }), surface });
	const session = await openSession([], hostOptions, ports, new Map());
	try {
		await checkHome(session.home);
		await ACT[options.action](createHandlers(session), options, io);
		return DONE;
	} catch (error) {
		if (!(error instanceof HostError)) throw error;
		io.stderr.write(`${makeVisibleLine(error.message)}\n`);
		return FAILED;
	} finally {
		await session.close();
	}
}

type Options = Exclude<Awaited<ReturnType<typeof readOptions>>, string>;
type Act = (handlers: Handlers, options: Options, io: CommandIo) => Promise<void>;

const NEVER = new AbortController().signal;
const NO_REPORT = () => undefined;

const ACT: Readonly<Record<Action, Act>> = {
	list: async ({ threadSearch }, { search, cwd, archived, limit, json }, io) => {
		const { threads, nextCursor } = await threadSearch({ query: search, archived, limit: MAX_LIMIT }, NEVER, NO_REPORT);
		const isWanted = cwd === undefined ? () => true : matchFolder(cwd);
		const found = threads.filter((thread) => isWanted(thread.cwd));
		const lines = found.slice(0, limit).map((thread) => (json ? JSON.stringify(thread) : describe(thread)));
		io.stdout.write(lines.map((line) => `${line}\n`).join(""));
		if (found.length > limit || nextCursor !== undefined) io.stderr.write(`${MORE}\n`);
	},
	show: async ({ threadExport }, { threadId }, io) => {
		const { text } = await threadExport({ threadId, format: "markdown" }, NEVER, NO_REPORT);
		io.stdout.write(`${(io.isShown ? makeVisible(text) : text).trimEnd()}\n`);
	},
	export: async ({ threadExport }, { threadId }, io) => {
		io.stdout.write((await threadExport({ threadId, format: "records" }, NEVER, NO_REPORT)).text);
	},
	archive: async ({ threadArchive }, { threadId }) => {
		await threadArchive({ threadId, archived: true }, NEVER, NO_REPORT);
	},
	unarchive: async ({ threadArchive }, { threadId }) => {
		await threadArchive({ threadId, archived: false }, NEVER, NO_REPORT);
	},
	delete: async ({ threadDelete }, { threadId }) => {
		await threadDelete({ threadId }, NEVER, NO_REPORT);
	},
};

const MORE = "There are more threads. Use --limit or --search to see them.";

function describe({ threadId, title, preview, cwd, updatedAt }: ThreadSummary): string {
	const when = new Date(updatedAt).toISOString().slice(0, 16).replace("T", " ");
	const name = makeVisibleLine(title || preview).slice(0, MAX_TITLE_CHARS);
	return `${threadId}  ${when}  ${name}${cwd === undefined ? "" : `  (${makeVisibleLine(cwd)})`}`;
}

async function readOptions(args: readonly string[], from: string) {
	const parsed = readArguments("threads", args, { options: THREADS_OPTIONS, allowPositionals: true });
	if (typeof parsed === "string") return parsed;
	const { values, positionals } = parsed;
	const [word, ...names] = positionals;
	if (word !== undefined && !ACTIONS.includes(word)) return describeMisuse("threads", `Unexpected argument '${word}'.`);
	const named = readThreadId("threads", word === undefined ? ["none"] : names);
	if (typeof named === "string") return named;
	const limit = Number(values.limit ?? DEFAULT_LIMIT);
	if (!(limit >= 1)) return describeMisuse("threads", `--limit: '${values.limit}' is not a number of at least 1.`);
	const home = values.home === undefined ? undefined : resolve(from, values.home);
	const missing = await refuseMissingHome(home);
	if (missing !== undefined) return missing;
	return {
		...values,
		...named,
		// The list has every word that is not an action itself.
		action: (word ?? "list") as Action,
		limit: Math.min(Math.floor(limit), MAX_LIMIT),
		cwd: values.cwd === undefined ? undefined : resolve(from, values.cwd),
		home,
	};
}
