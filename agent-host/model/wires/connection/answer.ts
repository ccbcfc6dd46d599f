import { type ModelEvent, ModelFailure, type ModelRequest } from "../../port.ts";
import { brokenStreamFailure, nonsenseFailure } from "../refusals/failure.ts";
import { openBody } from "./http.ts";
import type { Path } from "./paths.ts";

export interface Question {
	readonly path: Path;
	readonly body: object;
	readonly model: string;
	readonly reader: WireReader;
	/** Whether an answer without words and calls counts. */
	readonly mayBeSilent?: boolean;
}

/** After the output of its calls a model may end without words: the work is done, and asking again gives no more. */
export function mayBeSilent({ input }: ModelRequest): boolean {
	return input.at(-1)?.kind === "toolOutput";
}

/** Reads the answers of one wire: a state machine that never sees a connection. */
export interface WireReader {
	/** Returns the events of one message of the stream. Throws a `ModelFailure` if the server reports one. */
	readonly read: (message: unknown) => readonly ModelEvent[];
	/** Handles the end of the stream, announced or not: returns `completed` last if the answer is complete. */
	readonly end: (how: "announced" | "closed") => readonly ModelEvent[];
	/** Whether the answer may be complete although its end has not arrived. */
	readonly isOver: () => boolean;
}

/** Time for usage and the end marker after a complete answer. Some servers send neither and never close. */
const TAIL_MS = 3_000;

/** Time for a server to close a finished response, so that the connection can be reused. */
const REST_MS = 1_000;

/** Reads one answer to its end. Throws if it is incomplete, so that nothing is done by halves. */
export async function* readAnswer(
	body: AsyncIterable<Uint8Array>,
	reader: WireReader,
	{ origin, signal, hangUp }: Connection,
): AsyncGenerator<ModelEvent> {
	const messages = openBody(body);
	let isHeardOut = false;
	let understood = false;
	let how: "announced" | "closed" = "closed";
	try {
		for (;;) {
			const step = await nextUnlessQuiet(messages, reader.isOver());
			if (step === undefined || step.done) break;
			const message = step.value;
			if (message.kind === "done") {
				how = "announced";
				isHeardOut = true;
				break;
			}
			if (message.kind === "nonsense") throw nonsenseFailure(origin);
			const events = message.kind === "alive" ? [] : readMessage(reader, message.value, origin);
			understood ||= message.kind === "message";
			if (events.length === 0) yield { type: "alive" };
			isHeardOut = events.at(-1)?.type === "completed";
			yield* events;
			if (isHeardOut) return;
		}
	} catch (error) {
		signal.throwIfAborted();
		if (error instanceof ModelFailure) throw error;
		// The connection died. If the answer was already complete, nothing is missing.
		const last = reader.end("closed");
		if (last.at(-1)?.type !== "completed") throw error;
		yield* last;
		return;
	} finally {
		if (isHeardOut) void readOn(messages, hangUp);
		else {
			hangUp();
			void messages.return(undefined);
		}
	}
	signal.throwIfAborted();
	const last = reader.end(how);
	yield* last;
	if (last.at(-1)?.type !== "completed") throw understood ? brokenStreamFailure() : nonsenseFailure(origin);
}

/** The server, and how to disconnect from it. */
export interface Connection {
	readonly origin: string;
	readonly signal: AbortSignal;
	/** Closes the connection, also in the middle of a read. */
	readonly hangUp: () => void;
}

async function readOn(messages: AsyncIterator<unknown>, hangUp: () => void): Promise<void> {
	const late = setTimeout(hangUp, REST_MS).unref();
	try {
		while (!(await messages.next()).done);
	} catch {
		// Errors after a complete answer are irrelevant.
	} finally {
		clearTimeout(late);
		hangUp();
	}
}

function readMessage(reader: WireReader, message: unknown, origin: string): readonly ModelEvent[] {
	try {
		return reader.read(message);
	} catch (error) {
		// Any other error while reading is the message's fault: it may be nested too deeply.
		throw error instanceof ModelFailure ? error : nonsenseFailure(origin);
	}
}

/** The next message, or nothing if a complete answer has gone silent. */
function nextUnlessQuiet<T>(messages: AsyncIterator<T>, isOver: boolean): Promise<IteratorResult<T> | undefined> {
	const next = messages.next();
	if (!isOver) return next;
	const quiet = Promise.withResolvers<undefined>();
	const timer = setTimeout(() => quiet.resolve(undefined), TAIL_MS);
	return Promise.race([next, quiet.promise]).finally(() => clearTimeout(timer));
}
