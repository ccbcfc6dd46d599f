import { type Signal, signal } from "@preact/signals";
import type { FromWebview } from "../../wire.ts";
import type { Entry, UserEntry } from "../thread/entry.ts";
import { checkLength } from "./composer-state.ts";

export interface OpenEdit {
	readonly turnId: string;
	readonly text: string;
	/** Set while it is on its way to the extension. */
	readonly sent?: string;
	/** Why it was not sent. */
	readonly problem?: string | undefined;
}

interface EditPorts {
	readonly post: (message: FromWebview) => void;
	readonly newId: () => string;
	/** Shows the end of the thread. */
	readonly showEnd: () => void;
}

/**
 * A prompt of the thread that is being edited in its place. Nothing is removed from the conversation until the edited
 * prompt is sent; its images and attachments go with it.
 */
export class PromptEdit {
	readonly open: Signal<OpenEdit | undefined> = signal(undefined);
	readonly #ports: EditPorts;
	#wantsFocus = false;

	constructor(ports: EditPorts) {
		this.#ports = ports;
	}

	begin({ turnId, text }: Pick<UserEntry, "turnId" | "text">): void {
		if (this.#isOnItsWay()) return;
		this.open.value = { turnId, text };
		this.#wantsFocus = true;
	}

	/** Whether the editor takes the focus when it is drawn: only when editing begins, and not each time it is in sight again. */
	takeFocus(): boolean {
		const wants = this.#wantsFocus;
		this.#wantsFocus = false;
		return wants;
	}

	type(text: string): void {
		const edit = this.open.value;
		if (edit !== undefined) this.open.value = { turnId: edit.turnId, text, problem: checkLength(text) };
	}

	/** Leaves the thread unchanged. What is on its way can no longer be taken back. */
	cancel(): "closed" | "sent" {
		if (this.#isOnItsWay()) return "sent";
		this.open.value = undefined;
		return "closed";
	}

	/** Another thread is open. */
	leave(): void {
		this.open.value = undefined;
	}

	send(): void {
		const edit = this.open.value;
		if (edit === undefined || !canResend(edit)) return;
		const id = this.#ports.newId();
		const { turnId, text } = edit;
		this.open.value = { turnId, text, sent: id };
		this.#ports.post({ type: "resend", id, turnId, text });
	}

	/** Handles the extension's answer: closes the editor, or shows why the prompt was not sent. */
	takeAnswer(id: string, problem: string | undefined): void {
		const edit = this.open.value;
		if (edit?.sent !== id) return;
		if (problem === undefined) this.#ports.showEnd();
		this.open.value = problem === undefined ? undefined : { turnId: edit.turnId, text: edit.text, problem };
	}

	/** Whether a rollback of these turns is part of sending the edited prompt. */
	causes(turnIds: readonly string[]): boolean {
		const edit = this.open.value;
		return edit?.sent !== undefined && turnIds.includes(edit.turnId);
	}

	#isOnItsWay(): boolean {
		return this.open.value?.sent !== undefined;
	}
}

export function canResend({ text, sent }: OpenEdit): boolean {
	return sent === undefined && text.trim() !== "" && checkLength(text) === undefined;
}

/** The newest prompt that the user typed to start a turn. */
export function findLastPrompt(entries: readonly Entry[]): UserEntry | undefined {
	return entries.findLast(isPrompt);
}

/** The prompt that started one of these turns, the earliest first. */
export function findRemovedPrompt(entries: readonly Entry[], turnIds: readonly string[]): UserEntry | undefined {
	return entries.filter(isPrompt).find(({ turnId }) => turnIds.includes(turnId));
}

function isPrompt(entry: Entry): entry is UserEntry {
	return entry.kind === "userMessage" && entry.messageKind === "plain" && !entry.steered;
}
