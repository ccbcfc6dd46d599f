import { arch, platform, release } from "node:os";
import type { Observed } from "../envelope/resolve.ts";
import { isInside } from "../permissions/decide.ts";
import { HostError } from "../protocol/errors.ts";
import type { Facts } from "./facts.ts";

/** Reads the world once, before the envelope is sealed. */
export function observe(
	facts: Facts,
	folder: { readonly threadCwd: string | undefined; readonly turnCwd: string | undefined },
	now: number,
): Observed {
	const cwd = chooseCwd(facts.folders, folder.threadCwd, folder.turnCwd);
	const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
	return {
		workspace: {
			...(cwd === undefined ? {} : { cwd }),
			roots: [...facts.folders],
			machine: `${platform()} ${release()} ${arch()}`,
			now,
			date: localDate(now, timeZone),
			timeZone,
			trusted: facts.trusted,
		},
		surface: { ...facts.surface },
	};
}

function chooseCwd(
	folders: readonly string[],
	threadCwd: string | undefined,
	turnCwd: string | undefined,
): string | undefined {
	const isOpen = (path: string | undefined) => path !== undefined && folders.some((folder) => isInside(path, folder));
	if (turnCwd !== undefined && !isOpen(turnCwd)) {
		throw new HostError("settings-refused", `${turnCwd} is not inside an open workspace folder.`);
	}
	// A thread may come from another workspace; its folder counts only while the editor has it open.
	return turnCwd ?? (isOpen(threadCwd) ? threadCwd : folders[0]);
}

function localDate(now: number, timeZone: string): string {
	return new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" }).format(now);
}
