import assert from "node:assert/strict";
import {
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	renameSync,
	rmdirSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { digestPolicy } from "../../agent-host/permissions/policy/policy.ts";
import { createProcesses } from "../../agent-host/sandbox/command/processes.ts";
import type { Layout } from "../../agent-host/sandbox/layout/plan-layout.ts";
import { processStartTime } from "../../agent-host/sandbox/process-start-time.ts";
import { guardProtected } from "../../agent-host/sandbox/protect/guard.ts";
import { cleanUpDeadHosts, createGuardJournal } from "../../agent-host/sandbox/protect/guard-journal.ts";
import { createHarmfulPlaces } from "../../agent-host/sandbox/protect/harmful-places.ts";
import { createPlaceholders } from "../../agent-host/sandbox/protect/placeholders.ts";
import { createUndoing } from "../../agent-host/sandbox/protect/undo.ts";
import { copyRepository } from "../../agent-host/sandbox/repository/copy-repository.ts";
import { planRepository } from "../../agent-host/sandbox/repository/plan-repository.ts";
import { linksIn, removeLinks } from "../../agent-host/sandbox/repository/repository-links.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";
import { type Fixture, makeFixture, policyFor } from "./probes/fixture.ts";

const parent = mkdtempSync(join(tmpdir(), "vitrine-repair-"));
after(() => rmSync(parent, { recursive: true, force: true }));

const NAME = ".gdbinit";

/** A workspace with a folder that holds a protected link, and a home folder beside it that nothing may reach. */
function aWorkspace() {
	const fixture = makeFixture(parent, process.getuid?.() ?? 0);
	const at = (path: string) => join(fixture.workspace, path);
	mkdirSync(at("led"));
	symlinkSync("theirs", at(`led/${NAME}`));
	const home = readdirSync(fixture.home).sort();
	const run = join(fixture.own, "sandbox");
	mkdirSync(run, { recursive: true });
	return {
		fixture,
		at,
		run,
		journal: createGuardJournal(run),
		homeIsAsBefore: () => assert.deepEqual(readdirSync(fixture.home).sort(), home),
	};
}

/** What a command does with one folder while it runs: the way to it then leads to the home folder. */
function leadToHome({ workspace, home }: Fixture, name: string): void {
	renameSync(join(workspace, name), join(workspace, `${name}-moved`));
	symlinkSync(home, join(workspace, name));
}

test("a command that redirects a protected link's folder to the home folder causes nothing to be made there", async () => {
	const { fixture, at, homeIsAsBefore } = aWorkspace();
	const processes = createProcesses(createSandbox({ home: fixture.own, path: process.env.PATH, folders: [at("")] }));
	after(() => processes.close());
	const policy = policyFor(fixture, {});
	const request = {
		argv: ["/bin/bash", "-c", `mv led moved; ln -sT ${fixture.home} led; echo ended`],
		cwd: fixture.workspace,
		policy,
		digest: digestPolicy(policy),
		environment: process.env,
	};
	const held = { sandbox: { text: "as the test says" }, containment: "sandboxed" } as const;
	const options = { held, timeoutMs: undefined, yieldMs: undefined };
	const report = await processes.run("thread", request, options, new AbortController().signal);
	homeIsAsBefore();
	assert.equal(report.state, "ended", JSON.stringify(report));
	assert.equal(lstatSync(at("led")).isDirectory(), true, "the folder above a protected link cannot be moved");
	assert.equal(readlinkSync(at(`led/${NAME}`)), "theirs");
});

test("a link is restored only in its own folder: where the path leads out, nothing is made", async () => {
	const { fixture, at, homeIsAsBefore } = aWorkspace();
	const before = {
		roots: [fixture.workspace],
		names: [NAME],
		known: [at(`led/${NAME}`)],
		awaited: [],
		links: [[at(`led/${NAME}`), "theirs"]] as const,
		stamps: [],
	};
	// Between looking and repairing: the last moment at which the folders are as they were found.
	let isLed = false;
	const swap = () => {
		if (!isLed) leadToHome(fixture, "led");
		isLed = true;
		return new Set<string>();
	};
	writeFileSync(at("dir/AGENTS.md"), "planted, so that there is something to set aside\n");
	const undoing = createUndoing(before, createHarmfulPlaces(), swap);
	const { notes } = await undoing.all();
	undoing.close();
	assert.equal(isLed, true);
	homeIsAsBefore();
	assert.match(notes.join("\n"), /led\/\.gdbinit is protected, was changed by the command, and could not be restored/);
});

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

/** The guard of a command that begins now, with what is there now. */
async function beginGuard(
	{ fixture, journal }: Pick<ReturnType<typeof aWorkspace>, "fixture" | "journal">,
	meanwhile: () => void = () => undefined,
) {
	const places = createHarmfulPlaces();
	const found = await places.find([fixture.workspace]);
	const watched = [...found.places.keys()].filter((path) => lstatSync(path).isSymbolicLink());
	const present = [".git", ".vscode", ".GITHUB", "one.code-workspace"].map((name) => join(fixture.workspace, name));
	meanwhile();
	const guarded = { policy: policyFor(fixture, {}), layout: { ...LAYOUT, watched }, present, found, awaited: [] };
	return guardProtected(guarded, places, journal, () => new Set());
}

test("a link that one command planted and another found is not restored after being set aside", async () => {
	const workspace = aWorkspace();
	const { at } = workspace;
	const planter = await beginGuard(workspace);
	symlinkSync("planted", at(`dir/${NAME}`));
	const accomplice = await beginGuard(workspace);
	await planter.check();
	rmSync(at(`led/${NAME}`));
	const notes = (await accomplice.finish()).join("\n");
	assert.equal(lstatSync(at(`dir/${NAME}`), { throwIfNoEntry: false }), undefined, notes);
	assert.equal(readlinkSync(at(`led/${NAME}`)), "theirs", "the user's own leads there again");
	await planter.finish();
});

test("a file set aside while a command was prepared is not taken for the user's", async () => {
	const workspace = aWorkspace();
	const { at } = workspace;
	symlinkSync("planted", at(`dir/${NAME}`));
	const guard = await beginGuard(workspace, () => rmSync(at(`dir/${NAME}`)));
	symlinkSync("planted again", at(`dir/${NAME}`));
	const notes = (await guard.finish()).join("\n");
	assert.equal(lstatSync(at(`dir/${NAME}`), { throwIfNoEntry: false }), undefined, notes);
});

test("after a crash nothing that a command planted comes back, whichever command is cleaned up first", async () => {
	for (const order of [
		["planter", "accomplice"],
		["accomplice", "planter"],
	]) {
		const workspace = aWorkspace();
		const { fixture, at, run } = workspace;
		const planter = await beginGuard(workspace);
		symlinkSync("planted", at(`dir/${NAME}`));
		const accomplice = await beginGuard(workspace);
		const [first, second] = readdirSync(run)
			.filter((name) => name.startsWith("before-"))
			.sort();
		const entries = {
			planter: readFileSync(join(run, first ?? ""), "utf8"),
			accomplice: readFileSync(join(run, second ?? ""), "utf8"),
		};
		await Promise.all([planter.finish(), accomplice.finish()]);
		rmSync(at(`dir/${NAME}`), { force: true });
		symlinkSync("planted", at(`dir/${NAME}`));
		for (const [index, who] of order.entries()) {
			const entry = JSON.parse(who === "planter" ? entries.planter : entries.accomplice);
			writeFileSync(join(run, `before-1-${index}.json`), JSON.stringify({ ...entry, began: "another time" }));
		}
		const notes = await cleanUpDeadHosts(fixture.own);
		assert.equal(lstatSync(at(`dir/${NAME}`), { throwIfNoEntry: false }), undefined, notes.join("\n"));
		assert.equal(readlinkSync(at(`led/${NAME}`)), "theirs");
	}
});

test("a planted link that was set aside is not recorded for crash recovery either", async () => {
	const workspace = aWorkspace();
	const { at, run } = workspace;
	const planter = await beginGuard(workspace);
	symlinkSync("planted", at(`dir/${NAME}`));
	const accomplice = await beginGuard(workspace);
	await planter.finish();
	const [entry] = readdirSync(run).filter((name) => name.startsWith("before-"));
	const { before } = JSON.parse(readFileSync(join(run, entry ?? ""), "utf8"));
	assert.deepEqual(before.links, [[at(`led/${NAME}`), "theirs"]]);
	await accomplice.finish();
});

test("beside another window's command in the same folder, links are not restored, and a changed one is named", async () => {
	const workspace = aWorkspace();
	const { fixture, at, run } = workspace;
	const other = join(run, `before-${process.ppid}-1.json`);
	const writeOther = (roots: readonly string[]) => {
		const before = { roots, names: [], known: [], awaited: [], links: [], stamps: [] };
		writeFileSync(other, JSON.stringify({ pid: process.ppid, began: processStartTime(process.ppid), before }));
	};
	writeOther([at("led")]);
	const beside = await beginGuard(workspace);
	rmSync(at(`led/${NAME}`));
	assert.match((await beside.finish()).join("\n"), /led\/\.gdbinit was changed while the command ran/);
	assert.equal(lstatSync(at(`led/${NAME}`), { throwIfNoEntry: false }), undefined);
	symlinkSync("theirs", at(`led/${NAME}`));
	writeOther([fixture.outside]);
	const elsewhere = await beginGuard(workspace);
	rmSync(at(`led/${NAME}`));
	await elsewhere.finish();
	assert.equal(readlinkSync(at(`led/${NAME}`)), "theirs", "a command in another folder planted nothing here");
});

test("placeholders are neither made nor removed where the path to them leads out", () => {
	const { fixture, at, run } = aWorkspace();
	const spare = join(run, "spare");
	mkdirSync(spare);
	const placeholders = createPlaceholders(run, spare);
	// The link is further up, where opening a folder follows it.
	const [place, outside] = [at("dir/deep/.vscode"), join(fixture.home, "deep/.vscode")];
	mkdirSync(at("dir/deep"));
	placeholders.hold([place]);
	assert.equal(existsSync(place), true);
	leadToHome(fixture, "dir");
	mkdirSync(outside, { recursive: true });
	placeholders.release([place]);
	assert.equal(existsSync(outside), true, "an empty folder of the user's stays");
	rmdirSync(outside);
	assert.throws(() => placeholders.hold([place]), /deep was moved or replaced/);
	assert.equal(existsSync(outside), false);
	mkdirSync(outside);
	const dead = { pid: 999_999, began: "1", paths: [place] };
	writeFileSync(join(run, "placeholders-999999.json"), JSON.stringify(dead));
	createPlaceholders(run, spare);
	assert.equal(existsSync(outside), true, "nor does the next host take it away");
});

test("what a Git call replaced is copied back into its original directory, wherever the path leads by then", async () => {
	const { fixture, at, run, homeIsAsBefore } = aWorkspace();
	mkdirSync(at("dir/.git/objects"), { recursive: true });
	mkdirSync(at("dir/.git/refs"));
	writeFileSync(at("dir/.git/HEAD"), "ref: refs/heads/main\n");
	const plan = planRepository(at("dir/.git"), join(run, "copy"));
	assert.ok(plan);
	const copy = await copyRepository(plan);
	writeFileSync(join(plan.copy, "HEAD"), "ref: refs/heads/other\n");
	writeFileSync(join(plan.copy, "MERGE_MSG"), "a message\n");
	renameSync(at("dir"), at("dir-moved"));
	mkdirSync(at("dir"));
	symlinkSync(fixture.home, at("dir/.git"));
	assert.deepEqual(await copy.takeOver(), []);
	homeIsAsBefore();
	assert.equal(readFileSync(at("dir-moved/.git/HEAD"), "utf8"), "ref: refs/heads/other\n");
	assert.equal(readFileSync(at("dir-moved/.git/MERGE_MSG"), "utf8"), "a message\n");
});

test("links among branches are removed only there: a file of the same name outside stays", async () => {
	const { fixture, at } = aWorkspace();
	mkdirSync(at(".git/refs/heads"), { recursive: true });
	const before = await linksIn(at(".git"));
	symlinkSync("anything", at(".git/refs/heads/plain.txt"));
	const found = await linksIn(at(".git"));
	renameSync(at(".git/refs/heads"), at(".git/refs/moved"));
	symlinkSync(fixture.home, at(".git/refs/heads"));
	await removeLinks([...found].filter((path) => !before.has(path)));
	assert.equal(readFileSync(join(fixture.home, "plain.txt"), "utf8"), "plain\n");
});
