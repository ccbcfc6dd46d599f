import { RetrySettings } from "../protocol/settings/settings.ts";

const LOCAL_NAMES = /^(?:localhost|host\.docker\.internal|.+\.(?:local|localhost|lan|internal))$/i;
// Servers print 0.0.0.0 and [::] as their address, which reach them on the same machine.
const LOCAL_IPV4 = /^(?:0\.0\.0\.0$|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.)[\d.]*$/;
const LOCAL_IPV6 = /^\[(?:::1?\]|f[cd][0-9a-f]{2}:|fe80:)/i;

/** Whether a server runs on this machine or in its network: there is no price, and no data center behind it. */
export function isLocalServer(baseUrl: string | undefined): boolean {
	if (baseUrl === undefined) return false;
	const { hostname } = new URL(baseUrl);
	return LOCAL_NAMES.test(hostname) || LOCAL_IPV4.test(hostname) || LOCAL_IPV6.test(hostname);
}

/** Such a machine may read a long prompt for many minutes before it says its first word. */
const LOCAL_FIRST_MS = 15 * 60_000;

const DEFAULT_IDLE_MS = RetrySettings.parse({}).idleMs;

/** Time until the first sign of an answer. A limit that the user has set counts everywhere. */
export function firstWordMs(baseUrl: string | undefined, idleMs: number): number {
	return idleMs === DEFAULT_IDLE_MS && isLocalServer(baseUrl) ? LOCAL_FIRST_MS : idleMs;
}
