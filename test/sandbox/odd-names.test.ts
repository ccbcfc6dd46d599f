import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { digestPolicy } from "../../agent-host/permissions/policy/policy.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";
import { readableUnder } from "../../agent-host/workspace/files/readable.ts";
import { makeFixture, policyFor } from "./probes/fixture.ts";

const parent = mkdtempSync(join(tmpdir(), "vitrine-odd-"));
after(() => rmSync(parent, { recursive: true, force: true }));

/** What means something to a shell, a glob, a regular expression or an options file, or below a root to the sandbox. */
const NAMES = [
	"a*b",
	"a?b",
	"**",
	"[ab]",
	"{a,b}",
	"!a",
	"a\\b",
	"-a",
	"a b",
	"$HOME",
	"`a`",
	"'a\"",
	"a\nb",
	"(a|b)+",
	"~",
	"é👍",
	"node_modules",
	"vendor",
	".venv",
	"venv",
	"site-packages",
];

for (const name of NAMES) {
	test(`commands run in a workspace below a folder called ${JSON.stringify(name)}, under the same rules`, async () => {
		const folder = join(parent, name);
		mkdirSync(folder);
		const fixture = makeFixture(folder, process.getuid?.() ?? 0);
		const sandbox = createSandbox({ home: fixture.own, path: process.env.PATH, folders: [fixture.workspace] });
		writeFileSync(join(fixture.workspace, "dir/.envrc"), "theirs\n");
		const policy = policyFor(fixture, { denyRead: [":workspace/a", "**/*.pem"] });
		const script = [
			"echo new > new.txt",
			"cat f.txt",
			"cat a/secret.txt keys/one.pem ~/.ssh/id_ed25519 2>/dev/null",
			"echo x >> .git/config",
			"echo x >> dir/.envrc; echo obey > dir/AGENTS.md; mkdir -p vendor/p; echo fine > vendor/p/AGENTS.md",
			`echo x > ../outside/out.txt`,
		].join("; ");
		const ended = await sandbox.run(
			{
				argv: ["/bin/bash", "-c", script],
				cwd: fixture.workspace,
				policy,
				digest: digestPolicy(policy),
				environment: { ...process.env, HOME: fixture.home },
			},
			{ limits: { outputBytes: 65_536, timeoutMs: 60_000 }, streams: "kept", input: "closed" },
			new AbortController().signal,
		);
		assert.equal(ended.state, "ended", JSON.stringify(ended));
		const output = ended.state === "ended" ? ended.output.text : "";
		assert.ok(output.startsWith("text\n"), output);
		assert.ok(!output.includes("canary"), output);
		assert.equal(readFileSync(join(fixture.workspace, "new.txt"), "utf8"), "new\n");
		assert.equal(readFileSync(join(fixture.workspace, ".git/config"), "utf8"), "[core]\n");
		assert.equal(readFileSync(join(fixture.workspace, "dir/.envrc"), "utf8"), "theirs\n");
		assert.deepEqual(
			["dir/AGENTS.md", "vendor/p/AGENTS.md"].map((path) => existsSync(join(fixture.workspace, path))),
			[false, true],
			"only what lies in a folder of packages below the root is left alone",
		);
		assert.equal(readFileSync(join(fixture.outside, "out.txt"), "utf8"), "out\n");
		const readable = readableUnder(policy);
		assert.deepEqual(
			["f.txt", "a/secret.txt", "keys/one.pem"].map((path) => readable(join(fixture.workspace, path))),
			[true, false, false],
		);
		assert.ok(existsSync(fixture.workspace));
	});
}

test("a folder named like a pattern opens nothing but itself", () => {
	const folder = join(parent, "x*");
	mkdirSync(folder);
	mkdirSync(join(parent, "xy"));
	const fixture = makeFixture(folder, process.getuid?.() ?? 0);
	const policy = policyFor(fixture, {});
	const other = fixture.workspace.replace("x*", "xy");
	assert.deepEqual(
		policy.filesystem.filter(({ access }) => access === "write").some(({ path }) => path === other),
		false,
	);
	assert.equal(readableUnder(policy)(join(other, "f.txt")), false);
});
