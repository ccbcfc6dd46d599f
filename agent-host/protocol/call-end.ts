/** What is said behind the title of a call, unless all went well. */
export const CALL_END_SENTENCES = {
	"call-denied": "denied",
	"call-failed": "failed",
	"call-stopped": "stopped",
	"call-in-background": "in the background",
	"call-timed-out": "timed out",
	"call-ended-by": "ended by {signal}",
	"call-exit": "exit {code}",
} as const;

/** One of them, in English and by name. */
export interface CallEnd {
	readonly message: string;
	readonly sentence: keyof typeof CALL_END_SENTENCES;
	readonly values: Readonly<Record<string, string>>;
}

/** The end of a command, as far as it matters here; the fields of newer releases are optional. */
interface CommandFacts {
	readonly state?: "ended" | "stopped" | "background" | undefined;
	readonly exitCode?: number | undefined;
	readonly signal?: string | undefined;
	readonly timedOut?: boolean | undefined;
}

/** How a call ended; undefined if all went well, or it still runs. */
export function describeCallEnd(
	call: {
		readonly status: "running" | "completed" | "failed" | "interrupted";
		readonly command?: CommandFacts | undefined;
	},
	isDenied: boolean,
): CallEnd | undefined {
	if (isDenied) return end("call-denied");
	switch (call.status) {
		case "running":
			return undefined;
		case "failed":
			return end("call-failed");
		case "interrupted":
			return end("call-stopped");
		case "completed":
			return describeCommandEnd(call.command ?? {});
	}
}

function describeCommandEnd(command: CommandFacts): CallEnd | undefined {
	const { exitCode, signal, timedOut } = command;
	switch (readCommandState(command)) {
		case "background":
			return end("call-in-background");
		case "stopped":
			return timedOut === true ? end("call-timed-out") : end("call-stopped");
		case "ended":
			if (signal !== undefined) return end("call-ended-by", { signal });
			return exitCode === undefined || exitCode === 0 ? undefined : describeExit(exitCode);
		case undefined:
			return undefined;
	}
}

/** Also for a command that ended well. */
export function describeExit(code: number): CallEnd {
	return end("call-exit", { code: String(code) });
}

/** Derives the state that older releases did not record; undefined if they recorded nothing about the end. */
export function readCommandState({ state, exitCode, signal, timedOut, ...known }: CommandFacts): CommandFacts["state"] {
	if (state !== undefined) return state;
	if (exitCode !== undefined || signal !== undefined) return "ended";
	if (timedOut !== undefined) return "stopped";
	return Object.keys(known).length === 0 ? undefined : "background";
}

function end(sentence: CallEnd["sentence"], values: CallEnd["values"] = {}): CallEnd {
	const text: string = CALL_END_SENTENCES[sentence];
	return { message: text.replaceAll(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place), sentence, values };
}
