import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { type SlashCommand, suggestCommands } from "./slash.ts";

/** What the list needs from the composer. */
export interface SlashPorts {
	readonly draft: ReadonlySignal<string>;
	readonly type: (text: string) => void;
	readonly submit: () => void;
}

/** The list of commands that opens at a slash. */
export class PageSlash {
	readonly offered: ReadonlySignal<readonly SlashCommand[]>;
	/** Index of the highlighted command. */
	readonly active: ReadonlySignal<number>;
	readonly #moved: Signal<{ readonly draft: string; readonly to: number }> = signal({ draft: "", to: 0 });
	readonly #ports: SlashPorts;

	constructor(ports: SlashPorts) {
		this.#ports = ports;
		this.offered = computed(() => suggestCommands(ports.draft.value));
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
		if (command) this.#ports.type(command.argument === undefined ? `/${command.name}` : `/${command.name} `);
	}

	/** Runs the command, or writes it out if it takes an argument and is not written out yet. */
	choose(index = this.active.value): void {
		const command = this.offered.value[index];
		if (command === undefined) return;
		const isWritten = this.#ports.draft.value === `/${command.name}`;
		if (!isWritten) this.complete(index);
		if (isWritten || command.argument === undefined) this.#ports.submit();
	}
}
