import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PROJECT } from "../support/editor-paths.ts";

/** A copy of the repository as it is now, with the packages of this one. */
export function copyRepository(): string {
	const copy = mkdtempSync(join(tmpdir(), "vitrine-mutations-"));
	// Some tests run parts of it as other users.
	chmodSync(copy, 0o755);
	const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
		cwd: PROJECT,
		encoding: "utf8",
	});
	for (const file of listed.split("\0").filter((name) => name !== "" && existsSync(join(PROJECT, name)))) {
		mkdirSync(dirname(join(copy, file)), { recursive: true });
		cpSync(join(PROJECT, file), join(copy, file));
	}
	for (const modules of ["node_modules", "test/editor/vscode/node_modules"]) {
		if (existsSync(join(PROJECT, modules))) symlinkSync(join(PROJECT, modules), join(copy, modules));
	}
	return copy;
}

export function removeCopy(copy: string): void {
	rmSync(copy, { recursive: true, force: true });
}
