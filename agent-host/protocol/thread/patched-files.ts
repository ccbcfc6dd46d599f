/** A file of a patch as the model wrote it, whether it fits or not. */
export interface CountedFile {
	readonly path: string;
	readonly movedTo: string | undefined;
	readonly operation: "add" | "update" | "delete";
	readonly added: number;
	readonly removed: number;
}

export interface PatchedFile extends Omit<CountedFile, "movedTo"> {
	readonly movedTo?: string | undefined;
	/** Its hunks, without the lines around them that name the patch and the file. */
	readonly diff: string;
}

const BEGIN = "*** Begin Patch";
const OPERATIONS = { Add: "add", Update: "update", Delete: "delete" } as const;

/** The patch in the arguments of a call, which are the model's: an argument, or the whole input of a free-text tool. */
export function findPatch(json: string): string | undefined {
	const { patch, input } = parse(json);
	const text = [patch, input, json].find((candidate) => typeof candidate === "string" && candidate.includes(BEGIN));
	return typeof text === "string" ? text : undefined;
}

/** The files of a patch, which may be anything. */
export function readPatchedFiles(patch: string): readonly PatchedFile[] {
	const files: (CountedFile & { diff: string })[] = [];
	// Whole stretches between the lines that name something, which are few.
	visitPatch(
		patch,
		files,
		(path, operation) => ({ ...nameFile(path, operation), diff: "" }),
		(file, text) => {
			file.diff += text;
		},
	);
	return files;
}

/** The same without their diffs. */
export function countPatchedFiles(patch: string): readonly CountedFile[] {
	const files: CountedFile[] = [];
	visitPatch(patch, files, nameFile, () => undefined);
	return files;
}

type Growing<T> = { -readonly [K in keyof T]: T[K] };

function nameFile(path: string, operation: CountedFile["operation"]): CountedFile {
	return { path, movedTo: undefined, operation, added: 0, removed: 0 };
}

/** Cuts no line out of a long patch that it does not have to read. */
function visitPatch<F extends CountedFile>(
	patch: string,
	files: Growing<F>[],
	begin: (path: string, operation: CountedFile["operation"]) => F,
	take: (file: Growing<F>, text: string) => void,
): void {
	let from = 0;
	let file: Growing<F> | undefined;
	const takeUpTo = (end: number): void => {
		if (file !== undefined && end > from)
			take(file, end > patch.length ? `${patch.slice(from)}\n` : patch.slice(from, end));
	};
	for (let start = 0; start <= patch.length; ) {
		const newline = patch.indexOf("\n", start);
		const next = newline < 0 ? patch.length + 1 : newline + 1;
		const first = patch.charCodeAt(start);
		if (first === STAR && patch.startsWith("*** ", start)) {
			takeUpTo(start);
			from = next;
			const line = patch.slice(start, next - 1);
			const [, operation, path] = /^\*\*\* (Add|Update|Delete) File: (.+?)\r?$/.exec(line) ?? [];
			if (path !== undefined) {
				file = begin(path, OPERATIONS[operation as keyof typeof OPERATIONS]);
				files.push(file);
			} else if (file && line.startsWith("*** Move to: ")) file.movedTo = line.slice(13).trimEnd();
		} else if (file !== undefined) {
			if (first === PLUS) file.added++;
			else if (first === MINUS) file.removed++;
		}
		start = next;
	}
	takeUpTo(patch.length + 1);
}

const [STAR, PLUS, MINUS] = [42, 43, 45];

function parse(json: string): Readonly<Record<string, unknown>> {
	try {
		const value: unknown = JSON.parse(json);
		return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
	} catch {
		return {};
	}
}
