import { resolve } from "node:path";
import { HostError } from "../../protocol/errors.ts";
import { HostOptions } from "../../protocol/host/host-options.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import { quote } from "../../protocol/say.ts";
import { PartialSettings } from "../../protocol/settings/settings.ts";
import type { ClientPorts } from "../../session/ports/ports.ts";
import type { Session } from "../../session/session.ts";
import { readHeld } from "../../session/thread/last-envelope.ts";
import { VERSION } from "../../version.ts";
import { openSession } from "../open-session.ts";
import { makeVisibleLine } from "../visible.ts";
import type { CommandIo } from "./cli-command.ts";
import { clientlessPorts } from "./clientless-ports.ts";
import { describeIssues, MODEL_OPTIONS, modelSettings } from "./model-options.ts";
import { readArguments, readThreadId } from "./read-arguments.ts";
import { createFailureTeller, createPrinter, EXIT, runTurnHere } from "./run-turn-here.ts";

export const COMPACT_OPTIONS = {
	...MODEL_OPTIONS,
	focus: { type: "string" },
	home: { type: "string" },
	json: { type: "boolean", default: false },
} as const;

interface CompactOptions {
	readonly threadId: ThreadId;
	readonly home: string | undefined;
	readonly focus: string | undefined;
	/** The model that writes the summary; by default the thread's own. */
	readonly settings: PartialSettings;
	readonly json: boolean;
}

/** Warnings about the compaction itself, such as why there was none. */
const SAID_HERE: ReadonlySet<string> = new Set(["compaction", "hook"]);

/** Compacts a thread without an editor, and prints the result: in one line, or as one event per line. */
export async function compactCommand(args: readonly string[], io: CommandIo): Promise<number> {
	const options = readOptions(args, io.cwd);
	const tellFailure = createFailureTeller(typeof options === "string" ? args.includes("--json") : options.json, io);
	if (typeof options === "string") {
		tellFailure("input-refused", options);
		return EXIT.usage;
	}
	let status: number = EXIT.failed;
	let isSkipped = false;
	const print = createPrinter(options.json, io);
	const ports: ClientPorts = {
		...clientlessPorts(io.stderr),
		ask: () => Promise.reject(new Error("A compaction needs no approval.")),
		publish: (threadId, published) => {
			print({ threadId, ...published });
			const { event } = published;
			if (!options.json && event.type === "warning" && SAID_HERE.has(event.code))
				io.stderr.write(`${makeVisibleLine(event.message)}\n`);
			if (event.type === "compactionSkipped") isSkipped = true;
			if (event.type === "turnCompleted")
				status = isSkipped && event.status === "completed" ? EXIT.failed : EXIT[event.status];
		},
	};
	try {
		const session = await openSession([], hostOptions(options), ports, new Map());
		try {
			await runTurnHere(session, options.threadId, io, () => compact(session, options));
		} finally {
			await session.close();
		}
	} catch (error) {
		if (!(error instanceof HostError)) throw error;
		tellFailure(error.kind, makeVisibleLine(error.message));
	}
	return status;
}

async function compact({ threads, facts, compaction }: Session, options: CompactOptions): Promise<void> {
	const { threadId, focus, settings } = options;
	const { held, envelope } = (await threads.open(threadId)).state();
	const known = held ?? readHeld(envelope);
	if (known?.model === undefined && settings.model === undefined) {
		throw new HostError("settings-refused", quote("The thread has no model. Set one with --model."));
	}
	// Only the thread's own settings are known here. Defaults in their place would count as settings that became
	// stricter.
	facts.settings = known ?? {};
	await compaction.compact({ threadId, ...(focus === undefined ? {} : { focus }) }, undefined, settings);
}

function hostOptions({ home }: CompactOptions): HostOptions {
	return HostOptions.parse({
		...(home === undefined ? {} : { home }),
		// Limited by the thread's trust when it last ran: no folder is open here.
		trusted: true,
		surface: { name: "compact", version: VERSION },
	});
}

function readOptions(args: readonly string[], cwd: string): CompactOptions | string {
	const parsed = readArguments("compact", args, { options: COMPACT_OPTIONS, allowPositionals: true });
	if (typeof parsed === "string") return parsed;
	const { values, positionals } = parsed;
	const named = readThreadId("compact", positionals);
	if (typeof named === "string") return named;
	const settings = PartialSettings.safeParse(modelSettings(values));
	if (!settings.success) return describeIssues(settings.error);
	const home = values.home === undefined ? undefined : resolve(cwd, values.home);
	return { ...named, home, focus: values.focus, settings: settings.data, json: values.json };
}
