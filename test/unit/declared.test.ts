import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type * as z from "zod";
import { FRAGMENTS } from "../../agent-host/context/catalog.ts";
import {
	CLIENT_METHODS,
	CLIENT_NOTIFICATIONS,
	HOST_METHODS,
	HOST_NOTIFICATIONS,
} from "../../agent-host/protocol/catalog.ts";
import { HOST_ERRORS } from "../../agent-host/protocol/errors.ts";
import { EditorEnd } from "../../agent-host/protocol/host/editor-models.ts";
import { HostOptions } from "../../agent-host/protocol/host/host-options.ts";
import { ThreadEvent, TurnErrorCode } from "../../agent-host/protocol/thread/events.ts";
import { Item } from "../../agent-host/protocol/thread/item.ts";
import { settingNames } from "../host/rig/watch-settings.ts";
import { PROJECT } from "../support/editor-paths.ts";
import { compareWaiting, NOT_YET_USED } from "../support/not-yet-used.ts";
import { sourceOf } from "../support/product-source.ts";

const HOST = sourceOf("agent-host");
const EXTENSION = sourceOf("extension");
const PAGE = sourceOf("media");

/** Those that do not occur in a source. */
function missing(names: Iterable<string>, source: string, asWritten: (name: string) => string): readonly string[] {
	return [...names].filter((name) => !new RegExp(asWritten(name)).test(source));
}

const asWord = (name: string) => `\\b${name}\\b`;
const asString = (name: string) => `"${name}"`;

test("every fragment kind is sent by the built host in a scenario page, or waits for a capability", () => {
	const pages = globSync("test/host/scenarios/*.txt", { cwd: PROJECT })
		.map((page) => readFileSync(join(PROJECT, page), "utf8"))
		.join("\n");
	const sent = new Set([...pages.matchAll(/^ {2}\d+ (?:developer|user)\/([a-z-]+):/gm)].map(([, label]) => label));
	const labelOf = (tag: string) => tag.replace(/_context$/, "").replaceAll("_", "-");
	// Without a tag, a page does not show what kind it is.
	const session = sourceOf("agent-host/session");
	const isMade = (kind: string) =>
		session.includes(`${kind.replaceAll(/-(\w)/g, (_, next) => next.toUpperCase())}.of(`);
	const isUsed = ({ kind, tag }: (typeof FRAGMENTS)[number]) =>
		tag === undefined ? isMade(kind) : sent.has(labelOf(tag));
	const waiting = FRAGMENTS.filter((fragment) => !isUsed(fragment)).map(({ kind }) => kind);
	assert.deepEqual(compareWaiting(waiting, NOT_YET_USED.fragments), []);
});

test("every method occurs in both a client and the host, or waits for a capability", () => {
	const toHost = Object.keys({ ...HOST_METHODS, ...HOST_NOTIFICATIONS });
	const toClient = Object.keys({ ...CLIENT_METHODS, ...CLIENT_NOTIFICATIONS });
	assert.deepEqual([toHost.length > 45, toClient.length > 8], [true, true]);
	const waiting = [
		...missing([...toHost, ...toClient], `${EXTENSION}${sourceOf("agent-host/surfaces/cli")}`, asWord),
		...missing([...toHost, ...toClient], HOST, asWord),
	];
	assert.deepEqual(compareWaiting(waiting, NOT_YET_USED.methods), []);
});

test("every error code is used in the source, or waits for a capability", () => {
	const [, failed] = EditorEnd.options;
	const waiting = [
		...missing(Object.keys(HOST_ERRORS), HOST, asString),
		...missing(TurnErrorCode.options, sourceOf("agent-host/model", "agent-host/session"), asString),
		...missing(failed.shape.code.options, `${EXTENSION}${sourceOf("agent-host/surfaces/editor")}`, asString),
	];
	assert.deepEqual(compareWaiting(waiting, NOT_YET_USED.errors), []);
});

test("every kind of item and of event is made by the host and read by the editor, or waits for a capability", () => {
	const kinds = Item.options.flatMap(({ shape }) => wordsOf(shape.kind));
	const types = ThreadEvent.options.flatMap(({ shape }) => wordsOf(shape.type));
	assert.deepEqual([kinds.length > 8, types.length > 15], [true, true]);
	const waiting = [
		...missing(kinds, HOST, (kind) => `kind: "${kind}"`),
		...missing(types, HOST, (type) => `type: "${type}"`),
		...missing(kinds, PAGE, asString),
		...missing(types, `${PAGE}${EXTENSION}`, asString),
	];
	assert.deepEqual(compareWaiting(waiting, NOT_YET_USED.items), []);
});

/** Chosen for a thread in its context inspector, so there is no setting of the editor for them. */
const OF_THREADS: readonly string[] = ["sources.off"];

test("every host setting can be set in the editor and every editor setting is read, or waits for a capability", () => {
	const ofHost = settingNames();
	const ofEditor = Object.keys(settingsInManifest()).map((id) => id.replace(/^vitrine\./, ""));
	const isPart = (name: string, whole: string) => name === whole || name.startsWith(`${whole}.`);
	const waiting = [
		...missing(OF_THREADS, EXTENSION, (name) => asWord(name.split(".")[0] ?? name)),
		...ofHost.filter((name) => !OF_THREADS.includes(name) && !ofEditor.some((setting) => isPart(name, setting))),
		...missing(ofEditor, EXTENSION, (name) => asWord(name.split(".").at(-1) ?? name)),
	];
	assert.deepEqual(compareWaiting(waiting, NOT_YET_USED.settings), []);
});

test("every option of a host's start is sent by the extension and read by the host", () => {
	const options = Object.keys(HostOptions.shape);
	assert.deepEqual([missing(options, EXTENSION, asWord), missing(options, HOST, asWord)], [[], []]);
});

function wordsOf(schema: z.ZodType): readonly string[] {
	return [...(schema._zod.values ?? assert.fail("not a set of words"))].map(String);
}

function settingsInManifest(): object {
	const { contributes } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8"));
	return Object.assign({}, ...contributes.configuration.map((group: { properties: object }) => group.properties));
}
