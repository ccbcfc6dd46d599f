import { parseArgs } from "node:util";

/**
 * How much of what is not named is run: what every change is tried with, what is left of it, or everything, with long counts.
 */
export type Extent = "short" | "rest" | "full";

/** What a run is asked for. */
export interface RunOptions {
	/** Names of stages, all of them when neither a stage nor a file is named. */
	readonly stages: readonly string[];
	/** Test files, by the end of their path. */
	readonly files: readonly string[];
	/** Only tests whose title holds this. */
	readonly title?: string;
	readonly extent: Extent;
}

/** What the words of a command line are chosen from. */
export interface Choices {
	readonly stages: readonly string[];
	readonly files: readonly string[];
}

/** Whether it says which tests it wants: then it gets them all. */
export function namesTests({ stages, files, title }: RunOptions): boolean {
	return stages.length + files.length > 0 || title !== undefined;
}

/** Reads `npm test -- host editor/chat -t "palette" --full`. */
export function readOptions(words: readonly string[], choices: Choices): RunOptions {
	const { values, positionals } = parseArgs({
		args: [...words],
		options: {
			title: { type: "string", short: "t" },
			rest: { type: "boolean", default: false },
			full: { type: "boolean", default: false },
		},
		allowPositionals: true,
	});
	const stages = positionals.filter((word) => choices.stages.includes(word));
	const files = positionals.filter((word) => !stages.includes(word)).flatMap((word) => findFiles(word, choices));
	const extent = values.full ? "full" : values.rest ? "rest" : "short";
	return { stages, files, extent, ...(values.title !== undefined && { title: values.title }) };
}

/** `editor/chat` is `test/editor/chat.test.ts`; `sandbox/probes` is that file and not the folder beside it. */
function findFiles(word: string, { stages, files }: Choices): readonly string[] {
	const found = files.filter((file) => [file, shortName(file)].some((name) => `/${name}`.endsWith(`/${word}`)));
	if (found.length > 0) return found;
	throw new Error(`"${word}" is neither a stage (${stages.join(", ")}) nor a test file such as host/turn.`);
}

function shortName(file: string): string {
	return file.replace(/^test\//, "").replace(/\.(?:test|full)\.ts$/, "");
}
