/** Whether a proxy is set that `fetch` of this Node does not use: only 22.21 and later of its line do, and all since 24. */
export function ignoresProxy(nodeVersion: string, environment: Readonly<Record<string, string | undefined>>): boolean {
	const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
	const usesIt = major >= 24 || (major === 22 && minor >= 21);
	return environment.NODE_USE_ENV_PROXY === "1" && !usesIt;
}
