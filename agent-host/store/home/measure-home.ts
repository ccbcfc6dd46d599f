import { join } from "node:path";
import type { Home } from "./home.ts";

/** Limit for the visited files and folders; beyond it the size is only a lower bound. */
const MAX_MEASURED = 20_000;

export interface HomeSize {
	readonly bytes: number;
	/** Those that hold something, which the sandbox's waiting pipes do not. */
	readonly files: number;
	/** False if the limit was reached. */
	readonly isWhole: boolean;
}

/** The size of the host's files on disk. Reads no file. */
export async function measureHome({ disk, folder }: Home): Promise<HomeSize> {
	const queue = [folder];
	let [bytes, files, looked] = [0, 0, 0];
	for (let place = queue.pop(); place !== undefined && looked < MAX_MEASURED; place = queue.pop()) {
		const names = await disk.list(place).catch(() => undefined);
		if (names !== undefined) queue.push(...names.map((name) => join(place, name)));
		else {
			const size = (await disk.stat(place).catch(() => undefined))?.size ?? 0;
			if (size > 0) files += 1;
			bytes += size;
		}
		looked += 1;
	}
	return { bytes, files, isWhole: looked < MAX_MEASURED };
}
