/** Added and removed lines. */
export function Counts({ added, removed }: { readonly added: number; readonly removed: number }) {
	return (
		<>
			<span class="diff-added">+{added}</span> <span class="diff-removed">−{removed}</span>
		</>
	);
}
