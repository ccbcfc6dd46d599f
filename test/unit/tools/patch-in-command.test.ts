import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isBarePatch, patchInCommand } from "../../../agent-host/tools/patch-in-command.ts";

const PATCH = ["*** Begin Patch", "*** Add File: a b.txt", "+it's $HOME `id` \\", "+EOF here", "*** End Patch"].join(
	"\n",
);
const PLAIN = PATCH.replace("it's $HOME `id` \\", "plain");
const heredoc = (patch: string, mark = "'EOF'", word = "EOF") => `apply_patch <<${mark}\n${patch}\n${word}\n`;

const PATCHES: readonly (string | readonly string[])[] = [
	heredoc(PATCH),
	heredoc(PATCH, '"EOF"'),
	heredoc(PATCH, " 'PATCH_1'", "PATCH_1"),
	heredoc(PLAIN, "EOF"),
	`  ${heredoc(PATCH)}  \n\n`,
	heredoc(PATCH).replace("apply_patch", "applypatch"),
	`cd sub && ${heredoc(PATCH)}`,
	`cd 'a b' && ${heredoc(PATCH)}`,
	`cd "a b"/sub && ${heredoc(PATCH)}`,
	`cd ./sub && ${heredoc(PATCH)}`,
	`apply_patch '${PLAIN}'`,
	["apply_patch", PATCH],
	["applypatch", PATCH],
	["bash", "-lc", heredoc(PATCH)],
	["/bin/sh", "-c", `cd sub && ${heredoc(PATCH)}`],
];

test("a command that is a patch and nothing more is read as a shell would hand it to apply_patch", (t) => {
	const { folder, run } = stubbed();
	t.after(() => rmSync(folder, { recursive: true }));
	for (const command of PATCHES) {
		const found = patchInCommand(command);
		assert.ok(found, `read: ${JSON.stringify(command)}`);
		// A login shell would look for programs where the machine's profile says.
		const words = typeof command === "string" ? ["bash", "-c", command] : command;
		const real = run(words.map((word) => (word === "-lc" ? "-c" : word)));
		const patch = found.patch.trimEnd();
		assert.deepEqual({ patch, in: join(folder, found.folder ?? ".") }, real, JSON.stringify(command));
	}
});

const OTHERS: readonly (string | readonly string[])[] = [
	`echo first; ${heredoc(PATCH)}`,
	`${heredoc(PATCH)}echo last`,
	`${heredoc(PATCH)}EOF`,
	heredoc(PATCH, "EOF"),
	heredoc(PATCH, "-'EOF'"),
	heredoc(`${PATCH}\nEOF\ntouch evil`),
	heredoc(PATCH).replace("\n", " | tee log\n"),
	heredoc(PATCH).replace("\n", " && rm -rf .\n"),
	heredoc(PATCH).replace("apply_patch", "apply_patch --cwd /"),
	heredoc(PATCH).replace("apply_patch", "X=1 apply_patch"),
	heredoc(PATCH).replace("apply_patch", "./apply_patch"),
	`cd $HOME && ${heredoc(PATCH)}`,
	`cd - && ${heredoc(PATCH)}`,
	`cd ~ && ${heredoc(PATCH)}`,
	`cd a b && ${heredoc(PATCH)}`,
	`cd sub; ${heredoc(PATCH)}`,
	`cd sub || ${heredoc(PATCH)}`,
	`apply_patch '${PATCH}'`,
	`apply_patch "${PLAIN}"`,
	"apply_patch",
	"apply_patch < file",
	["apply_patch"],
	["apply_patch", PATCH, "more"],
	["bash", "-x", heredoc(PATCH)],
	["env", "apply_patch", PATCH],
	["/tmp/bash", "-c", heredoc(PATCH)],
];

test("a command with anything before, after or expanded in its patch is an ordinary command", () => {
	assert.deepEqual(
		OTHERS.filter((command) => patchInCommand(command) !== undefined),
		[],
	);
});

test("a patch without the program that applies it is recognized as a patch", () => {
	assert.deepEqual([PATCH, [PATCH], `\n${PATCH}`, heredoc(PATCH), "ls"].map(isBarePatch), [
		true,
		true,
		true,
		false,
		false,
	]);
});

/** A folder with an `apply_patch` that tells where it runs and what it was given. */
function stubbed() {
	const folder = mkdtempSync(join(tmpdir(), "vitrine-"));
	for (const name of ["apply_patch", "applypatch"]) {
		const path = join(folder, name);
		writeFileSync(path, `#!/bin/sh\nprintf '%s\\0' "$PWD"\nif [ $# -gt 0 ]; then printf '%s' "$1"; else cat; fi\n`);
		chmodSync(path, 0o755);
	}
	mkdirSync(join(folder, "sub"));
	mkdirSync(join(folder, "a b/sub"), { recursive: true });
	const run = ([program = "", ...args]: readonly string[]) => {
		const env = { PATH: `${folder}:/usr/bin:/bin` };
		const { stdout } = spawnSync(join(program.includes("/") ? "" : lookUp(program, folder), program), args, {
			cwd: folder,
			env,
		});
		const [where = "", patch = ""] = stdout.toString().split("\0");
		return { patch: patch.trimEnd(), in: where };
	};
	return { folder, run };
}

function lookUp(program: string, folder: string): string {
	return program.startsWith("apply") ? folder : "/bin";
}
