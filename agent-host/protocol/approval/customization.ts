import * as z from "zod";

/** What a workspace can bring along. */
export const CustomizationKind = z.enum(["skill", "command", "hooks", "servers", "plugin", "agent"]);
export type CustomizationKind = z.infer<typeof CustomizationKind>;

/** A customization as the user is asked about it. */
export const ShownCustomization = z.object({
	kind: CustomizationKind,
	name: z.string(),
	path: z.string(),
	/** SHA-256 over everything that it consists of. */
	digest: z.string(),
	/** All of it, or the diff against what the user agreed to before. */
	text: z.string(),
	/** `text` is a diff. */
	isChange: z.boolean(),
});
export type ShownCustomization = z.infer<typeof ShownCustomization>;
