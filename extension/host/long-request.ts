import * as vscode from "vscode";
import type { Method, ParamsOf, ResultOf } from "../../agent-host/protocol/method.ts";
import type { HostClient } from "./host-client.ts";

/** A request that is answered sooner shows no progress. */
const SHOW_AFTER_MS = 500;

/** Sends a request that may take long: a notification shows how far it is, and cancels it. */
export async function requestLong<M extends Method>(
	host: Pick<HostClient, "request">,
	title: string,
	method: M,
	params: ParamsOf<M>,
): Promise<ResultOf<M>> {
	const source = new vscode.CancellationTokenSource();
	let percent = 0;
	let show = (_: number): void => undefined;
	const onPercent = (now: number): void => {
		show(now - percent);
		percent = now;
	};
	const answer = host.request(method, params, { token: source.token, onPercent });
	const timer = setTimeout(() => {
		const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
		void vscode.window.withProgress(options, async (progress, pressed) => {
			pressed.onCancellationRequested(() => source.cancel());
			show = (increment) => progress.report({ increment });
			show(percent);
			await answer.catch(() => undefined);
		});
	}, SHOW_AFTER_MS);
	try {
		return await answer;
	} finally {
		clearTimeout(timer);
		source.dispose();
	}
}
