import { readTree } from "../../workspace/files/read-tree.ts";

/** A part of a plugin knows all of it: it counts only as long as everything is as the user agreed to. */
export interface PluginOrigin {
	readonly folder: string;
	readonly digest: string;
}

/** Why a part of a plugin is not used; undefined if nothing has changed. */
export async function findPluginChange({ folder, digest }: PluginOrigin): Promise<string | undefined> {
	const tree = await readTree(folder, () => true);
	const isSame = !("problem" in tree) && tree.digest === digest;
	return isSame ? undefined : `The plugin in ${folder} has changed since you installed it. Install it again to use it.`;
}
