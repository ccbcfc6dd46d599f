import type { PublishedEvent } from "../../agent-host/protocol/events.ts";
import { type Message, t } from "../../l10n/t.ts";
import type { Transcript } from "../transcript/transcript.ts";
import { type Attachment, base64Of } from "../view/composer/attached/attachments.ts";
import {
	dropQueued,
	editQueued,
	nextInQueue,
	queueDraft,
	reorderQueue,
	sendQueued,
} from "../view/composer/composer-queue.ts";
import { type ComposerState, draftOf, type Sent, sendDraft, takeAnswer } from "../view/composer/composer-state.ts";
import { shellCommandIn } from "../view/composer/slash.ts";
import type { FromWebview } from "../wire.ts";
import type { PageAttached } from "./page-attached.ts";
import type { PageImages } from "./page-images.ts";

/** What the sender needs of the page it is in. */
export interface SenderPorts {
	readonly post: (message: FromWebview) => void;
	readonly newId: () => string;
	readonly read: () => ComposerState;
	readonly change: (next: ComposerState) => void;
	/** The thread as far as it is known, seen or not. */
	readonly thread: () => Pick<Transcript, "running" | "entries">;
	readonly images: Pick<PageImages, "attached" | "detach">;
	readonly attached: Pick<PageAttached, "chosen" | "keys" | "remove">;
}

const ONLY_WORDS: Message =
	"Images and attached context go with a message that begins a turn. Stop and send it, or wait until the turn is done.";

/** The ways to send: at once, and while a turn runs later, into the turn, or instead of it. */
export class Sender {
	readonly #ports: SenderPorts;
	/** What went with the prompt that is being sent. */
	#sentImages: readonly Attachment[] = [];
	#sentKeys: readonly string[] = [];
	/** A word to the running turn that is on its way. */
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

	/** Says the draft to the running turn; a command of the user's own waits for its end. */
	steer(): void {
		if (shellCommandIn(draftOf(this.#ports.read())) !== undefined) this.queue();
		else if (!this.#isRefused()) this.#begin(sendDraft(this.#ports.read(), this.#ports.newId()), "turn");
	}

	queue(): void {
		if (!this.#isRefused()) this.#ports.change(queueDraft(this.#ports.read(), this.#ports.newId()));
	}

	/** Sends a waiting message: to the running turn, or as a new one. */
	sendNow(id: string): void {
		this.#begin(sendQueued(this.#ports.read(), id), "turn");
	}

	edit(id: string): void {
		this.#ports.change(editQueued(this.#ports.read(), id));
	}

	remove(id: string): void {
		this.#ports.change(dropQueued(this.#ports.read(), id));
	}

	move(id: string, direction: "up" | "down"): void {
		this.#ports.change(reorderQueue(this.#ports.read(), id, direction));
	}

	takeAnswer(id: string, problem: string | undefined): void {
		const isMine = this.#ports.read().sent?.id === id;
		this.#ports.change(takeAnswer(this.#ports.read(), id, problem));
		if (isMine && problem === undefined) {
			this.#ports.images.detach(this.#sentImages);
			this.#ports.attached.remove(this.#sentKeys);
		}
		if (isMine) {
			this.#sentImages = [];
			this.#sentKeys = [];
		}
		// The turn may have ended while a word to it was on its way.
		if (id === this.#steering) this.sendNext();
	}

	/** What the thread holds does not wait any more, whoever heard the answer. */
	forget(events: readonly PublishedEvent[]): void {
		for (const { event } of events) {
			if (event.type === "turnStarted" && event.clientId !== undefined) this.remove(event.clientId);
			if (event.type !== "itemCompleted" || event.item.kind !== "userMessage") continue;
			if (event.item.clientId !== undefined) this.remove(event.item.clientId);
		}
	}

	/** Once a turn has done its work the next message goes by itself. After one that was stopped or failed the user decides. */
	sendNext(): void {
		const { running, entries } = this.#ports.thread();
		const next = nextInQueue(this.#ports.read());
		if (next === undefined || running !== undefined || entries.at(-1)?.kind === "turnEnd") return;
		this.#begin(sendQueued(this.#ports.read(), next.id), "thread");
	}

	#sendDraft(how: { readonly stop?: true }): void {
		const sent = this.#mark(sendDraft(this.#ports.read(), this.#ports.newId()));
		if (sent === undefined) return;
		if (this.#runShell(sent, how) === "run") return;
		this.#sentImages = this.#ports.images.attached.peek();
		const images = this.#sentImages.length === 0 ? {} : { images: this.#sentImages.map(base64Of) };
		this.#sentKeys = this.#ports.attached.keys();
		const attached = this.#sentKeys.length === 0 ? {} : { attached: [...this.#sentKeys] };
		this.#ports.post({ type: "submit", id: sent.id, text: sent.text, ...images, ...attached, ...how });
	}

	/** To the running turn if there is one and it is meant, else as a new one. */
	#begin(next: ComposerState, to: "turn" | "thread"): void {
		const sent = this.#mark(next);
		if (sent === undefined) return;
		if (this.#runShell(sent, {}) === "run") return;
		const { id, text } = sent;
		const turnId = to === "turn" ? this.#ports.thread().running?.turnId : undefined;
		this.#steering = turnId === undefined ? undefined : id;
		this.#ports.post(turnId === undefined ? { type: "submit", id, text } : { type: "steer", id, turnId, text });
	}

	/** A command of the user's own takes nothing along: what is attached stays for the next prompt. */
	#runShell({ id, text }: Sent, how: { readonly stop?: true }): "run" | "words" {
		const command = shellCommandIn(text);
		if (command !== undefined) this.#ports.post({ type: "runShell", id, command, ...how });
		return command === undefined ? "words" : "run";
	}

	/** What was marked as sent just now; nothing when nothing could be. */
	#mark(next: ComposerState): Sent | undefined {
		if (next.sent === this.#ports.read().sent) return undefined;
		this.#ports.change(next);
		return next.sent;
	}

	#isRefused(): boolean {
		const { images, attached } = this.#ports;
		if (shellCommandIn(draftOf(this.#ports.read())) !== undefined) return false;
		const isRefused = images.attached.peek().length > 0 || attached.chosen.peek().length > 0;
		if (isRefused) this.#ports.change({ ...this.#ports.read(), problem: t(ONLY_WORDS) });
		return isRefused;
	}
}
