import assert from "node:assert/strict";
import { test } from "node:test";
import { detectWsl, type Wsl } from "../../../agent-host/sandbox/linux/wsl.ts";

/** Texts of /proc/version of known kernels, and kernels that people build themselves. */
const RECORDED: readonly (readonly [Wsl, string])[] = [
	[
		"wsl1",
		"Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com) (gcc version 5.4.0 (GCC) ) #1237-Microsoft Sat Sep 11 14:32:00 PST 2021",
	],
	[
		"wsl1",
		"Linux version 4.4.0-43-Microsoft (Microsoft@Microsoft.com) (gcc version 5.4.0 (GCC) ) #1-Microsoft Wed Dec 31 14:42:53 PST 2014",
	],
	["wsl1", "Linux version 4.4.0-22621-Microsoft (Microsoft@Microsoft.com) (gcc version 5.4.0 (GCC) ) #1-Microsoft"],
	[
		"wsl2",
		"Linux version 4.19.128-microsoft-standard (oe-user@oe-host) (gcc version 8.2.0 (GCC)) #1 SMP Tue Jun 23 12:58:10 UTC 2020",
	],
	[
		"wsl2",
		"Linux version 5.15.90.1-microsoft-standard-WSL2 (oe-user@oe-host) (x86_64-msft-linux-gcc (GCC) 9.3.0, GNU ld (GNU Binutils) 2.34.0.20200220) #1 SMP Fri Jan 27 02:56:13 UTC 2023",
	],
	[
		"wsl2",
		"Linux version 6.6.87.2-microsoft-standard-WSL2 (root@439a258ad544) (gcc (GCC) 11.2.0, GNU ld (GNU Binutils) 2.37) #1 SMP PREEMPT_DYNAMIC Thu Jun  5 18:30:46 UTC 2025",
	],
	["wsl2", "Linux version 6.1.21.2-custom-WSL2+ (me@desk) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0) #3 SMP"],
	["wsl2", "Linux version 7.1.0-microsoft-standard-WSL3 (root@builder) #1 SMP"],
	[
		"none",
		"Linux version 6.5.0-1025-azure (buildd@lcy02-amd64-075) (x86_64-linux-gnu-gcc-11 (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0, GNU ld (GNU Binutils for Ubuntu) 2.38) #26~22.04.1-Ubuntu SMP Thu Jul 11 22:33:04 UTC 2024",
	],
	["none", "Linux version 6.6.57.1-7.azl3 (builder@microsoft.com) (gcc (GCC) 13.2.0) #1 SMP"],
	[
		"none",
		"Linux version 6.8.0-45-generic (buildd@lcy02-amd64-115) (x86_64-linux-gnu-gcc-13 (Ubuntu 13.2.0-23ubuntu4) 13.2.0, GNU ld (GNU Binutils for Ubuntu) 2.42) #45-Ubuntu SMP PREEMPT_DYNAMIC Fri Aug 30 12:02:04 UTC 2024",
	],
	[
		"none",
		"Linux version 6.10.14-linuxkit (root@buildkitsandbox) (gcc (Alpine 13.2.1_git20240309) 13.2.1 20240309) #1 SMP",
	],
	["none", "Linux version 6.1.0-custom (me@wsl1-builder) (gcc (Debian 12.2.0-14) 12.2.0) #1 SMP PREEMPT_DYNAMIC"],
	["none", ""],
];

for (const [expected, text] of RECORDED) {
	test(`${expected} is detected from “${text.slice(0, 60)}”`, () => {
		assert.equal(detectWsl(text), expected);
	});
}
