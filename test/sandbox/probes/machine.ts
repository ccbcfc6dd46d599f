import { SYSCALLS } from "../../../agent-host/sandbox/linux/syscalls.ts";
import type { Probe, ProbeSet } from "./probe.ts";

const NUMBERS: Readonly<Record<string, number>> = SYSCALLS[process.arch === "arm64" ? "arm64" : "x64"];
/** A system call as one line of shell: works unless it fails. */
function call(name: string, ...args: readonly (number | string)[]): string {
	return `perl -e 'exit(syscall(${NUMBERS[name]}${args.map((arg) => `, ${arg}`).join("")}) >= 0 ? 0 : 1)'`;
}

const ONLY_THREE = "for f in $(ls /proc/self/fd); do case $f in 0|1|2|3|255) ;; *) exit 1;; esac; done";

const KERNEL: readonly Probe[] = [
	["no new privileges", "works", "grep -q 'NoNewPrivs:.1' /proc/self/status"],
	["a filter is in force", "works", "grep -q 'Seccomp:.2' /proc/self/status"],
	["no effective capability", "works", "grep -Eq 'CapEff:.0+$' /proc/self/status"],
	["no permitted capability", "works", "grep -Eq 'CapPrm:.0+$' /proc/self/status"],
	["no capability can be had", "works", "grep -Eq 'CapBnd:.0+$' /proc/self/status"],
	["no descriptor but three", "works", ONLY_THREE],
	["the host's environment is absent", "works", "! env | grep -q environment-canary"],
	["no process's environment holds the host's", "works", "! cat /proc/*/environ | grep -q environment-canary"],
	["only its own processes are seen", "works", "test $(ls -d /proc/[0-9]* | wc -l) -lt 20"],
	["signal the host", "fails", 'kill -0 "$HOST_PID"'],
	["read the host's process", "fails", 'ls "/proc/$HOST_PID/fd"'],
	["trace a process", "fails", call("ptrace", 0, 0, 0, 0)],
	["read another process's memory", "fails", call("process_vm_readv", "$$", 0, 0, 0, 0, 0)],
	["write another process's memory", "fails", call("process_vm_writev", "$$", 0, 0, 0, 0, 0)],
	["take a descriptor of another process", "fails", call("pidfd_getfd", 0, 0, 0)],
	["make a user namespace", "fails", call("unshare", 0x10000000)],
	["make a mount namespace", "fails", call("unshare", 0x20000)],
	["make a namespace with clone", "fails", "unshare -U true"],
	["make a namespace with clone's flags", "fails", call("clone", 0x10000000 | 17, 0, 0, 0, 0)],
	["enter a namespace", "fails", "nsenter -t 1 -m true"],
	["mount a file system", "fails", "mount -t tmpfs none /dev/shm"],
	["mount by the newer calls", "fails", call("fsopen", '"tmpfs"', 0)],
	["clone a mount", "fails", call("open_tree", -100, '"/"', 1)],
	["unmount", "fails", "umount -l /proc"],
	["change the root", "fails", call("pivot_root", '"/"', '"/"')],
	["io_uring", "fails", call("io_uring_setup", 8, '"\\0" x 120')],
	["bpf", "fails", call("bpf", 0, '"\\0" x 64', 64)],
	["performance counters", "fails", call("perf_event_open", '"\\0" x 120', 0, -1, -1, 0)],
	["user faults", "fails", call("userfaultfd", 0)],
	["the kernel's key rings", "fails", call("keyctl", 0, -3, 1)],
	["add a key", "fails", call("add_key", '"user"', '"x"', '"y"', 1, -3)],
	["open by handle", "fails", call("open_by_handle_at", 0, '"\\0" x 128', 0)],
	["load a module", "fails", call("finit_module", 0, '""', 0)],
	["restart the machine", "fails", call("reboot", 0, 0, 0, 0)],
	["set the clock", "fails", call("settimeofday", '"\\0" x 16', 0)],
	["type into the terminal", "fails", `perl -e 'exit(syscall(${NUMBERS.ioctl}, 0, 0x5412, "x") == 0 ? 0 : 1)'`],
	[
		"write a kernel setting",
		"fails",
		"cat /proc/sys/kernel/core_pattern > /dev/shm/p; cat /dev/shm/p > /proc/sys/kernel/core_pattern",
	],
	["open a kernel setting for writing", "fails", ": >> /proc/sys/kernel/hostname"],
	["write to the machine's devices", "fails", ": >> /sys/kernel/uevent_helper || : >> /sys/power/state"],
	["trigger the machine's emergency keys", "fails", ": >> /proc/sysrq-trigger"],
	[
		"leave the group that counts its processes",
		"fails",
		"for f in $(find /sys/fs/cgroup -maxdepth 2 -name cgroup.procs); do echo 0 > $f && exit 0; done; exit 1",
	],
	[
		"raise the limit of its group",
		"fails",
		"for f in /sys/fs/cgroup/pids/*/pids.max; do echo max > $f && exit 0; done; exit 1",
	],
	["open a disk", "fails", "head -c1 /dev/vda || head -c1 /dev/sda || head -c1 /dev/nvme0n1"],
	["make a disk device", "fails", "mknod /dev/shm/d b 8 0"],
	["open the terminal", "fails", ": < /dev/tty"],
	["become root by a set-user-id program", "fails", "su -c true nobody || sudo -n true"],
	["change the user", "fails", "setpriv --reuid=12345 true"],
	["change the machine's name", "fails", "hostname changed-by-probe"],
	["see the host's shared memory", "works", "test -z \"$(ls -A /dev/shm | grep -v '^[pdx]$')\""],
	["see the host's message queues", "works", "test $(tail -n +2 /proc/sysvipc/shm | wc -l) -eq 0"],
	["ordinary devices", "works", "head -c1 /dev/zero && : > /dev/null && head -c1 /dev/urandom"],
	["threads and processes", "works", "perl -e 'my $p = fork; exit 0 unless $p; waitpid $p, 0; exit $?'"],
];

export const PROCESS: ProbeSet = {
	title: "process",
	permissions: () => ({ mode: "workspaceWrite" }),
	probes: KERNEL,
};

const SOCKET = (family: number, type: number, protocol = 0): string =>
	`perl -e 'socket(my $s, ${family}, ${type}, ${protocol}) or exit 1'`;

const LISTEN_ON = (port: number): string =>
	`perl -MSocket -e 'socket(my $s, 2, 1, 0) or exit 1; bind($s, sockaddr_in(${port}, inet_aton("127.0.0.1"))) or exit 2; listen($s, 1) or exit 3; socket(my $c, 2, 1, 0); connect($c, sockaddr_in(${port}, inet_aton("127.0.0.1"))) or exit 4'`;

/** Ways to programs of this machine and to the kernel that no network setting opens. */
const LOCAL_SERVICES: readonly Probe[] = [
	["a raw socket", "fails", SOCKET(2, 3, 1)],
	["a packet socket", "fails", SOCKET(17, 3, 768)],
	["a netlink socket of the kernel's audit", "fails", SOCKET(16, 3, 9)],
	["a netlink socket of the packet filter", "fails", SOCKET(16, 3, 12)],
	["a netlink socket of the device manager", "fails", SOCKET(16, 3, 15)],
	["a generic netlink socket", "fails", SOCKET(16, 3, 16)],
	["a socket of virtual machines", "fails", SOCKET(40, 1)],
	["a Bluetooth socket", "fails", SOCKET(31, 1)],
	["a crypto socket", "fails", SOCKET(38, 5)],
	["a UNIX socket", "fails", SOCKET(1, 1)],
	["a UNIX datagram socket", "fails", SOCKET(1, 2)],
	["a UNIX socket of packets", "fails", SOCKET(1, 5)],
	["a pair of UNIX datagram sockets", "fails", "perl -e 'socketpair(my $a, my $b, 1, 2, 0) or exit 1'"],
];

export const NETWORK_OFF: ProbeSet = {
	title: "network off",
	permissions: () => ({ mode: "workspaceWrite" }),
	probes: [
		["a server on the host's loopback", "fails", 'exec 3<>"/dev/tcp/127.0.0.1/$PORT"'],
		["a server on the host's loopback, IPv6", "fails", 'exec 3<>"/dev/tcp/::1/$PORT"'],
		["an address elsewhere", "fails", "exec 3<>/dev/tcp/192.0.2.1/53"],
		["a datagram elsewhere", "fails", "echo x > /dev/udp/192.0.2.1/53"],
		["a name", "fails", "getent hosts example.org"],
		["an interface besides loopback", "works", "test $(tail -n +3 /proc/net/dev | grep -vc lo:) -eq 0"],
		["a route", "works", "test $(tail -n +2 /proc/net/route | wc -l) -eq 0"],
		...LOCAL_SERVICES,
		["a netlink socket that tells about interfaces", "works", SOCKET(16, 3, 0)],
		["a pair of UNIX stream sockets", "works", "perl -e 'socketpair(my $a, my $b, 1, 1, 0) or exit 1'"],
		["a server of its own on its own loopback", "works", LISTEN_ON(18080)],
		["ping", "fails", "ping -c1 -W1 127.0.0.1 || false"],
	],
};

/** Asks the proxy for a tunnel, and works when it answers with this status. */
const TUNNEL = (host: string, status: number): string =>
	`exec 3<>/dev/tcp/127.0.0.1/3128 && printf 'CONNECT %s HTTP/1.1\\r\\n\\r\\n' "${host}" >&3 && read -r -t 10 _ found _ <&3 && test "$found" = ${status}`;

export const NETWORK_LIST: ProbeSet = {
	title: "network open to one address of the host's loopback",
	permissions: (_, port) => ({
		mode: "workspaceWrite",
		network: "allowList",
		allowedDomains: [`127.0.0.1:${port}`, "*.example.org", "!closed.example.org"],
	}),
	probes: [
		["the listed address, directly", "fails", 'exec 3<>"/dev/tcp/127.0.0.1/$PORT"'],
		["the listed address, by the proxy", "works", `${TUNNEL("127.0.0.1:$PORT", 200)} && cat <&3 | grep -q hello`],
		["another port of it", "works", TUNNEL("127.0.0.1:1", 403)],
		["the same address in another spelling", "works", TUNNEL("2130706433:$PORT", 400)],
		["the same address mapped into IPv6", "works", TUNNEL("[::ffff:7f00:1]:$PORT", 403)],
		["a name that leads to it", "works", TUNNEL("localhost:$PORT", 403)],
		["the metadata service", "works", TUNNEL("169.254.169.254:80", 403)],
		["a host that is not listed", "works", TUNNEL("example.com:443", 403)],
		["a host that is closed", "works", TUNNEL("closed.example.org:443", 403)],
		["the parent of what is listed", "works", TUNNEL("example.org:443", 403)],
		["an address elsewhere", "fails", "exec 3<>/dev/tcp/192.0.2.1/53"],
		["a datagram elsewhere", "fails", "echo x > /dev/udp/192.0.2.1/53"],
		["a name", "fails", "getent hosts example.org"],
		["a route", "works", "test $(tail -n +2 /proc/net/route | wc -l) -eq 0"],
		["an interface besides loopback", "works", "test $(tail -n +3 /proc/net/dev | grep -vc lo:) -eq 0"],
		...LOCAL_SERVICES,
		["a netlink socket that tells about interfaces", "works", SOCKET(16, 3, 0)],
		["take over the proxy's port", "fails", LISTEN_ON(3128)],
		["a server of its own on its own loopback", "works", LISTEN_ON(18080)],
		["see who keeps the network", "works", "test $(ls -d /proc/[0-9]* | wc -l) -lt 20"],
		["enter a namespace", "fails", "nsenter -t 1 -n true"],
		["no capability can be had", "works", "grep -Eq 'CapBnd:.0+$' /proc/self/status"],
		["a filter is in force", "works", "grep -q 'Seccomp:.2' /proc/self/status"],
		["no descriptor but three", "works", ONLY_THREE],
		["write outside", "fails", `echo x >> "$OUT/out.txt"`],
		[
			"the variables that programs look for",
			"works",
			'test "$https_proxy$HTTP_PROXY" = http://127.0.0.1:3128http://127.0.0.1:3128',
		],
	],
};

export const NETWORK_PUBLIC: ProbeSet = {
	title: "network open to every public site",
	permissions: (_, port) => ({ mode: "workspaceWrite", network: "allowList", allowedDomains: ["*", `*:${port}`] }),
	probes: [
		["a server on the host's loopback, directly", "fails", 'exec 3<>"/dev/tcp/127.0.0.1/$PORT"'],
		["a server on the host's loopback, by the proxy", "works", TUNNEL("127.0.0.1:$PORT", 403)],
		["the same in IPv6", "works", TUNNEL("[::1]:$PORT", 403)],
		["the same address mapped into IPv6", "works", TUNNEL("[::ffff:7f00:1]:$PORT", 403)],
		["every address of the machine", "works", TUNNEL("0.0.0.0:$PORT", 403)],
		["a name that leads to it", "works", TUNNEL("localhost:$PORT", 403)],
		["the metadata service", "works", TUNNEL("169.254.169.254:80", 403)],
		["the network next to the machine", "works", TUNNEL("192.168.1.1:443", 403)],
		["a network of containers", "works", TUNNEL("172.17.0.1:80", 403)],
		["an address elsewhere, directly", "fails", "exec 3<>/dev/tcp/192.0.2.1/53"],
		...LOCAL_SERVICES,
	],
};

export const NETWORK_ON: ProbeSet = {
	title: "network on",
	permissions: () => ({ mode: "workspaceWrite", network: "on" }),
	probes: [
		["a server on the host's loopback", "works", 'exec 3<>"/dev/tcp/127.0.0.1/$PORT"'],
		...LOCAL_SERVICES,
		["trace a process", "fails", call("ptrace", 0, 0, 0, 0)],
		["make a user namespace", "fails", call("unshare", 0x10000000)],
		["write outside", "fails", `echo x >> "$OUT/out.txt"`],
	],
};

export const FULL: ProbeSet = {
	title: "full access",
	permissions: () => ({ mode: "full" }),
	probes: [
		["write outside", "works", `echo x > "$OUT/new" && rm "$OUT/new"`],
		["write a protected file", "works", "echo >> .git/config"],
		["a server on the host's loopback", "works", 'exec 3<>"/dev/tcp/127.0.0.1/$PORT"'],
		["a UNIX socket", "works", SOCKET(1, 1)],
		["read a secret", "fails", `cat "$HOME_DIR/.ssh/id_ed25519"`],
		["uncover a secret", "fails", `umount "$HOME_DIR/.ssh"`],
		["rename the way to a secret", "fails", `mv "$HOME_DIR/.config" "$HOME_DIR/.config2"`],
		[
			"uncover a secret in a namespace of its own",
			"fails",
			`unshare -Urm sh -c 'umount "$0" && cat "$0/id_ed25519"' "$HOME_DIR/.ssh"`,
		],
		["signal the host", "fails", 'kill -0 "$HOST_PID"'],
	],
};
