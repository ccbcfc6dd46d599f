import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { within } from "./fake-model-wait.ts";

/** A disk of its own for one folder, so small that it fills up. */
export interface SmallDisk {
	readonly grow: (kilobytes: number) => Promise<void>;
	readonly unmount: () => Promise<void>;
}

const PATIENCE_MS = 20_000;

/**
 * Mounts a disk where its first argument says, and gives it the size of each line that it reads; it lasts as long as this does. The source
 * is named each time: without it, old options are given again, and not all of them can be.
 */
const KEEPER = `
set -e
mount -t tmpfs -o size="$2"k,mode=0700 tmpfs "$1"
echo done
while read -r size; do mount -t tmpfs -o remount,size="$size"k tmpfs "$1"; echo done; done
`;

/**
 * Anybody may mount a disk in namespaces of their own. The folder leads into those, so that whoever opens what is in it need not be there.
 */
export async function mountSmallDisk(folder: string, kilobytes: number): Promise<SmallDisk> {
	const place = `${folder}-disk`;
	mkdirSync(dirname(folder), { recursive: true });
	mkdirSync(place);
	const own = ["--user", "--map-root-user", "--mount", "--kill-child", "--"];
	const args = [...own, "/bin/sh", "-c", KEEPER, "sh", place, String(kilobytes)];
	const keeper = spawn("unshare", args, { stdio: ["pipe", "pipe", "inherit"] });
	const lines = createInterface(keeper.stdout);
	const ended = once(keeper, "close");
	const isDone = () => {
		const failed = ended.then(([status]) => Promise.reject(new Error(`The small disk is gone (${status}).`)));
		return within(Promise.race([once(lines, "line"), failed]), PATIENCE_MS, () => "the small disk does not answer");
	};
	await isDone();
	symlinkSync(`/proc/${keeper.pid}/root${place}`, folder);
	return {
		grow: async (size) => {
			keeper.stdin.write(`${size}\n`);
			await isDone();
		},
		unmount: async () => {
			keeper.stdin.end();
			await ended;
		},
	};
}
