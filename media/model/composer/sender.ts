import type { PublishedEvent } from "../../../agent-host/protocol/thread/events.ts";
import type { Attachable, FromWebview } from "../../wire.ts";
import { toBase64 } from "../attached/image-limits.ts";
import type { PageAttached } from "../attached/page-attached.ts";
import type { PageImages } from "../attached/page-images.ts";
import type { Transcript } from "../thread/transcript.ts";
import {
	dropQueued,
	editQueued,
	findNextQueued,
	getQueue,
	queueDraft,
	reorderQueue,
	sendQueued,
} from "./composer-queue.ts";
import {
	type ComposerState,
	checkLength,
	findOpenThread,
	getDraft,
	noteArrived,
	type Sent,
	sendDraft,
	takeAnswer,
} from "./composer-state.ts";
import { type Along, NOTHING } from "./kept-drafts.ts";
import type { Queued } from "./queue-state.ts";
import { readShellCommand } from "./slash.ts";

/** What the sender needs from the page. */
export interface SenderPorts {
	readonly post: (message: FromWebview) => void;
	readonly newId: () => string;
	readonly read: () => ComposerState;
	readonly change: (next: ComposerState) => void;
	/** The newest state of the thread, whether it is drawn or not. */
	readonly thread: () => Pick<Transcript, "running" | "halted">;
	readonly images: Pick<PageImages, "attached" | "restore">;
	readonly attached: Pick<PageAttached, "listSelected"> & {
		readonly add: (chips: readonly Attachable[]) => void;
	};
	/** Takes away what went along with a prompt, or everything, from the draft of its thread. */
	readonly detach: (key: string, along?: Along) => void;
	/** Shows the end of the thread, where what the user sends appears. */
	readonly showEnd: () => void;
}

/** How a draft is sent. */
export type HowToSend = "send" | "queue" | "steer" | "stopAndSend";

/** All ways to send: immediately, or while a turn runs: after it, into it, or instead of it. */
export class Sender {
	readonly #ports: SenderPorts;
	/** Attachments of the draft that is being sent. */
	#sentAlong: Along = NOTHING;
	/** Id of the message that is being sent to the running turn. */
	#steering: string | undefined;

	constructor(ports: SenderPorts) {
		this.#ports = ports;
	}

	send(): void {
		this.#sendDraft({});
	}

	stopAndSend(): void {
		this.#sendDraft({ stop: true });
	}

	/** Sends the draft to the running turn; a shell command is queued instead. */
	steer(): void {
		if (readShellCommand(getDraft(this.#ports.read())) !== undefined) this.queue();
		else this.#sendNow(sendDraft(this.#ports.read(), this.#ports.newId()));
	}

	queue(): void {
		const before = this.#ports.read();
		const isCommand = readShellCommand(getDraft(before)) !== undefined;
		const along = isCommand ? NOTHING : this.#draftAlong();
		const next = queueDraft(before, this.#ports.newId(), omitEmpty(along));
		this.#ports.change(next);
		if (next.queues !== before.queues) this.#ports.detach(before.key, along);
	}

	/** Tells the extension a text that could be sent as a prompt, and what would go along with it. */
	tell(text: string): void {
		const isPrompt = readShellCommand(text) === undefined && checkLength(text) === undefined;
		this.#ports.post({ type: "typed", text: isPrompt ? text : "", ...toMessage(this.#draftAlong()) });
	}

	/** Sends a queued message: to the running turn, or as a new turn. */
	sendNow(id: string): void {
		this.#sendNow(sendQueued(this.#ports.read(), id));
	}

	/** Moves a queued message back into the composer, with its attachments. */
	edit(id: string): void {
		const before = this.#ports.read();
		const next = editQueued(before, id);
		const { images = [], attached = [] } = (next !== before && findQueued(before, id)) || {};
		this.#ports.change(next);
		this.#ports.images.restore(images);
		this.#ports.attached.add(attached);
	}

	remove(id: string): void {
		this.#ports.change(dropQueued(this.#ports.read(), id));
	}

	move(id: string, direction: "up" | "down"): void {
		this.#ports.change(reorderQueue(this.#ports.read(), id, direction));
	}

	takeAnswer(id: string, problem: string | undefined): void {
		const { sent } = this.#ports.read();
		this.#ports.change(takeAnswer(this.#ports.read(), id, problem));
		if (sent?.id === id) {
			if (problem === undefined) this.#ports.detach(sent.key, this.#sentAlong);
			this.#sentAlong = NOTHING;
		}
		// The turn may have ended while a message to it was on its way.
		if (id === this.#steering) this.sendNext();
	}

	/** Removes messages that are in the thread now, even if the answer to them never arrived. */
	forget(events: readonly PublishedEvent[]): void {
		for (const { event } of events) {
			if (event.type === "turnStarted" && event.clientId !== undefined) this.#arrived(event.clientId);
			if (event.type !== "itemCompleted" || event.item.kind !== "userMessage") continue;
			if (event.item.clientId !== undefined) this.#arrived(event.item.clientId);
		}
	}

	/** Sends the next queued message after a turn. After a stopped or failed turn the user decides. */
	sendNext(): void {
		const { running, halted } = this.#ports.thread();
		const next = findNextQueued(this.#ports.read());
		if (next === undefined || running !== undefined || halted !== undefined) return;
		this.#begin(sendQueued(this.#ports.read(), next.id), "thread");
	}

	#arrived(id: string): void {
		this.remove(id);
		const before = this.#ports.read();
		const next = noteArrived(before, id);
		this.#ports.change(next);
		const { key, text = "" } = next.drafts === before.drafts ? {} : (before.unanswered ?? {});
		if (key !== undefined && readShellCommand(text) === undefined) this.#ports.detach(key);
	}

	#sendDraft(how: { readonly stop?: true }): void {
		const sent = this.#mark(sendDraft(this.#ports.read(), this.#ports.newId()));
		if (sent === undefined) return;
		this.#ports.showEnd();
		if (this.#runShell(sent, how) === "run") return;
		this.#sentAlong = this.#draftAlong();
		const { id, text } = sent;
		this.#ports.post({ type: "submit", id, ...inThread(sent), text, ...toMessage(this.#sentAlong), ...how });
	}

	/** Sends because the user asked for it, into the running turn if there is one. */
	#sendNow(next: ComposerState): void {
		if (next.sent !== this.#ports.read().sent) this.#ports.showEnd();
		this.#begin(next, "turn");
	}

	/** Sends to the running turn if there is one and `to` asks for it, else as a new turn. */
	#begin(next: ComposerState, to: "turn" | "thread"): void {
		const sent = this.#mark(next);
		if (sent === undefined) return;
		if (this.#runShell(sent, {}) === "run") return;
		const { id, text } = sent;
		this.#sentAlong = sent.from === "draft" ? this.#draftAlong() : NOTHING;
		const along = toMessage({ ...NOTHING, ...(sent.from === "draft" ? this.#sentAlong : findQueued(next, id)) });
		const turnId = to === "turn" ? this.#ports.thread().running?.turnId : undefined;
		this.#steering = turnId === undefined ? undefined : id;
		this.#ports.post(
			turnId === undefined
				? { type: "submit", id, ...inThread(sent), text, ...along }
				: { type: "steer", id, turnId, text, ...along },
		);
	}

	/** A shell command is sent without attachments; they stay for the next prompt. */
	#runShell(sent: Sent, how: { readonly stop?: true }): "run" | "words" {
		const command = readShellCommand(sent.text);
		if (command !== undefined) this.#ports.post({ type: "runShell", id: sent.id, ...inThread(sent), command, ...how });
		return command === undefined ? "words" : "run";
	}

	/** Stores the new state and returns the message to send; undefined if nothing could be sent. */
	#mark(next: ComposerState): Sent | undefined {
		if (next.sent === this.#ports.read().sent) return undefined;
		this.#ports.change(next);
		return next.sent;
	}

	/** Current attachments of the draft. */
	#draftAlong(): Along {
		return { images: this.#ports.images.attached.peek(), attached: this.#ports.attached.listSelected() };
	}
}

function inThread(sent: Sent): { readonly threadId: string | null } {
	return { threadId: findOpenThread(sent) ?? null };
}

/** Leaves out empty lists. */
function omitEmpty({ images, attached }: Along): Pick<Queued, "images" | "attached"> {
	return { ...(images.length > 0 && { images }), ...(attached.length > 0 && { attached }) };
}

function toMessage({ images, attached }: Along): { readonly images?: string[]; readonly attached?: string[] } {
	return {
		...(images.length > 0 && { images: images.map(toBase64) }),
		...(attached.length > 0 && { attached: attached.map(({ key }) => key) }),
	};
}

function findQueued(state: ComposerState, id: string): Queued | undefined {
	return getQueue(state).find((queued) => queued.id === id);
}
