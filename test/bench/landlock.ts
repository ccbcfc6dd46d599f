// Measures what Landlock alone can do for commands, beside bubblewrap: `node test/bench/landlock.ts`, with gcc.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { digestPolicy, type Policy } from "../../agent-host/permissions/policy/policy.ts";
import { enforcedAccess, isInside } from "../../agent-host/permissions/reach/reach.ts";
import type { CommandEnd, CommandRequest, Sandbox } from "../../agent-host/sandbox/backend.ts";
import { fixedPlaces } from "../../agent-host/sandbox/layout/plan-layout.ts";
import { seccompProgram } from "../../agent-host/sandbox/linux/seccomp.ts";
import { probePolicy } from "../../agent-host/sandbox/policy-probe/run-probe.ts";
import { findClosedPlaces } from "../../agent-host/sandbox/reading/closed-places.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";
import { aPolicy } from "../support/a-policy.ts";

/** `whole`: a grant holds for all below it. `split`: folders with something closed or protected are granted piece by piece. */
type Way = "whole" | "split";

const WORK: Readonly<Record<string, string>> = {
	"git status": "git status",
	"edit a file in place": "sed -i s/a/b/ a.txt",
	"new file in the workspace": "echo x > new.txt",
	"new file in a subfolder": "echo x > src/new.txt",
	"new folder in the workspace": "mkdir -p build/deep",
	"rename between folders": "mv src/b.txt c.txt",
	make: "make",
	"compile C": "gcc -o main main.c && ./main",
	"node --test": "node --test",
	"npm test": "npm test",
	"python3 -m unittest": "python3 -m unittest",
	"python3 -m venv": "python3 -m venv --without-pip .venv",
	"a temporary file": "mktemp",
	"write to /dev/null": "echo x > /dev/null",
	"a shell's here-document": "cat <<E\nx\nE",
};

const root = mkdtempSync(join(tmpdir(), "vitrine-landlock-"));
const cwd = join(homedir(), `vitrine-landlock-${process.pid}`);
try {
	const helper = join(root, "contain");
	execFileSync("gcc", ["-O2", "-static", "-o", helper, join(import.meta.dirname, "landlock/contain.c")]);
	const filter = join(root, "filter");
	writeFileSync(filter, seccompProgram(process.arch === "arm64" ? "arm64" : "x64", "contained"));
	fill(cwd);
	const home = homedir();
	const places = {
		roots: [cwd],
		home,
		temp: [tmpdir()],
		own: [root],
		closed: findClosedPlaces({ home, environment: process.env, written: [] }),
	};
	const policy = aPolicy({ places });
	const request = { cwd, policy, digest: digestPolicy(policy), environment: process.env };
	const sandboxes: Readonly<Record<string, Pick<Sandbox, "run">>> = {
		bubblewrap: createSandbox({ home: root, path: process.env.PATH, folders: [cwd] }),
		"Landlock, whole folders": landlock(helper, filter, "whole"),
		"Landlock, split folders": landlock(helper, filter, "split"),
	};
	for (const [name, sandbox] of Object.entries(sandboxes)) {
		const probed = await probePolicy(sandbox, { request, scope: "all", fresh: ".vitrine-landlock" });
		const broken = probed.attempts.filter(({ ok }) => !ok);
		console.log(
			`\n${name}: ${probed.attempts.length - broken.length} of ${probed.attempts.length} attempts as the policy says ${probed.reason ?? ""}`,
		);
		for (const { what, expected, happened } of broken) console.log(`  ${what}: ${happened}, must be ${expected}`);
		const failed: string[] = [];
		const began = performance.now();
		for (const [work, line] of Object.entries(WORK)) {
			fill(cwd);
			const options = { limits: { timeoutMs: 60_000, outputBytes: 65_536 }, streams: "kept", input: "closed" } as const;
			const ended = await sandbox.run(
				{ ...request, argv: ["/bin/bash", "-c", line] },
				options,
				new AbortController().signal,
			);
			if (ended.state !== "ended" || ended.exitCode !== 0) failed.push(`${work} (${describe(ended)})`);
		}
		const count = Object.keys(WORK).length;
		console.log(`  work: ${count - failed.length} of ${count}, ${Math.round(performance.now() - began)} ms`);
		for (const one of failed) console.log(`    fails: ${one}`);
	}
	console.log(`\nRules: ${rulesFor(policy, "whole").length / 2} whole, ${rulesFor(policy, "split").length / 2} split`);
} finally {
	rmSync(root, { recursive: true, force: true });
	rmSync(cwd, { recursive: true, force: true });
}

function describe(end: CommandEnd): string {
	return end.state === "ended" ? (end.output.text.trim().split("\n").at(-1) ?? "").slice(0, 100) : end.state;
}

function landlock(helper: string, filter: string, way: Way): Pick<Sandbox, "run"> {
	return {
		run: async ({ argv, cwd, policy }: CommandRequest): Promise<CommandEnd> => {
			const args = [...rulesFor(policy, way), "--offline", "--filter", filter, "--", ...argv];
			const env = { PATH: process.env.PATH, HOME: homedir(), TMPDIR: tmpdir() };
			const { status, stdout, stderr } = spawnSync(helper, args, { cwd, env, encoding: "utf8" });
			const output = { text: stdout + stderr, bytes: 0, dropped: 0 };
			return { state: "ended", exitCode: status ?? 1, output, notes: [], refusedHosts: [], bound: "none" };
		},
	};
}

function rulesFor(policy: Policy, way: Way): readonly string[] {
	const writable = ["/dev/null", "/dev/zero", "/dev/tty", ...policy.temporary].flatMap((path) => ["--write", path]);
	if (way === "whole") return ["--read", "/", "--write", ...policy.folders.flatMap((path) => [path]), ...writable];
	const changes = fixedPlaces(policy);
	const rules: string[] = [];
	const visit = (path: string): void => {
		const access = enforcedAccess(policy, path);
		const isSplit = changes.some((place) => place !== path && isInside(place, path));
		if (!isSplit) {
			if (access !== "none") rules.push(access === "write" ? "--write" : "--read", path);
			return;
		}
		for (const name of namesIn(path)) visit(join(path, name));
	};
	visit("/");
	return [...rules, ...writable];
}

function namesIn(folder: string): readonly string[] {
	try {
		return statSync(folder).isDirectory() ? readdirSync(folder).filter((name) => exists(join(folder, name))) : [];
	} catch {
		return [];
	}
}

function exists(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function fill(folder: string): void {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(join(folder, "src"), { recursive: true });
	execFileSync("git", ["init", "-q", folder]);
	const files = {
		"a.txt": "a\n",
		"src/b.txt": "b\n",
		"main.c": "int main(void) { return 0; }\n",
		Makefile: "all:\n\techo built > out.txt\n",
		"package.json": '{"name":"x","scripts":{"test":"node --test"}}\n',
		"a.test.mjs": 'import { test } from "node:test";\ntest("a", () => {});\n',
		"test_a.py": "import unittest\nclass A(unittest.TestCase):\n    def test(self): pass\n",
	};
	for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}
