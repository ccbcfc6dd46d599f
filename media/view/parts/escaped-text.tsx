import { escapeLookalikes, escapeName, formatCodePoint, type Piece } from "../../model/words/escape-lookalikes.ts";

/** A text that the user decides about, with everything visible that hides or deceives. */
export function EscapedText({ text, tabs }: { readonly text: string; readonly tabs?: "shown" }) {
	return <Pieces pieces={escapeLookalikes(text, tabs)} />;
}

/** The same for a name inside a sentence. */
export function EscapedName({ name }: { readonly name: string }) {
	return <Pieces pieces={escapeName(name)} />;
}

function Pieces({ pieces }: { readonly pieces: readonly Piece[] }) {
	return (
		<>
			{pieces.map((piece, index) => {
				if (piece.kind === "plain") return piece.text;
				const code = piece.kind === "foreign" ? formatCodePoint(piece.text) : undefined;
				return (
					<span key={index} class={`spelled-${piece.kind}`} data-code={code}>
						{piece.text}
					</span>
				);
			})}
		</>
	);
}
