import { randomUUID } from "node:crypto";
import { access, constants, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { ChangeSet } from "../../patch/change-set.ts";
import { MAX_PATCH_CHARS, type Patch, parsePatch } from "../../patch/grammar.ts";
import { REAL_DISK } from "../../store/home/disk.ts";
import { defaultHome, makeFolders } from "../../store/home/home.ts";
import { lockThread } from "../../store/home/lock.ts";
import { describePatch } from "../../workspace/apply/apply-files.ts";
import { createPatcher } from "../../workspace/apply/patcher.ts";
import { describeRecovered } from "../../workspace/apply/recover.ts";
import { makeVisible } from "../visible.ts";
import type { CommandIo } from "./cli-command.ts";
import { describeMisuse, readArguments } from "./read-arguments.ts";

const DONE = 0;
const REFUSED = 1;

/**
 * Applies the patch from standard input or from the argument: exits with 0 after applying all of it, or 1 and nothing.
 */
export async function applyPatchCommand(args: readonly string[], io: CommandIo): Promise<number> {
	const fail = (reason: string): number => {
		// Lines of the patch and of the file may be in it.
		io.stderr.write(`${makeVisible(reason)}\n`);
		return REFUSED;
	};
	const options = readOptions(args);
	if (typeof options === "string") return fail(options);
	const text = options.patch ?? (await readInput(io));
	if (text === undefined) return fail("The patch is not UTF-8 text, or is too large.");
	const parsed = parsePatch(text);
	if (!parsed.ok) return fail(parsed.reason);
	const cwd = resolve(io.cwd, options.cwd ?? ".");
	if (!(await stat(cwd).catch(() => undefined))?.isDirectory()) return fail(`${cwd} is not a folder.`);
	const outcome = options.dryRun ? await tryPatch(parsed.patch, cwd) : await apply(parsed.patch, cwd, io);
	if (!outcome.ok) return fail(outcome.reason);
	io.stdout.write(`${options.dryRun ? "Would change:" : "Changed:"}\n${outcome.lines.join("\n")}\n`);
	return DONE;
}

type CommandOutcome =
	| { readonly ok: true; readonly lines: readonly string[] }
	| { readonly ok: false; readonly reason: string };

function readOptions(args: readonly string[]) {
	const options = { cwd: { type: "string" }, "dry-run": { type: "boolean", default: false } } as const;
	const parsed = readArguments("apply-patch", args, { options, allowPositionals: true });
	if (typeof parsed === "string") return parsed;
	const { values, positionals } = parsed;
	const [patch, extra] = positionals;
	if (extra !== undefined) return describeMisuse("apply-patch", `Unexpected argument '${extra}'.`);
	return { cwd: values.cwd, dryRun: values["dry-run"], patch };
}

async function readInput({ stdin }: CommandIo): Promise<string | undefined> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of stdin) {
		chunks.push(Buffer.from(chunk));
		size += chunk.length;
		if (size > MAX_PATCH_CHARS) return undefined;
	}
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
	} catch {
		return undefined;
	}
}

// The command may write only below its folder. Inside the agent's sandbox the kernel decides what of that is writable.
function writableBelow(cwd: string) {
	return { roots: [cwd], mayWrite: () => undefined };
}

async function tryPatch(patch: Patch, cwd: string): Promise<CommandOutcome> {
	const described = await describePatch(patch, { cwd, writable: writableBelow(cwd) });
	if (!described.ok) return described;
	return { ok: true, lines: formatLines(described.files) };
}

async function apply(patch: Patch, cwd: string, io: CommandIo): Promise<CommandOutcome> {
	const patcher = createPatcher({
		folder: await journalFolder(),
		lock: lockThread,
		newId: randomUUID,
		onRecovered: (recovered) => io.stderr.write(recovered.map((one) => `${describeRecovered(one)}\n`).join("")),
	});
	const applied = await patcher.apply(patch, { cwd, writable: writableBelow(cwd) });
	return applied.ok ? { ok: true, lines: formatLines(applied.changes.files) } : applied;
}

/** Inside the sandbox the home is not writable; then a patch is all or nothing unless the process is killed. */
async function journalFolder(): Promise<string | undefined> {
	const folder = join(defaultHome(), "patches");
	try {
		await makeFolders(REAL_DISK, folder);
		await access(folder, constants.W_OK);
		return folder;
	} catch {
		return undefined;
	}
}

const LETTERS = { add: "A", update: "M", delete: "D", move: "M" } as const;

function formatLines(
	files: readonly Pick<ChangeSet["files"][number], "operation" | "path" | "movedTo">[],
): readonly string[] {
	return files.map(({ operation, path, movedTo }) =>
		movedTo === undefined ? `${LETTERS[operation]} ${path}` : `${LETTERS[operation]} ${path} -> ${movedTo.path}`,
	);
}
