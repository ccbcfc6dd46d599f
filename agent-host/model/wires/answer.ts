import { type ModelEvent, ModelFailure } from "../port.ts";
import { brokeOff, nonsense } from "./failure.ts";
import { openBody } from "./http.ts";

/** One wire's way to read an answer: a state machine that never sees a connection. */
export interface WireReader {
	/** What one message of the stream means. Throws a `ModelFailure` that the server reports. */
	readonly read: (message: unknown) => readonly ModelEvent[];
	/** What the end of the stream means, announced or not: `completed` comes last if the answer is whole. */
	readonly end: (how: "announced" | "closed") => readonly ModelEvent[];
}

/** Reads one answer to its end. An answer that is not whole throws, so that nothing is done by halves. */
export async function* readAnswer(
	response: Response,
	reader: WireReader,
	origin: string,
	signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
	let understood = false;
	let how: "announced" | "closed" = "closed";
	try {
		for await (const message of openBody(response)) {
			if (message.kind === "done") {
				how = "announced";
				break;
			}
			if (message.kind === "nonsense") throw nonsense(origin);
			understood = true;
			for (const event of reader.read(message.value)) {
				yield event;
				if (event.type === "completed") return;
			}
		}
	} catch (error) {
		signal.throwIfAborted();
		if (error instanceof ModelFailure) throw error;
		// The connection died. If the answer had come to its end before, nothing is missing.
		const last = reader.end("closed");
		if (last.at(-1)?.type !== "completed") throw error;
		yield* last;
		return;
	}
	signal.throwIfAborted();
	const last = reader.end(how);
	yield* last;
	if (last.at(-1)?.type !== "completed") throw understood ? brokeOff() : nonsense(origin);
}
