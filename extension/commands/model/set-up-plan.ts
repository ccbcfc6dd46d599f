import { modelList, modelSignIn } from "../../../agent-host/protocol/host/host.ts";
import { t } from "../../../l10n/t.ts";
import { type Keys, OPENAI_ORIGIN } from "../../facts/keys.ts";
import { readSettings, writeModelSettings } from "../../facts/settings.ts";
import { failureKind } from "../../host/call.ts";
import type { HostClient } from "../../host/host-client.ts";
import { askModelName, pickListedModel } from "./set-up-server.ts";

/** Signs the user in with a ChatGPT plan, unless they are, and asks for a model. The settings are written last. Whether one was chosen. */
export async function setUpPlan(host: HostClient, keys: Keys): Promise<boolean> {
	const place = choosePlace();
	const settings = { model: { ...place, id: "" } };
	const stored = {
		kind: "token",
		origin: place.baseUrl === "" ? OPENAI_ORIGIN : new URL(place.baseUrl).origin,
	} as const;
	const signIn = () => host.request(modelSignIn, { settings });
	const list = async () => (await host.request(modelList, { settings })).models;
	const isSignedIn = (await keys.get(stored)) !== undefined;
	if (!isSignedIn) await signIn();
	const models = await list().catch(async (error: unknown) => {
		if (failureKind(error) !== "key-refused" || !isSignedIn) throw error;
		// The sign-in has ended since.
		await signIn();
		return list();
	});
	const title = t("Set Up Model (3/3): Model");
	const id = models.length === 0 ? await askModelName(title) : await pickListedModel(title, models);
	if (id === undefined) return false;
	await writeModelSettings({ ...place, id });
	return true;
}

/** OpenAI's server, or the one that the settings name to stand in for it. */
function choosePlace() {
	const { provider, auth, baseUrl } = readSettings().model;
	const isOwn = provider === "compatible" && auth === "chatgpt" && baseUrl !== "";
	return isOwn
		? ({ provider, auth, wire: "responses", baseUrl } as const)
		: ({ provider: "openai", auth: "chatgpt", wire: "responses", baseUrl: "" } as const);
}
