import * as vscode from "vscode";
import { t } from "../../l10n/t.ts";
import { showInformation } from "../facts/show-message.ts";
import { openAddress } from "./open-address.ts";
import type { PendingSignIns } from "./pending-sign-ins.ts";

/** A page that is to be opened for a sign-in. */
export interface Opening {
	readonly state: string;
	readonly server: string;
	readonly url: string;
	readonly withdrawn: vscode.CancellationToken;
}

/** Opens the page where the user signs in with a ChatGPT plan, and waits for the browser or a pasted address. */
export async function signInWithPlan(
	{ state, url, withdrawn }: Opening,
	pending: PendingSignIns,
): Promise<string | undefined> {
	const go = t("Continue with ChatGPT");
	const chosen = await showInformation(
		t("Sign in with ChatGPT (preview)?"),
		{
			modal: true,
			detail: t(
				"{0} opens in your browser. Requests then use your ChatGPT plan. OpenAI offers this as a preview, so it may change.",
				new URL(url).host,
			),
		},
		go,
	);
	if (chosen !== go || withdrawn.isCancellationRequested) {
		pending.cancel(state);
		return undefined;
	}
	// Even if no browser opens here, the user may paste the address on another machine.
	await openAddress(url);
	const input = askForAddress(pending, () => pending.cancel(state));
	const watch = withdrawn.onCancellationRequested(() => pending.cancel(state));
	return pending.wait(state).finally(() => vscode.Disposable.from(input, watch).dispose());
}

function askForAddress(pending: PendingSignIns, cancel: () => void): vscode.Disposable {
	const input = vscode.window.createInputBox();
	input.title = t("Sign In with ChatGPT (Preview)");
	input.prompt = t(
		"Finish signing in in your browser. If it can't return to the editor, paste the address it ends at here.",
	);
	input.placeholder = "http://127.0.0.1:…/auth/callback?…";
	// It holds a code that signs in.
	input.password = true;
	input.ignoreFocusOut = true;
	input.busy = true;
	input.onDidAccept(() => {
		const text = input.value.trim();
		const query = URL.canParse(text) ? new URL(text).search.slice(1) : "";
		if (pending.receive(query)) return;
		input.validationMessage = t("That address doesn't belong to this sign-in. Paste the whole address.");
	});
	input.onDidChangeValue(() => {
		input.validationMessage = undefined;
	});
	input.onDidHide(cancel);
	input.show();
	return input;
}
