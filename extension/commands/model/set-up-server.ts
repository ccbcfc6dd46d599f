import * as vscode from "vscode";
import { modelList } from "../../../agent-host/protocol/host/host.ts";
import type { ResultOf } from "../../../agent-host/protocol/method.ts";
import type { ModelSettings } from "../../../agent-host/protocol/settings/settings.ts";
import { t } from "../../../l10n/t.ts";
import type { Keys, Secret, Stored } from "../../facts/keys.ts";
import { readSettings, writeModelSettings } from "../../facts/settings.ts";
import { trySecret } from "../../facts/try-secret.ts";
import { describeFailure } from "../../host/call.ts";
import type { HostClient } from "../../host/host-client.ts";
import { describeWindow } from "./model-words.ts";

/** A model server, and the secret that it needs. */
export interface Server {
	readonly provider: "openai" | "anthropic" | "compatible";
	readonly wire?: ModelSettings["wire"];
	readonly auth?: ModelSettings["auth"];
	readonly baseUrl?: string;
	readonly stored: Stored;
	/** A server that answered without a key needs none. */
	readonly secret: "needed" | "optional" | "none";
}

type Models = ResultOf<typeof modelList>["models"];

/** Asks for the secret, then for the model. A secret that did not work is not kept. The settings are written last. */
export async function setUpServer(host: HostClient, keys: Keys, server: Server): Promise<void> {
	const { provider, wire, auth, baseUrl } = server;
	const models = await askUntilListed(host, keys, server);
	if (models === "cancelled") return;
	const title = t("Set Up Model (3/3): Model");
	const id = models === "unlisted" ? await askModelName(title) : await pickModel(title, models);
	if (id !== undefined) await writeModelSettings({ provider, wire, auth, baseUrl, id });
}

/** Asks for the secret until the server lists its models, or the user goes on without the list. */
async function askUntilListed(
	host: HostClient,
	keys: Keys,
	server: Server,
): Promise<Models | "unlisted" | "cancelled"> {
	const { stored } = server;
	for (;;) {
		const secret = await readSecret(keys, server);
		if (secret === undefined) return "cancelled";
		const check = (): Promise<Models> => listModels(host, server);
		const isNew = secret.value !== "";
		const listed = await (isNew ? trySecret(keys, { stored, secret, check }) : check()).catch(describeFailure);
		if (typeof listed !== "string") return listed;
		const [again, anyway] = [t("Try Again"), t("Continue Anyway")];
		const words = t("Couldn't list models: {0}", listed);
		const answer = await vscode.window.showWarningMessage(words, { modal: true }, again, anyway);
		if (answer === undefined) return "cancelled";
		if (answer === again) continue;
		if (isNew) await keys.set(stored, secret);
		return "unlisted";
	}
}

async function readSecret(keys: Keys, server: Server): Promise<Secret | undefined> {
	if (server.secret === "none") return { value: "" };
	return askSecret(server, (await keys.get(server.stored)) !== undefined);
}

async function listModels(host: HostClient, { provider, wire, auth, baseUrl }: Server): Promise<Models> {
	const model = {
		provider,
		...(wire === undefined ? {} : { wire }),
		auth: auth ?? "apiKey",
		...(baseUrl === undefined ? {} : { baseUrl }),
	};
	return (await host.request(modelList, { settings: { model } })).models;
}

async function pickModel(title: string, listed: Models): Promise<string | undefined> {
	const typeName = `$(edit) ${t("Type a name…")}`;
	const models = listed.toSorted((a, b) => (a.id < b.id ? -1 : 1));
	const picked = await vscode.window.showQuickPick(
		[...models.map((one) => ({ label: one.id, description: describeWindow(one) })), { label: typeName }],
		{ title, placeHolder: t("Choose a model (context window shown on the right)"), ignoreFocusOut: true },
	);
	return picked?.label === typeName ? askModelName(title) : picked?.label;
}

export function askModelName(title: string): Thenable<string | undefined> {
	return vscode.window
		.showInputBox({
			title,
			prompt: t("Model name, as the server knows it"),
			value: readSettings().model.id,
			ignoreFocusOut: true,
			validateInput: (value) => (value.trim() === "" ? t("Enter a name.") : undefined),
		})
		.then((value) => value?.trim());
}

/** An empty value keeps the stored secret, or none if the server needs none. */
async function askSecret(server: Server, isStored: boolean): Promise<Secret | undefined> {
	const { origin, kind } = server.stored;
	const optional = isStored || server.secret === "optional";
	const isKey = kind === "key";
	const stored = isKey ? "An API key is stored for {0}." : "A sign-in token is stored for {0}.";
	const prompt = isStored
		? `${t(stored, origin)} ${t("Leave empty to keep it.")}`
		: t("Stored in the editor's secret storage and sent only to {0}.", origin);
	const value = await vscode.window.showInputBox({
		title: isKey ? t("Set Up Model (2/3): API Key") : t("Set Up Model (2/3): Token"),
		prompt: optional && !isStored ? `${prompt} ${t("Leave empty if the server needs none.")}` : prompt,
		password: true,
		ignoreFocusOut: true,
		validateInput: (text) => {
			if (optional || text.trim() !== "") return undefined;
			return isKey ? t("Enter the API key.") : t("Enter your sign-in token.");
		},
	});
	if (value === undefined) return undefined;
	if (isKey || value.trim() === "") return { value: value.trim() };
	const account = await vscode.window.showInputBox({
		title: t("Set Up Model (2/3): Account"),
		prompt: t("Account ID of the sign-in (optional if you have only one account)"),
		ignoreFocusOut: true,
	});
	if (account === undefined) return undefined;
	return { value: value.trim(), ...(account.trim() === "" ? {} : { account: account.trim() }) };
}
