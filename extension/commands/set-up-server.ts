import * as vscode from "vscode";
import { modelList } from "../../agent-host/protocol/host.ts";
import type { ModelSettings } from "../../agent-host/protocol/settings.ts";
import type { Keys, Secret, Stored } from "../facts/keys.ts";
import { readSettings, writeModelSettings } from "../facts/settings.ts";
import { reasonOf } from "../host/call.ts";
import type { HostClient } from "../host/host-client.ts";
import { describeWindow } from "./model-words.ts";

/** A server that models can be had from, and the secret it wants. */
export interface Server {
	readonly provider: "openai" | "compatible";
	readonly wire?: ModelSettings["wire"];
	readonly auth?: ModelSettings["auth"];
	readonly baseUrl?: string;
	readonly stored: Stored;
	/** One that answered without a key is not asked about one. */
	readonly secret: "needed" | "optional" | "none";
}

/** Secret, then model. The settings are written last: leaving any step before changes nothing but the secret. */
export async function setUpServer(host: HostClient, keys: Keys, server: Server): Promise<void> {
	const { provider, wire, auth, baseUrl, stored } = server;
	if (server.secret !== "none") {
		const secret = await askSecret(server, (await keys.get(stored)) !== undefined);
		if (secret === undefined) return;
		if (secret.value !== "") await keys.set(stored, secret);
	}
	const id = await askModel(host, server);
	if (id !== undefined) await writeModelSettings({ provider, wire, auth, baseUrl, id });
}

const TYPE_A_NAME = "$(edit) Type a name…";
const MODEL_TITLE = "Set Up Model (3/3): Model";

async function askModel(host: HostClient, { provider, wire, auth, baseUrl }: Server): Promise<string | undefined> {
	const model = {
		provider,
		...(wire === undefined ? {} : { wire }),
		auth: auth ?? "apiKey",
		...(baseUrl === undefined ? {} : { baseUrl }),
	};
	const listed = await host.request(modelList, { settings: { model } }).catch((error: unknown) => reasonOf(error));
	if (typeof listed === "string") {
		void vscode.window.showWarningMessage(`Vitrine: the list of models could not be read. ${listed}`);
		return askModelName(MODEL_TITLE);
	}
	const models = listed.models.toSorted((a, b) => (a.id < b.id ? -1 : 1));
	const picked = await vscode.window.showQuickPick(
		[...models.map((one) => ({ label: one.id, description: describeWindow(one) })), { label: TYPE_A_NAME }],
		{ title: MODEL_TITLE, placeHolder: "Which model? Beside it, its context window.", ignoreFocusOut: true },
	);
	return picked?.label === TYPE_A_NAME ? askModelName(MODEL_TITLE) : picked?.label;
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

/** An empty value: go on with what is stored, or with none where the server needs none. */
async function askSecret(server: Server, isStored: boolean): Promise<Secret | undefined> {
	const { origin, kind } = server.stored;
	const optional = isStored || server.secret === "optional";
	const noun = kind === "key" ? "API key" : "token of your sign-in";
	const prompt = isStored
		? `A ${noun} for ${origin} is stored. Leave this empty to keep it.`
		: `Kept in the editor's secret storage and sent to ${origin} only.`;
	const value = await vscode.window.showInputBox({
		title: kind === "key" ? "Set Up Model (2/3): API Key" : "Set Up Model (2/3): Token",
		prompt: optional && !isStored ? `${prompt} Leave this empty if the server needs none.` : prompt,
		password: true,
		ignoreFocusOut: true,
		validateInput: (text) => (optional || text.trim() !== "" ? undefined : `Enter the ${noun}.`),
	});
	if (value === undefined) return undefined;
	if (kind === "key" || value.trim() === "") return { value: value.trim() };
	const account = await vscode.window.showInputBox({
		title: "Set Up Model (2/3): Account",
		prompt: "Id of the account the sign-in belongs to; empty if you have only one",
		ignoreFocusOut: true,
	});
	if (account === undefined) return undefined;
	return { value: value.trim(), ...(account.trim() === "" ? {} : { account: account.trim() }) };
}
