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

/** Puts the last prompt into the composer for editing. Its turn is rolled back only when the edited prompt is sent. */
export class PromptRecall {
	/** The turn that the recalled prompt started; undefined if none is recalled. */
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

	/** Clears the composer and leaves the thread unchanged. */
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

	/** Once its turn is rolled back, by whatever means, the text in the composer is an ordinary draft. */
	onEvent(event: ThreadEvent): void {
		const turnId = this.turnId.value;
		if (event.type !== "rolledBack" || !event.turnIds.some((id) => id === turnId)) return;
		this.turnId.value = undefined;
		if (this.#isSent) this.#ports.send();
	}
}

/** The newest prompt that the user typed to start a turn. */
export function findLastPrompt(entries: readonly Entry[]): UserEntry | undefined {
	return entries.findLast(
		(entry): entry is UserEntry => entry.kind === "userMessage" && entry.messageKind === "plain" && !entry.steered,
	);
}
