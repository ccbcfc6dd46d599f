import type { CancellationToken } from "vscode";

/** What cancels a request; in the editor a `vscode.CancellationTokenSource`. */
export interface Cancelling {
	readonly token: CancellationToken;
	readonly cancel: () => void;
	readonly dispose: () => void;
}

/** Requests of which only the newest matters: each one cancels the one before it. */
export interface NewestRequest {
	/** Cancels the request before this one. Returns this one's token. */
	readonly begin: () => CancellationToken;
	/** Cancels the request in progress. */
	readonly end: () => void;
}

export function createNewestRequest(newSource: () => Cancelling): NewestRequest {
	let current: Cancelling | undefined;
	const end = (): void => {
		current?.cancel();
		current?.dispose();
		current = undefined;
	};
	return {
		begin: () => {
			end();
			current = newSource();
			return current.token;
		},
		end,
	};
}
