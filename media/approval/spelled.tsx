import { codeOf, spell } from "./spell.ts";

/** A text that somebody decides about, with everything in it that hides or deceives made visible. */
export function Spelled({ text, tabs }: { readonly text: string; readonly tabs?: "shown" }) {
	return (
		<>
			{spell(text, tabs).map((piece, index) => {
				if (piece.kind === "plain") return piece.text;
				const code = piece.kind === "foreign" ? codeOf(piece.text) : undefined;
				return (
					<span key={index} class={`spelled-${piece.kind}`} data-code={code}>
						{piece.text}
					</span>
				);
			})}
		</>
	);
}
