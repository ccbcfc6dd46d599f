import { ABILITIES } from "../test/host/rig/abilities.ts";
import { FAILING } from "../test/host/rig/failing.ts";
import { WIRES, type WireName } from "../test/host/rig/wires.ts";

const NAMES: Readonly<Record<WireName, string>> = {
	responses: "Responses API",
	chat: "Chat Completions",
	messages: "Messages API",
	gemini: "Gemini API",
	editor: "Editor models",
};

/** What every way to a model can do and how it fails, from the tables that the tests go through row by row. */
export function modelsPage(): string {
	return [
		"# What each model API can do",
		"",
		"Generated from the tables of `test/host/parity.test.ts` by `npm run docs`; each cell is a test of the built host. Where an API does not offer something, its cell says what takes its place.",
		"",
		row(["Ability", ...WIRES.map((wire) => NAMES[wire])]),
		row(["---", ...WIRES.map(() => "---")]),
		...ABILITIES.map(({ ability, instead }) => row([ability, ...WIRES.map((wire) => instead?.[wire] ?? "yes")])),
		"",
		"A full run (`npm run test:full`) also cuts a stream of each of the four APIs at every byte, changes it at random 100,000 times (`test/unit/model/streams.test.ts`), and sends 200 MB while memory stays flat (`test/faults/streams.test.ts`). A usual run does less of each.",
		"",
		"What servers refuse is tested on each API as well (`test/host/refusal-scenarios.test.ts`): the messages of 14 providers for a full context; options, roles, images, sizes and calls that one of them does not accept; answers that are empty or only reasoning; pages of proxies; and odd forms of streams. In each case the thread can be continued.",
		"",
		"One thread continues over five kinds of servers: OpenAI, OpenRouter, Ollama, Anthropic and Google (`test/host/providers.test.ts`). Each switch is told to the model once and named by the cache meter, and no reasoning reaches another provider.",
		"",
		"Pictures from a real editor, taken by `test/editor/providers.full.ts` with servers on the same machine: setting up one like [OpenAI](pictures/provider-openai-model.png), [OpenRouter](pictures/provider-openrouter-model.png), [Ollama, found](pictures/provider-ollama-found.png) and [chosen](pictures/provider-ollama-model.png), [Anthropic](pictures/provider-anthropic-model.png), [Gemini](pictures/provider-gemini-model.png), and [the thread at its end](pictures/provider-five-in-one-thread.png).",
		"",
		"With a ChatGPT plan (preview) the Responses API is used with tools in a named group, without compaction by the server (`test/host/sign-in.test.ts`). It was only tried with a server of our own, not with the real service.",
		"",
		"The same failures end in the same state on every API; the thread can be continued after each.",
		"",
		row(["What fails", "Ends as", "Requests at most, with three attempts"]),
		row(["---", "---", "---"]),
		...FAILING.map(({ what, editor, code, requests }) =>
			row([
				editor === undefined ? `${what} (editor models report no such thing)` : what,
				`\`${code}\``,
				String(requests),
			]),
		),
		"",
	].join("\n");
}

function row(cells: readonly string[]): string {
	return `| ${cells.join(" | ")} |`;
}
