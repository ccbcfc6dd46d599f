import * as z from "zod";
import { NetworkMode, PermissionMode, PermissionSettings } from "./policy-settings.ts";
import { Limits } from "./settings.ts";

/** An origin, such as `https://api.example.org`, or `editor` for the editor's own models. */
const ModelServer = z.union([
	z.literal("editor"),
	z.url({ protocol: /^https?$/, error: "must be an address such as https://api.example.org, or editor" }),
]);

const ServerNames = z.array(z.string().min(1).max(64)).max(200);

const Budget = z.strictObject(Limits.shape);

/**
 * What a machine's administrator allows at most, whatever users and workspaces set. Each key only takes away; an
 * unknown key is an error, because it was meant to take something away, too.
 */
export const ManagedLimits = z.strictObject({
	/** The widest mode. */
	mode: PermissionMode.optional(),
	network: NetworkMode.optional(),
	/** Commands reach no other hosts, also not after an approval. */
	allowedDomains: PermissionSettings.shape.allowedDomains.unwrap().optional(),
	denyRead: PermissionSettings.shape.denyRead.unwrap().optional(),
	/** No command runs outside a sandbox, also not after an approval, and none on a machine without one. */
	sandbox: z.literal("always").optional(),
	/** MCP servers by name; `*` stands for all. What `deny` names, or `allow` does not, is never started. */
	servers: z.strictObject({ allow: ServerNames, deny: ServerNames }).partial().optional(),
	/** Prompts go to no other servers. */
	modelServers: z.array(ModelServer).max(50).optional(),
	budgets: z.strictObject({ turn: Budget, thread: Budget, day: Budget, agent: Budget }).partial().optional(),
});
export type ManagedLimits = z.infer<typeof ManagedLimits>;

/** The limits in the text of a file, or what is wrong with it. */
export function parseLimits(text: string): { readonly limits: ManagedLimits } | { readonly reason: string } {
	try {
		const parsed = ManagedLimits.safeParse(JSON.parse(text));
		return parsed.success ? { limits: parsed.data } : { reason: z.prettifyError(parsed.error) };
	} catch (error) {
		return { reason: String(error) };
	}
}

/** Limits with the file that they are from. */
export interface Managed {
	readonly file: string;
	readonly limits: ManagedLimits;
}
