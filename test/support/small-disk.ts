import { mkdirSync } from "node:fs";
import { runTool } from "./editor-tools.ts";

/** A disk of its own for one folder, so small that it fills up. Needs root, or sudo without a password. */
export interface SmallDisk {
	readonly grow: (kilobytes: number) => void;
	readonly unmount: () => void;
}

export function mountSmallDisk(folder: string, kilobytes: number): SmallDisk {
	mkdirSync(folder, { recursive: true });
	runAsRoot("mount", "-t", "tmpfs", "-o", `size=${kilobytes}k,mode=0700`, "tmpfs", folder);
	return {
		grow: (size) => runAsRoot("mount", "-o", `remount,size=${size}k`, folder),
		unmount: () => runAsRoot("umount", "--lazy", folder),
	};
}

function runAsRoot(program: string, ...args: readonly string[]): void {
	if (process.getuid?.() === 0) runTool(program, args);
	else runTool("sudo", ["-n", program, ...args]);
}
