/** What the demo model says and calls next. */
export interface DemoStep {
	readonly text: string;
	readonly calls: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[];
}

/** Where the reader of an answer is. */
export type DemoPlace = "editor" | "commandLine";

/** How to set up a real model there, as the end of a sentence. */
export const SET_UP_MODEL: Readonly<Record<DemoPlace, string>> = {
	editor: "run **Vitrine: Set Up Model…** from the Command Palette",
	commandLine: "start Vitrine with `--model` or `--base-url`",
};
