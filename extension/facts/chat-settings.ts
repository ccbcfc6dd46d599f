import type { ChatSettings } from "../../media/wire.ts";

/** Values of each `vitrine.chat` setting; the first is the default. */
export const CHAT_CHOICES: { readonly [K in keyof ChatSettings]: readonly [ChatSettings[K], ...ChatSettings[K][]] } = {
	enterBehavior: ["enter", "cmdIfMultiline", "cmdAlways"],
	whileRunning: ["queue", "steer"],
	foldSteps: ["auto", "always", "never"],
	timestamps: [false, true],
	showCost: [true, false],
	showCacheMeter: [true, false],
};

/** Reads the `vitrine.chat` settings; invalid values count as unset. */
export function readChatSettings(get: (key: string) => unknown): ChatSettings {
	const read = Object.entries(CHAT_CHOICES).map(([key, choices]) => {
		const value = get(key);
		return [key, choices.find((known) => known === value) ?? choices[0]];
	});
	// The keys of the table are the keys of the record, with one of their values each.
	return Object.fromEntries(read) as ChatSettings;
}
