/** Usual names of files with keys and passwords. */
const SECRET_NAMES = [
	/^\.env(?:\..+)?$/i,
	/\.(?:pem|key|p12|pfx|keystore|jks|ppk|kdbx)$/i,
	/^id_[^.]+$/i,
	/^[._](?:envrc|git-credentials|htpasswd|netrc|npmrc|pgpass|pypirc)$/i,
	/^(?:credentials|secrets?)(?:\.(?:json|toml|ya?ml))?$/i,
];

/** Whether a file probably contains secrets; its text is sent only if the user attaches it deliberately. */
export function looksSecret(path: string): boolean {
	const name = path.split(/[/\\]/).at(-1) ?? "";
	return SECRET_NAMES.some((pattern) => pattern.test(name));
}
