import * as z from "zod";
import { say } from "../protocol/say.ts";
import { defineTool } from "./tool.ts";

/** Offered to models that read images: they see more of a screenshot or a drawing than its bytes tell. */
export const viewImage = defineTool({
	name: "view_image",
	description: "View an image (PNG, JPEG, GIF or WebP). It follows the result.",
	needs: "sight",
	input: z.object({
		path: z.string().min(1).max(4_096),
	}),
	title: ({ path }) => say("call-view", { path }),
	access: ({ path }, at, ports) => ports.lookUp(at(path)),
	async run({ path }, at, ports) {
		const read = await ports.readImage(at(path));
		if (!read.ok) return read;
		const { width, height } = read.image;
		return { ok: true, text: `${path} (${width} × ${height} pixels) follows.`, image: read.image };
	},
});
