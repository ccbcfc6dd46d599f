import * as vscode from "vscode";
import { modelList } from "../../agent-host/protocol/host.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings.ts";
import { type Keys, OPENAI_ORIGIN } from "../facts/keys.ts";
import { readSettings, writeModelSettings } from "../facts/settings.ts";
import { reasonOf } from "../host/call.ts";
import type { HostClient } from "../host/host-client.ts";

const TYPE_A_NAME = "$(edit) Type a name…";

/** Chooses the model in a few native steps. Leaving any step changes nothing. */
export async function setUpModel(host: HostClient, keys: Keys): Promise<void> {
	const choice = await vscode.window.showQuickPick(
		[
			{ label: "Demo model", detail: "Scripted and offline. No key, no network.", provider: "demo" as const },
			{ label: "OpenAI", detail: "Needs an API key from platform.openai.com.", provider: "openai" as const },
			{
				label: "OpenAI-compatible server",
				detail: "Any server with the Responses API, local or remote, by its address.",
				provider: "compatible" as const,
			},
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
		case "compatible": {
			const baseUrl = await askBaseUrl();
			if (baseUrl === undefined) return;
			return setUpServer(host, keys, { provider: "compatible", baseUrl, origin: new URL(baseUrl).origin });
		}
	}
}

interface Server {
	readonly provider: "openai" | "compatible";
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
	await writeModelSettings({ provider: server.provider, ...(server.baseUrl ? { baseUrl: server.baseUrl } : {}), id });
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
		return askModelName();
	}
	const names = listed.models.map(({ id }) => id).sort();
	const picked = await vscode.window.showQuickPick([...names, TYPE_A_NAME], {
		title: "Set Up Model (3/3): Model",
		placeHolder: "Which model?",
		ignoreFocusOut: true,
	});
	return picked === TYPE_A_NAME ? askModelName() : picked;
}

function askModelName(): Thenable<string | undefined> {
	return vscode.window
		.showInputBox({
			title: "Set Up Model (3/3): Model",
			prompt: "Name of the model, as the server knows it",
			value: readSettings().model.id,
			ignoreFocusOut: true,
			validateInput: (value) => (value.trim() === "" ? "Enter a name." : undefined),
		})
		.then((value) => value?.trim());
}
