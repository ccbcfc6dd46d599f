/** A codicon, silent for screen readers: what it means is said in words beside it. */
export function Icon({ name, spin = "still" }: { readonly name: string; readonly spin?: "still" | "spinning" }) {
	const motion = spin === "spinning" ? " codicon-modifier-spin" : "";
	return <span class={`codicon codicon-${name}${motion}`} aria-hidden="true" />;
}
