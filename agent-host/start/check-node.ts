/** The first version with everything the host needs; SQLite's locks came last. */
const OLDEST_NODE = [22, 13] as const;

/** Why this Node cannot run the host, if so. */
export function refuseOldNode(version: string): string | undefined {
	const [major = 0, minor = 0] = version.split(".").map(Number);
	const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
	return isOld ? `Vitrine needs Node ${OLDEST_NODE.join(".")} or later; this is ${version}.` : undefined;
}
