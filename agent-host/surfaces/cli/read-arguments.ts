import { type ParseArgsConfig, parseArgs } from "node:util";
import { ThreadId } from "../../protocol/ids.ts";
import { makeVisible } from "../visible.ts";
import { type COMMAND_WORDS, describeUsage } from "./command-words.ts";

/** A whole patch can be an argument. */
const MAX_REASON_CHARS = 500;

type Named = keyof typeof COMMAND_WORDS;

/** What was typed after a command; otherwise what is wrong with it. */
export function readArguments<const T extends ParseArgsConfig>(
	command: Named,
	args: readonly string[],
	config: T,
): ReturnType<typeof parseArgs<T>> | string {
	try {
		const parsed = parseArgs({ ...config, args: [...args] }) as ReturnType<typeof parseArgs<T>>;
		// It would be the current folder, which is full of other things.
		if (Object(parsed.values).home === "") return describeMisuse(command, "--home names no folder.");
		return parsed;
	} catch (error) {
		return describeMisuse(command, error instanceof Error ? error.message : String(error));
	}
}

/** The one thread that is named; otherwise what is wrong. */
export function readThreadId(
	command: Named,
	[name, extra]: readonly string[],
): { readonly threadId: ThreadId } | string {
	if (name === undefined) return describeMisuse(command, "No thread is named.");
	if (extra !== undefined) return describeMisuse(command, `Unexpected argument '${extra}'.`);
	const id = ThreadId.safeParse(name);
	return id.success ? { threadId: id.data } : describeMisuse(command, `'${name}' cannot be a thread.`);
}

/** A reason, and how the command is used. */
export function describeMisuse(command: Named, reason: string): string {
	return `${makeVisible(reason.slice(0, MAX_REASON_CHARS))}\n${describeUsage(command)}`;
}
