import { type ModelEvent, ModelFailure } from "../../port.ts";
import { brokeOff, nonsense } from "../refusals/failure.ts";
import { openBody } from "./http.ts";

/** One wire's way to read an answer: a state machine that never sees a connection. */
export interface WireReader {
	/** What one message of the stream means. Throws a `ModelFailure` that the server reports. */
	readonly read: (message: unknown) => readonly ModelEvent[];
	/** What the end of the stream means, announced or not: `completed` comes last if the answer is whole. */
	readonly end: (how: "announced" | "closed") => readonly ModelEvent[];
	/** Whether the answer may be whole by now, though its end has not come. */
	readonly isOver: () => boolean;
}

/** Time for what follows an answer that is whole: its usage and the word for the end. Some servers send neither and never close. */
const TAIL_MS = 3_000;

/** Time for a server to close what it has said is over. Then the connection is there for the next request. */
const REST_MS = 1_000;

/** Reads one answer to its end. An answer that is not whole throws, so that nothing is done by halves. */
export async function* readAnswer(
	response: Response,
	reader: WireReader,
	{ origin, signal, hangUp }: Listening,
): AsyncGenerator<ModelEvent> {
	const messages = openBody(response);
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
			if (message.kind === "nonsense") throw nonsense(origin);
			const events = message.kind === "alive" ? [] : understand(reader, message.value, origin);
			understood ||= message.kind === "message";
			if (events.length === 0) yield { type: "alive" };
			isHeardOut = events.at(-1)?.type === "completed";
			yield* events;
			if (isHeardOut) return;
		}
	} catch (error) {
		signal.throwIfAborted();
		if (error instanceof ModelFailure) throw error;
		// The connection died. If the answer had come to its end before, nothing is missing.
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
	if (last.at(-1)?.type !== "completed") throw understood ? brokeOff() : nonsense(origin);
}

/** Who was asked, and how to end it. */
export interface Listening {
	readonly origin: string;
	readonly signal: AbortSignal;
	/** Lets the connection go, also in the middle of a read. */
	readonly hangUp: () => void;
}

async function readOn(messages: AsyncIterator<unknown>, hangUp: () => void): Promise<void> {
	const late = setTimeout(hangUp, REST_MS).unref();
	try {
		while (!(await messages.next()).done);
	} catch {
		// Nobody waits for what comes behind an answer.
	} finally {
		clearTimeout(late);
		hangUp();
	}
}

function understand(reader: WireReader, message: unknown, origin: string): readonly ModelEvent[] {
	try {
		return reader.read(message);
	} catch (error) {
		// Whatever else goes wrong in reading is the message's fault: it may be nested without end.
		throw error instanceof ModelFailure ? error : nonsense(origin);
	}
}

/** The next message; nothing when an answer that is over has fallen silent. */
function nextUnlessQuiet<T>(messages: AsyncIterator<T>, isOver: boolean): Promise<IteratorResult<T> | undefined> {
	const next = messages.next();
	if (!isOver) return next;
	const quiet = Promise.withResolvers<undefined>();
	const timer = setTimeout(() => quiet.resolve(undefined), TAIL_MS);
	return Promise.race([next, quiet.promise]).finally(() => clearTimeout(timer));
}
