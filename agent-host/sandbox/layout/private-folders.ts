import { join } from "node:path";
import { digestValue } from "../../permissions/policy/policy.ts";
import type { Layout, Mount } from "./plan-layout.ts";

/** The private replacement of a temporary folder. */
export interface PrivateFolder {
	/** Its path inside the sandbox. */
	readonly at: string;
	/** Where it is stored between commands. */
	readonly kept: string;
	/** Real places that are visible inside it. */
	readonly shared: readonly Mount[];
}

/**
 * One folder for each set of shared places: every command that can write to it has the paths to them pinned, so that
 * none can be moved while a later command starts.
 */
export function planPrivate({ mounts }: Pick<Layout, "mounts">, thread: string): readonly PrivateFolder[] {
	return mounts
		.filter(({ isPrivate }) => isPrivate === true)
		.map(({ path: at }) => {
			const below = mounts.filter(({ path }) => path.startsWith(`${at}/`));
			const shared = below.filter(({ path }) => !below.some((other) => path.startsWith(`${other.path}/`)));
			const name = digestValue([at, shared.map(({ path, kind }) => [path, kind])]);
			return { at, kept: join(thread, name), shared };
		});
}
