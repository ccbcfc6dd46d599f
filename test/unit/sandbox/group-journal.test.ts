import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createGroupJournal, endLeftGroups } from "../../../agent-host/sandbox/command/group-journal.ts";
import { askStartTime } from "../../../agent-host/sandbox/launch.ts";
import { runFolderOf } from "../../../agent-host/sandbox/run-folder.ts";

const home = mkdtempSync(join(tmpdir(), "vitrine-groups-"));
after(() => rmSync(home, { recursive: true, force: true }));
const folder = runFolderOf(home);

/** A command in a group of its own, noted by this process. */
function start() {
	const child = spawn("/bin/sleep", ["600"], { detached: true, stdio: "ignore" });
	const forget = createGroupJournal(home).note(child.pid);
	const path = join(folder, `group-${child.pid}.json`);
	const change = (entry: object) =>
		writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...entry }));
	return { child, forget, change, leader: JSON.parse(readFileSync(path, "utf8")).leader };
}

/** No process has this number. */
const GONE = { pid: 999_999_999, began: "1" };

test("processes left by a killed host end at the next start; those of a living host go on", async () => {
	const [left, kept] = [start(), start()];
	left.change({ host: GONE });
	endLeftGroups(home);
	const [, signal] = await once(left.child, "exit");
	assert.equal(signal, "SIGKILL");
	assert.deepEqual(readdirSync(folder), [`group-${kept.child.pid}.json`]);
	assert.ok(kept.child.kill(0));
	kept.child.kill("SIGKILL");
	kept.forget();
	assert.deepEqual(readdirSync(folder), []);
});

test("a process that reused a command's number is left alone, and so is everything if an entry is unreadable", async () => {
	const other = start();
	other.change({ host: GONE, leader: { ...other.leader, began: "another time" } });
	writeFileSync(join(folder, "group-1.json"), "no entry");
	endLeftGroups(home);
	assert.deepEqual(readdirSync(folder), []);
	// It ends by this, and not by an earlier signal.
	other.child.kill("SIGTERM");
	assert.deepEqual(await once(other.child, "exit"), [null, "SIGTERM"]);
});

test("ps gives a process's start time, the same each time, and nothing for a missing process", () => {
	const began = askStartTime(process.pid);
	assert.match(began ?? "", /\d\d:\d\d:\d\d/);
	assert.deepEqual([askStartTime(process.pid), askStartTime(GONE.pid)], [began, undefined]);
});
