/**
 * What Vitrine offers to other extensions, as the result of `vscode.extensions.getExtension("vitrine.vitrine")?.activate()`.
 * Nothing here answers an approval or a question, or changes a setting: only the user does, in the chat.
 */
export interface VitrineApi {
	readonly version: 1;
	/** Shows the chat, with a thread if one is named. */
	open(threadId?: string): Promise<void>;
	/** Puts a text into the composer for the user to check and send. A draft that is there stays before it. */
	prefill(text: string): Promise<void>;
	/** Starts a thread in a folder of the workspace, the first one unless another is named, and resolves with its id. */
	start(options?: { readonly folder?: string }): Promise<string>;
	/** Sends a prompt under the thread's permissions and limits, and resolves with the turn's id once it has begun. */
	send(threadId: string, prompt: string): Promise<string>;
	/** Calls the listener with everything that happens in the thread from now on, until it is disposed of. */
	follow(threadId: string, listener: (event: VitrineEvent) => void): { dispose(): void };
}

export type VitrineEvent =
	/** The next piece of the answer. */
	| { readonly type: "text"; readonly turnId: string; readonly text: string }
	/** An approval or a question waits for the user. */
	| { readonly type: "waiting"; readonly turnId: string }
	| {
			readonly type: "ended";
			readonly turnId: string;
			readonly status: "completed" | "interrupted" | "failed";
			/** Why it failed or was interrupted, unless the user did that. */
			readonly message?: string;
	  };
