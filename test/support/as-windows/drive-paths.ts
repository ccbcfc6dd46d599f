import { tmpdir } from "node:os";
import { toWindows } from "./paths.ts";

/** Whether the hosts of this test run as on Windows. */
export function isAsWindows(): boolean {
	return process.env.VITRINE_AS_WINDOWS === "1" && process.platform !== "win32";
}

const FOLDER = `${tmpdir()}/`;
/** Below these, a test has files, or a place that no host can use. */
const KNOWN = [FOLDER, "/proc/"].map((folder) => folder.replaceAll("/", "\\\\")).join("|");
/** A path below one of them on the drive, as it stands in a sentence. */
const ON_DRIVE = new RegExp(`\\b[Cc]:(?:${KNOWN})[^\\s"'\`<>|*?]*`, "g");
const URI_ON_DRIVE = new RegExp(`^file:///[Cc](?::|%3A)(?=${FOLDER})`);

/** What a test says of its own files, as a client on the drive says it. */
export function toDrive(value: unknown): unknown {
	return mapTexts(value, (text) => {
		if (text.startsWith(FOLDER)) return toWindows(text);
		return text.startsWith(`file://${FOLDER}`) ? text.replace("file:///", "file:///C:/") : text;
	});
}

/** What a host on the drive says, with the paths that the test knows. */
export function fromDrive(value: unknown): unknown {
	return mapTexts(value, (text) =>
		text.replace(URI_ON_DRIVE, "file://").replaceAll(ON_DRIVE, (path) => path.slice(2).replaceAll("\\", "/")),
	);
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
	if (typeof value === "string") return map(value);
	if (Array.isArray(value)) return value.map((one) => mapTexts(one, map));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, part]) => [map(key), mapTexts(part, map)]));
}
