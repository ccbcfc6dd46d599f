import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { noteWait } from "../../support/waits.ts";

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

/** Every file below a folder but those that hold nothing and are closed to everyone, as the sandbox has one. */
export function filesUnder(folder: string): readonly string[] {
	if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.filter((path) => !isClosedAndEmpty(path));
}

function isClosedAndEmpty(path: string): boolean {
	const found = statSync(path, { throwIfNoEntry: false });
	return found !== undefined && found.size === 0 && (found.mode & 0o777) === 0;
}

/** Waits for something outside our processes that sends no event, such as a file's content. */
export async function eventually(holds: () => boolean, milliseconds: number, what: string): Promise<void> {
	const start = performance.now();
	while (!holds()) {
		if (performance.now() > start + milliseconds) throw new Error(`${what} (not within ${milliseconds} ms)`);
		await pause(10);
	}
	noteWait(() => what, performance.now() - start);
}
