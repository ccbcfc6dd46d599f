import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ThreadId } from "../../agent-host/protocol/ids.ts";
import { sealRecords } from "../../agent-host/store/log/thread-log.ts";
import type { Proof } from "../../agent-host/store/records/admit-records.ts";
import { frameJson, type ThreadRecord } from "../../agent-host/store/records/record.ts";
import { createSealKey, type SealKey } from "../../agent-host/store/records/record-seal.ts";

const KEY = "5e".repeat(32);

/** Whoever loads with this takes every record for this host's own. */
export function allOwn(threadId: string): Proof {
	const key: SealKey = {
		seal: (_, json) => json,
		holds: () => true,
		pin: () => "",
		consent: () => "",
		state: () => "",
	};
	return { threadId: ThreadId.parse(threadId), key, pinned: undefined };
}

/** Writes a thread's file as the host of that home would have written it, with its key and the newest seal. */
export function writeSealed(home: string, threadId: ThreadId, records: readonly ThreadRecord[]): string {
	const key = keyOf(home);
	const { externalized, newest } = sealRecords(records, key, threadId, "");
	const path = join(home, "threads", `${threadId}.jsonl`);
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	writeFileSync(path, Buffer.concat(externalized.map(({ line }) => line)), { mode: 0o600 });
	writeFileSync(join(home, "seals", `${threadId}.newest`), `${newest} ${key.pin(threadId, newest)}\n`);
	return path;
}

/** The line of a record under the seal of that home, with everything in it. */
export function sealedLine(home: string, threadId: ThreadId, { v, n, at, body, refs }: ThreadRecord): string {
	const record = { v, n, at, body, ...(refs === undefined ? {} : { refs }) };
	return frameJson(keyOf(home).seal(threadId, JSON.stringify(record)));
}

function keyOf(home: string): SealKey {
	const path = join(home, "seals", "key");
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	if (!existsSync(path)) writeFileSync(path, `${KEY}\n`, { mode: 0o600 });
	return createSealKey(Buffer.from(readFileSync(path, "latin1").trim(), "hex"));
}
