import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** Everything the host has written below its home, as one text. */
export function textUnder(home: string): string {
	return filesUnder(home)
		.map((path) => readFileSync(path, "utf8"))
		.join("\n");
}

/** The one file below `home` that holds `text`. */
export function fileHolding(home: string, text: string): string {
	const files = filesUnder(home).filter((path) => readFileSync(path, "utf8").includes(text));
	if (files[0] === undefined || files.length > 1) throw new Error(`${files.length} files hold ${text}`);
	return files[0];
}

export function filesUnder(folder: string): readonly string[] {
	if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name));
}

/** Waits for something outside our processes that sends no event, such as a file's content. */
export async function eventually(holds: () => boolean, milliseconds: number, what: string): Promise<void> {
	const deadline = performance.now() + milliseconds;
	while (!holds()) {
		if (performance.now() > deadline) throw new Error(`${what} (not within ${milliseconds} ms)`);
		await pause(10);
	}
}
