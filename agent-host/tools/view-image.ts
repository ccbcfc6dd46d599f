import * as z from "zod";
import { defineTool } from "./tool.ts";

/** Offered to models that read images: they see more of a screenshot or a drawing than its bytes tell. */
export const viewImage = defineTool({
	name: "view_image",
	description: "View an image in the workspace (PNG, JPEG, GIF or WebP). It follows the result of this call.",
	needs: "sight",
	input: z.object({
		path: z.string().min(1).max(4_096).describe("Absolute, or relative to the working directory"),
	}),
	title: ({ path }) => `View ${path}`,
	access: ({ path }, at, ports) => ports.lookUp(at(path)),
	async run({ path }, at, ports) {
		const read = await ports.readImage(at(path));
		if (!read.ok) return read;
		const { width, height } = read.image;
		return { ok: true, text: `${path} (${width} × ${height} pixels) follows.`, image: read.image };
	},
});
