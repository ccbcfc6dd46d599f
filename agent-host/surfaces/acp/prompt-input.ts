import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { UserInput } from "../../protocol/thread/turn.ts";

/** A prompt of an editor: its text, and what is attached to it. */
export function toUserInput(blocks: readonly ContentBlock[]): readonly UserInput[] {
	const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
	return [...(text === "" ? [] : [{ kind: "text" as const, text }]), ...blocks.flatMap(toAttached)];
}

function toAttached(block: ContentBlock): readonly UserInput[] {
	switch (block.type) {
		case "image":
			return [{ kind: "image", data: block.data }];
		case "resource_link": {
			const path = toPath(block.uri);
			// Nothing is fetched: the agent gets the address as text.
			return [path === undefined ? { kind: "excerpt", title: block.name, text: block.uri } : { kind: "file", path }];
		}
		case "resource":
			if (!("text" in block.resource)) return [];
			return [{ kind: "excerpt", title: toPath(block.resource.uri) ?? block.resource.uri, text: block.resource.text }];
		default:
			return [];
	}
}

function toPath(uri: string): string | undefined {
	try {
		return uri.startsWith("file:") ? fileURLToPath(uri) : undefined;
	} catch {
		return undefined;
	}
}

/** What `/compact` in a prompt asks for; undefined for any other prompt. */
export function readCompactCommand(input: readonly UserInput[]): { readonly focus?: string } | undefined {
	const [first, second] = input;
	const match =
		first?.kind === "text" && second === undefined ? /^\/compact(?:\s+([\s\S]+))?$/.exec(first.text.trim()) : null;
	if (match === null) return undefined;
	return match[1] === undefined ? {} : { focus: match[1] };
}

const UNCOMMITTED = "Review the uncommitted changes of this repository.";

/** A prompt that begins with `/review` without it, for a turn that can only read; undefined for any other prompt. */
export function readReviewCommand(input: readonly UserInput[]): readonly UserInput[] | undefined {
	const [first, ...rest] = input;
	const match = first?.kind === "text" ? /^\/review(?:\s+([\s\S]+))?$/.exec(first.text.trim()) : null;
	return match === null ? undefined : [{ kind: "text", text: match[1] ?? UNCOMMITTED }, ...rest];
}
