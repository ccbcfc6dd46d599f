import * as vscode from "vscode";
import { t } from "../../l10n/t.ts";
import type { ServerCredentials } from "../facts/server-credentials.ts";
import { showInformation, withoutLinks } from "../facts/show-message.ts";
import { openLoopbackRedirect } from "./loopback-redirect.ts";
import { openAddress } from "./open-address.ts";
import type { PendingSignIns } from "./pending-sign-ins.ts";
import type { SignInHandlers } from "./sign-in-handlers.ts";
import { type Opening, signInWithPlan } from "./sign-in-with-plan.ts";

/** The path of links that end a sign-in. */
export const SIGNED_IN_PATH = "/signed-in";

/** Does the editor's part of a sign-in: opens the browser and waits until it comes back. */
export function serveSignIn(
	extensionId: string,
	credentials: ServerCredentials,
	pending: PendingSignIns,
): SignInHandlers {
	return {
		serverCredentials: async ({ place }) => {
			const value = await credentials.get(place);
			return value === undefined ? {} : { value };
		},
		serverKeepCredentials: async ({ place, value }) => {
			await credentials.keep(place, value);
			return {};
		},
		serverRedirect: async ({ state, kind, port, path }) => {
			const address = await (kind === "editor"
				? openEditorRedirect(extensionId, state, pending)
				: openLocalRedirect(state, { port, path }, pending));
			return { address: address.toString(true) };
		},
		serverAuthorize: async ({ state, server, url, plan }, withdrawn) => {
			const opening = { state, server, url, withdrawn };
			const query = await (plan === undefined ? openAndWait(opening, pending) : signInWithPlan(opening, pending));
			return query === undefined ? {} : { query };
		},
	};
}

function openEditorRedirect(extensionId: string, state: string, pending: PendingSignIns): Thenable<vscode.Uri> {
	pending.begin(state, () => undefined);
	return vscode.env.asExternalUri(vscode.Uri.parse(`${vscode.env.uriScheme}://${extensionId}${SIGNED_IN_PATH}`));
}

/**
 * Where the extension runs on another machine, the editor forwards the port. A browser's editor has an address of its own
 * for that, which a service that knows only this machine does not take: the user then pastes what the browser shows.
 */
async function openLocalRedirect(
	state: string,
	at: { readonly port: number | undefined; readonly path: string | undefined },
	pending: PendingSignIns,
): Promise<vscode.Uri> {
	const { address, close } = await openLoopbackRedirect(at, pending.receive, {
		done: t("You can close this page and return to the editor."),
		unexpected: t("No sign-in is waiting for this page."),
	});
	pending.begin(state, close);
	const external = await vscode.env.asExternalUri(vscode.Uri.parse(address));
	const isHere = /^(?:127\.0\.0\.1|localhost):/.test(external.authority) && external.path === at.path;
	return at.path === undefined || isHere ? external : vscode.Uri.parse(address);
}

/** The server chose the site, so the user sees which one it is before it opens. */
async function openAndWait(
	{ state, server, url, withdrawn }: Opening,
	pending: PendingSignIns,
): Promise<string | undefined> {
	const { protocol, host } = new URL(url);
	if (protocol !== "https:" && protocol !== "http:") return undefined;
	const open = t("Open Browser");
	const chosen = await showInformation(
		t("Sign in to the MCP server {0}?", server),
		{ modal: true, detail: t("{0} opens in your browser. Sign in only if you trust this site.", host) },
		open,
	);
	const isOpen = chosen === open && !withdrawn.isCancellationRequested && (await openAddress(url));
	if (!isOpen) {
		pending.cancel(state);
		return undefined;
	}
	return vscode.window.withProgress(
		{
			location: vscode.ProgressLocation.Notification,
			title: withoutLinks(t("Waiting for your sign-in to {0}…", server)),
			cancellable: true,
		},
		async (_, cancelled) => {
			const watches = [cancelled, withdrawn].map((token) => token.onCancellationRequested(() => pending.cancel(state)));
			return pending.wait(state).finally(() => vscode.Disposable.from(...watches).dispose());
		},
	);
}
