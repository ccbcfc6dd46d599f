import { join } from "node:path";
import { digestValue } from "../../permissions/policy/policy.ts";
import type { Layout, Mount } from "./plan-layout.ts";

/** What a command finds in the place of a folder for temporary files. */
export interface PrivateFolder {
	/** Where the command finds it. */
	readonly at: string;
	/** Where it is kept between commands. */
	readonly kept: string;
	/** What is seen in its midst as it really is. */
	readonly shared: readonly Mount[];
}

/**
 * A folder of its own for each set of shared places: every command that can write to it has the ways to them pinned, so
 * none of them can be moved while a later command starts.
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
