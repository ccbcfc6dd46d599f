/** WSL 1 has no namespaces of its own; WSL 2 is an ordinary Linux. */
export type Wsl = "none" | "wsl1" | "wsl2";

/**
 * From the text of `/proc/version`. Only the kernel's release counts, not who built it: a number after "WSL" decides;
 * without one, Microsoft's kernel is that of WSL 2 when it calls itself standard.
 */
export function wslOf(version: string): Wsl {
	const release = /^Linux version (\S+)/i.exec(version)?.[1] ?? version;
	const marked = /wsl(\d+)/i.exec(release)?.[1];
	if (marked !== undefined) return marked === "1" ? "wsl1" : "wsl2";
	if (!/microsoft/i.test(release)) return "none";
	return /microsoft-standard/i.test(release) ? "wsl2" : "wsl1";
}
