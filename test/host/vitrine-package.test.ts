import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);

test("the command-line package contains nothing of the editor or its page", () => {
	const { inputs } = JSON.parse(readFileSync(join(ROOT, "out/command-line.meta.json"), "utf8"));
	const foreign = Object.keys(inputs).filter((path) =>
		/^(?:extension|media|l10n)\/|surfaces\/editor\/|vscode-jsonrpc|vscode-language|preact/.test(path),
	);
	assert.deepEqual(foreign, []);
});

test("packed and installed into an empty folder, vitrine runs a task and the doctor", async (t) => {
	const folder = mkdtempSync(join(realpathSync(tmpdir()), "vitrine-packed-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const [home, place] = [join(folder, "home"), join(folder, "place")];
	for (const path of [home, place]) mkdirSync(path);
	const env = { PATH: process.env.PATH, HOME: home, npm_config_cache: join(folder, "cache") };
	const inside = { cwd: place, env };
	const { stdout: packed } = await run(
		"npm",
		["pack", "--silent", "--pack-destination", folder, join(ROOT, "dist/cli")],
		inside,
	);
	await run(
		"npm",
		["install", "--silent", "--offline", "--no-audit", "--no-fund", join(folder, packed.trim())],
		inside,
	);
	const vitrine = join(place, "node_modules/.bin/vitrine");
	const { stdout } = await run(vitrine, ["exec", "hello"], inside);
	assert.match(stdout, /hello/);
	const { stdout: threads } = await run(vitrine, ["threads", "--json"], inside);
	assert.equal(JSON.parse(threads).cwd, place);
	// Without a sandbox it is not healthy; there is a report either way.
	const doctor = await run(vitrine, ["doctor", "--json"], inside).catch((error: { stdout: string }) => error);
	assert.ok(Array.isArray(JSON.parse(doctor.stdout).checks), doctor.stdout);
});
