import { openAddress } from "../../host/open-address.ts";

/** Opens a web address named in an answer, and nothing else. */
export async function openLink(url: string): Promise<void> {
	if (!URL.canParse(url)) return;
	const { protocol, href } = new URL(url);
	if (protocol !== "https:" && protocol !== "http:") return;
	// Normalized, with foreign letters as punycode: the editor shows it and asks before leaving.
	await openAddress(href);
}
