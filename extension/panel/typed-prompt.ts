import type { PromptInput } from "../../agent-host/protocol/thread/turn.ts";
import type { FromWebview, ToWebview } from "../../media/wire.ts";

/** The page's answer. */
export type Typed = Extract<FromWebview, { readonly type: "typed" }>;

/** What is typed and attached in the composer of a page, but not sent. */
export interface TypedPrompt {
	readonly read: () => Promise<readonly PromptInput[]>;
	readonly receive: (answer: Typed) => void;
}

/** In a page that does not answer, nothing is typed. */
const MAX_WAIT_MS = 2_000;

export function createTypedPrompt(options: {
	readonly isReady: () => boolean;
	readonly post: (message: ToWebview) => void;
	/** Reads the attachments, too. */
	readonly toInput: (answer: Typed) => Promise<readonly PromptInput[]>;
}): TypedPrompt {
	const waiting: ((answer: Typed | undefined) => void)[] = [];
	return {
		read: async () => {
			if (!options.isReady()) return [];
			const { promise, resolve } = Promise.withResolvers<Typed | undefined>();
			waiting.push(resolve);
			const timer = setTimeout(() => resolve(undefined), MAX_WAIT_MS);
			options.post({ type: "readTyped" });
			const answer = await promise;
			clearTimeout(timer);
			return answer === undefined ? [] : options.toInput(answer);
		},
		receive: (answer) => {
			for (const resolve of waiting.splice(0)) resolve(answer);
		},
	};
}
