/**
 * Whether a proxy is set that this Node's requests ignore: only 22.21 and later 22 releases, and all since 24.5, use it.
 */
export function ignoresProxy(nodeVersion: string, environment: Readonly<Record<string, string | undefined>>): boolean {
	const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
	const usesIt = major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21);
	return environment.NODE_USE_ENV_PROXY === "1" && !usesIt;
}
