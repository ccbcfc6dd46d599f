import { describeImage } from "../../history/image-facts.ts";
import type { PublishedEvent } from "../../protocol/thread/events.ts";
import type { ImageFacts } from "../../protocol/thread/image.ts";

/** A thread as a readable document. */
export function toMarkdown(title: string, events: readonly PublishedEvent[]): string {
	const parts = events.flatMap(({ event }) => {
		if (event.type !== "itemCompleted") return [];
		const { item } = event;
		switch (item.kind) {
			case "userMessage":
				return item.messageKind === "plain" ? [`## You\n\n${item.text}${imageLines(item.images)}`] : [];
			case "agentMessage":
				return [`## Vitrine${item.cut === true ? " (cut off)" : ""}\n\n${item.text}`];
			case "command":
			case "fileChange":
			case "plan":
			case "toolCall":
			case "hook":
				return [`- ${item.title} (${item.status})`];
			case "reasoning":
			case "contextCompaction":
			case "notice":
				return [];
		}
		return [];
	});
	return `# ${title}\n\n${parts.join("\n\n")}\n`;
}

function imageLines(images: readonly ImageFacts[] = []): string {
	return images.map((image) => `\n\n*${describeImage(image)}*`).join("");
}
