/** The parts of a Seatbelt profile that do not depend on the policy. */

/** What every program needs to run at all: itself, its children, non-secret facts about the machine. */
export const BASE = `(version 1)
(deny default)
(allow process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow file-map-executable)
(allow ipc-posix-sem)
(allow pseudo-tty)
(allow sysctl-read
  (sysctl-name-prefix "hw.")
  (sysctl-name-prefix "machdep.cpu.")
  (sysctl-name-prefix "kern.os")
  (sysctl-name "kern.argmax")
  (sysctl-name "kern.boottime")
  (sysctl-name "kern.hostname")
  (sysctl-name "kern.maxfilesperproc")
  (sysctl-name "kern.maxproc")
  (sysctl-name "kern.ngroups")
  (sysctl-name "kern.secure_kernel")
  (sysctl-name "kern.usrstack64")
  (sysctl-name "kern.version")
  (sysctl-name "sysctl.proc_cputype")
  (sysctl-name "vm.loadavg"))
(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership")
  (global-name "com.apple.system.notification_center"))`;

/** Full access: everything except files, which the rules decide about. */
export const FULL = `(version 1)
(allow default)
(deny file-read* file-write* process-exec*)`;

/** Devices without user data, whatever the policy says about \`/dev\`. */
export const DEVICES = `(allow file-read* file-write-data file-ioctl
  (literal "/dev/null")
  (literal "/dev/zero")
  (literal "/dev/tty")
  (literal "/dev/ptmx")
  (literal "/dev/dtracehelper"))
(allow file-read*
  (literal "/dev/random")
  (literal "/dev/urandom"))
(allow file-read* file-write-data
  (literal "/dev/stdin")
  (literal "/dev/stdout")
  (literal "/dev/stderr")
  (subpath "/dev/fd"))
(allow file-read* file-write-data file-ioctl
  (require-all (regex "^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))`;

/** A command that may read all files may read the preferences, which programs request from a service. */
export const PREFERENCES = `(allow user-preference-read)
(allow ipc-posix-shm-read* (ipc-posix-name-prefix "apple.cfprefs."))
(allow mach-lookup
  (global-name "com.apple.cfprefsd.daemon")
  (global-name "com.apple.cfprefsd.agent")
  (local-name "com.apple.cfprefsd.agent"))`;

/** The loader looks at the names in `/` before a program begins. */
export const ROOT_NAMES = '(allow file-read-data (literal "/"))';

/**
 * Addresses only. Seatbelt counts UNIX sockets as network, too: through one, Docker, an SSH agent or another program of
 * the user's would act for the command. Names are resolved by a service behind such a socket, and sorted by the kernel.
 */
export const NETWORK = `(allow network-outbound
  (remote ip "*:*")
  (literal "/private/var/run/mDNSResponder")
  (control-name "com.apple.netsrc"))
(allow network-inbound network-bind
  (local ip "*:*"))
(allow system-socket)
(allow mach-lookup
  (global-name "com.apple.SystemConfiguration.configd")
  (global-name "com.apple.SystemConfiguration.DNSConfiguration"))`;

/** Only the host's proxy, which checks every host against the policy. */
export function proxyOnly(port: number): string {
	if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`${port} is not a port.`);
	return `(allow network-outbound (remote ip "localhost:${port}"))`;
}
