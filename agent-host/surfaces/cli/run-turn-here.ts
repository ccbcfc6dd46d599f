import type { HostErrorKind } from "../../protocol/errors.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import { createDeniedCalls } from "../../protocol/thread/denied-calls.ts";
import { describeCompaction } from "../../protocol/thread/describe-compaction.ts";
import type { PublishedEvent, ThreadEvent } from "../../protocol/thread/events.ts";
import { isCall } from "../../protocol/thread/item.ts";
import type { Session } from "../../session/session.ts";
import { describeCall } from "../describe-call.ts";
import { hintFor } from "../terminal-hint.ts";
import { makeVisible, makeVisibleLine } from "../visible.ts";
import type { CommandIo } from "./cli-command.ts";

/** The exit status of a command, by how its turn ended. */
export const EXIT = { completed: 0, failed: 1, usage: 2, interrupted: 3, needsApproval: 4 } as const;

const STOPPING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

type Published = PublishedEvent & { readonly threadId: ThreadId };

export interface Stoppable {
	/** Aborts when the person at the terminal stops the turn while asked something. */
	readonly stopped?: AbortSignal;
}

/** Starts a turn and waits for its end. A signal stops it, and so does a closed output. */
export async function runTurnHere(
	session: Session,
	threadId: ThreadId,
	{ stdout, stopped }: CommandIo & Stoppable,
	start: () => Promise<unknown>,
): Promise<void> {
	let isStopped = false;
	const onStop = () => {
		isStopped = true;
		// A turn that cannot be stopped any more has its own end.
		session.interrupt(threadId).catch(() => undefined);
	};
	for (const signal of STOPPING) process.once(signal, onStop);
	stdout.on("error", onStop);
	stopped?.addEventListener("abort", onStop, { once: true });
	try {
		await start();
		// The signal may have come before there was a turn.
		if (isStopped) await session.interrupt(threadId);
		await (await session.threads.open(threadId)).running?.ended;
	} finally {
		for (const signal of STOPPING) process.removeListener(signal, onStop);
	}
}

/**
 * Prints events: one per line as JSON, or the answer as text on stdout and the rest on stderr. What a sub-agent says is for
 * the agent that asked it: as text, only its calls are told. `onlyLast`: a program reads the last message and no other.
 */
export function createPrinter(
	json: boolean,
	io: CommandIo,
	{ isSubAgent = () => false, onlyLast = false }: PrinterOptions = {},
): (event: Published) => void {
	const { stdout, stderr, isShown } = io;
	if (json) return (event) => stdout.write(`${JSON.stringify(event)}\n`);
	const hear = isShown && !onlyLast ? printAsWritten(io) : printWhenWhole(io, onlyLast);
	const denied = createDeniedCalls();
	return ({ threadId, event }) => {
		denied.hear(event);
		if (event.type === "itemCompleted" && isCall(event.item)) {
			stderr.write(`${describeCall(event.item, denied.has(event.item.callId))}\n`);
		}
		if (isSubAgent(threadId)) return;
		hear(event);
		if (event.type === "retrying") {
			const { attempt, attempts, reason } = event;
			stderr.write(`${makeVisibleLine(reason)} Trying again (attempt ${attempt} of ${attempts}).\n`);
		} else if (event.type === "itemCompleted" && event.item.kind === "contextCompaction") {
			stdout.write(`${describeCompaction(event.item, event.item.turns)}\n`);
		} else if (event.type === "turnCompleted" && event.error !== undefined) {
			stderr.write(`${makeVisible(event.error.message)}${hintFor(event.error)}\n`);
		}
	};
}

interface PrinterOptions {
	readonly isSubAgent?: (threadId: ThreadId) => boolean;
	readonly onlyLast?: boolean;
}

/** For a person, who sees that a request is made again. */
function printAsWritten({ stdout }: CommandIo): (event: ThreadEvent) => void {
	return (event) => {
		if (event.type === "itemDelta" && event.itemKind === "agentMessage") stdout.write(makeVisible(event.text));
		else if (event.type === "itemCompleted" && event.item.kind === "agentMessage") stdout.write("\n");
	};
}

/** For a program: what the model writes again after a failed request is printed once. */
function printWhenWhole({ stdout, isShown }: CommandIo, onlyLast: boolean): (event: ThreadEvent) => void {
	const shown = isShown ? makeVisible : (text: string) => text;
	let written: readonly string[] = [];
	const print = (): void => {
		for (const text of written) stdout.write(`${shown(text)}\n`);
		written = [];
	};
	return (event) => {
		if (event.type === "itemCompleted" && event.item.kind === "agentMessage")
			written = onlyLast ? [event.item.text] : [...written, event.item.text];
		else if (event.type === "retrying") written = [];
		// A response has ended.
		else if (event.type === "usage" && !onlyLast) print();
		else if (event.type === "turnCompleted" && (event.status === "completed" || !onlyLast)) print();
	};
}

/** Tells why nothing began: with `json` also as an event, because a program that reads events need not read stderr. */
export function createFailureTeller(
	json: boolean,
	{ stdout, stderr }: CommandIo,
): (code: HostErrorKind, message: string) => void {
	return (code, message) => {
		stderr.write(`${makeVisible(message)}\n`);
		if (json) stdout.write(`${JSON.stringify({ at: Date.now(), event: { type: "error", code, message } })}\n`);
	};
}
