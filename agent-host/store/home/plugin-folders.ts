import { existsSync } from "node:fs";
import { cp, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";

const MAX_PLUGINS = 32;
const DIGEST = /^[0-9a-f]{64}$/;

/** The copies of plugins, each in a folder called after its digest. No command sees them unless they are its own. */
export interface PluginFolders {
	/** The digests that folders are called after; whether their content still has them is another question. */
	readonly list: () => Promise<readonly string[]>;
	readonly folderFor: (digest: string) => string;
	/** Copies a folder; nothing is left of it if the copy is not what was wanted. */
	readonly copy: (from: string, digest: string, isWanted: (copy: string) => Promise<boolean>) => Promise<boolean>;
	readonly remove: (digest: string) => Promise<void>;
}

export function openPluginFolders(home: string): PluginFolders {
	const place = join(home, "plugins");
	const folderFor = (digest: string): string => join(place, digest);
	const drop = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });
	return {
		folderFor,
		list: async () => {
			// Most users have none; to be told so by an error from another thread takes long.
			if (!existsSync(place)) return [];
			const names = await readdir(place).catch(() => []);
			return names.filter((name) => DIGEST.test(name)).slice(0, MAX_PLUGINS);
		},
		async copy(from, digest, isWanted) {
			const fresh = `${folderFor(digest)}.new`;
			await drop(fresh);
			await mkdir(place, { recursive: true, mode: 0o700 });
			try {
				// Links stay links, which no plugin may have.
				await cp(from, fresh, { recursive: true, verbatimSymlinks: true });
				if (!(await isWanted(fresh))) return false;
				await drop(folderFor(digest));
				await rename(fresh, folderFor(digest));
				return true;
			} finally {
				await drop(fresh);
			}
		},
		remove: (digest) => drop(folderFor(digest)),
	};
}
