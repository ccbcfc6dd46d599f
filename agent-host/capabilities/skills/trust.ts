import type { Customization } from "../consent/customization.ts";
import type { Skill } from "./skill.ts";

/** What the user is asked about: all of SKILL.md, and every file beside it with its hash. */
export function asCustomization({ name, path, digest, text, files }: Skill): Customization {
	if (files[0]?.path === "") return { kind: "command", name, path, digest, text };
	const others = files.filter((file) => file.path !== "SKILL.md");
	const listed = others.map(
		({ path: file, bytes, isExecutable, hash }) =>
			`${file} (${bytes} bytes${isExecutable ? ", executable" : ""}, sha256 ${hash})`,
	);
	return {
		kind: "skill",
		name,
		path,
		digest,
		text: [text, ...(listed.length > 0 ? ["Files:", ...listed] : [])].join("\n"),
	};
}
