import { basename, join, sep } from "node:path";
import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { estimateTokens } from "../../history/tokens.ts";
import type { InstructionsLinted } from "../../protocol/thread/instructions.ts";
import { readableUnder } from "../../workspace/files/readable.ts";
import { walkInside } from "../../workspace/files/walk.ts";
import { lintTexts } from "../../workspace/instructions/lint-texts.ts";
import { FILE_NAMES, listNestedFolders } from "../../workspace/instructions/load-instructions.ts";

/** Names that this or another agent takes for instructions. */
const KNOWN_NAMES =
	/^(?:(?:AGENTS|CLAUDE|GEMINI)(?:\.\w+)?\.md|copilot-instructions\.md|\.cursorrules|\.windsurfrules)$/;
const MAX_FILES = 50_000;
const MAX_LISTED = 200;

/** What the instructions of the next turn cost, where they repeat or contradict each other, and what is left out. */
export async function lintInstructions(
	{ instructions, workspace, policy, identity }: TurnEnvelope,
	problems: readonly string[],
	signal: AbortSignal,
): Promise<InstructionsLinted> {
	const { developer, files, nested } = instructions;
	const loaded = [
		...(developer === "" ? [] : [{ origin: "user" as const, text: developer }]),
		...files,
		...nested.files.map((file) => ({ ...file, origin: "folder" as const })),
	];
	const readable = readableUnder(policy.value);
	const walks = await Promise.all(
		workspace.roots.map(async (root) => {
			const walk = await walkInside(root, readable, MAX_FILES, signal);
			return "paths" in walk ? walk.paths.map((path) => join(root, path)) : [];
		}),
	);
	const used = new Set([...files, ...nested.files].map(({ path }) => path));
	const left = walks.flat().filter((path) => KNOWN_NAMES.test(basename(path)) && !used.has(path));
	return {
		files: loaded.map(({ text, ...file }) => ({
			...("path" in file && { path: file.path }),
			origin: file.origin,
			tokens: estimateTokens(text),
			...("cut" in file && file.cut !== undefined && { cut: file.cut }),
		})),
		budget: identity.budgets.instructions,
		findings: lintTexts(
			loaded.map((file) => ({ path: "path" in file ? file.path : "vitrine.instructions.developer", text: file.text })),
		).map(({ kind, places }) => ({ kind, places: [...places] })),
		notLoaded: left
			.slice(0, MAX_LISTED)
			.map((path) => ({ path, why: whyNotLoaded(path, { instructions, workspace }) })),
		problems: [...problems],
	};
}

function whyNotLoaded(
	path: string,
	{ instructions, workspace }: Pick<TurnEnvelope, "instructions" | "workspace">,
): InstructionsLinted["notLoaded"][number]["why"] {
	const { cwd, roots, trusted } = workspace;
	if (!trusted) return "untrusted";
	// The longest one: a name may be a path that ends in another one.
	const names = [...FILE_NAMES, ...instructions.fallbacks].toSorted((a, b) => b.length - a.length);
	const name = names.find((one) => path.split(sep).join("/").endsWith(`/${one}`));
	if (name === undefined) return "unnamed";
	const folder = path.slice(0, -name.length - 1);
	const isBelow = cwd !== undefined && listNestedFolders(folder, cwd, roots).includes(folder);
	return isBelow && !instructions.nested.folders.includes(folder) ? "later" : "covered";
}
