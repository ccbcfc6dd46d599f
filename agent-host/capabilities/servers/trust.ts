import type { Customization } from "../consent/customization.ts";
import { nameServersFile, type ServersFile } from "./find-files.ts";
import type { Server } from "./server.ts";
import { findVariables } from "./variables.ts";

/** What the user is asked about: what would start, with which values of theirs, and then everything as it is written. */
export function asServersCustomization({ path, digest, text, servers }: ServersFile): Customization {
	const lines = servers.flatMap(describeServer);
	return { kind: "servers", name: nameServersFile(path), path, digest, text: [...lines, "", text].join("\n") };
}

/** What a server would start or connect to, and what it gets. */
export function describeServer({ name, settings }: Server): readonly string[] {
	const variables = [...findVariables(settings).values()];
	const environment = variables.flatMap((one) => (one.kind === "environment" ? [one.name] : []));
	const inputs = variables.flatMap((one) => (one.kind === "input" ? [one.id] : []));
	return [
		"url" in settings
			? `${name} connects to ${settings.url}`
			: `${name} starts: ${[settings.command, ...settings.args].join(" ")}`,
		...("url" in settings ? [] : describeSandbox(settings.sandbox)),
		...(environment.length === 0 ? [] : [`  gets your environment variables: ${environment.join(", ")}`]),
		...(inputs.length === 0 ? [] : [`  asks you for: ${inputs.join(", ")}`]),
	];
}

function describeSandbox({
	filesystem: { allowWrite },
	network: { allowedDomains },
}: Extract<Server["settings"], { command: string }>["sandbox"]): readonly string[] {
	return [
		...(allowWrite.length === 0 ? [] : [`  can write to: ${allowWrite.join(", ")}`]),
		...(allowedDomains.length === 0 ? [] : [`  can connect to: ${allowedDomains.join(", ")}`]),
	];
}
