import * as vscode from "vscode";
import { modelDetect, modelList } from "../../../agent-host/protocol/host/host.ts";
import type { ResultOf } from "../../../agent-host/protocol/method.ts";
import { placeModel } from "../../../agent-host/protocol/settings/model-place.ts";
import type { ModelSettings } from "../../../agent-host/protocol/settings/settings.ts";
import { t } from "../../../l10n/t.ts";
import type { Keys, Secret, Stored } from "../../facts/keys.ts";
import { withoutIcons } from "../../facts/plain-row.ts";
import { readSettings, writeModelSettings, writeProviderModel } from "../../facts/settings.ts";
import { trySecret } from "../../facts/try-secret.ts";
import { failureKind } from "../../host/call.ts";
import type { HostClient } from "../../host/host-client.ts";
import { askChecked } from "./ask-checked.ts";
import { describeCut, describeWindow } from "./model-words.ts";

/** A model server, and the secret that it needs. */
export interface Server {
	readonly provider: "openai" | "anthropic" | "compatible";
	readonly wire?: ModelSettings["wire"];
	readonly baseUrl?: string;
	/** A known provider, which is configured under this name, beside others. */
	readonly name?: string;
	readonly stored: Stored;
	/** A server that answered without a key needs none. */
	readonly secret: "needed" | "optional" | "none";
}

type Models = ResultOf<typeof modelList>["models"];

/**
 * Asks for the secret, then for the model. A secret that is refused stays in its step, with the reason, and is not
 * stored; one that could not be tried is stored once the user continues. The settings are written last. Whether
 * a model was chosen.
 */
export async function setUpServer(host: HostClient, keys: Keys, server: Server): Promise<boolean> {
	const found = await findModels(host, keys, server);
	if (found === undefined) return false;
	if (found.untried !== undefined) await keys.set(server.stored, found.untried);
	const { provider, baseUrl, name } = server;
	const title = t("Set Up Model (3/3): Model");
	const id = found.models === undefined ? await askModelName(title) : await pickListedModel(title, found.models);
	if (id === undefined) return false;
	if (name !== undefined) await writeProviderModel(name, {}, id);
	else if (baseUrl !== undefined && placeModel({ id }, readSettings().providers).id !== id) {
		// The first part of the model's name is the name of another provider, so this server needs one, too.
		const wire = found.wire === undefined ? {} : { wire: found.wire };
		await writeProviderModel(nameServer(baseUrl), { ...wire, baseUrl }, id);
	} else await writeModelSettings({ provider, wire: found.wire, baseUrl, id });
	return true;
}

/** "127.0.0.1-1234": a host as the name of a provider. */
function nameServer(baseUrl: string): string {
	return new URL(baseUrl).host.replaceAll(/[^\w.-]/g, "-");
}

/** What a server that works says about itself; no models if it cannot list them. */
interface Found {
	readonly wire: ModelSettings["wire"] | undefined;
	readonly models: Models | undefined;
	/** A secret that the user continues with although nobody could try it. */
	readonly untried?: Secret;
}

async function findModels(host: HostClient, keys: Keys, server: Server): Promise<Found | undefined> {
	let { wire } = server;
	const look = async (): Promise<Found> => {
		wire = server.wire ?? (server.baseUrl === undefined ? undefined : await detect(host, server));
		return { wire, models: await listModels(host, server, wire) };
	};
	if (server.secret === "none") return look();
	const isStored = (await keys.get(server.stored)) !== undefined;
	const question = describeSecret(server, isStored);
	return askChecked({
		...question,
		check: async (value, stop) => {
			if (value === "") return look();
			return trySecret(keys, { stored: server.stored, secret: { value }, check: look, stop });
		},
		// A server that cannot list its models may still work; one that refuses the key does not.
		skip: (value, error) => {
			if (failureKind(error) === "key-refused") return undefined;
			return { wire, models: undefined, ...(value !== "" && { untried: { value } }) };
		},
	});
}

async function detect(host: HostClient, server: Server): Promise<ModelSettings["wire"]> {
	return (await host.request(modelDetect, { settings: { model: asSettings(server) } })).wire;
}

async function listModels(host: HostClient, server: Server, wire: ModelSettings["wire"] | undefined): Promise<Models> {
	return (await host.request(modelList, { settings: { model: asSettings({ ...server, wire }) } })).models;
}

function asSettings({ provider, wire, baseUrl }: Pick<Server, "provider" | "baseUrl"> & Partial<Pick<Found, "wire">>) {
	return {
		provider,
		...(wire === undefined ? {} : { wire }),
		auth: "apiKey" as const,
		...(baseUrl === undefined ? {} : { baseUrl }),
	};
}

export async function pickListedModel(title: string, listed: Models): Promise<string | undefined> {
	const typeName = {
		label: `$(edit) ${t("Type a name…")}`,
		description: describeCut(listed.length) ?? "",
		id: undefined,
	};
	const models = listed.toSorted((a, b) => (a.id < b.id ? -1 : 1));
	const picked = await vscode.window.showQuickPick(
		[...models.map((one) => ({ label: withoutIcons(one.id), description: describeWindow(one), id: one.id })), typeName],
		{ title, placeHolder: t("Choose a model (context window shown on the right)"), ignoreFocusOut: true },
	);
	return picked === typeName ? askModelName(title) : picked?.id;
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
function describeSecret(server: Server, isStored: boolean) {
	const { origin } = server.stored;
	const optional = isStored || server.secret === "optional";
	const prompt = isStored
		? `${t("An API key is stored for {0}.", origin)} ${t("Leave empty to keep it.")}`
		: t("Stored in the editor's secret storage and sent only to {0}.", origin);
	return {
		title: t("Set Up Model (2/3): API Key"),
		prompt: optional && !isStored ? `${prompt} ${t("Leave empty if the server needs none.")}` : prompt,
		password: true,
		refuse: (text: string) => (optional || text !== "" ? undefined : t("Enter the API key.")),
	};
}
