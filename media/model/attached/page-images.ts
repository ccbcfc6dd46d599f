import { type Signal, signal } from "@preact/signals";
import type { ImageFacts } from "../../../agent-host/protocol/thread/image.ts";
import { t } from "../../../l10n/t.ts";
import { type Attachment, checkImage, describeUnreadable } from "./image-limits.ts";

/** Images of the thread that are kept in memory; others are requested again when they come into view. */
const MAX_HELD = 24;

export interface ImagePorts {
	readonly newId: () => string;
	/** URL of an image that can be drawn; undefined for anything else. */
	readonly readImage: (file: File) => Promise<string | undefined>;
	/** Requests an image of the thread. */
	readonly ask: (imageId: string) => void;
}

/** Images attached to the next prompt, and images of the thread that were requested. */
export class PageImages {
	readonly attached: Signal<readonly Attachment[]> = signal([]);
	/** URLs of the thread's images by id; empty for one that cannot be shown. */
	readonly shown: Signal<ReadonlyMap<string, string>> = signal(new Map());
	readonly #ports: ImagePorts;

	constructor(ports: ImagePorts) {
		this.#ports = ports;
	}

	/** Attaches files to the next prompt. Returns the reason for the last one that cannot be attached. */
	async attach(files: readonly File[]): Promise<string | undefined> {
		let problem: string | undefined;
		for (const file of files) {
			let refusal = checkImage(file, this.attached.value);
			const url = refusal === undefined ? await this.#ports.readImage(file) : undefined;
			// Other images may have been attached while this one was read.
			refusal = checkImage(file, this.attached.value);
			if (url !== undefined && refusal === undefined) this.#add({ name: file.name, bytes: file.size, url });
			else problem = refusal ?? describeUnreadable(file.name);
		}
		return problem;
	}

	/** Attaches the images of an earlier prompt that are loaded. */
	attachAgain(images: readonly ImageFacts[]): void {
		for (const { id, bytes } of images) {
			const url = this.shown.value.get(id);
			if (url) this.#add({ name: t("Image"), bytes, url });
		}
	}

	/** Attaches images again that were attached before. */
	restore(images: readonly Attachment[]): void {
		this.attached.value = [...this.attached.value, ...images];
	}

	detach(images: readonly Attachment[]): void {
		this.attached.value = this.attached.value.filter((image) => !images.includes(image));
	}

	/** Requests an image of the thread unless it is loaded. */
	want(imageId: string): void {
		if (!this.shown.peek().has(imageId)) this.#ports.ask(imageId);
	}

	hold(imageId: string, url: string): void {
		const others = [...this.shown.value].filter(([id]) => id !== imageId);
		this.shown.value = new Map([...others, [imageId, url] as const].slice(-MAX_HELD));
	}

	#add(image: Omit<Attachment, "key">): void {
		this.attached.value = [...this.attached.value, { key: this.#ports.newId(), ...image }];
	}
}
