import type { CustomizationKind } from "../../protocol/approval/customization.ts";

/** Something that a workspace brings along. It counts only after the user agreed to exactly this content. */
export interface Customization {
	readonly kind: CustomizationKind;
	readonly name: string;
	/** The absolute path of its file or folder. */
	readonly path: string;
	/** SHA-256 over everything that it consists of: any other byte is another customization. */
	readonly digest: string;
	/** All of it as text, for the user. */
	readonly text: string;
}

/** The user's last answer about a customization at a path. */
export interface ConsentAnswer {
	readonly digest: string;
	readonly decision: "agreed" | "refused";
	/** The text that was last agreed to, so that a change can be shown as a diff. */
	readonly agreedText?: string | undefined;
}
