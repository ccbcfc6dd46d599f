/** A turn of a conversation with another agent, as its file tells it. Untrusted, like everything imported. */
export interface ForeignTurn {
	/** Milliseconds since 1970. */
	readonly at: number;
	readonly prompt: string;
	readonly steps: readonly ForeignStep[];
}

export type ForeignStep =
	| { readonly kind: "text"; readonly text: string }
	| {
			readonly kind: "call";
			readonly callId: string;
			readonly name: string;
			/** The model's JSON as text. */
			readonly arguments: string;
			/** Absent if the call was never answered. */
			readonly output?: string;
	  };

export interface ForeignThread {
	/** The agent, as it calls itself. */
	readonly agent: string;
	/** The newest model that the file names. */
	readonly model: string | undefined;
	readonly turns: readonly ForeignTurn[];
}

/** Collects turns in the order of a file: a prompt begins one, an output belongs to the call with its id. */
export function createTurnCollector(): {
	readonly prompt: (text: string, at: number) => void;
	readonly text: (text: string) => void;
	readonly call: (callId: string, name: string, json: string) => void;
	readonly output: (callId: string, output: string) => void;
	/** Removes the last turns: the user took them back. */
	readonly drop: (count: number) => void;
	readonly turns: () => readonly ForeignTurn[];
} {
	const turns: { readonly at: number; readonly prompt: string; steps: ForeignStep[] }[] = [];
	const add = (step: ForeignStep): void => {
		turns.at(-1)?.steps.push(step);
	};
	return {
		prompt: (text, at) => void (text.trim() === "" || turns.push({ at, prompt: text, steps: [] })),
		text: (text) => text.trim() !== "" && add({ kind: "text", text }),
		call: (callId, name, json) => add({ kind: "call", callId, name, arguments: json }),
		output: (callId, output) => {
			const turn = turns.findLast(({ steps }) => steps.some((step) => isOpen(step, callId)));
			if (turn === undefined) return;
			turn.steps = turn.steps.map((step) => (isOpen(step, callId) ? { ...step, output } : step));
		},
		drop: (count) => void turns.splice(Math.max(0, turns.length - Math.max(0, count))),
		turns: () => turns,
	};
}

function isOpen(step: ForeignStep, callId: string): boolean {
	return step.kind === "call" && step.callId === callId && step.output === undefined;
}
