import type { RecordedRequest } from "../../support/fake-model-request.ts";
import { bodyOf } from "../../support/request-page.ts";

/** What a model that reads a request from its beginning to its end believes about the world. */
export interface Believed {
	readonly [field: string]: string | undefined;
}

/**
 * Reads the bytes a server received the way a model would: later words replace earlier ones. Written for the test alone, from
 * the documentation of the blocks, and sharing no code with the host.
 */
export function believedFrom(request: RecordedRequest): Believed {
	const believed: Record<string, string | undefined> = {
		mode: "default",
		tone: "default",
		voice: "no",
		instructions: "none",
		effort: "default",
	};
	for (const item of bodyOf(request).input) {
		const text =
			typeof item.content === "string" ? item.content : (item.content ?? []).map((part) => part.text).join("");
		const block = /^<([a-z_]+)((?: [a-z_]+="[^"]*")*)>\n([\s\S]*)\n<\/\1>$/.exec(text);
		if (block === null || (item.role !== "developer" && item.role !== "user")) continue;
		const [, tag = "", attributes = "", body = ""] = block;
		Object.assign(believed, readBlock(`${item.role} ${tag}`, attributes, body));
	}
	return believed;
}

function readBlock(block: string, attributes: string, body: string): Believed {
	const attribute = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(attributes)?.[1];
	const line = (label: string) => new RegExp(`^${label}: (.*)$`, "m").exec(body)?.[1];
	switch (block) {
		case "developer permissions":
			return {
				permissions: line("Mode"),
				writable: line("Writable") ?? "nothing",
				private: line("Private to this thread")?.split(". ")[0] ?? "nothing",
				network: line("Network"),
			};
		case "developer collaboration_mode":
			return { mode: attribute("mode") };
		case "developer realtime_conversation":
			return { voice: attribute("state") === "active" ? "yes" : "no" };
		case "developer personality":
			return { tone: toneIn(body) };
		case "developer model_switch":
			return {
				model: attribute("to"),
				effort: effortIn(body),
				...(toneIn(body) === undefined ? {} : { tone: toneIn(body) }),
			};
		case "developer reasoning_effort":
			return { effort: effortIn(body) };
		case "user user_instructions":
			return { instructions: /no longer apply/.test(body) ? "none" : /:\n([\s\S]*)$/.exec(body)?.[1] };
		case "user environment_context": {
			const trust = /does not trust/.test(body) ? "no" : /The user trusts/.test(body) ? "yes" : undefined;
			return defined({
				cwd: attribute("cwd"),
				trusted: trust,
				approval: line("Approval policy"),
				sandbox: line("Permission mode"),
				networkAccess: line("Network access"),
				writableRoots: line("Writable"),
			});
		}
		default:
			return {};
	}
}

function effortIn(body: string): string {
	return /^Reasoning effort: (\w+)\.$/m.exec(body)?.[1] ?? "default";
}

function toneIn(body: string): string | undefined {
	const tones = { concise: /Tone: as brief/, friendly: /Tone: warm/, default: /Tone: plain/ };
	return Object.entries(tones).find(([, words]) => words.test(body))?.[0];
}

function defined(fields: Believed): Believed {
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
