import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { Worktree } from "../../protocol/thread/worktree.ts";
import { isSame } from "../records/record-seal.ts";
import { type Home, makeFolders } from "./home.ts";

const FOLDER = "worktrees";
const ENDING = ".json";
const MAX_BYTES = 100_000;
/** Limit for the files; beyond it the oldest worktrees that were dropped are forgotten. */
const MAX_KEPT = 300;

/**
 * A worktree as the host remembers it. `making` is written before Git begins and `dropping` before it removes, so that
 * what a crash leaves is known. One that was dropped still tells where its threads belong now.
 */
export const StoredWorktree = Worktree.extend({ state: z.enum(["making", "ready", "dropping", "dropped"]) });
export type StoredWorktree = z.infer<typeof StoredWorktree>;

const Sealed = z.object({ worktree: z.string(), seal: z.string() });

/** The worktrees of all windows: one sealed file each, never in the repository. */
export interface WorktreeFiles {
	/** Those that this host's key proves, newest first. */
	readonly list: () => Promise<readonly StoredWorktree[]>;
	/** Durable when this resolves. */
	readonly write: (worktree: StoredWorktree) => Promise<void>;
	/** Does the work while no other window works on the same worktree; undefined if one does. */
	readonly hold: <T>(path: string, work: () => Promise<T>) => Promise<{ readonly done: T } | undefined>;
}

export function openWorktreeFiles({ disk, folder, seals, lock }: Home): WorktreeFiles {
	const place = join(folder, FOLDER);
	const fileFor = (path: string): string => join(place, `${identify(path)}${ENDING}`);
	const read = async (name: string): Promise<readonly StoredWorktree[]> => {
		const path = join(place, name);
		const found = await disk.stat(path).catch(() => undefined);
		if (found === undefined || found.size > MAX_BYTES) return [];
		const key = await seals.key("find");
		const text = await disk.read(path).catch(() => undefined);
		const { worktree, seal } = Sealed.safeParse(parse(text?.toString() ?? "")).data ?? { worktree: "", seal: "" };
		const parsed = StoredWorktree.safeParse(parse(worktree)).data;
		if (key === undefined || parsed === undefined || `${identify(parsed.path)}${ENDING}` !== name) return [];
		return isSame(key.consent(sealedName(parsed.path), worktree), seal) ? [parsed] : [];
	};
	const list = async (): Promise<readonly StoredWorktree[]> => {
		const names = (await disk.list(place).catch(() => [])).filter((name) => name.endsWith(ENDING));
		return (await Promise.all(names.map(read))).flat().sort((a, b) => b.madeAt - a.madeAt);
	};
	const forgetOld = async (): Promise<void> => {
		const dropped = (await list()).slice(MAX_KEPT).filter(({ state }) => state === "dropped");
		for (const { path } of dropped) await disk.remove(fileFor(path)).catch(() => undefined);
	};
	return {
		list,
		async write(worktree) {
			const key = await seals.key("make");
			if (key === undefined) throw new Error(seals.problem()?.text ?? "There is no key to seal with.");
			await makeFolders(disk, place);
			const path = fileFor(worktree.path);
			const text = JSON.stringify(worktree);
			const fresh = `${path}.${process.pid}.new`;
			await disk.remove(fresh).catch(() => undefined);
			const sealed = { worktree: text, seal: key.consent(sealedName(worktree.path), text) };
			await disk.create(fresh, Buffer.from(JSON.stringify(sealed)));
			await disk.rename(fresh, path);
			await disk.syncFolder(place);
			await forgetOld();
		},
		async hold(path, work) {
			await makeFolders(disk, place);
			const held = await lock(fileFor(path));
			if (!("release" in held)) return undefined;
			try {
				return { done: await work() };
			} finally {
				held.release();
			}
		},
	};
}

/** No answer about what a workspace brings along has such a name. */
function sealedName(path: string): string {
	return `worktree ${identify(path)}`;
}

function identify(path: string): string {
	return createHash("sha256").update(path).digest("hex");
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
