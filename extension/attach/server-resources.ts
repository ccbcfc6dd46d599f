import * as vscode from "vscode";
import {
	type FoundResource,
	serverFindResources,
	serverReadResource,
} from "../../agent-host/protocol/host/server-resources.ts";
import { t } from "../../l10n/t.ts";
import { withoutLinks } from "../facts/show-message.ts";
import type { HostClient } from "../host/host-client.ts";
import { toExcerpt } from "./lines.ts";
import type { MentionOffer } from "./offer.ts";

const MAX_RESOURCES = 10;

/** Resources of MCP servers as mentions: `@server:address`. Each is read when the prompt is sent. */
export async function findResourceMentions(
	host: HostClient,
	query: string,
	token: vscode.CancellationToken,
): Promise<readonly MentionOffer[]> {
	const { resources } = await host.request(serverFindResources, { query, limit: MAX_RESOURCES }, { token });
	return resources.map((resource) => offerResource(host, resource));
}

function offerResource(host: HostClient, { server, name, uri, about, takes = [] }: FoundResource): MentionOffer {
	return {
		key: `resource ${server} ${uri}`,
		kind: "resource",
		label: name,
		title: t("Resource of the MCP server {0}: {1}", server, uri),
		name: `${server}:${uri}`.replaceAll(/\s+/g, "-"),
		detail: about === "" ? server : `${server}: ${about}`,
		read: async () => {
			const values: Record<string, string> = {};
			for (const variable of takes) values[variable] = await enterValue({ server, name, uri }, variable);
			const { text } = await host.request(serverReadResource, { server, uri, values });
			const filled = takes.map((variable) => `${variable}=${values[variable]}`).join(", ");
			return { ...toExcerpt(filled === "" ? uri : `${uri} with ${filled}`, text), server };
		},
	};
}

/** A prompt is not sent without what its attachments need. */
async function enterValue(
	{ server, name, uri }: Pick<FoundResource, "server" | "name" | "uri">,
	variable: string,
): Promise<string> {
	// The server chose everything but the name that it has in the settings.
	const title = t("MCP Server {0}", server);
	const prompt = withoutLinks(`${name} · ${variable} · ${uri}`);
	const value = await vscode.window.showInputBox({ title, prompt, ignoreFocusOut: true });
	if (value === undefined || value === "") {
		throw new Error(t("{0} needs a value for {1}. Remove its chip, or send again to enter one.", name, variable));
	}
	return value;
}
