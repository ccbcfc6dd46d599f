import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { FromInspector, InspectorItem, InspectorState, ToInspector } from "../../inspector-wire.ts";
import { type RequestModel, summarizeRequest } from "./request-model.ts";

/** Text of an open item, and how many characters of it are left out. */
export interface ItemText {
	readonly text: string;
	readonly left: number;
}

/** Number of groups shown at first, newest last, and added by each further step. */
export const GROUPS_SHOWN = 100;

/** Everything the inspector shows, as signals, and everything it can do. */
export class Inspector {
	readonly state: Signal<InspectorState | undefined> = signal(undefined);
	/** Why there is nothing to show. */
	readonly reason = signal("");
	readonly kind = signal("");
	readonly origin = signal("");
	readonly open: Signal<ReadonlySet<number>> = signal(new Set());
	readonly texts: Signal<ReadonlyMap<number, ItemText>> = signal(new Map());
	readonly groupsShown = signal(GROUPS_SHOWN);
	readonly model: ReadonlySignal<RequestModel | undefined> = computed(
		() => this.state.value && summarizeRequest(this.state.value),
	);
	readonly #post: (message: FromInspector) => void;

	constructor(post: (message: FromInspector) => void) {
		this.#post = post;
	}

	receive(message: ToInspector): void {
		switch (message.type) {
			case "context":
				this.state.value = message.context;
				this.reason.value = "";
				this.texts.value = new Map();
				// Indexes may now belong to other items.
				this.open.value = new Set();
				break;
			case "itemText":
				if (message.revision !== this.state.value?.revision) return;
				this.texts.value = new Map(this.texts.value).set(message.index, { text: message.text, left: message.left });
				break;
			case "empty":
				this.state.value = undefined;
				this.reason.value = message.reason;
				break;
		}
	}

	refresh(): void {
		this.#post({ type: "refresh" });
	}

	/** Shows a sent request, or the next one. */
	showRequest(request: number | undefined): void {
		this.#post({ type: "showRequest", ...(request === undefined ? {} : { request }) });
	}

	compare(): void {
		this.#post({ type: "compare" });
	}

	showRaw(): void {
		this.#post({ type: "showRaw" });
	}

	/** Whether an item matches the filters. */
	isWanted({ kind, origin }: InspectorItem): boolean {
		const isOf = (wanted: string, value: string) => wanted === "" || wanted === value;
		return isOf(this.kind.value, kind) && isOf(this.origin.value, origin);
	}

	toggle({ index }: InspectorItem): void {
		const open = new Set(this.open.value);
		if (!open.delete(index)) open.add(index);
		this.open.value = open;
		const revision = this.state.value?.revision;
		if (open.has(index) && !this.texts.value.has(index) && revision !== undefined) {
			this.#post({ type: "readItem", revision, index });
		}
	}

	pin({ index, pinned }: InspectorItem): void {
		const revision = this.state.value?.revision;
		if (revision !== undefined) this.#post({ type: "pin", revision, index, pinned: pinned !== true });
	}

	mute({ index, mutable }: InspectorItem): void {
		const revision = this.state.value?.revision;
		if (revision !== undefined) this.#post({ type: "mute", revision, index, muted: mutable?.muted !== true });
	}

	/** Switches a source on or off in this thread. */
	switchSource(index: number, isOff: boolean): void {
		const revision = this.state.value?.revision;
		if (revision !== undefined) this.#post({ type: "switchSource", revision, index, isOff });
	}

	/** Makes an item visible, whatever the filters and limits are. */
	reveal({ index }: InspectorItem): void {
		this.kind.value = "";
		this.origin.value = "";
		const groups = this.model.value?.groups ?? [];
		const at = groups.findIndex((group) => group.items.some((item) => item.index === index));
		this.groupsShown.value = Math.max(this.groupsShown.value, groups.length - at);
	}
}
