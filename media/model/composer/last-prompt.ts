import { type Signal, signal } from "@preact/signals";
import type { ThreadEvent } from "../../../agent-host/protocol/thread/events.ts";
import type { FromWebview } from "../../wire.ts";
import type { Attachment } from "../attached/image-limits.ts";
import type { PageAttached } from "../attached/page-attached.ts";
import type { PageImages } from "../attached/page-images.ts";
import type { Entry, UserEntry } from "../thread/entry.ts";

interface RecallPorts {
	readonly post: (message: FromWebview) => void;
	readonly type: (text: string) => void;
	readonly send: () => void;
	readonly images: Pick<PageImages, "attached" | "attachAgain" | "detach">;
	readonly attached: Pick<PageAttached, "removeAgain">;
}

/** The last prompt, in the composer to be changed. Its turn is taken back when that is sent, and not before. */
export class PromptRecall {
	/** The turn that it began; undefined while none is recalled. */
	readonly turnId: Signal<string | undefined> = signal(undefined);
	readonly #ports: RecallPorts;
	#images: readonly Attachment[] = [];
	#isSent = false;

	constructor(ports: RecallPorts) {
		this.#ports = ports;
	}

	begin({ turnId, text, images, attached: along }: UserEntry): void {
		const { attached } = this.#ports.images;
		const before = attached.value;
		this.#ports.type(text);
		this.#ports.images.attachAgain(images);
		this.#images = attached.value.filter((image) => !before.includes(image));
		if (along > 0) this.#ports.post({ type: "attachAgain", turnId });
		this.#isSent = false;
		this.turnId.value = turnId;
	}

	/** Leaves the thread as it is, and the composer empty. */
	cancel(): void {
		this.turnId.value = undefined;
		this.#ports.type("");
		this.#ports.images.detach(this.#images);
		this.#ports.attached.removeAgain();
	}

	send(turnId: string): void {
		this.#isSent = true;
		this.#ports.post({ type: "rollBack", turnId });
	}

	/** Whoever took the turn back, what is in the composer is a prompt like any other from then on. */
	onEvent(event: ThreadEvent): void {
		const turnId = this.turnId.value;
		if (event.type !== "rolledBack" || !event.turnIds.some((id) => id === turnId)) return;
		this.turnId.value = undefined;
		if (this.#isSent) this.#ports.send();
	}
}

/** The newest of what began a turn in the user's own words. */
export function findLastPrompt(entries: readonly Entry[]): UserEntry | undefined {
	return entries.findLast(
		(entry): entry is UserEntry => entry.kind === "userMessage" && entry.messageKind === "plain" && !entry.steered,
	);
}
