import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { inFairTime } from "../../support/fair-time.ts";

/** Everything the host has written below its home, as one text. What it renames or removes meanwhile may be left out. */
export function textUnder(home: string): string {
	return filesUnder(home)
		.map((path) => orNothing(() => readFileSync(path, "utf8")) ?? "")
		.join("\n");
}

/** The one file below `home` that holds `text`. */
export function fileHolding(home: string, text: string): string {
	const files = filesUnder(home).filter((path) => orNothing(() => readFileSync(path, "utf8"))?.includes(text));
	if (files[0] === undefined || files.length > 1) throw new Error(`${files.length} files hold ${text}`);
	return files[0];
}

/** Every file below a folder but those that hold nothing and are closed to everyone, as the sandbox has one. */
export function filesUnder(folder: string): readonly string[] {
	const entries = orNothing(() => readdirSync(folder, { withFileTypes: true })) ?? [];
	return entries.flatMap((entry) => {
		const path = join(folder, entry.name);
		if (entry.isDirectory()) return filesUnder(path);
		return entry.isFile() && !isClosedAndEmpty(path) ? [path] : [];
	});
}

function isClosedAndEmpty(path: string): boolean {
	const found = statSync(path, { throwIfNoEntry: false });
	return found !== undefined && found.size === 0 && (found.mode & 0o777) === 0;
}

/** A host that runs may have renamed or removed what was listed. */
function orNothing<T>(look: () => T): T | undefined {
	try {
		return look();
	} catch (error) {
		if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
			return undefined;
		throw error;
	}
}

/** Waits for something outside our processes that sends no event, such as a file's content; in the end says what it saw. */
export function eventually(
	holds: () => boolean,
	milliseconds: number,
	what: string,
	seen: () => unknown = () => "",
): Promise<void> {
	return inFairTime(holds, milliseconds, () => `${what} ${describe(seen())}`.trim());
}

function describe(seen: unknown): string {
	return typeof seen === "string" ? seen : JSON.stringify(seen);
}
