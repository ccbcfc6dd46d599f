/** How hosts are written by those who would like to be taken for another one. */
export const NO_HOSTS: readonly string[] = [
	...["", ".", "..", "a..b", ".a", "a.b..", "-a.b", "a-.b", "a b", "a\tb", "a\nb", "a\0.b", "github.com\0.evil.org"],
	...[
		"github.com@evil.org",
		"user:pass@github.com",
		"github.com/evil",
		"github.com\\evil",
		"github.com?x",
		"github.com#x",
	],
	...[
		"github.com%00.evil.org",
		"%67ithub.com",
		"github%2ecom",
		"*.github.com",
		"*",
		"git\u200bhub.com",
		"git\u00adhub.com",
	],
	...["github\u3002com", "github\uff0ecom", "github\uff61com", "github.com\u202e", `${"a".repeat(64)}.com`],
	`${"a.".repeat(130)}com`,
	// Addresses that some programs read as 127.0.0.1 or 169.254.169.254 and others do not.
	...["2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "127.1", "127.0.1", "017700000001", "127.0.0.01", "0x"],
	...["127.0.0.1.", "256.1.1.1", "1.2.3.4.5", "2852039166", "0xA9FEA9FE", "169.254.43518", "１２７.0.0.1", "①②⑦.0.0.1"],
	...[
		"[127.0.0.1]",
		"::1",
		"[::1",
		"::1]",
		"[::1%eth0]",
		"[fe80::1%25eth0]",
		"[::ffff:127.0.0.1]",
		"[1::2::3]",
		"[12345::]",
	],
	...["[:::]", "[]", "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[::g]"],
];

/** Spellings of the same host, and its one spelling. */
export const SAME_HOSTS: readonly (readonly [written: string, name: string])[] = [
	["github.com", "github.com"],
	["GitHub.COM", "github.com"],
	["github.com.", "github.com"],
	["bücher.example", "xn--bcher-kva.example"],
	["BÜCHER.example.", "xn--bcher-kva.example"],
	["xn--bcher-kva.example", "xn--bcher-kva.example"],
	["ｇithub.com", "github.com"],
	// A Cyrillic letter makes another name, and it is seen.
	["gіthub.com", "xn--gthub-n2e.com"],
	["_dmarc.example.org", "_dmarc.example.org"],
	["1.2.3.4.example", "1.2.3.4.example"],
];

export const CLOSED_ADDRESSES: readonly string[] = [
	...["0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254", "169.254.169.254"],
	...[
		"172.16.0.1",
		"172.31.255.255",
		"192.0.0.192",
		"192.168.0.1",
		"198.18.0.1",
		"224.0.0.1",
		"239.1.1.1",
		"255.255.255.255",
	],
	...[
		"168.63.129.16",
		"192.0.2.1",
		"198.51.100.7",
		"203.0.113.9",
		"::",
		"::1",
		"::ffff:7f00:1",
		"::ffff:808:808",
		"::7f00:1",
	],
	...[
		"fe80::1",
		"fec0::1",
		"fc00::1",
		"fd00:ec2::254",
		"ff02::1",
		"2001:db8::1",
		"2001::1",
		"2002:7f00:1::",
		"3fff::1",
	],
	...["64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::808:808", "100::1", "5f00::1"],
];

export const OPEN_ADDRESSES: readonly string[] = [
	...[
		"1.1.1.1",
		"8.8.8.8",
		"100.63.255.255",
		"100.128.0.1",
		"172.15.0.1",
		"172.32.0.1",
		"192.167.1.1",
		"223.255.255.1",
	],
	...["2606:4700:4700::1111", "2001:4860:4860::8888", "2a00:1450:4001::1", "64:ff9b::808:808"],
];
