/** Names that files with keys and passwords usually have. */
const SECRET_NAMES = [
	/^\.env(?:\..+)?$/i,
	/\.(?:pem|key|p12|pfx|keystore)$/i,
	/^id_[^.]+$/i,
	/^\.(?:npmrc|netrc|pgpass)$/i,
];

/** Whether a file probably holds secrets: then its text goes to a model only when the user sends it on purpose. */
export function looksSecret(path: string): boolean {
	const name = path.split(/[/\\]/).at(-1) ?? "";
	return SECRET_NAMES.some((pattern) => pattern.test(name));
}
