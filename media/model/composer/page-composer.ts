import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { PublishedEvent, ThreadEvent } from "../../../agent-host/protocol/thread/events.ts";
import type { Attachable, PanelCommand, PromptOffer, ToWebview } from "../../wire.ts";
import type { Dropped } from "../attached/dropped-files.ts";
import type { Attachment } from "../attached/image-limits.ts";
import { PageAttached } from "../attached/page-attached.ts";
import { type ImagePorts, PageImages } from "../attached/page-images.ts";
import { PageMentions } from "../attached/page-mentions.ts";
import { type DropPorts, uploadDropped } from "../attached/upload-dropped.ts";
import type { UserEntry } from "../thread/entry.ts";
import type { Transcript } from "../thread/transcript.ts";
import { getQueue } from "./composer-queue.ts";
import {
	beginThread,
	type ComposerState,
	findOpenThread,
	getDraft,
	refuse,
	switchThread,
	typeText,
} from "./composer-state.ts";
import { DraftAlongs } from "./draft-alongs.ts";
import {
	collectImages,
	collectSaved,
	type KeptImages,
	NOTHING,
	restoreComposer,
	type SavedState,
} from "./kept-drafts.ts";
import { PageSlash } from "./page-slash.ts";
import { findLastPrompt, findRemovedPrompt, PromptEdit } from "./prompt-edit.ts";
import { keptQueues, savedQueues } from "./queue-state.ts";
import { type HowToSend, Sender } from "./sender.ts";
import { addToDraft, readSlash, type Slash } from "./slash.ts";

/** State that survives a reload of the page. */
export interface SavedPage extends SavedState {
	/** Kinds of editor chips that the user switched on or off. */
	readonly switched: PageAttached["switched"]["value"];
}

export interface ComposerPorts extends Pick<ImagePorts, "newId" | "readImage">, Omit<DropPorts, "images"> {
	readonly run: (command: PanelCommand) => void;
	readonly askAside: (question: string) => void;
	readonly save: (state: SavedPage) => void;
	/** The same for a page that takes over while the window stays; images only if they have changed. */
	readonly keep: (state: SavedPage, images: KeptImages | undefined) => void;
	/** The last saved state, perhaps from an older release. */
	readonly saved: unknown;
	/** The newest state of the thread, whether it is drawn or not. */
	readonly thread: () => Transcript;
	/** Skills and commands that people brought along. */
	readonly prompts: () => readonly PromptOffer[];
	/** Shows the end of the thread. */
	readonly showEnd: () => void;
	/** Shows an entry of the thread. */
	readonly showRow: (key: string) => void;
}

/** The parts of a prompt that go back into the composer. */
type Prompt = Pick<UserEntry, "turnId" | "text" | "images" | "attached">;

interface Returned {
	readonly text: string;
	/** What was in the composer before. */
	readonly draft: string;
	readonly images: readonly Attachment[];
}

/** The message being written: its text, its attachments, and how to send it. */
export class PageComposer {
	readonly state: Signal<ComposerState>;
	readonly draft: ReadonlySignal<string> = computed(() => getDraft(this.state.value));
	readonly images: PageImages;
	readonly attached: PageAttached;
	readonly mentions: PageMentions;
	readonly slash: PageSlash;
	readonly sender: Sender;
	/** The prompt of the thread that is being edited. */
	readonly edit: PromptEdit;
	/** Incremented when the composer should take the focus. */
	readonly focusAsked = signal(0);
	/** Where to put the caret in the composer; undefined leaves it where it is. */
	readonly caretAsked: Signal<number | undefined> = signal(undefined);
	readonly #ports: ComposerPorts;
	/** The prompt that came back into the composer after a rollback, until something else is written. */
	#returned: Returned | undefined;
	readonly #alongs: DraftAlongs;
	/** The images that were kept last. */
	#keptImages = "{}";

	constructor(ports: ComposerPorts) {
		this.#ports = ports;
		const restored = restoreComposer(ports.saved, undefined);
		this.state = signal(restored.state);
		this.images = new PageImages({ ...ports, ask: (imageId) => ports.post({ type: "readImage", imageId }) });
		this.attached = new PageAttached(ports.saved);
		this.#alongs = new DraftAlongs(this.images, this.attached);
		this.sender = new Sender({
			post: ports.post,
			newId: ports.newId,
			read: () => this.state.peek(),
			change: (next) => this.#set(next),
			thread: ports.thread,
			images: this.images,
			attached: { listSelected: () => this.attached.listSelected(), add: (chips) => this.#attach(chips) },
			detach: (key, along = this.#alongs.collect(this.state.value.key).get(key) ?? NOTHING) => {
				this.#alongs.detach(this.state.value.key, key, along);
				this.#save();
			},
			showEnd: ports.showEnd,
		});
		this.slash = new PageSlash({
			draft: this.draft,
			prompts: ports.prompts,
			type: (text) => this.type(text),
			submit: () => this.submit(),
		});
		this.edit = new PromptEdit(ports);
		this.mentions = new PageMentions({
			newId: ports.newId,
			ask: (id, query) => ports.post({ type: "findMentions", id, query }),
			attachDropped: (mention, text, caret) => {
				this.type(text);
				this.#attach([mention]);
				this.caretAsked.value = caret;
			},
		});
		this.#alongs.restore(this.state.value.key, restored.alongs);
		effect(() => this.#save());
	}

	/** Goes on where another page of this chat was, before anything is written here. */
	restore(saved: unknown, images: unknown): void {
		const { state, alongs } = restoreComposer(saved, images);
		batch(() => {
			this.state.value = state;
			this.attached.restore(saved);
			this.#alongs.restore(state.key, alongs);
		});
	}

	type(text: string): void {
		this.#set(typeText(this.state.value, text));
	}

	focus(): void {
		this.focusAsked.value++;
	}

	/** Attaches dropped or pasted files to the next prompt, or shows why it cannot. */
	async take(given: Dropped): Promise<void> {
		const problem = await uploadDropped(given, { ...this.#ports, images: this.images });
		if (problem !== undefined) this.#set(refuse(this.state.value, problem));
	}

	/** Puts a text into the composer for the user to edit or send. */
	suggest(text: string): void {
		this.type(text);
		this.focus();
	}

	/** Sends the draft as a new turn, or in one of the ways to send while one runs. A command is run instead. */
	submit(how: HowToSend = "send"): void {
		const slash = readSlash(this.draft.value, this.#ports.prompts());
		if (slash.kind !== "text") {
			this.#runSlash(slash);
			return;
		}
		this.mentions.close();
		this.sender[how]();
	}

	/** Tells the extension what would be sent now. Commands never reach the model. */
	tellTyped(): void {
		const isText = readSlash(this.draft.value, this.#ports.prompts()).kind === "text";
		this.sender.tell(isText ? this.draft.value : "");
	}

	/** Edits the last message, if the composer is empty: the last queued one in it, else the last prompt in its place. */
	editLast(): "editing" | "nothing" {
		if (this.draft.value !== "") return "nothing";
		const { running, entries } = this.#ports.thread();
		const queued = getQueue(this.state.value).at(-1);
		const prompt = queued || running ? undefined : findLastPrompt(entries);
		if (queued) this.sender.edit(queued.id);
		this.caretAsked.value = this.draft.value.length;
		if (prompt) {
			this.edit.begin(prompt);
			this.#ports.showRow(prompt.key);
		}
		return queued || prompt ? "editing" : "nothing";
	}

	/** Adds what a command hands over. If a draft exists, it is kept and nothing is sent automatically. */
	compose({ text, attach, how }: Extract<ToWebview, { readonly type: "compose" }>): void {
		const draft = this.draft.value;
		this.focus();
		if (text !== "") {
			const joined = addToDraft(draft, text);
			this.type(joined);
			this.caretAsked.value = joined.length;
		}
		const isSent = how === "send" && text !== "" && draft === "" && this.#ports.thread().running === undefined;
		if (this.#attach(attach) === "all" && isSent) this.submit();
	}

	/** `begun`: it has begun in the empty chat. */
	openThread(threadId: string | null, begun: boolean): void {
		this.images.shown.value = new Map();
		this.edit.leave();
		this.#returned = undefined;
		this.mentions.close();
		const state = this.state.value;
		if (begun && threadId !== null && findOpenThread(state) === undefined) {
			this.#set(beginThread(state, threadId));
			return;
		}
		this.#set(switchThread(state, threadId));
		this.#alongs.move(state.key, this.state.value.key);
	}

	/** Removes sent messages from the queue and continues what waited for these events. */
	onEvents(events: readonly PublishedEvent[], how: "settled" | "going"): void {
		this.sender.forget(events);
		if (how === "settled") this.sender.sendNext();
	}

	/** Something has just happened to the thread: a removed prompt comes back into the composer, to be sent again. */
	onFresh(event: ThreadEvent): void {
		if (event.type === "rollbackUndone") this.#takeOut();
		if (event.type !== "rolledBack" || this.edit.causes(event.turnIds)) return;
		const before = this.#ports.thread().versions.at(-1)?.entries ?? [];
		const prompt = findRemovedPrompt(before, event.turnIds);
		if (prompt !== undefined) this.#takePrompt(prompt);
	}

	/** The extension's answer to a message. */
	takeAnswer(id: string, problem: string | undefined): void {
		this.sender.takeAnswer(id, problem);
		this.edit.takeAnswer(id, problem);
	}

	#attach(chips: readonly Attachable[]): "all" | "some" {
		const problem = this.attached.add(chips);
		if (problem !== undefined) this.#set(refuse(this.state.value, problem));
		return problem === undefined ? "all" : "some";
	}

	/** Commands never reach the model. */
	#runSlash(slash: Exclude<Slash, { readonly kind: "text" }>): void {
		if (slash.kind === "refused") {
			this.#set(refuse(this.state.value, slash.reason));
			return;
		}
		this.type(slash.kind === "help" ? "/" : "");
		if (slash.kind === "run") this.#ports.run(slash.command);
		if (slash.kind === "aside") this.#ports.askAside(slash.question);
		if (slash.kind === "goal") this.#ports.post({ type: "setGoal", text: slash.text });
		if (slash.kind === "review") this.#ports.post({ type: "reviewRef", of: slash.of, ref: slash.ref });
		if (slash.kind === "compact") this.#ports.post({ type: "compact", ...slash.options });
		if (slash.kind === "remember") this.#ports.post({ type: "remember", text: slash.text });
	}

	/** Keeps the current draft after the prompt. */
	#takePrompt({ turnId, text, images, attached }: Prompt): void {
		const draft = this.draft.value;
		const before = this.images.attached.value;
		const joined = draft === "" ? text : `${text}\n\n${draft}`;
		this.suggest(joined);
		this.images.attachAgain(images);
		if (attached > 0) this.#ports.post({ type: "attachAgain", turnId });
		const added = this.images.attached.value.filter((image) => !before.includes(image));
		this.#returned = { text: joined, draft, images: added };
	}

	/** The prompt is in the thread again: it leaves the composer, unless it was edited there. */
	#takeOut(): void {
		const returned = this.#returned;
		this.#returned = undefined;
		if (returned === undefined || returned.text !== this.draft.value) return;
		this.type(returned.draft);
		this.images.detach(returned.images);
		this.attached.removeAgain();
	}

	#set(next: ComposerState): void {
		this.state.value = next;
	}

	#save(): void {
		const state = this.state.value;
		const alongs = this.#alongs.collect(state.key);
		const threadId = findOpenThread(state);
		const { drafts, queues } = state;
		const page = { threadId, drafts, ...collectSaved(state, alongs), switched: this.attached.switched.value };
		this.#ports.save({ ...page, queues: savedQueues(queues) });
		const images = collectImages(state, alongs);
		const names = JSON.stringify(Object.entries(images).map(([key, some]) => [key, some.map((image) => image.key)]));
		this.#ports.keep({ ...page, queues: keptQueues(queues) }, names === this.#keptImages ? undefined : images);
		this.#keptImages = names;
	}
}
