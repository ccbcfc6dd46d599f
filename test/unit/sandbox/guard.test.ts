import assert from "node:assert/strict";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readlinkSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Layout } from "../../../agent-host/sandbox/layout/plan-layout.ts";
import { guardProtected } from "../../../agent-host/sandbox/protect/guard.ts";
import { cleanUpDeadHosts } from "../../../agent-host/sandbox/protect/guard-journal.ts";
import { createHarmfulPlaces } from "../../../agent-host/sandbox/protect/harmful-places.ts";
import { tryReadlink } from "../../../agent-host/sandbox/protect/try-readlink.ts";
import { eventually } from "../../host/rig/files.ts";
import { type Fixture, makeFixture, policyFor } from "../../sandbox/probes/fixture.ts";

const parent = mkdtempSync(join(tmpdir(), "vitrine-guard-"));
after(() => rmSync(parent, { recursive: true, force: true }));

const LAYOUT: Layout = {
	base: "none",
	pins: [],
	mounts: [],
	links: [],
	placeholders: [],
	awaited: [],
	absent: [],
	watched: [],
};

/** A guarded folder without a command: the test itself creates what a command would. */
async function aGuardedFolder(watched: Readonly<Record<string, string>> = {}) {
	const fixture = makeFixture(parent, process.getuid?.() ?? 0);
	const at = (name: string) => join(fixture.workspace, name);
	for (const [name, target] of Object.entries(watched)) symlinkSync(target, at(name));
	return { at, guard: await guardFolder(fixture, watched), another: () => guardFolder(fixture) };
}

async function guardFolder(fixture: Fixture, watched: Readonly<Record<string, string>> = {}) {
	const at = (name: string) => join(fixture.workspace, name);
	const places = createHarmfulPlaces();
	const found = await places.find([fixture.workspace]);
	const guarded = {
		policy: policyFor(fixture, {}),
		layout: { ...LAYOUT, watched: Object.keys(watched).map(at) },
		present: [".git", ".vscode", ".GITHUB", "one.code-workspace", ...Object.keys(watched)].map(at),
		found,
		awaited: [],
	};
	const written = { replace: () => undefined, remove: () => undefined };
	const journal = { write: () => written, isShared: () => false };
	return guardProtected(guarded, places, journal, () => new Set());
}

test("everything set aside is reported once, however close to the end it was made", async () => {
	const names = Array.from({ length: 20 }, (_, index) => `${index}.code-workspace`);
	for (let turns = 0; turns < 100; turns += 3) {
		const { at, guard } = await aGuardedFolder();
		const stop = guard.watch(assert.fail);
		for (const [index, name] of names.entries()) {
			writeFileSync(at(name), "{}");
			// The first ones are noticed, and noticed again while they are being renamed.
			for (let taken = 0; index < 2 && taken < turns; taken += 1) await turn();
		}
		stop();
		const notes = await guard.finish();
		assert.deepEqual(
			names.map((name) => notes.filter((note) => note.startsWith(`${at(name)} `)).length),
			names.map(() => 1),
			`after ${turns} turns: ${notes.join("\n")}`,
		);
	}
});

test("a planted name that another command found is set aside when that command makes it again", async () => {
	const { at, guard, another } = await aGuardedFolder();
	mkdirSync(at("dir/.git"));
	const later = await another();
	assert.equal((await guard.finish()).length, 1);
	mkdirSync(at("dir/.git"));
	assert.equal((await later.finish()).length, 1);
	assert.equal(existsSync(at("dir/.git")), false);
});

test("a link redirected while the command runs is restored at once, and that is reported at its end", async () => {
	const { at, guard } = await aGuardedFolder({ ".roo": "dir" });
	const stop = guard.watch(assert.fail);
	rmSync(at(".roo"));
	symlinkSync("outside", at(".roo"));
	await eventually(() => tryReadlink(at(".roo")) === "dir", 5_000, "the link is not restored");
	stop();
	const notes = await guard.finish();
	assert.equal(notes.filter((note) => note.includes("points to dir again")).length, 1, notes.join("\n"));
	assert.equal(readlinkSync(at(".roo")), "dir");
});

test("the next start removes placeholders left by a killed host before any command runs", async () => {
	const home = mkdtempSync(join(parent, "home-"));
	const [run, workspace] = [join(home, "sandbox"), join(home, "work")];
	for (const folder of [run, join(workspace, ".git")]) mkdirSync(folder, { recursive: true });
	const dead = { pid: 999_999, began: "1" };
	const before = { roots: [workspace], names: [], known: [], awaited: [], links: [] };
	writeFileSync(join(run, "before-999999-1.json"), JSON.stringify({ ...dead, before }));
	writeFileSync(join(run, "placeholders-999999.json"), JSON.stringify({ ...dead, paths: [join(workspace, ".git")] }));
	assert.deepEqual(await cleanUpDeadHosts(home), []);
	assert.deepEqual(readdirSync(workspace), []);
});
