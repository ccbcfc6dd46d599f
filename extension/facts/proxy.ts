/** The editor's proxy settings. */
export interface ProxySettings {
	/** `http.proxySupport`; "off" disables the proxy. */
	readonly support: string;
	/** Empty if the environment decides. */
	readonly proxy: string;
	readonly noProxy: readonly string[];
	readonly strictSsl: boolean;
	readonly systemCertificates: boolean;
}

/** Variables by name; undefined removes a variable. */
export type Environment = Readonly<Record<string, string | undefined>>;

const PROXY_NAMES = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];
const LOOPBACK = ["localhost", "127.0.0.1", "::1", "[::1]"];

/**
 * Variables that make the host's Node use the editor's proxy: its requests read them since Node 22.21, system certificates
 * since 22.19. The editor's settings override the environment. Local servers are always reached directly.
 */
export function proxyEnvironment(settings: ProxySettings, env: Environment): Environment {
	const certificates = {
		...(settings.systemCertificates ? { NODE_USE_SYSTEM_CA: "1" } : {}),
		...(settings.strictSsl ? {} : { NODE_TLS_REJECT_UNAUTHORIZED: "0" }),
	};
	if (settings.support === "off") return { ...proxyEverything(undefined), ...certificates };
	const hasProxy = settings.proxy !== "" || PROXY_NAMES.some((name) => env[name]);
	if (!hasProxy) return certificates;
	const excepted = settings.noProxy.length > 0 ? settings.noProxy : splitList(env.NO_PROXY ?? env.no_proxy);
	return {
		...(settings.proxy === "" ? {} : proxyEverything(settings.proxy)),
		NO_PROXY: [...new Set([...LOOPBACK, ...excepted])].join(","),
		no_proxy: undefined,
		NODE_USE_ENV_PROXY: "1",
		...certificates,
	};
}

/** The user's value of a setting, never a workspace's: it decides who can see the keys in transit. */
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

function splitList(text: string | undefined): readonly string[] {
	return (text ?? "").split(",").flatMap((part) => part.trim() || []);
}
