/** How the editor is told to reach the network. */
export interface ProxySettings {
	/** `http.proxySupport`; "off" means that none is used. */
	readonly support: string;
	/** Empty when the environment has a say. */
	readonly proxy: string;
	readonly noProxy: readonly string[];
	readonly strictSsl: boolean;
	readonly systemCertificates: boolean;
}

/** Names and values; undefined takes a name out. */
export type Environment = Readonly<Record<string, string | undefined>>;

const PROXY_NAMES = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];
const LOOPBACK = ["localhost", "127.0.0.1", "::1", "[::1]"];

/**
 * What makes the host's Node go the editor's way: its own `fetch` reads these since Node 22.21, the system's certificates since
 * 22.19. The editor's settings go before the environment. Servers of this machine are always reached directly.
 */
export function proxyEnvironment(settings: ProxySettings, env: Environment): Environment {
	const certificates = {
		...(settings.systemCertificates ? { NODE_USE_SYSTEM_CA: "1" } : {}),
		...(settings.strictSsl ? {} : { NODE_TLS_REJECT_UNAUTHORIZED: "0" }),
	};
	if (settings.support === "off") return { ...proxyEverything(undefined), ...certificates };
	const hasProxy = settings.proxy !== "" || PROXY_NAMES.some((name) => env[name]);
	if (!hasProxy) return certificates;
	const excepted = settings.noProxy.length > 0 ? settings.noProxy : listIn(env.NO_PROXY ?? env.no_proxy);
	return {
		...(settings.proxy === "" ? {} : proxyEverything(settings.proxy)),
		NO_PROXY: [...new Set([...LOOPBACK, ...excepted])].join(","),
		no_proxy: undefined,
		NODE_USE_ENV_PROXY: "1",
		...certificates,
	};
}

/** The user's value of a setting, never a workspace's: it says through whose hands the keys go. */
export function ownValue(
	found:
		| { readonly globalValue?: unknown; readonly defaultValue?: unknown; readonly workspaceValue?: unknown }
		| undefined,
): unknown {
	return found?.globalValue ?? found?.defaultValue;
}

function proxyEverything(proxy: string | undefined): Environment {
	return Object.fromEntries(PROXY_NAMES.map((name) => [name, proxy]));
}

function listIn(text: string | undefined): readonly string[] {
	return (text ?? "").split(",").flatMap((part) => part.trim() || []);
}
