import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** Programs that only write down how they were started. */
export const STUBS = ["git", "ls", "rg", "echo", "true", "test", "pwd", "printf", "kill", "cat", "a", "tool-1"];

/** The commands that bash really runs for each script: a line for every stub it starts, each word followed by a NUL. */
export function listenToShell(context: Pick<TestContext, "after">, scripts: readonly string[]): readonly string[] {
	const folder = mkdtempSync(join(tmpdir(), "vitrine-words-"));
	context.after(() => rmSync(folder, { recursive: true }));
	const stub = join(folder, "stub.sh");
	// Not in shell: below, the shell's own printf and echo are switched off and would come back here.
	writeFileSync(
		stub,
		`#!/usr/bin/perl\nopen(F, ">>", "${folder}/seen"); $0 =~ s{.*/}{}; print F join("", map { "$_\\0" } $0, @ARGV), "\\n";\n`,
	);
	chmodSync(stub, 0o755);
	for (const name of STUBS) symlinkSync(stub, join(folder, name));
	// The shell's own versions would not be seen by the stub.
	writeFileSync(join(folder, "env.sh"), "enable -n echo true false test [ pwd printf kill\n");
	writeFileSync(join(folder, "seen"), "");
	const script = scripts.map((text) => `bash -c ${quote(text)}; /bin/echo "--" >> ${folder}/seen`).join("\n");
	const all = join(folder, "all.sh");
	writeFileSync(all, script);
	execFileSync("/bin/bash", [all], {
		cwd: folder,
		env: { PATH: `${folder}:/usr/bin:/bin`, BASH_ENV: join(folder, "env.sh") },
		timeout: 60_000,
		stdio: ["ignore", "ignore", "ignore"],
	});
	return readFileSync(join(folder, "seen"), "utf8").split("--\n").slice(0, -1);
}

function quote(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}
