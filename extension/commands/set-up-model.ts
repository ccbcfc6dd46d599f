import * as vscode from "vscode";
import { modelList } from "../../agent-host/protocol/host.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings.ts";
import { type Keys, OPENAI_ORIGIN } from "../facts/keys.ts";
import { readSettings, writeModelSettings } from "../facts/settings.ts";
import { reasonOf } from "../host/call.ts";
import type { HostClient } from "../host/host-client.ts";

const EDITOR_CHOICE = {
	label: "Editor model",
	detail: "One of the editor's own models. The editor asks for your consent once.",
	provider: "editor" as const,
};
const CHAT_CHOICE = {
	label: "Chat Completions server",
	detail: "Ollama, LM Studio, llama.cpp, vLLM and most gateways, by their address.",
	provider: "chat" as const,
};
const TYPE_A_NAME = "$(edit) Type a name…";

/** Chooses the model in a few native steps. Leaving any step changes nothing. */
export async function setUpModel(host: HostClient, keys: Keys): Promise<void> {
	const editorModels = await vscode.lm.selectChatModels();
	const choice = await vscode.window.showQuickPick(
		[
			...(editorModels.length === 0 ? [] : [EDITOR_CHOICE]),
			{ label: "Demo model", detail: "Scripted and offline. No key, no network.", provider: "demo" as const },
			{ label: "OpenAI", detail: "Needs an API key from platform.openai.com.", provider: "openai" as const },
			{
				label: "OpenAI-compatible server",
				detail: "Any server with the Responses API, local or remote, by its address.",
				provider: "compatible" as const,
			},
			CHAT_CHOICE,
		],
		{ title: "Set Up Model (1/3)", placeHolder: "Which model should answer?" },
	);
	switch (choice?.provider) {
		case undefined:
			return;
		case "demo":
			return writeModelSettings({ provider: "demo" });
		case "openai":
			return setUpServer(host, keys, { provider: "openai", origin: OPENAI_ORIGIN });
		case "editor":
			return setUpEditorModel(editorModels);
		case "compatible":
		case "chat": {
			const baseUrl = await askBaseUrl();
			if (baseUrl === undefined) return;
			const wire = choice?.provider === "chat" ? "chat" : "responses";
			return setUpServer(host, keys, { provider: "compatible", wire, baseUrl, origin: new URL(baseUrl).origin });
		}
	}
}

async function setUpEditorModel(models: readonly vscode.LanguageModelChat[]): Promise<void> {
	const items = models.map(({ id, name, vendor }) => ({ label: name, description: vendor, id }));
	const picked = await vscode.window.showQuickPick(items, {
		title: "Set Up Model (2/2): Model",
		placeHolder: "Which of the editor's models?",
	});
	if (picked !== undefined) await writeModelSettings({ provider: "editor", id: picked.id });
}

interface Server {
	readonly provider: "openai" | "compatible";
	readonly wire?: "responses" | "chat";
	readonly baseUrl?: string;
	readonly origin: string;
}

async function setUpServer(host: HostClient, keys: Keys, server: Server): Promise<void> {
	const hasKey = (await keys.get(server.origin)) !== undefined;
	const key = await askKey(server, hasKey);
	if (key === undefined) return;
	if (key !== "") await keys.set(server.origin, key);
	const id = await askModel(host, server);
	if (id === undefined) return;
	const { provider, wire } = server;
	await writeModelSettings({ provider, wire, ...(server.baseUrl ? { baseUrl: server.baseUrl } : {}), id });
}

function askBaseUrl(): Thenable<string | undefined> {
	return vscode.window
		.showInputBox({
			title: "Set Up Model: Address",
			prompt: "Base address of the server, up to and including /v1",
			placeHolder: "http://127.0.0.1:1234/v1",
			value: readSettings().model.baseUrl,
			ignoreFocusOut: true,
			validateInput: (value) =>
				URL.canParse(value.trim()) && /^https?:$/.test(new URL(value.trim()).protocol)
					? undefined
					: "Enter an address that begins with http:// or https://.",
		})
		.then((value) => value?.trim());
}

/** The key, or "" to go on with what is stored (or with none, where the server needs none). */
function askKey(server: Server, hasKey: boolean): Thenable<string | undefined> {
	const optional = hasKey || server.provider === "compatible";
	const prompt = hasKey
		? `A key for ${server.origin} is stored. Leave this empty to keep it.`
		: `Kept in the editor's secret storage and sent to ${server.origin} only.`;
	return vscode.window
		.showInputBox({
			title: "Set Up Model (2/3): API Key",
			prompt:
				server.provider === "compatible" && !hasKey ? `${prompt} Leave this empty if the server needs none.` : prompt,
			password: true,
			ignoreFocusOut: true,
			validateInput: (value) => (optional || value.trim() !== "" ? undefined : "Enter the API key."),
		})
		.then((value) => value?.trim());
}

async function askModel(host: HostClient, server: Server): Promise<string | undefined> {
	const settings: PartialSettings = {
		model: { provider: server.provider, ...(server.baseUrl === undefined ? {} : { baseUrl: server.baseUrl }) },
	};
	const listed = await host.request(modelList, { settings }).catch((error: unknown) => reasonOf(error));
	if (typeof listed === "string") {
		void vscode.window.showWarningMessage(`Vitrine: the list of models could not be read. ${listed}`);
		return askModelName("Set Up Model (3/3): Model");
	}
	const names = listed.models.map(({ id }) => id).sort();
	const picked = await vscode.window.showQuickPick([...names, TYPE_A_NAME], {
		title: "Set Up Model (3/3): Model",
		placeHolder: "Which model?",
		ignoreFocusOut: true,
	});
	return picked === TYPE_A_NAME ? askModelName("Set Up Model (3/3): Model") : picked;
}

export function askModelName(title: string): Thenable<string | undefined> {
	return vscode.window
		.showInputBox({
			title,
			prompt: "Name of the model, as the server knows it",
			value: readSettings().model.id,
			ignoreFocusOut: true,
			validateInput: (value) => (value.trim() === "" ? "Enter a name." : undefined),
		})
		.then((value) => value?.trim());
}
