/** A codicon, hidden from screen readers: the text beside it has the meaning. */
export function Icon({ name, spin = "still" }: { readonly name: string; readonly spin?: "still" | "spinning" }) {
	const motion = spin === "spinning" ? " codicon-modifier-spin" : "";
	return <span class={`codicon codicon-${name}${motion}`} aria-hidden="true" />;
}
