import { basename } from "node:path";
import type { Customization } from "../consent/customization.ts";
import type { HookFile } from "./hook.ts";

/** What the user is asked about: the definitions, and every script that they name. */
export function asHooksCustomization({ path, digest, text }: HookFile): Customization {
	return { kind: "hooks", name: basename(path), path, digest, text };
}
