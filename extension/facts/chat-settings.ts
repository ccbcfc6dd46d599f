import type { ChatSettings } from "../../media/wire.ts";

/** What each setting of `vitrine.chat` may be; the first is its default. */
export const CHAT_CHOICES: { readonly [K in keyof ChatSettings]: readonly [ChatSettings[K], ...ChatSettings[K][]] } = {
	enterBehavior: ["enter", "cmdIfMultiline", "cmdAlways"],
	whileRunning: ["queue", "steer"],
	foldSteps: ["auto", "always", "never"],
	timestamps: [true, false],
	showCost: [true, false],
	showCacheMeter: [true, false],
};

/** How the panel is to behave, from whatever the settings hold: what does not fit counts as not set. */
export function readChatSettings(get: (key: string) => unknown): ChatSettings {
	const read = Object.entries(CHAT_CHOICES).map(([key, choices]) => {
		const value = get(key);
		return [key, choices.find((known) => known === value) ?? choices[0]];
	});
	// The keys of the table are the keys of the record, and each value is one of its choices.
	return Object.fromEntries(read) as ChatSettings;
}
