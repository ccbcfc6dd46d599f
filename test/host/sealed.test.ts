import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
// Otherwise it is loaded with the first request: it reads these only once in a host's life.
import "../../agent-host/model/wires/connection/send-request.ts";
import { CONSUMERS } from "../../agent-host/envelope/consumers.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { TOOLS } from "../../agent-host/tools/catalog.ts";
import { sourceOf } from "../support/product-source.ts";
import { playKind, TURN_KINDS } from "./rig/turn-kinds.ts";
import { watchEnvelopes } from "./rig/watch-envelope.ts";
import { settingNames, watchSettings } from "./rig/watch-settings.ts";

/** What a running turn may still look at: open documents are a port of its tools, and lost trust may only refuse. */
const LIVE = new Set(["documents", "trusted"]);

/** What cannot change a request, with the reason. */
const HARMLESS = new Set([
	// Whether what was seen of a folder may be remembered: its file system's clock must have ticked since.
	"Date.now in sandbox/protect/harmful-places.ts",
	// Node's `spawn` looks for it, whichever environment it is given.
	"process.env.NODE_V8_COVERAGE in sandbox/launch.ts",
	// The library reads it; none of it is sent, which test/unit/model/servers.test.ts shows.
	"process.env.OPENAI_CUSTOM_HEADERS in model/wires/connection/send-request.ts",
]);

const called = new Set<string>();
/** Who read which field of an envelope. */
const readers = new Map<string, Set<string>>();
const settingsRead = new Set<string>();

for (const [name, kind] of Object.entries(TURN_KINDS)) {
	test(`a sealed turn reads settings, folders, environment variables and the clock only through its envelope: ${name}`, async (t) => {
		const spy = watchReads(t);
		watchEnvelopes(t, (field, file) => readers.set(field, (readers.get(field) ?? new Set()).add(consumerOf(file))));
		watchSettings(t, (setting) => settingsRead.add(setting));
		const played = kind();
		const { published } = await playKind(t, played, ({ session }) => {
			for (const fact of Object.keys(session.facts).filter((key) => !LIVE.has(key))) {
				const value: unknown = Reflect.get(session.facts, fact);
				Object.defineProperty(session.facts, fact, {
					get: () => {
						spy.note(fact);
						return value;
					},
				});
			}
			spy.arm();
		});
		spy.disarm();
		assert.deepEqual(spy.found, []);
		for (const { event } of published) {
			if (event.type === "itemCompleted" && isCall(event.item)) called.add(event.item.name);
		}
	});
}

test("the watched turns together call every tool", () => {
	assert.deepEqual([...called].sort(), TOOLS.map((tool) => tool.name).sort());
});

test("the fields of an envelope are read by exactly the rooms that are listed for them", () => {
	const listed = Object.entries(CONSUMERS).flatMap(([group, fields]) =>
		Object.entries(fields as Readonly<Record<string, readonly string[]>>).map(
			([field, rooms]) => [`${group}.${field}`, [...rooms].sort()] as const,
		),
	);
	const found = listed.map(([field]) => {
		// Recording a field with the turn does not count as using it.
		return [field, [...(readers.get(field) ?? [])].filter((room) => room !== "record").sort()] as const;
	});
	assert.deepEqual(Object.fromEntries(found), Object.fromEntries(listed));
	assert.deepEqual(
		[...readers.keys()].filter((field) => !listed.some(([known]) => known === field)),
		[],
	);
});

test("every setting is read by the host, or by the editor for itself", () => {
	const editor = sourceOf("extension/commands");
	const unread = settingNames().filter((name) => {
		const isEditors = new RegExp(`readSettings\\(\\)\\.${name.replaceAll(".", "\\.")}\\b`).test(editor);
		return !settingsRead.has(name) && !isEditors;
	});
	assert.deepEqual(unread, []);
});

/** The room of a file; code that records an envelope reads all of it. */
function consumerOf(file: string): string {
	return file === "session/start/record-envelope.ts" ? "record" : (file.split("/")[0] ?? file);
}

/** How far from a read the host is that made it; further away it only loads a module. */
const NEAR_FRAMES = 10;
/** Enough for the frames of every function that waits for this one. */
const MAX_FRAMES = 100;

function framesHere(): readonly string[] {
	const { stackTraceLimit } = Error;
	Error.stackTraceLimit = MAX_FRAMES;
	const { stack = "" } = new Error();
	Error.stackTraceLimit = stackTraceLimit;
	return stack.split("\n");
}

/** The turn of a sub-agent is sealed while its parent's runs, and sealing reads the world. */
function isSealing(frame: string): boolean {
	return /\bconversation \(.*\/agent-host\/session\/turn-kinds\.ts:/.test(frame);
}

/** Notes what the host reads of the environment and the clock of this process, from `arm` to `disarm`. */
function watchReads(t: TestContext) {
	const found: string[] = [];
	let isArmed = false;
	const note = (what: string): void => {
		const all = framesHere();
		const frames = all.slice(0, NEAR_FRAMES).filter((line) => !line.includes(import.meta.filename));
		const place = /\/agent-host\/(\S+?\.ts):/.exec(frames.join("\n"))?.[1];
		if (!isArmed || place === undefined || all.some(isSealing)) return;
		// Clock reads by Node and libraries for their own use do not count.
		if (what.includes("Date") && !frames[1]?.includes("/agent-host/")) return;
		const read = `${what} in ${place}`;
		if (!HARMLESS.has(read)) found.push(read);
	};
	const { env } = process;
	process.env = new Proxy(env, {
		get: (target, name) => {
			note(`process.env.${String(name)}`);
			return Reflect.get(target, name);
		},
		ownKeys: (target) => {
			note("process.env");
			return Reflect.ownKeys(target);
		},
	});
	const RealDate = Date;
	globalThis.Date = new Proxy(RealDate, {
		construct: (target, args) => {
			if (args.length === 0) note("new Date()");
			return Reflect.construct(target, args);
		},
		get: (target, name) => {
			if (name === "now") note("Date.now");
			return Reflect.get(target, name);
		},
	});
	t.after(() => {
		process.env = env;
		globalThis.Date = RealDate;
	});
	return {
		found,
		note,
		arm: () => {
			isArmed = true;
		},
		disarm: () => {
			isArmed = false;
		},
	};
}
