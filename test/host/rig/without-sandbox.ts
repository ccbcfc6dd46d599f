import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { World } from "../../support/canaries.ts";
import { CODE_CACHE, HOST_BUNDLE } from "../../support/host-process.ts";

/** Arguments that make a machine without its bubblewrap, for whatever follows them. */
export const WITHOUT = ["--dev-bind", "/", "/", "--ro-bind", "/dev/null", "/usr/bin/bwrap", "--die-with-parent", "--"];

/** A program that starts the host on such a machine. */
export function aHostWithout(world: World): string {
	const program = join(world.root, "without.mjs");
	const args = JSON.stringify([...WITHOUT, process.execPath, HOST_BUNDLE, "--stdio", "--code-cache", CODE_CACHE]);
	writeFileSync(program, `import{spawn}from"node:child_process";spawn("/usr/bin/bwrap",${args},{stdio:"inherit"});\n`);
	return program;
}

/** A real bubblewrap, by another name: the one on the PATH cannot be seen from a host without it. */
export function plantReal(world: World, name: string): string {
	const folder = join(world.root, name);
	mkdirSync(folder, { recursive: true });
	copyFileSync("/usr/bin/bwrap", join(folder, "bwrap"));
	chmodSync(join(folder, "bwrap"), 0o755);
	return folder;
}
