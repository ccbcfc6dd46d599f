import { resolve } from "node:path";
import type { ThreadId } from "../../protocol/ids.ts";
import type { PartialSettings } from "../../protocol/settings/settings.ts";
import { findFolders } from "./find-folders.ts";
import { readChange, readSettings, TURN_OPTIONS } from "./model-options.ts";
import { describeMisuse, readArguments, readThreadId } from "./read-arguments.ts";

export const EXEC_OPTIONS = {
	...TURN_OPTIONS,
	cwd: { type: "string" },
	policy: { type: "string" },
	home: { type: "string" },
	resume: { type: "string" },
	fork: { type: "string" },
	last: { type: "boolean", default: false },
	file: { type: "string", multiple: true },
	image: { type: "string", multiple: true },
	stdin: { type: "boolean", default: false },
	"output-schema": { type: "string" },
	json: { type: "boolean", default: false },
} as const;

/** Which thread a task belongs to. */
export type Source =
	| { readonly kind: "new" }
	| { readonly kind: "resume" | "fork"; readonly thread: ThreadId | "last" };

export interface ExecOptions {
	readonly source: Source;
	/** The folder that was named; a thread that continues otherwise stays in its own. */
	readonly cwd: string | undefined;
	readonly home: string | undefined;
	/** For a new thread, its settings; otherwise what this turn changes. */
	readonly settings: PartialSettings;
	readonly policyFile: string | undefined;
	readonly outputSchema: string | undefined;
	readonly prompt: string | undefined;
	readonly files: readonly string[];
	readonly images: readonly string[];
	/** Attach standard input. */
	readonly stdin: boolean;
	readonly json: boolean;
}

/** Reads the arguments of `exec`; returns what is wrong with them otherwise. */
export async function readExecOptions(args: readonly string[], cwd: string): Promise<ExecOptions | string> {
	const parsed = readArguments("exec", args, { options: EXEC_OPTIONS, allowPositionals: true });
	if (typeof parsed === "string") return parsed;
	const { values, positionals } = parsed;
	const [prompt, extra] = positionals;
	if (extra !== undefined) return describeMisuse("exec", `Unexpected argument '${extra}'. Put the prompt in quotes.`);
	const source = chooseSource(values);
	if (typeof source === "string") return source;
	if (values.policy !== undefined && values.mode !== undefined)
		return describeMisuse("exec", "--policy and --mode cannot be used together.");
	const read = await (source.kind === "new" ? readSettings : readChange)(values, cwd);
	if (!read.ok) return read.reason;
	// A policy file is about a folder that is known before the thread is read.
	const folder = values.cwd ?? (source.kind === "new" || values.policy !== undefined ? "." : undefined);
	const folders = findFolders(folder === undefined ? [] : [folder], cwd);
	if (typeof folders === "string") return folders;
	return {
		source,
		cwd: folders[0],
		home: values.home === undefined ? undefined : resolve(cwd, values.home),
		settings: read.settings,
		policyFile: values.policy,
		outputSchema: values["output-schema"],
		prompt: prompt === "-" ? undefined : prompt,
		files: (values.file ?? []).map((file) => resolve(cwd, file)),
		images: (values.image ?? []).map((image) => resolve(cwd, image)),
		stdin: values.stdin,
		json: values.json,
	};
}

/** Otherwise what is wrong: two are named, or one that cannot be a thread. */
function chooseSource(values: {
	readonly resume?: string | undefined;
	readonly fork?: string | undefined;
	readonly last: boolean;
}): Source | string {
	const named = [
		...(values.resume === undefined ? [] : [{ option: "--resume", kind: "resume" as const, name: values.resume }]),
		...(values.fork === undefined ? [] : [{ option: "--fork", kind: "fork" as const, name: values.fork }]),
		...(values.last ? [{ option: "--last", kind: "resume" as const, name: "last" }] : []),
	];
	const [first, second] = named;
	if (first === undefined) return { kind: "new" };
	if (second !== undefined)
		return describeMisuse("exec", `${first.option} and ${second.option} cannot be used together.`);
	if (first.name === "last") return { kind: first.kind, thread: "last" };
	const thread = readThreadId("exec", [first.name]);
	return typeof thread === "string" ? thread : { kind: first.kind, thread: thread.threadId };
}
