import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { findTimeZone, localDate, ownTimeZone } from "../../../agent-host/platform/time-zone.ts";

test("the host's time zone is the one of JavaScript's clock, however the system states it", () => {
	const formatted = (timeZone?: string) => new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
	// The formatter prefers older names of some zones.
	assert.equal(formatted(ownTimeZone()), formatted());
	const zones = [
		"Europe/Berlin",
		"America/North_Dakota/Center",
		"Asia/Tokyo",
		"Etc/UTC",
		"UTC",
		"America/Port-au-Prince",
	];
	assert.deepEqual(
		zones.map((zone) => findTimeZone(zone, () => undefined)),
		zones.map((zone) => formatted(zone)),
	);
	assert.equal(
		findTimeZone("", () => "../usr/share/zoneinfo/Europe/Berlin"),
		"Europe/Berlin",
	);
	assert.equal(
		findTimeZone(undefined, () => "/var/db/timezone/zoneinfo/Asia/Tokyo"),
		"Asia/Tokyo",
	);
});

test("a value that names no zone is left to the formatter", () => {
	for (const variable of [
		":Europe/Berlin",
		"EST5EDT",
		"CET-1CEST",
		"/etc/zone",
		"../x",
		"Europe/Berlin\n",
		"europe/berlin",
	]) {
		assert.equal(
			findTimeZone(variable, () => undefined),
			undefined,
			variable,
		);
	}
	assert.equal(
		findTimeZone(undefined, () => "/etc/somewhere"),
		undefined,
	);
	assert.equal(
		findTimeZone(undefined, () => undefined),
		undefined,
	);
});

test("the day is the one in the zone, by the clock for the host's own zone and by a formatter for others", () => {
	const file = new URL("../../../agent-host/platform/time-zone.ts", import.meta.url).href;
	const program = `const { localDate, ownTimeZone } = await import(${JSON.stringify(file)});
		const times = [0, 951782400000, 1800000000000, 1800050000000, 1774746000000];
		const own = ownTimeZone();
		console.log(JSON.stringify([own, times.map((time) => localDate(time, own))]));`;
	for (const zone of ["Asia/Tokyo", "America/New_York", "Pacific/Kiritimati"]) {
		const env = { ...process.env, TZ: zone };
		const printed = execFileSync(process.execPath, ["--input-type=module", "-e", program], { env, encoding: "utf8" });
		const times = [0, 951_782_400_000, 1_800_000_000_000, 1_800_050_000_000, 1_774_746_000_000];
		assert.deepEqual(JSON.parse(printed), [zone, times.map((time) => localDate(time, zone))]);
	}
});
