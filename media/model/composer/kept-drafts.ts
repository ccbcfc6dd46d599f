import { countOf } from "../../../l10n/t.ts";
import type { Attachable } from "../../wire.ts";
import type { Attachment } from "../attached/image-limits.ts";
import { type ComposerState, openComposer, type Sent } from "./composer-state.ts";
import { isAttachable, type Queued, type Queues } from "./queue-state.ts";

/** What goes along with a prompt. */
export interface Along {
	readonly images: readonly Attachment[];
	readonly attached: readonly Attachable[];
}

export const NOTHING: Along = { images: [], attached: [] };

/** Attachments of drafts by thread. */
export type Alongs = ReadonlyMap<string, Along>;

/** State that survives a reload of the page. */
export interface SavedState extends Pick<ComposerState, "drafts" | "queues"> {
	/** The open thread. A tab that the editor restores is given its thread by this. */
	readonly threadId: string | undefined;
	/** The prompt that was on its way: its draft goes when the thread turns out to have it. */
	readonly sent: Sent | undefined;
	/** Attachments of drafts, besides images. */
	readonly attached: Readonly<Record<string, readonly Attachable[]>>;
	/** How many images each draft had: they are too large to save with every key press. */
	readonly images: Readonly<Record<string, number>>;
}

/** Images of drafts by thread, and of queued messages by id: for a page that takes over while the window stays. */
export type KeptImages = Readonly<Record<string, readonly Attachment[]>>;

/** What a composer begins with. */
export interface Restored {
	readonly state: ComposerState;
	readonly alongs: Alongs;
}

export function collectImages({ queues }: ComposerState, alongs: Alongs): KeptImages {
	const queued = Object.values(queues).flatMap((queue) => queue.map(({ id, images = [] }) => [id, images] as const));
	const drafts = [...alongs].map(([key, { images }]) => [key, images] as const);
	return Object.fromEntries([...drafts, ...queued].filter(([, images]) => images.length > 0));
}

export function collectSaved(state: ComposerState, alongs: Alongs): Pick<SavedState, "sent" | "attached" | "images"> {
	const drafts = [...alongs];
	return {
		sent: state.sent ?? state.unanswered,
		attached: Object.fromEntries(
			drafts.flatMap(([key, { attached }]) => (attached.length > 0 ? [[key, attached]] : [])),
		),
		images: Object.fromEntries(
			drafts.flatMap(([key, { images }]) => (images.length > 0 ? [[key, images.length]] : [])),
		),
	};
}

/** Reads what was saved, perhaps by another release. Images that are not `kept` are lost, and their draft says so. */
export function restoreComposer(saved: unknown, kept: unknown): Restored {
	const images = readImages(kept);
	const { queues, ...state } = openComposer(saved);
	const attached = Object(Object(saved).attached) as Readonly<Record<string, unknown>>;
	const counts = Object(Object(saved).images) as Readonly<Record<string, unknown>>;
	const keys = new Set([...Object.keys(attached), ...Object.keys(counts)]);
	const alongs = [...keys].map((key) => {
		const chosen = attached[key];
		return [
			key,
			{ images: images[key] ?? [], attached: Array.isArray(chosen) ? chosen.filter(isAttachable) : [] },
		] as const;
	});
	const problems = Object.entries(counts).flatMap(([key, count]) =>
		typeof count === "number" && images[key] === undefined ? [[key, describeLost(count)] as const] : [],
	);
	return {
		state: { ...state, queues: withImages(queues, images), problems: Object.fromEntries(problems) },
		alongs: new Map(alongs),
	};
}

function describeLost(count: number): string {
	return countOf(
		count,
		"{0} image was lost in a reload. Attach it again.",
		"{0} images were lost in a reload. Attach them again.",
	);
}

function withImages(queues: Queues, images: KeptImages): Queues {
	const add = (queued: Queued): Queued => {
		const own = images[queued.id];
		return own === undefined ? queued : { ...queued, images: own };
	};
	return Object.fromEntries(Object.entries(queues).map(([key, queue]) => [key, queue.map(add)]));
}

function readImages(kept: unknown): KeptImages {
	const entries = Object.entries(Object(kept) as Readonly<Record<string, unknown>>);
	return Object.fromEntries(
		entries.map(([key, images]) => [key, Array.isArray(images) ? images.filter(isAttachment) : []]),
	);
}

function isAttachment(value: unknown): value is Attachment {
	const { key, name, bytes, url } = Object(value) as Partial<Attachment>;
	return [key, name, url].every((one) => typeof one === "string") && typeof bytes === "number";
}
