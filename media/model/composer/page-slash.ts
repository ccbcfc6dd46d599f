import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { PromptOffer } from "../../wire.ts";
import { type SlashOption, suggestCommands } from "./slash.ts";

/** What the list needs from the composer. */
export interface SlashPorts {
	readonly draft: ReadonlySignal<string>;
	/** What people brought along. */
	readonly prompts: () => readonly PromptOffer[];
	readonly type: (text: string) => void;
	readonly submit: () => void;
}

/** The list of commands that opens at a slash. */
export class PageSlash {
	readonly offered: ReadonlySignal<readonly SlashOption[]>;
	/** Index of the highlighted command. */
	readonly active: ReadonlySignal<number>;
	readonly #moved: Signal<{ readonly draft: string; readonly to: number }> = signal({ draft: "", to: 0 });
	readonly #ports: SlashPorts;

	constructor(ports: SlashPorts) {
		this.#ports = ports;
		this.offered = computed(() => suggestCommands(ports.draft.value, ports.prompts()));
		// Another text highlights its first match again.
		this.active = computed(() => (this.#moved.value.draft === ports.draft.value ? this.#moved.value.to : 0));
	}

	move(by: number): void {
		const count = this.offered.value.length;
		if (count === 0) return;
		this.#moved.value = { draft: this.#ports.draft.value, to: (this.active.value + by + count) % count };
	}

	/** Writes the command out; one that takes an argument waits for it. */
	complete(index = this.active.value): void {
		const command = this.offered.value[index];
		if (command) this.#ports.type(takesMore(command) ? `/${command.name} ` : `/${command.name}`);
	}

	/** Runs the command, or writes it out if it takes an argument and is not written out yet. */
	choose(index = this.active.value): void {
		const command = this.offered.value[index];
		if (command === undefined) return;
		const isWritten = this.#ports.draft.value === `/${command.name}`;
		if (!isWritten) this.complete(index);
		if (isWritten || !takesMore(command)) this.#ports.submit();
	}
}

/** What people brought along may take arguments, so it waits for them. */
function takesMore(option: SlashOption): boolean {
	return "origin" in option || option.argument !== undefined;
}
