import assert from "node:assert/strict";
import { test } from "node:test";
import { NOTHING_SPENT } from "../../../agent-host/spending/spent.ts";
import { openDayLedger } from "../../../agent-host/store/home/day-ledger.ts";
import { openHome } from "../../../agent-host/store/home/home.ts";
import { createMemoryDisk, failure, type MemoryDisk } from "../../support/memory-disk.ts";

const DAY = "2027-01-15";
const request = { ...NOTHING_SPENT, requests: 1, tokens: 10 };

async function aLedger(disk: MemoryDisk) {
	return openDayLedger(await openHome(disk, async () => ({ release: () => undefined }), "/home"));
}

test("two windows share one day's count, a restart continues it, and a new day begins at zero", async () => {
	const disk = createMemoryDisk();
	const [one, other] = [await aLedger(disk), await aLedger(disk)];
	await Promise.all([one.add(DAY, request), other.add(DAY, request), one.add(DAY, request)]);
	const sum = { ...NOTHING_SPENT, requests: 3, tokens: 30 };
	assert.deepEqual([await one.total(DAY), await (await aLedger(disk)).total(DAY)], [sum, sum]);
	assert.deepEqual(await one.total("2027-01-16"), NOTHING_SPENT);
});

test("files of the last seven days stay, older ones go", async () => {
	const disk = createMemoryDisk();
	for (let day = 10; day < 20; day += 1) await (await aLedger(disk)).add(`2027-01-${day}`, request);
	assert.deepEqual((await disk.list("/home/spending")).toSorted().slice(0, 2), [
		"2027-01-12.jsonl",
		"2027-01-13.jsonl",
	]);
});

test("a disk that refuses writes loses nothing of this window's count, and one that refuses reads is not empty", async () => {
	const disk = createMemoryDisk();
	const ledger = await aLedger(disk);
	await ledger.add(DAY, request);
	disk.fault = () => {
		throw failure("ENOSPC");
	};
	await ledger.add(DAY, request);
	assert.equal((await ledger.total(DAY)).requests, 2);
	disk.fault = undefined;
	const deaf = { ...disk, read: () => Promise.reject(failure("EIO")) };
	await assert.rejects((await aLedger(deaf)).total(DAY), { code: "EIO" });
});

test("a day's file that was removed is created again, with what is spent from then on", async () => {
	const disk = createMemoryDisk();
	const ledger = await aLedger(disk);
	await ledger.add(DAY, request);
	await disk.remove(`/home/spending/${DAY}.jsonl`);
	assert.deepEqual(await ledger.total(DAY), NOTHING_SPENT);
	await ledger.add(DAY, request);
	assert.deepEqual(await (await aLedger(disk)).total(DAY), request);
});
