import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { VitrineApi, VitrineEvent } from "../../../extension/outside/vitrine-api.ts";
import { findAgentHost } from "../../support/editor-processes.ts";
import type { Title } from "./report.ts";

export interface InEditorCase {
	readonly title: Title;
	readonly run: () => Promise<void> | void;
}

/** The parts of our own manifest that the cases read. */
interface Manifest {
	readonly enabledApiProposals?: readonly string[];
	readonly contributes: {
		readonly commands: readonly { readonly command: string }[];
		readonly keybindings: readonly { readonly command: string; readonly key: string; readonly when?: string }[];
		readonly configuration: Configuration | readonly Configuration[];
	};
}
interface Configuration {
	readonly properties: Readonly<Record<string, object>>;
}

/** In order: the later ones rely on the extension being active. */
export const CASES: readonly InEditorCase[] = [
	{
		title: "the extension is installed and activates",
		async run() {
			await vitrine().activate();
			assert.equal(vitrine().isActive, true);
		},
	},
	// Seen in /proc, which only Linux has.
	...(process.platform === "linux" ? [startsNoHost()] : []),
	{
		title: "every command of the manifest is registered",
		async run() {
			const registered = new Set(await vscode.commands.getCommands(true));
			const declared = manifest().contributes.commands.map(({ command }) => command);
			assert.notEqual(declared.length, 0);
			assert.deepEqual(
				declared.filter((command) => !registered.has(command)),
				[],
			);
		},
	},
	{
		title: "none of our key bindings takes a default of the editor, except inside our own views",
		async run() {
			const taken = await readDefaultKeys();
			assert.ok(taken.size > 100, `${taken.size} keys of the editor were found`);
			const unscoped = manifest().contributes.keybindings.filter(({ when }) => !/\bvitrine\./.test(when ?? ""));
			assert.deepEqual(
				unscoped.filter(({ key }) => taken.has(key)),
				[],
			);
		},
	},
	{
		title: "the manifest names no proposed API",
		run() {
			assert.deepEqual(manifest().enabledApiProposals ?? [], []);
		},
	},
	{
		title: "every setting begins with vitrine. and has a default",
		run() {
			const declared = [manifest().contributes.configuration]
				.flat()
				.flatMap(({ properties }) => Object.entries(properties));
			assert.notEqual(declared.length, 0);
			assert.deepEqual(
				declared.filter(([id, schema]) => !id.startsWith("vitrine.") || !("default" in schema)).map(([id]) => id),
				[],
			);
		},
	},
	{
		title: "each report opens as a document, and the diagnostics contain nothing that was typed into a setting",
		async run() {
			const settings = vscode.workspace.getConfiguration("vitrine");
			await settings.update("instructions.developer", "canary-words", vscode.ConfigurationTarget.Global);
			const reports = {
				"vitrine.showStatus": /^# Status\n/,
				"vitrine.showCacheReport": /^# Cache Report\n\nNo requests yet\./,
				"vitrine.doctor": /^# Vitrine Doctor\n/,
				"vitrine.collectDiagnostics": /^# Vitrine Doctor\n[\s\S]*\n- vitrine\.instructions\.developer: \(set\)\n/,
			};
			for (const [command, expected] of Object.entries(reports)) {
				const text = await textAfter(command);
				assert.match(text, expected);
				assert.doesNotMatch(text, /canary-words/);
			}
			await settings.update("instructions.developer", undefined, vscode.ConfigurationTarget.Global);
		},
	},
	{
		title: "the editor lists the lent tools, and with one another extension reads a workspace file but none outside",
		async run() {
			const lent = vscode.lm.tools.filter(({ name }) => name.startsWith("vitrine_")).map(({ name }) => name);
			assert.deepEqual(lent.toSorted(), ["vitrine_list_files", "vitrine_read_file", "vitrine_search_files"]);
			const read = async (path: string) => {
				const options = { input: { path }, toolInvocationToken: undefined };
				return vscode.lm.invokeTool("vitrine_read_file", options);
			};
			const { content } = await read("README.md");
			assert.match(content.map((part) => Object(part).value).join(""), /^1: /);
			await assert.rejects(read("/etc/hostname"), /outside the workspace/);
		},
	},
	{
		title: "another extension starts a thread, sends a prompt and follows the turn to its end",
		async run() {
			const settings = vscode.workspace.getConfiguration("vitrine");
			await settings.update("model.provider", "demo", vscode.ConfigurationTarget.Global);
			const api = (await vitrine().activate()) as VitrineApi;
			const threadId = await api.start();
			const events: VitrineEvent[] = [];
			const ended = Promise.withResolvers<void>();
			const following = api.follow(threadId, (event) => {
				events.push(event);
				if (event.type === "ended") ended.resolve();
			});
			const turnId = await api.send(threadId, "Hello");
			await ended.promise;
			following.dispose();
			assert.deepEqual(events.at(-1), { type: "ended", turnId, status: "completed" });
			assert.ok(events.some((event) => event.type === "text" && event.text !== ""));
			await assert.rejects(api.prefill("!rm -rf ~"), /not a command/);
			await assert.rejects(api.start({ folder: "/" }), /not open in this window/);
			await settings.update("model.provider", undefined, vscode.ConfigurationTarget.Global);
		},
	},
	{
		title: "@vitrine answers in the editor's own chat, in a thread of Vitrine",
		async run() {
			const settings = vscode.workspace.getConfiguration("vitrine");
			await settings.update("model.provider", "demo", vscode.ConfigurationTarget.Global);
			// Without a model of its own the editor's chat asks nobody, although ours answers.
			const selected = { mode: "ask", modelSelector: { vendor: "test-models" } };
			const prompt = { query: "@vitrine Hello", blockOnResponse: true, ...selected };
			const result = await vscode.commands.executeCommand("workbench.action.chat.open", prompt);
			assert.match(String(Object(Object(result).metadata).threadId), /^[0-9a-f-]{36}$/, JSON.stringify(result));
			await settings.update("model.provider", undefined, vscode.ConfigurationTarget.Global);
		},
	},
];

/** The document that a command has opened, as text or rendered. */
async function textAfter(command: string): Promise<string> {
	const before = new Set(vscode.workspace.textDocuments);
	await vscode.commands.executeCommand(command);
	const text = vscode.workspace.textDocuments.findLast((document) => !before.has(document))?.getText() ?? "";
	// What was not saved would ask whether to be.
	await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
	return text;
}

function startsNoHost(): InEditorCase {
	return {
		title: "activation starts no agent host",
		run: () => assert.equal(findAgentHost(process.pid), undefined),
	};
}

function vitrine(): vscode.Extension<unknown> {
	const extension = vscode.extensions.getExtension("vitrine.vitrine");
	assert.ok(extension, "vitrine.vitrine is not installed");
	return extension;
}

function manifest(): Manifest {
	// VS Code types it as any; vsce has checked the shape when it packed the extension.
	return vitrine().packageJSON as Manifest;
}

/** The keys that the editor binds itself, as its own page of them says. */
async function readDefaultKeys(): Promise<ReadonlySet<string>> {
	await vscode.commands.executeCommand("workbench.action.openDefaultKeybindingsFile");
	const text = vscode.window.activeTextEditor?.document.getText() ?? "";
	await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
	const bindings = text.matchAll(/"key":\s*"([^"]+)",\s*"command":\s*"([^"]+)"/g);
	return new Set([...bindings].flatMap(([, key = "", command = ""]) => (command.startsWith("vitrine.") ? [] : [key])));
}
