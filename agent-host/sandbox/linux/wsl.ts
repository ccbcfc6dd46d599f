/** WSL 1 has no namespaces; WSL 2 is an ordinary Linux. */
export type Wsl = "none" | "wsl1" | "wsl2";

/**
 * From the text of `/proc/version`. Only the kernel's release counts, not who built it: a number after "WSL" decides;
 * without one, Microsoft's kernel belongs to WSL 2 if it calls itself standard.
 */
export function detectWsl(version: string): Wsl {
	const release = /^Linux version (\S+)/i.exec(version)?.[1] ?? version;
	const marked = /wsl(\d+)/i.exec(release)?.[1];
	if (marked !== undefined) return marked === "1" ? "wsl1" : "wsl2";
	if (!/microsoft/i.test(release)) return "none";
	return /microsoft-standard/i.test(release) ? "wsl2" : "wsl1";
}
