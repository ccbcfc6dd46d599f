import { type Architecture, SYSCALLS } from "./syscalls.ts";

/** `full` blocks only calls that no command needs. */
export type FilterLevel = "contained" | "full";

/** Calls that reach into other processes, create namespaces or mounts, or have been used to attack the kernel. */
const CLOSED_TO_CONTAINED = [
	...["ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd"],
	...["unshare", "setns", "mount", "umount2", "pivot_root", "open_tree", "open_tree_attr", "move_mount"],
	...["fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "memfd_secret", "fanotify_init"],
	...["io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd", "perf_event_open"],
	...["vhangup", "syslog", "quotactl", "quotactl_fd", "lookup_dcookie", "name_to_handle_at"],
];

const CLOSED_TO_ALL = [
	...["add_key", "request_key", "keyctl", "bpf", "open_by_handle_at"],
	...["init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot"],
	...["swapon", "swapoff", "acct", "settimeofday", "clock_settime", "iopl", "ioperm", "nfsservctl"],
];

const AUDIT_ARCH: Readonly<Record<Architecture, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };
/** Numbers from here on belong to the x32 interface, which would bypass the rest. */
const X32_BIT = 0x40000000;

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;
const SOCK_TYPE_MASK = 0xf;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const CLONE_NEW = 0x7e020000;
/** Both put characters into the terminal's input, as if the user had typed them. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

const EPERM = 1;
const ENOSYS = 38;

/**
 * The seccomp filter of a command in the kernel's format. Sockets are distinguished by family: IP is harmless in a
 * private network, whereas a UNIX socket reaches local servers through any readable folder. Calls that ordinary
 * programs make on existing sockets (shutdown, getsockopt) are allowed: Node's `spawnSync` needs them.
 */
export function seccompProgram(architecture: Architecture, level: FilterLevel): Buffer {
	const name = `${architecture} ${level}`;
	const program = programs.get(name) ?? buildProgram(architecture, level);
	programs.set(name, program);
	return program;
}

const programs = new Map<string, Buffer>();

function buildProgram(architecture: Architecture, level: FilterLevel): Buffer {
	const numbers = SYSCALLS[architecture];
	const rules = [...denials(level), ...(level === "full" ? [] : argumentRules()), ...TERMINAL_RULES];
	const program: Instruction[] = [
		load(OFFSET_ARCH),
		...unless(AUDIT_ARCH[architecture], RET_KILL),
		load(OFFSET_NUMBER),
		...(architecture === "x64" ? [jumpIf(GREATER_OR_EQUAL, X32_BIT, 0, 1), give(RET_KILL)] : []),
	];
	for (const { call, body } of rules) {
		const number = numbers[call];
		if (number !== undefined) program.push(jumpIf(EQUAL, number, 0, body.length), ...body);
	}
	return encode([...program, give(RET_ALLOW)]);
}

interface Rule {
	readonly call: string;
	/** Runs for this call; must end in a verdict. */
	readonly body: readonly Instruction[];
}

function denials(level: FilterLevel): readonly Rule[] {
	const calls = level === "full" ? CLOSED_TO_ALL : [...CLOSED_TO_ALL, ...CLOSED_TO_CONTAINED];
	return calls.map((call) => ({ call, body: [give(fail(EPERM))] }));
}

function argumentRules(): readonly Rule[] {
	// ENOSYS, not EPERM: libraries then continue without it, as on a kernel without netlink or clone3. Listing interfaces
	// is allowed, because it needs no right and changes nothing: a private network has one, and many programs fail
	// without an answer.
	const netlink = onlyIf(AF_NETLINK, [
		loadArgument(2),
		jumpIf(EQUAL, NETLINK_ROUTE, 0, 1),
		give(RET_ALLOW),
		give(fail(ENOSYS)),
	]);
	return [
		{
			call: "socket",
			body: [
				loadArgument(0),
				...onlyIf(AF_INET, [give(RET_ALLOW)]),
				...onlyIf(AF_INET6, [give(RET_ALLOW)]),
				...netlink,
				give(fail(EPERM)),
			],
		},
		{
			call: "socketpair",
			body: [
				loadArgument(0),
				...unless(AF_UNIX, fail(EPERM)),
				loadArgument(1),
				{ code: AND, yes: 0, no: 0, value: SOCK_TYPE_MASK },
				// A datagram socket of a pair can still send to any address.
				...onlyIf(SOCK_STREAM, [give(RET_ALLOW)]),
				...onlyIf(SOCK_SEQPACKET, [give(RET_ALLOW)]),
				give(fail(EPERM)),
			],
		},
		{
			call: "clone",
			body: [loadArgument(0), jumpIf(ANY_BIT, CLONE_NEW, 0, 1), give(fail(EPERM)), give(RET_ALLOW)],
		},
		// Its flags are behind a pointer, which a filter cannot follow.
		{ call: "clone3", body: [give(fail(ENOSYS))] },
	];
}

const OFFSET_NUMBER = 0;
const OFFSET_ARCH = 4;
const OFFSET_ARGUMENTS = 16;

const LOAD = 0x20;
const AND = 0x54;
const EQUAL = 0x15;
const GREATER_OR_EQUAL = 0x35;
const ANY_BIT = 0x45;
const RETURN = 0x06;

const RET_KILL = 0x80000000;
const RET_ALLOW = 0x7fff0000;
const RET_ERRNO = 0x00050000;

const TERMINAL_RULES: readonly Rule[] = [
	{
		call: "ioctl",
		body: [
			loadArgument(1),
			...onlyIf(TIOCSTI, [give(fail(EPERM))]),
			...onlyIf(TIOCLINUX, [give(fail(EPERM))]),
			give(RET_ALLOW),
		],
	},
];

interface Instruction {
	readonly code: number;
	/** How many instructions to skip if the comparison is true, and if it is false. */
	readonly yes: number;
	readonly no: number;
	readonly value: number;
}

function load(offset: number): Instruction {
	return { code: LOAD, yes: 0, no: 0, value: offset };
}

/** The lower half, which is all that the kernel reads of these arguments; both architectures store it first. */
function loadArgument(index: number): Instruction {
	return load(OFFSET_ARGUMENTS + 8 * index);
}

function jumpIf(code: number, value: number, yes: number, no: number): Instruction {
	return { code, yes, no, value };
}

function give(verdict: number): Instruction {
	return { code: RETURN, yes: 0, no: 0, value: verdict };
}

function fail(errno: number): number {
	return RET_ERRNO | errno;
}

function unless(value: number, verdict: number): readonly Instruction[] {
	return [jumpIf(EQUAL, value, 1, 0), give(verdict)];
}

function onlyIf(value: number, body: readonly Instruction[]): readonly Instruction[] {
	return [jumpIf(EQUAL, value, 0, body.length), ...body];
}

function encode(program: readonly Instruction[]): Buffer {
	const bytes = Buffer.alloc(program.length * 8);
	for (const [index, { code, yes, no, value }] of program.entries()) {
		bytes.writeUInt16LE(code, index * 8);
		bytes.writeUInt8(yes, index * 8 + 2);
		bytes.writeUInt8(no, index * 8 + 3);
		bytes.writeUInt32LE(value, index * 8 + 4);
	}
	return bytes;
}
