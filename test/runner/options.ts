import { parseArgs } from "node:util";

/** What a run is asked for. */
export interface RunOptions {
	/** Names of stages, all of them when neither a stage nor a file is named. */
	readonly stages: readonly string[];
	/** Test files, by the end of their path. */
	readonly files: readonly string[];
	/** Only tests whose title holds this. */
	readonly title?: string;
	readonly full: boolean;
}

/** What the words of a command line are chosen from. */
export interface Choices {
	readonly stages: readonly string[];
	readonly files: readonly string[];
}

/** Reads `npm test -- host editor/chat -t "palette" --full`. */
export function readOptions(words: readonly string[], choices: Choices): RunOptions {
	const { values, positionals } = parseArgs({
		args: [...words],
		options: { title: { type: "string", short: "t" }, full: { type: "boolean", default: false } },
		allowPositionals: true,
	});
	const stages = positionals.filter((word) => choices.stages.includes(word));
	const files = positionals.filter((word) => !stages.includes(word)).flatMap((word) => findFiles(word, choices));
	return { stages, files, full: values.full, ...(values.title !== undefined && { title: values.title }) };
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
