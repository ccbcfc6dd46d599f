import { join } from "node:path";
import type { Home } from "./home.ts";

const FILE = "servers.json";
const MAX_BYTES = 4_000_000;

/** The file of what the host has learned about model servers. It only saves work and may be deleted. */
export interface ServersFile {
	/** The last saved value; undefined if there is none that can be read. */
	readonly load: () => Promise<unknown>;
	/** Saves in the order of the calls. If the disk fails, only the learned facts are lost. */
	readonly save: (value: unknown) => void;
}

export function openServersFile(home: Home): ServersFile {
	const path = join(home.folder, FILE);
	let queue: Promise<unknown> = Promise.resolve();
	const write = async (value: unknown): Promise<void> => {
		const draft = `${path}.${process.pid}`;
		await home.disk.remove(draft).catch(() => undefined);
		await home.disk.create(draft, Buffer.from(JSON.stringify(value)));
		await home.disk.rename(draft, path);
	};
	return {
		async load() {
			try {
				const found = await home.disk.stat(path);
				if (found === undefined || found.size > MAX_BYTES) return undefined;
				return JSON.parse((await home.disk.read(path)).toString());
			} catch {
				// Unreadable is as good as absent: all of it can be learned again.
				return undefined;
			}
		},
		save(value) {
			if (home.problem !== undefined) return;
			queue = queue.then(() => write(value)).catch(() => undefined);
		},
	};
}
