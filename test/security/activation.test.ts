import assert from "node:assert/strict";
import childProcess from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import https from "node:https";
import Module, { createRequire, syncBuiltinESMExports } from "node:module";
import net from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { PROJECT } from "../support/editor-paths.ts";

const EXTENSION = join(PROJECT, "dist/extension.cjs");

test("activation starts no process, touches no file and contacts no server; starting the host does", async (t) => {
	const editor = anEditor();
	const extension = loadWith(t, editor.vscode);
	const effects = watchEffects(t);
	extension.activate(editor.context);
	await new Promise((resolve) => setImmediate(resolve));
	assert.ok(editor.commands.size > 30, `${editor.commands.size} commands were registered`);
	assert.deepEqual(effects, []);

	await Promise.resolve(editor.commands.get("vitrine.restartHost")?.()).catch(() => undefined);
	assert.notDeepEqual(effects, [], "what the host needs is noticed");
});

/** Every function that reaches a file, a process or a server. Calls are noted, and not carried out. */
function watchEffects(t: TestContext): string[] {
	const effects: string[] = [];
	const rooms: Readonly<Record<string, object>> = { fs, "fs.promises": fs.promises, childProcess, net, http, https };
	for (const [room, members] of Object.entries(rooms)) {
		for (const name of Object.keys(members).filter(
			(key) => /^[a-z]/.test(key) && !/^(?:is|create(?:Read|Write))/.test(key),
		)) {
			if (typeof Reflect.get(members, name) !== "function") continue;
			t.mock.method(members as Record<string, () => void>, name, () => {
				effects.push(`${room}.${name}`);
				throw new Error(`${room}.${name} is not for now`);
			});
		}
	}
	t.mock.method(globalThis, "fetch", () => {
		effects.push("fetch");
		throw new Error("fetch is not for now");
	});
	syncBuiltinESMExports();
	t.after(() => {
		t.mock.restoreAll();
		syncBuiltinESMExports();
	});
	return effects;
}

interface Loaded {
	readonly activate: (context: unknown) => void;
}

/** Loads the bundle as an editor does, where only the editor has a module `vscode`. */
function loadWith(t: TestContext, vscode: unknown): Loaded {
	const load = Reflect.get(Module, "_load") as (...args: readonly unknown[]) => unknown;
	Reflect.set(Module, "_load", (request: unknown, ...rest: readonly unknown[]) =>
		request === "vscode" ? vscode : load.call(Module, request, ...rest),
	);
	t.after(() => Reflect.set(Module, "_load", load));
	return createRequire(import.meta.url)(EXTENSION) as Loaded;
}

/** An editor in which everything is there and nothing happens. */
function anEditor() {
	const commands = new Map<string, (...args: readonly unknown[]) => unknown>();
	const registerCommand = (name: string, run: (...args: readonly unknown[]) => unknown) => {
		commands.set(name, run);
		return anything();
	};
	const vscode = {
		...Object.fromEntries(namesOfEditor().map((name) => [name, anything()])),
		commands: anything({ registerCommand }),
		workspace: anything({ workspaceFolders: [] }),
	};
	const context = anything({
		subscriptions: [],
		extensionPath: PROJECT,
		globalStorageUri: { fsPath: "/nowhere" },
	});
	return { vscode, context, commands };
}

/** What our own code names of the module `vscode`. */
function namesOfEditor(): readonly string[] {
	const sources = fs
		.globSync("extension/**/*.ts", { cwd: PROJECT })
		.map((file) => fs.readFileSync(join(PROJECT, file), "utf8"));
	return [...new Set(sources.flatMap((text) => [...text.matchAll(/\bvscode\.(\w+)/g)].map(([, name = ""]) => name)))];
}

/** Can be called, constructed and asked for any property; each gives another one of these. */
function anything(known: Readonly<Record<string, unknown>> = {}): unknown {
	return new Proxy(class {}, {
		get: (_, name) => {
			if (typeof name === "string" && Object.hasOwn(known, name)) return known[name];
			if (name === Symbol.toPrimitive) return () => "";
			if (name === Symbol.iterator) return [][Symbol.iterator];
			return name === "then" ? undefined : anything();
		},
		set: () => true,
		apply: () => anything(),
		construct: () => anything() as object,
	});
}
