import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { digestPolicy, type Policy } from "../../agent-host/permissions/policy/policy.ts";
import { ThreadId, TurnId } from "../../agent-host/protocol/ids.ts";
import { createPlanner } from "../../agent-host/sandbox/layout/plan-layout.ts";
import { type Prepared, prepareCommand, type SandboxParts } from "../../agent-host/sandbox/linux/prepare.ts";
import { probeSandbox } from "../../agent-host/sandbox/linux/try-bwrap.ts";
import { collectProtection, watchProtection } from "../../agent-host/sandbox/linux/watch-protection.ts";
import { guardProtected } from "../../agent-host/sandbox/protect/guard.ts";
import { createGuardJournal } from "../../agent-host/sandbox/protect/guard-journal.ts";
import { createHarmfulPlaces } from "../../agent-host/sandbox/protect/harmful-places.ts";
import { createPlaceholders } from "../../agent-host/sandbox/protect/placeholders.ts";
import { openRunFolder } from "../../agent-host/sandbox/run-folder.ts";
import { REAL_DISK } from "../../agent-host/store/home/disk.ts";
import { lockThread } from "../../agent-host/store/home/lock.ts";
import { createThreadLog } from "../../agent-host/store/log/thread-log.ts";

/** What the host itself does for a command, in the order in which it does it; each is timed alone. */
export interface CommandParts {
	/** The policy as the disk is now, its layout, and bubblewrap's options. */
	readonly prepare: () => Promise<void>;
	/** What stood there before is written down, and the empty folders are placed. */
	readonly writeDown: () => Promise<void>;
	/** The watches begin and end. */
	readonly watch: () => Promise<void>;
	/** What the command made is looked for, and what was written down is removed. */
	readonly settle: () => Promise<void>;
	/** Its result is on the disk. */
	readonly record: () => Promise<void>;
}

export async function openCommandParts(policy: Policy, workspace: string, folder: string): Promise<CommandParts> {
	const home = mkdtempSync(join(folder, "parts-"));
	const probe = await probeSandbox("/usr/bin/bwrap");
	if (!probe.ok) throw new Error(probe.problem.message);
	const run = openRunFolder(home);
	const places = createHarmfulPlaces();
	const placeholders = createPlaceholders(run.path, run.spare);
	const journal = createGuardJournal(run.path);
	const parts: SandboxParts = {
		probe,
		maskFile: run.maskFile,
		plan: createPlanner(),
		hasCgroups: false,
		active: placeholders.active,
		places,
		planted: new Set(),
		copies: () => join(home, "copy"),
		temporary: join(home, "temporary"),
	};
	const request = {
		argv: ["/bin/true"],
		cwd: workspace,
		policy,
		digest: digestPolicy(policy),
		environment: process.env,
	};
	const prepared = await prepareCommand(request, parts);
	if (prepared.state === "refused") throw new Error(prepared.reason);
	let guard = guardProtected(prepared, places, journal, placeholders.active);
	return {
		prepare: async () => void (await prepareCommand(request, parts)),
		writeDown: async () => {
			guard = guardProtected(prepared, places, journal, placeholders.active);
			placeholders.hold(prepared.layout.placeholders);
		},
		watch: async () => {
			const protection = collectProtection(prepared as Prepared, guard.links);
			const watches = [watchProtection(protection, () => undefined, fail), guard.watch(fail)];
			for (const unwatch of watches) unwatch();
		},
		settle: async () => {
			placeholders.release(prepared.layout.placeholders);
			await guard.finish();
		},
		record: openRecord(join(home, "threads")),
	};
}

function fail(sentence: string): void {
	throw new Error(sentence);
}

function openRecord(threads: string): () => Promise<void> {
	mkdirSync(threads);
	const log = createThreadLog({
		disk: REAL_DISK,
		lock: lockThread,
		path: join(threads, `${ThreadId.parse("bench")}.jsonl`),
		last: 0,
		now: Date.now,
	});
	const turnId = TurnId.parse("turn");
	const items = [{ kind: "toolOutput", callId: "c", output: "Exit code 0 after 5 ms." } as const];
	return async () => void (await log.append([{ kind: "items", turnId, items }], "synced"));
}
